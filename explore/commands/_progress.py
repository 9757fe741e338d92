"""Showing what a sweep does: live on a terminal, one line an event elsewhere."""

from __future__ import annotations

import socket
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from ..outcome import Status
from ..table import number
from ._activity import Heartbeat, duration

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ..pipeline.events import Event

__all__ = ["LiveProgress", "PlainProgress", "progress"]

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


class _TimeLeft:
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


class _Running:
    """The jobs that run, each with the time at which it began."""

    def __init__(self) -> None:
        self._jobs: dict[str, tuple[Event, float]] = {}

    def note(self, event: Event) -> None:
        job = event.key + event.stage
        if event.status == "running" or event.kind == "wait":
            self._jobs[job] = (event, time.monotonic())
        else:
            self._jobs.pop(job, None)

    def __iter__(self) -> Iterator[tuple[Event, float]]:
        """Yield each job with the seconds that it has run, the longest first."""
        now = time.monotonic()
        return iter([(event, now - since) for event, since in list(self._jobs.values())])

    def __len__(self) -> int:
        return len(self._jobs)


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
        self._running = _Running()
        self._done = self._total = 0

    def __enter__(self) -> Self:
        self._heart.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._heart.__exit__(kind, error, trace)
        self._stream.flush()

    def __call__(self, event: Event) -> None:
        self._running.note(event)
        if event.total:
            self._done, self._total = event.done, event.total
        if text := self._text(event):
            self._print(text)
            self._heart.heard()

    def _print(self, text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {text}", file=self._stream, flush=True)

    def _tell(self) -> None:
        """Say what has run for longest."""
        for event, seconds in self._running:
            more = f", and {len(self._running) - 1} more" if len(self._running) > 1 else ""
            self._print(f"run    {_named(event)}{_where(event)}: {duration(seconds)} so far{more} "
                        f"[{self._done}/{self._total}]")
            break

    @staticmethod
    def _text(event: Event) -> str:
        if (event.stage in _QUICK and event.kind in ("start", "finish")
                and event.status in ("running", "ok") and event.seconds < _LONG_S):
            return ""
        what = _named(event)
        if event.kind == "start":
            return f"start  {what}{_where(event)}"
        if event.kind == "finish" and not event.cached and event.status != "skipped":
            width = len(str(event.total))
            return (f"finish {what}: {event.status} after {duration(event.seconds)}"
                    f"{_where(event)} [{event.done:{width}}/{event.total}]")
        if event.kind == "measured":
            return f"result {event.label}: {measured_text(event.rows)}"
        if event.kind == "wait":
            return f"wait   {what}: another sweep computes it"
        if event.kind == "warm":
            ready = f": ready after {duration(event.seconds)}" if event.status == "ok" else ""
            return f"warm   {event.label}{ready}"
        if event.kind == "note":
            return f"note   {event.label}"
        if event.kind == "forecast":
            return f"plan   {event.label}"
        return ""


class LiveProgress:
    """A bar, the time left, and a line for each running job, redrawn in place."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._console = console
        self._lock = threading.Lock()
        self._forecast = _TimeLeft()
        self._running = _Running()
        self._slots = 1
        self._live = Live(get_renderable=self.render, console=console, refresh_per_second=4,
                          transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._forecast.note(event)
            if event.kind != "measured":
                self._running.note(event)
                self._slots = max(self._slots, len(self._running))
        if event.kind in ("forecast", "note"):
            prefix = "note: " if event.kind == "note" else ""
            self._console.print(f"{prefix}{event.label}", markup=False, highlight=False)
        if event.kind == "measured":
            self._console.print(f"{event.label}: {measured_text(event.rows)}", markup=False,
                                highlight=False)
        if event.kind == "finish" and event.status not in ("ok", "skipped") and not event.cached:
            self._console.print(f"{event.status}: {event.stage} {event.label}", markup=False,
                                highlight=False)

    def render(self) -> RenderableType:
        """Return what to show now."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        with self._lock:
            forecast, running = self._forecast, list(self._running)
            left = forecast.left([(event.stage, seconds) for event, seconds in running
                                  if event.stage], self._slots)
        state = f"{forecast.done}/{forecast.total}"
        if forecast.cached:
            state += f" ({forecast.cached} stored)"
        if left is not None and forecast.done < forecast.total:
            state += f", about {duration(left)} left"
        if hosts := {event.host for event, _ in running if event.host}:
            state += f", {len(running)} running on {len(hosts)} host{'s' * (len(hosts) > 1)}"
        head = Table.grid(padding=(0, 2))
        bar = ProgressBar(total=max(forecast.total, 1), completed=forecast.done, width=40)
        head.add_row(bar, state)
        jobs = Table.grid(padding=(0, 2))
        for event, seconds in running:
            verb = "waits for another sweep's" if event.kind == "wait" else ""
            jobs.add_row(Text(f"  {verb} {event.stage}"),
                         Text(f"{event.label}{_where(event)}"), duration(seconds))
        return Group(head, jobs)


def _named(event: Event) -> str:
    return f"{event.stage:9} {event.label}" if event.stage else event.label


def _where(event: Event) -> str:
    """Return the machine that computes a stage, if it is another one."""
    return f" on {event.host}" if event.host not in ("", socket.gethostname()) else ""


def progress(stream: TextIO | None = None) -> LiveProgress | PlainProgress:
    """Return a context manager to call with each event of a sweep, fit for ``stream`` (stderr)."""
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        return PlainProgress(stream)
    from rich.console import Console

    console = Console(file=stream)
    return LiveProgress(console) if console.is_terminal and not console.is_dumb_terminal \
        else PlainProgress(stream)
