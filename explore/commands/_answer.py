"""What a command answers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

__all__ = ["SCHEMA", "Answer", "print_json"]

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
