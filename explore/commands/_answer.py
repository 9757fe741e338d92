"""What commands answer: one document for programs, and a text for people."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

__all__ = ["SCHEMA", "Answer", "answering", "json_option", "print_json"]

#: Version of the form of documents; a program that reads them need not know a larger one.
SCHEMA = 1

json_option = click.option("--json", "as_json", is_flag=True,
                           help="Print one JSON document on stdout, and all else on stderr.")


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document on stdout, as one line of strict JSON."""
    click.echo(json.dumps(document, allow_nan=False))


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a command answers.

    Attributes
    ----------
    document : dict or callable
        What --json prints, or a function that makes it.
    lines : iterable of str
        The text that is printed otherwise; what makes it need not run before.
    status : int
        The exit status.
    notes : iterable of str
        Lines on stderr, after the answer.
    """

    document: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    lines: Iterable[str]
    status: int = 0
    notes: Iterable[str] = ()


def answering(command: Callable[..., Answer]) -> Callable[..., int]:
    """Add the option --json to a command that returns an :class:`Answer`, and print that."""
    @json_option
    @functools.wraps(command)
    def print_answer(*arguments: Any, as_json: bool, **options: Any) -> int:
        answer = command(*arguments, **options)
        if as_json:
            print_json(answer.document() if callable(answer.document) else answer.document)
        else:
            for line in answer.lines:
                click.echo(line)
        for note in answer.notes:
            click.echo(note, err=True)
        return answer.status

    return print_answer
