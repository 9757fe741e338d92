"""Signs of life of a command that takes long: a bar on a terminal, and seldom a line elsewhere."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self, TextIO

import click

__all__ = ["INTERVAL_S", "Activity", "Heartbeat", "duration", "size"]

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
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def size(count: float) -> str:
    """Return a number of bytes as people say it: ``12 bytes``, ``3.4 kB``, ``1.2 GB``."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


class Heartbeat:
    """A context manager that calls a function whenever nothing was said for some time.

    Parameters
    ----------
    beat : callable
        It is called in a thread of its own.
    interval_s : float or None
        Seconds of silence; :data:`INTERVAL_S` if None.
    """

    def __init__(self, beat: Callable[[], None], interval_s: float | None = None) -> None:
        self._beat = beat
        self._interval_s = INTERVAL_S if interval_s is None else interval_s
        self._due = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self.heard()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()

    def heard(self, within_s: float | None = None) -> None:
        """Take note that something was said now; the next beat is due after ``within_s``."""
        self._due = time.monotonic() + (self._interval_s if within_s is None
                                        else min(within_s, self._interval_s))

    def _run(self) -> None:
        while not self._ended.wait(min(max(self._due - time.monotonic(), 0.0), _LOOK_S)):
            if time.monotonic() >= self._due:
                self.heard()
                self._beat()


class Activity(Heartbeat):
    """A context manager that tells on stderr what a command is doing.

    What takes long gets a line when it begins, or soon after, and one every :data:`INTERVAL_S`
    seconds, which says how much is done and for how long it has taken. On a terminal, work of a
    known amount gets a bar instead.

    Parameters
    ----------
    stream : text file or None
        ``sys.stderr`` if None.
    interval_s : float or None
        See :class:`Heartbeat`.
    """

    def __init__(self, stream: TextIO | None = None, interval_s: float | None = None) -> None:
        super().__init__(self._tell, interval_s)
        self._stream = sys.stderr if stream is None else stream
        self._text, self._since, self._count = "", 0.0, ""

    def announce(self, text: str) -> None:
        """Say at once what begins, and takes long."""
        click.echo(f"{text} …", file=self._stream)
        self._begin(text)

    @contextlib.contextmanager
    def during(self, text: str) -> Iterator[None]:
        """Say what is being done, if it takes longer than :data:`PATIENCE_S`."""
        self._begin(text, within_s=PATIENCE_S)
        try:
            yield
        finally:
            self._begin("")

    @contextlib.contextmanager
    def meter(self, text: str) -> Iterator[Callable[[int, int], None]]:
        """Show how far something is; yield a function that takes what is done, and the whole."""
        if not self._stream.isatty():
            with self.during(text):
                yield self._note
            return
        from rich.console import Console
        from rich.progress import Progress

        self._begin("")
        with Progress(console=Console(file=self._stream)) as bar:
            task = bar.add_task(text, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def _note(self, done: int, total: int) -> None:
        self._count = f"{done:,} of {total:,}, "

    def _begin(self, text: str, within_s: float | None = None) -> None:
        self._text, self._since, self._count = text, time.monotonic(), ""
        self.heard(within_s)

    def _tell(self) -> None:
        if self._text:
            elapsed = duration(time.monotonic() - self._since)
            click.echo(f"{self._text}: {self._count}{elapsed} so far", file=self._stream)
