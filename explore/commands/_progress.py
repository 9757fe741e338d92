"""Showing what a sweep does: live on a terminal, one line an event elsewhere."""

from __future__ import annotations

import socket
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from ..outcome import Status
from ..table import number
from ._activity import Heartbeat, duration

if TYPE_CHECKING:
    from rich.console import Console

    from ..pipeline.events import Event

__all__ = ["LiveProgress", "PlainProgress", "TimeLeft", "progress"]

#: Stages that are not worth a line unless they take long.
_QUICK = ("elaborate", "design", "small")
_LONG_S = 5


def measured_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what was measured of a point: medians of the rows of its seeds."""
    def median(column: str) -> float | None:
        values = [row[column] for row in measured if row[column] is not None]
        return statistics.median(values) if values else None

    measured = [row for row in rows if Status(row["status"]).is_success]
    if not measured:
        return str(rows[0]["status"])
    units = {"lut": "LUT", "dsp": "DSP", "fmax_usable_mhz": "MHz", "cycles_compute": "clocks",
             "latency_us": "µs"}
    return ", ".join(f"{number(value)} {unit}" for column, unit in units.items()
                     if (value := median(column))) or str(rows[0]["status"])


def _begins(event: Event) -> bool:
    return event.status == "running" or event.kind == "wait"


def _ends(event: Event) -> bool:
    return not _begins(event) and event.kind in ("finish", "warm")


def _failed(event: Event) -> bool:
    return event.kind == "finish" and event.status not in ("ok", "skipped") and not event.cached


def _where(event: Event) -> str:
    """Return the machine that computes a stage, if it is another one."""
    return f" on {event.host}" if event.host not in ("", socket.gethostname()) else ""


def _line(event: Event) -> str:
    """Return the line of a log on an event; empty for what is not worth one."""
    what = f"{event.stage:9} {event.label}" if event.stage else event.label
    match event.kind:
        case "start" if event.stage not in _QUICK:
            return f"start  {what}{_where(event)}"
        case "finish" if not event.cached and event.status != "skipped" and (
                event.stage not in _QUICK or event.status != "ok" or event.seconds >= _LONG_S):
            done = f"{event.done:{len(str(event.total))}}/{event.total}"
            return (f"finish {what}: {event.status} after {duration(event.seconds)}"
                    f"{_where(event)} [{done}]")
        case "measured":
            return f"result {event.label}: {measured_text(event.rows)}"
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


class TimeLeft:
    """Time left, from how long the stages that ran took so far."""

    def __init__(self) -> None:
        self.done = self.total = self.cached = 0
        self._seconds: dict[str, list[float]] = {}

    def note(self, event: Event) -> None:
        # A tool that warms up is no stage, and counts none.
        if event.kind not in ("warm", "note", "forecast", "measured"):
            self.done, self.total = event.done, event.total
        if event.kind == "finish":
            if event.cached:
                self.cached += 1
            elif event.status != "skipped":
                self._seconds.setdefault(event.stage, []).append(event.seconds)

    def left(self, running: list[tuple[str, float]], slots: int) -> float | None:
        """Return the seconds left, or ``None`` before anything was measured.

        ``running`` has the stage of each running job and the seconds it has run. Jobs still to come
        are taken to cost the mean of those that ran, shared evenly by ``slots``.
        """
        times = [seconds for stage in self._seconds.values() for seconds in stage]
        if not times:
            return None
        mean = sum(times) / len(times)
        waiting = max(self.total - self.done - len(running), 0)
        begun = 0.0
        for stage, elapsed in running:
            of_stage = self._seconds.get(stage, times)
            begun += max(sum(of_stage) / len(of_stage) - elapsed, 0.0)
        return (begun + waiting * mean) / max(slots, 1)


class PlainProgress:
    """Timestamped lines, for logs.

    Parameters
    ----------
    interval_s : float or None
        Seconds of silence after which a line says what still runs; see
        :class:`~explore.commands._activity.Heartbeat`.
    """

    def __init__(self, stream: TextIO, interval_s: float | None = None) -> None:
        self._stream = stream
        self._heart = Heartbeat(self._tell, interval_s)
        #: The jobs that run, the longest first, each with the time at which it began.
        self._jobs: dict[str, tuple[Event, float]] = {}
        self._state = ""

    def __enter__(self) -> Self:
        self._heart.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._heart.__exit__(kind, error, trace)

    def __call__(self, event: Event) -> None:
        if _begins(event):
            self._jobs[event.key + event.stage] = event, time.monotonic()
        elif _ends(event):
            self._jobs.pop(event.key + event.stage, None)
        if event.total:
            self._state = f"[{event.done}/{event.total}]"
        if line := _line(event):
            self._print(line)
            self._heart.heard()

    def _print(self, text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {text}", file=self._stream, flush=True)

    def _tell(self) -> None:
        """Say what has run for longest."""
        if jobs := list(self._jobs.values()):
            event, since = jobs[0]
            more = f", and {len(jobs) - 1} more" if len(jobs) > 1 else ""
            self._print(f"run    {event.stage:9} {event.label}{_where(event)}: "
                        f"{duration(time.monotonic() - since)} so far{more} {self._state}")


class LiveProgress:
    """A bar, the time left, and a line for each running job, redrawn in place."""

    def __init__(self, console: Console) -> None:
        from rich.console import Group
        from rich.live import Live
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        self._console = console
        self._stages = Progress(BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        self._jobs = Progress(TextColumn("  {task.description}", markup=False), TimeElapsedColumn())
        self._bar = self._stages.add_task("", total=None)
        self._running: dict[str, Any] = {}
        self._stored, self._begun = 0, 0.0
        self.picture = Group(self._stages, self._jobs)
        self._live = Live(self.picture, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        job = event.key + event.stage
        if (_begins(event) or _ends(event)) and job in self._running:
            self._jobs.remove_task(self._running.pop(job))
        if _begins(event):
            verb = "waits for another sweep's " if event.kind == "wait" else ""
            self._running[job] = self._jobs.add_task(
                f"{verb}{event.stage:9} {event.label}{_where(event)}")
        if event.kind == "start":
            self._begun = self._begun or time.monotonic()
        if event.total:
            self._stored += event.cached
            self._stages.update(self._bar, completed=event.done, total=event.total,
                                description=self._state(event.done, event.total))
        if event.kind in ("forecast", "note", "measured") or _failed(event):
            self._console.print(_line(event), markup=False, highlight=False)

    def _state(self, done: int, total: int) -> str:
        """Return how many stages were stored, and the time left if others cost what those did."""
        ran, state = done - self._stored, f"({self._stored} stored)" if self._stored else ""
        if not (ran and self._begun) or done == total:
            return state
        left = (time.monotonic() - self._begun) * (total - done) / ran
        return f"{state} about {duration(left)} left".lstrip()


def progress(stream: TextIO | None = None) -> LiveProgress | PlainProgress:
    """Return a context manager to call with each event of a sweep, fit for ``stream`` (stderr)."""
    stream = sys.stderr if stream is None else stream
    if stream.isatty():
        from rich.console import Console

        console = Console(file=stream)
        if console.is_terminal and not console.is_dumb_terminal:
            return LiveProgress(console)
    return PlainProgress(stream)
