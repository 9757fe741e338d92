"""Signs of life of a command that takes long: a bar on a terminal, and seldom a line elsewhere."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Self

import click

__all__ = ["INTERVAL_S", "PATIENCE_S", "Activity", "duration", "size"]

#: Seconds from a line of progress to the next, where no terminal shows a bar.
INTERVAL_S = 30.0
#: Work that ends sooner gets no line.
PATIENCE_S = 5.0
#: Seconds from one look at whether a line is due to the next.
_LOOK_S = 1.0


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
    """A context manager that tells on stderr what a command is doing.

    What takes long gets a line when it begins, or soon after, and one every :data:`INTERVAL_S`
    seconds, which says how much is done and for how long it has taken. On a terminal, work of a
    known amount gets a bar instead.
    """

    def __init__(self) -> None:
        self._text, self._since, self._count, self._due = "", 0.0, "", 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def announce(self, text: str) -> None:
        """Say at once what begins, and takes long."""
        click.echo(f"{text} …", err=True)
        self._begin(text, INTERVAL_S)

    @contextlib.contextmanager
    def during(self, text: str) -> Iterator[None]:
        """Say what is being done, if it takes longer than :data:`PATIENCE_S`."""
        self._begin(text, PATIENCE_S)
        try:
            yield
        finally:
            self._begin("", INTERVAL_S)

    @contextlib.contextmanager
    def meter(self, text: str) -> Iterator[Callable[[int, int], None]]:
        """Show how far something is; yield a function that takes what is done, and the whole."""
        if not sys.stderr.isatty():
            with self.during(text):
                yield self._note
            return
        from rich.console import Console
        from rich.progress import Progress

        self._begin("", INTERVAL_S)
        with Progress(console=Console(stderr=True)) as bar:
            task = bar.add_task(text, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def _note(self, done: int, total: int) -> None:
        self._count = f"{done:,} of {total:,}, "

    def _begin(self, text: str, within_s: float) -> None:
        now = time.monotonic()
        self._text, self._since, self._count, self._due = text, now, "", now + within_s

    def _run(self) -> None:
        while not self._ended.wait(min(max(self._due - time.monotonic(), 0.0), _LOOK_S)):
            now = time.monotonic()
            if now >= self._due:
                self._due = now + INTERVAL_S
                if self._text:
                    click.echo(f"{self._text}: {self._count}{duration(now - self._since)} so far",
                               err=True)
