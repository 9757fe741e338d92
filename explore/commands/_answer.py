"""What a command answers, and lines that fit the terminal."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

__all__ = ["SCHEMA", "Answer", "on_terminal", "print_json", "terminal_width"]

#: Version of the form of documents; a program that reads them need not know a larger one.
SCHEMA = 1


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document on stdout, as one line of strict JSON."""
    click.echo(json.dumps(document, allow_nan=False))


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a command answers: the document of --json, or a function that makes it, and the lines
    that are printed otherwise; what makes these need not run before.

    The notes follow on stderr.
    """

    document: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    lines: Iterable[str]
    status: int = 0
    notes: Iterable[str] = ()

    def print(self, as_json: bool) -> int:
        """Print the document or the lines, and the notes; return the exit status."""
        if as_json:
            print_json(self.document() if callable(self.document) else self.document)
        else:
            for line in self.lines:
                click.echo(line)
        for note in self.notes:
            click.echo(note, err=True)
        return self.status


#: No line is as long.
_ENDLESS = 10**6


def on_terminal(lines: Iterable[str]) -> list[str]:
    """Return lines that fit the terminal, if there is one; commands stay as they are, to be copied.

    What does not fit goes on in the next line, which begins further to the right.
    """
    return [part for line in lines for part in _parts(line, terminal_width())]


def terminal_width() -> int:
    """Return the width of the terminal; where there is none, lines have no end."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _ENDLESS


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width or line.lstrip().startswith(("montgomery ", "git ")):
        return [line]
    begin = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, width, subsequent_indent=begin, break_on_hyphens=False,
                         break_long_words=False)
