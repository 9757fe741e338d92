"""What a sweep leaves when it has ended, and what a verification says."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic import atomic_write
from ..outcome import Status
from ._progress import meter
from ._types import written

if TYPE_CHECKING:
    import pandas

    from ..pipeline.mutation import MutantReport
    from ..simulation import Report

__all__ = ["differences", "exit_status", "of_one_kind", "report", "summary", "tell_stopped"]


def report(rows: Sequence[dict[str, Any]], folder: Path, *, to_stderr: bool) -> None:
    """Print the table; write it, the rows and the plots to ``folder``; print where they are.

    Plots of the same rows stay as they are, unless the program is another one since.
    """
    from ..data.frame import load, save
    from ..data.summary import written
    from ..plots._drawing import files_of, plots_of, write
    from ..table import markdown_text

    failures = list(_failures(rows))
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "rows.jsonl", folder / "table.md", folder / "table.csv"]
    before = _contents(paths)
    with atomic_write(paths[0]) as partial:
        save(rows, partial)
    # The folder knows which sources make the same hardware as before.
    measured = load(paths[0])
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
    if before != _contents(paths) or not drawn:
        with meter("drawing the plots") as progress:
            drawn = write(names, shown, folder, progress=progress)
    paths += drawn
    for path in paths:
        click.echo(path, err=to_stderr)
    if todo := list(_next(rows, folder)):
        click.echo("\n".join(["", "What to do next:", *todo]), err=to_stderr)


def _contents(paths: Sequence[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths if path.is_file()]


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
    """Return the rows that plots show, or those of some names; they are of one kind.

    What is left out is said on stderr.
    """
    from montgomery import KINDS

    from ..plots import _drawing

    shown, others = _drawing.of_one_kind(rows, names)
    if others:
        kind = KINDS[shown["kind"].iloc[0]]
        click.echo(f"note: the plots show {kind.nouns}, since a plot has one kind of core; "
                   f"'montgomery plot -a KIND' shows others: {', '.join(others)}", err=True)
    return shown


#: Texts for :attr:`Report.constant_time`.
_CONSTANT = {True: "; the same for all", False: "; depending on the operands", None: ""}

#: Names of the simulators.
_SIMULATORS = {"verilator": "Verilator", "cxxrtl": "CXXRTL", "amaranth": "Amaranth's simulator"}


def summary(report: Report | MutantReport) -> str:
    """Return the text of a report that found no difference between core and model."""
    from montgomery.core import kind_of, name_of

    from ..pipeline.mutation import MutantReport
    from ..simulation.kinds import adapter

    core = report.params
    kind = kind_of(core)
    name = f"{kind.full_name(name_of(core))} with {core.width} bits"
    if isinstance(report, MutantReport):
        return _score(report, name)
    lines = [f"{name} agrees with its model"]
    clocks = ", ".join(f"{name} {count}" for name, count in (report.cycles or {}).items())
    if report.single:
        lines += [f"  {kind.formula}, from simulation and model: "
                  f"{adapter(core).told(report.single.model)}",
                  f"  clocks: {clocks}"]
        return "\n".join(lines)
    if report.whole:
        bits = report.whole.exponent_bits
        lines += [f"  {f'exponentiation: {bits} bits' if bits else f'longest {kind.operation}'}, "
                  f"{report.whole.clocks:,} clocks"]
    lines += [f"  {kind.operation}s: {report.vectors:,}"]
    if report.cycles:
        if bits := adapter(core).longest_exponent:
            clocks += f" for an exponent of {bits} ones"
        lines += [f"  clocks: {clocks}{_CONSTANT[report.constant_time]}"]
    lines += [f"  simulated by {_SIMULATORS[report.engine]} at {report.cycles_per_second:,.0f} "
              "clocks per second"]
    return "\n".join(lines)


def differences(message: str) -> str:
    """Return the message of a mismatch with those clock counts alone that differ."""
    # Simulation does not say it in this way, since its code is part of what a measurement is.
    return re.sub(r"Measured Cycles\((.*?)\), but the formula says Cycles\((.*?)\)", _differing,
                  message)


def _differing(match: re.Match) -> str:
    measured, formula = (dict(part.split("=") for part in counts.split(", "))
                         for counts in match.groups())
    return "; ".join(f"{name}: measured {count}, the formula says {formula[name]}"
                     for name, count in measured.items() if count != formula[name])


def _score(report: MutantReport, name: str) -> str:
    counts = report.counts
    different = counts["killed"] + counts["missed"]
    lines = [f"{name}: verification finds {counts['killed']} of the {different} faults that are "
             f"known to make a difference ({report.score:.1%})",
             f"  faults put into the core, one at a time: {sum(counts.values())}"]
    for fate, meaning in (("missed", "missed: only a verification many times as long finds them"),
                          ("equivalent", "harmless: proved to change nothing"),
                          ("undetected", "unknown: found by neither, and not proved harmless")):
        if counts[fate]:
            lines += [f"  {counts[fate]} {meaning}"]
            lines += [f"    {mutant}" for mutant in report.fates[fate] if fate != "equivalent"]
    return "\n".join(lines)
