"""What a command does beside measuring: it shows what runs, and ends politely."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..pipeline.events import Event

__all__ = ["STOPPED", "telling"]

#: What a command says after Ctrl-C, given the folder of the store.
STOPPED = ("montgomery: stopped; the store in {} is whole, and the same command goes on from there")


@contextlib.contextmanager
def telling() -> Iterator[Callable[[Event], None]]:
    """Show what is computed; yield a function for the events."""
    from ._progress import progress

    with _ended_as_by_ctrl_c(), progress() as show:
        yield show


@contextlib.contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """Have a terminal that is closed, and a polite kill, end a sweep as Ctrl-C does.

    Tools are in process groups of their own, so that they would outlive it otherwise.
    """
    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt)
              for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
