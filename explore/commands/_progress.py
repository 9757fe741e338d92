"""Showing what is done: live on a terminal, one line an event elsewhere."""

from __future__ import annotations

import contextlib
import signal
import socket
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from ..data.labels import duration
from ..outcome import Status
from ..table import number

if TYPE_CHECKING:
    from rich.console import Console

    from ..pipeline.session import Event

__all__ = ["announce", "ended_by_signals", "live", "log", "meter", "progress", "size"]


#: Stages that are not worth a line unless they take long.
_QUICK = ("elaborate", "design", "small")
_LONG_S = 5


@contextlib.contextmanager
def progress() -> Iterator[Callable[[Event], None]]:
    """Show on stderr what is computed; yield a function for the events.

    A terminal that is closed, and a polite kill, end the work as Ctrl-C does: tools are in process
    groups of their own, and would outlive it otherwise.
    """
    with ended_by_signals():
        if not sys.stderr.isatty():
            yield log
            return
        from rich.console import Console

        console = Console(stderr=True)
        with contextlib.nullcontext(log) if console.is_dumb_terminal else live(console) as show:
            yield show


def _measured(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what was measured of a point: medians of the rows of its seeds."""
    units = {"lut": "LUT", "dsp": "DSP", "fmax_usable_mhz": "MHz", "cycles_compute": "clocks",
             "latency_us": "µs"}
    found = [f"{number(statistics.median(values))} {unit}" for column, unit in units.items()
             if (values := [row[column] for row in rows
                            if Status(row["status"]).is_success and row[column] is not None])]
    return ", ".join(found) or str(rows[0]["status"])


def _where(event: Event) -> str:
    """Return the machine that computes a stage, if it is another one."""
    return f" on {event.host}" if event.host not in ("", socket.gethostname()) else ""


def _line(event: Event) -> str:
    """Return the line of a log on an event; empty for what is not worth one."""
    what = f"{event.stage:9} {event.label}" if event.stage else event.label
    match event.kind:
        case "start" if event.stage not in _QUICK:
            return f"start  {what}"
        case "finish" if not event.cached and event.status != "skipped" and (
                event.stage not in _QUICK or event.status != "ok" or event.seconds >= _LONG_S):
            done = f"{event.done:{len(str(event.total))}}/{event.total}"
            return (f"finish {what}: {event.status} after {duration(event.seconds)}"
                    f"{_where(event)} [{done}]")
        case "measured":
            return f"result {event.label}: {_measured(event.rows)}"
        case "wait":
            return f"wait   {what}: another sweep computes it"
        case "warm":
            ready = f": ready after {duration(event.seconds)}" if event.status == "ok" else ""
            return f"warm   {event.label}{ready}"
        case "note":
            return f"note   {event.label}"
        case "forecast":
            return f"plan   {event.label}"
    return ""


def log(event: Event) -> None:
    """Print a line with the time of day on stderr, if an event is worth one."""
    if line := _line(event):
        print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def live(console: Console) -> Iterator[Callable[[Event], None]]:
    """Draw a bar, the time left, and a line for each running job; yield a function for events."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    running: dict[str, str] = {}
    with Progress(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                  TextColumn("{task.description}", markup=False), console=console,
                  transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(event: Event) -> None:
            job = event.key + event.stage
            if event.status == "running" or event.kind == "wait":
                verb = "waits for another sweep's " if event.kind == "wait" else ""
                running[job] = f"{verb}{event.stage:9} {event.label}"
            elif event.kind in ("finish", "warm"):
                running.pop(job, None)
            bar.update(task, description="\n".join(running.values()))
            if event.total:
                bar.update(task, completed=event.done, total=event.total)
            if event.kind in ("forecast", "note", "measured") or (
                    event.kind == "finish" and event.status not in ("ok", "skipped")
                    and not event.cached):
                console.print(_line(event), markup=False, highlight=False)

        yield show


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
    before = {each: handler for each in (signal.SIGTERM, signal.SIGHUP)
              if (handler := signal.getsignal(each)) not in (signal.SIG_IGN, None)}

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    for each in before:
        signal.signal(each, interrupt)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
