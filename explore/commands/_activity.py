"""Signs of life of a command that takes long: a line and, on a terminal, what moves."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Self

import click

__all__ = ["Activity", "duration", "size"]


def duration(seconds: float) -> str:
    """Return ``seconds`` as people say it: ``4.2 s``, ``1 min 05 s``, ``2 h 10 min``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return (f"{minutes} min {rest:02} s" if minutes < 60 else
            f"{minutes // 60} h {minutes % 60:02} min")


def size(count: float) -> str:
    """Return a number of bytes as people say it: ``12 bytes``, ``3.4 kB``, ``1.2 GB``."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


class Activity:
    """A context manager that tells on stderr what a command is doing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def announce(self, text: str) -> None:
        """Say at once what begins, and takes long."""
        click.echo(f"{text} …", err=True)

    @contextlib.contextmanager
    def during(self, text: str) -> Iterator[None]:
        """Show on a terminal what is being done."""
        with self.meter(text):
            yield

    @contextlib.contextmanager
    def meter(self, text: str) -> Iterator[Callable[[int, int], None]]:
        """Show it with a bar; yield a function that takes what is done, and the whole."""
        if not sys.stderr.isatty():
            yield lambda done, total: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(text, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
