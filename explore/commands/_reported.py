"""What a sweep leaves when it has ended: table, files, plots, and the exit status."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic import atomic_write
from ..outcome import Status
from ._progress import meter
from ._types import written
from ._verified import differences

if TYPE_CHECKING:
    import pandas

__all__ = ["exit_status", "of_one_kind", "report", "tell_stopped"]


def report(rows: Sequence[dict[str, Any]], folder: Path, *, to_stderr: bool) -> None:
    """Print the table; write it, the rows and the plots to ``folder``; print where they are.

    Plots of the same rows stay as they are, unless the program is another one since.
    """
    from ..data.frame import save, tidy
    from ..data.summary import written
    from ..plots._drawing import files_of, plots_of, write
    from ..table import markdown_text

    measured, failures = tidy(rows), list(_failures(rows))
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "rows.jsonl", folder / "table.md", folder / "table.csv"]
    before = paths[0].read_bytes() if paths[0].is_file() else b""
    with atomic_write(paths[0]) as partial:
        save(rows, partial)
    for path, format in zip(paths[1:], ("markdown", "csv"), strict=True):
        with atomic_write(path) as partial:
            reasons = [f"- {markdown_text(each)}\n" for each in failures if format == "markdown"]
            partial.write_text("".join([written(measured, format), *"\n"[:len(reasons)], *reasons]),
                               encoding="utf-8")
    click.echo(written(measured, "terminal"), err=to_stderr)
    for line in (*failures, *_hints(rows)):
        click.echo(f"montgomery: {line}", err=True)
    shown = of_one_kind(measured)
    names = plots_of(shown)
    drawn = files_of(names, folder)
    if before != paths[0].read_bytes() or not drawn:
        with meter("drawing the plots") as progress:
            drawn = write(names, shown, folder, progress=progress)
    paths += drawn
    for path in paths:
        click.echo(path, err=to_stderr)
    if todo := list(_next(rows, folder)):
        click.echo("\n".join(["", "What to do next:", *todo]), err=to_stderr)


def _next(rows: Sequence[dict[str, Any]], folder: Path) -> Iterator[str]:
    """Yield commands that go on from what was measured; none if no core has a time."""
    from ..points.point import Point

    timed = [row for row in rows if row["status"] == Status.OK and row["latency_us"]]
    if not timed:
        return
    best = min(timed, key=lambda row: row["latency_us"])
    point = Point.from_row(best)
    export = [written(word) if before == "-a" else word
              for before, word in itertools.pairwise(["", *point.command("export")])]
    for words in (["montgomery", "recommend", "--kind", best["kind"], "-n", str(best["width"]),
                   "-t", best["target"]],
                  export, ["montgomery", "report", "--from", str(folder / "rows.jsonl")]):
        yield f"  {shlex.join(words)}"


def _hints(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line on cores from outside of whose products yosys made multiplier blocks."""
    from ..points.point import Point

    found: dict[str, None] = {}
    for row in rows:
        if row["dsp"] and "origin" in row["versions"]:
            found[f"{Point.from_row(row).label} has {row['dsp']} DSP"] = None
    if found:
        yield (f"{', '.join(found)}: yosys makes blocks of products, even of small ones; -o "
               "multipliers=logic makes them of LUTs")


def _failures(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each way in which a point failed that its status alone does not explain."""
    from ..points.point import Point

    seen = set()
    for row in rows:
        status, label = Status(row["status"]), Point.from_row(row).label
        # A design that was synthesised, and is too large, has its area in the table.
        explained = status.is_success or (status == Status.NO_FIT and row["lut"] is not None)
        if explained or not row["log"] or (label, status) in seen:
            continue
        seen.add((label, status))
        reason = differences(row["log"].partition("\n")[0])
        # The outcome of a stage has the name of the option alone.
        reason = reason.replace("say so: multipliers=logic", "-o multipliers=logic")
        if status == Status.TIMEOUT:
            reason += "; --timeout MIN sets another limit"
        yield f"{label}: {status}: {reason}"


def exit_status(rows: Sequence[dict[str, Any]]) -> int:
    """Return 1 if a core failed verification, or if nothing of any point was measured.

    The area of a design that does not fit, or is not placed in time, is something.
    """
    statuses = {Status(row["status"]) for row in rows}
    found = any(status.is_success for status in statuses) or any(
        row["lut"] is not None and Status(row["status"]).is_result for row in rows)
    return 0 if found and Status.UNVERIFIED not in statuses else 1


def tell_stopped(store: Path) -> int:
    """Say what Ctrl-C leaves, and return the exit status."""
    click.echo(f"montgomery: stopped; the store in {store} is whole, and the same command goes on "
               "from there", err=True)
    return 130


def of_one_kind(rows: pandas.DataFrame, names: Sequence[str] = ()) -> pandas.DataFrame:
    """Return the rows that plots show, which are of one kind; say on stderr what is left out.

    Parameters
    ----------
    names : sequence of str
        Plots; all of them if empty.
    """
    from montgomery import KINDS

    from ..plots import _drawing

    shown, others = _drawing.of_one_kind(rows, names)
    if others:
        kind = KINDS[shown["kind"].iloc[0]]
        click.echo(f"note: the plots show {kind.nouns}, since a plot has one kind of core; "
                   f"'montgomery plot -a KIND' shows others: {', '.join(others)}", err=True)
    return shown
