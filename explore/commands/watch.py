"""``montgomery watch``: the sweeps that run on a store."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._activity import Heartbeat, duration
from ._command import Command
from ._options import print_json, store_option

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ..store.status import Job, Status

__all__ = ["command"]

_SCHEMA = 1
#: Seconds from one look at a store to the next.
_INTERVAL_S = 1.0
#: What tells a sweep from others: processes in containers may have the same number.
_Name = tuple[str, int, str]


@click.command(cls=Command, short_help="Show the sweeps that run on a store.")
@store_option
@click.option("--once", is_flag=True, help="Show what runs now, and end.")
@click.option("--json", "as_json", is_flag=True,
              help="Print one JSON document per line on stdout: one now, and with each change "
                   "another.")
def command(store_path: Path | None, once: bool, as_json: bool) -> None:
    """Show how far the sweeps are that run on a store, and what they compute.

    The command only reads, so that it never disturbs a sweep. It ends when no sweep runs any more,
    and at once if none does. On a terminal the picture is redrawn in place; elsewhere each change
    is a line.

    \b
    montgomery watch
    montgomery watch --store /srv/measurements --once --json
    """
    from ..store import default_path
    from ..store.folder import check
    from ..store.status import statuses

    path = store_path or default_path()
    check(path)

    def look() -> list[Status]:
        return statuses(path)

    if as_json:
        _print_documents(path, look, once)
    elif not (found := look()):
        click.echo(f"No sweep runs on {path}")
    elif once:
        for status in found:
            for line in _lines(status):
                click.echo(line)
    elif (console := _terminal()) is not None:
        _show_live(look, console)
    else:
        _print_lines(look)


def _until_none(look: Callable[[], list[Status]]) -> Iterator[list[Status]]:
    """Yield what runs, now and again; at the end an empty list."""
    while found := look():
        yield found
        time.sleep(_INTERVAL_S)
    yield []


def _print_documents(path: Path, look: Callable[[], list[Status]], once: bool) -> None:
    before = None
    for found in _until_none(look):
        sweeps = [status.to_json() for status in found]
        if sweeps != before:
            print_json({"schema": _SCHEMA, "path": str(path), "sweeps": sweeps})
            sys.stdout.flush()
        before = sweeps
        if once:
            break


def _name(status: Status) -> _Name:
    return status.host, status.pid, status.started


# In words


def _title(status: Status) -> str:
    return f"{shlex.join(status.command)} (process {status.pid} on {status.host})"


def _state(status: Status) -> str:
    from ..store.status import seconds_since

    text = f"{status.done}/{status.total} stages"
    for count, what in ((status.stored, "stored"), (status.failed, "failed")):
        text += f", {count} {what}" if count else ""
    text += f", {duration(seconds_since(status.started))} so far"
    if status.seconds_left is not None and status.done < status.total:
        left = status.seconds_left - seconds_since(status.written)
        text += f", about {duration(left)} left" if left > 0 else ""
    return text


def _where(status: Status, job: Job) -> str:
    return f" on {job.host}" if job.host and job.host != status.host else ""


def _named(job: Job) -> str:
    return f"{job.stage:9} {job.label}" if job.stage else job.label


def _lines(status: Status) -> Iterator[str]:
    """Yield the lines of one sweep."""
    from ..store.status import seconds_since

    yield _title(status)
    yield f"  {_state(status)}"
    if status.forecast:
        yield f"  {status.forecast}"
    for job in status.running:
        verb = "another sweep computes " if job.waits else ""
        yield (f"  {verb}{_named(job)}{_where(status, job)}: "
               f"{duration(seconds_since(job.since))} so far")


# A line for each change


def _print_lines(look: Callable[[], list[Status]]) -> None:
    known: dict[_Name, Status] = {}

    def tell() -> None:
        for status in list(known.values()):
            say(f"{status.pid} {_state(status)}")

    def say(text: str) -> None:
        click.echo(f"{time.strftime('%H:%M:%S')} {text}")
        sys.stdout.flush()
        heart.heard()

    with Heartbeat(tell) as heart:
        for found in _until_none(look):
            now = {_name(status): status for status in found}
            for name, before in known.items():
                if name not in now:
                    say(f"{before.pid} ended; {before.done}/{before.total} stages were finished "
                        "when it was last seen")
            for name, status in now.items():
                for text in _changes(known.get(name), status):
                    say(f"{status.pid} {text}")
            known.clear()
            known.update(now)


def _changes(before: Status | None, status: Status) -> Iterator[str]:
    """Yield a line for each difference between two looks at one sweep."""
    if before is None:
        yield _title(status)
    if status.forecast and (before is None or status.forecast != before.forecast):
        yield f"plan   {status.forecast}"
    old = before.running if before is not None else ()
    for job in old:
        if job not in status.running:
            yield f"end    {_named(job)}{_where(status, job)} [{status.done}/{status.total}]"
    for job in status.running:
        if job not in old:
            verb = "wait  " if job.waits else "start "
            yield f"{verb} {_named(job)}{_where(status, job)}"


# On a terminal


def _terminal() -> Console | None:
    """Return the terminal on stdout, if it can be drawn on."""
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    console = Console(file=sys.stdout)
    return console if console.is_terminal and not console.is_dumb_terminal else None


def _show_live(look: Callable[[], list[Status]], console: Console) -> None:
    from rich.live import Live

    last: dict[_Name, Status] = {}
    with Live(console=console, auto_refresh=False, transient=True) as live:
        for found in _until_none(look):
            now = {_name(status): status for status in found}
            for name, before in last.items():
                if name not in now:
                    console.print(f"ended: {_title(before)}, {before.done}/{before.total} stages",
                                  markup=False, highlight=False)
            last = now
            live.update(_drawn(found), refresh=True)


def _drawn(found: Sequence[Status]) -> RenderableType:
    """Return a picture of what runs: for each sweep a bar, and a line for each job."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    from ..store.status import seconds_since

    parts: list[Any] = []
    for status in found:
        head, jobs = Table.grid(padding=(0, 2)), Table.grid(padding=(0, 2))
        bar = ProgressBar(total=max(status.total, 1), completed=status.done, width=25)
        head.add_row(bar, Text(_state(status)))
        for job in status.running:
            verb = "waits for another sweep's " if job.waits else ""
            jobs.add_row(Text(f"  {verb}{job.stage}"), Text(job.label),
                         Text(_where(status, job).strip()), duration(seconds_since(job.since)))
        parts += [Text(_title(status)), head, jobs]
    return Group(*parts)
