"""Signs of life of a command that takes long: a line and, on a terminal, what moves."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import click

__all__ = ["announce", "ended_by_signals", "meter", "size",
           "telling"]

#: Seconds after which a file or pipe gets a line too.
PATIENCE_S = 3.0


def size(count: float) -> str:
    """Return a number of bytes as people say it: ``12 bytes``, ``3.4 kB``, ``1.2 GB``."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def announce(text: str) -> None:
    """Say at once what begins, and takes long."""
    click.echo(f"{text} …", err=True)


@contextlib.contextmanager
def telling(text: str) -> Iterator[None]:
    """Show it as :func:`meter` does, and elsewhere with a line if it takes seconds."""
    late = threading.Timer(PATIENCE_S, (lambda _: None) if sys.stderr.isatty() else announce,
                           [text])
    late.daemon = True
    late.start()
    try:
        with meter(text):
            yield
    finally:
        late.cancel()


@contextlib.contextmanager
def meter(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show on a terminal what is being done; yield a function of what is done, and the whole."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Have a closed terminal, unless nohup holds it off, and a polite kill end work as Ctrl-C does.

    What ends then is not ended again by the other one.
    """
    before = {number: handler for number in (signal.SIGTERM, signal.SIGHUP)
              if (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None)}

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
