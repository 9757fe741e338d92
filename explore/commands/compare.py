"""``montgomery compare``: two points, two sets of measurements, or a row and now."""

from __future__ import annotations

import dataclasses
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from montgomery import KINDS

from ..data import verdict
from ..data.changes import Change, Changes, Judgement, changes
from ..data.columns import known_columns
from ..data.frame import load
from ..data.rows import ResultsError, rows_path
from ..data.verdict import Comparison
from ..devices import targets
from ..errors import Refusal, ToolMissing
from ..lookup import UnknownName, known
from ..pipeline.run import Sweep, run
from ..points.point import Point
from ..store import Store
from ..table import markdown_text, number, plain_table, render
from ._again import again
from ._answer import SCHEMA, Answer
from ._options import names, one_point, refuse_others
from ._progress import progress
from ._rows import tell_notes
from ._types import named_cores

if TYPE_CHECKING:
    import pandas

__all__ = ["compare"]

_EXACT = ("lut", "ff", "dsp", "bram", "cycles_compute", "cycles_interval")
_SEEDS, _MOST_SEEDS = 8, 16
#: Time limit of each run of a tool.
_TIMEOUT_MINUTES = 60.0
#: The folder of a revision that counts if none is named.
_RESULTS = "results"
_MEASURING = {"jobs", "store_path"}
#: The options that each comparison takes.
_TAKEN = {"two points": {"seeds", "until_sure", "confidence", *_MEASURING},
          "two sets of rows": {"confidence", "ignore_new", "fail_on"},
          "a row with today": {"path", *_MEASURING}}


def compare(a: str, b: str | None, seeds: int | None, until_sure: bool, confidence: float,
            ignore_new: bool, fail_on: str, path: bool, jobs: int | None,
            store_path: Path | None) -> Answer:
    """Compare two points, two sets of measurements, or a row with what is measured now."""
    if "=" in a:
        if b is None:
            raise click.UsageError("A comparison of two points needs B, which says what is other "
                                   "than in A")
        _only("two points")
        return _points(a, b, seeds, until_sure, confidence, store_path, jobs)
    if b is None:
        _only("a row with today")
        return again(a, store_path, path=path, jobs=jobs, timeout=_TIMEOUT_MINUTES)
    _only("two sets of rows")
    return _changed(a, b, confidence, ignore_new=ignore_new, fail_on=fail_on)


def _only(what: str) -> None:
    refuse_others(f"A comparison of {what}", _TAKEN[what], set().union(*_TAKEN.values()))


def _points(a: str, b: str, seeds: int | None, until_sure: bool, confidence: float,
            store_path: Path | None, jobs: int | None) -> Answer:
    """Return the comparison of two points seed by seed."""
    first, second = _words(a), _words(b)
    sides = [_point(text, words) for text, words in ((a, first), (b, first | second))]
    timed = all(KINDS[point.kind].formula for point in sides)
    with Store(store_path) as store:
        found = verdict.compare(_measuring(sides, store, jobs),
                                seeds=seeds or (_MOST_SEEDS if until_sure else _SEEDS),
                                until_sure=until_sure, confidence=confidence,
                                column="latency_us" if timed else "fmax_usable_mhz")
    labels = [point.label for point in sides]
    return Answer({"schema": SCHEMA, "a": labels[0], "b": labels[1], "better": found.better,
                   "same": found.is_same, **dataclasses.asdict(found)},
                  _text(found, labels), 0 if found.seeds else 1)


def _words(text: str) -> dict[str, str]:
    """Return the settings that a side names, and under ``core`` the core if it names one."""
    pairs = [word.rpartition("=") for word in names("A side", [text])]
    return {key or "core": value for key, _, value in pairs}


def _point(text: str, words: Mapping[str, str]) -> Point:
    """Return the point that the words of a side name."""
    context = click.get_current_context()
    settings = dict(words)
    cores = named_cores(settings.pop("core"), context) if "core" in words else []
    settings = {**(context.default_map or {}), **settings}
    width, target = settings.pop("width", None), settings.pop("target", None)
    for what, example, value in (("a core", "mmm_mx_1d", cores), ("a width", "width=64", width),
                                 ("a target", "target=ecp5-25k", target)):
        if not value:
            raise Refusal(f"Side '{text}' needs {what}, such as {example}")
    device = targets()[known("target", target, targets())]
    own: dict[str, list[str]] = {}
    tool: dict[str, list[str]] = {}
    for name, value in settings.items():
        (tool if name in device.options else own)[name] = [value]
    return one_point("compare", ",".join(cores), width, own, target, tool)


def _measuring(sides: list[Point], store: Store, jobs: int | None) -> Callable[[int], Any]:
    """Return a function from a number of seeds to the rows of both sides."""
    def measure(seeds: int) -> tuple[list[dict[str, Any]], ...]:
        with progress() as show:
            rows = run(Sweep(points=dict.fromkeys(sides, seeds), timeout_minutes=_TIMEOUT_MINUTES),
                       store=store, jobs=jobs, on_event=show)
        return tuple([row for row in rows if Point.from_row(row).key == point.key]
                     for point in sides)

    return measure


def _text(found: Comparison, labels: list[str]) -> Iterator[str]:
    """Yield the lines of a comparison."""
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


def _changed(old: str, new: str, confidence: float, *, ignore_new: bool, fail_on: str) -> Answer:
    """Return what is new, gone, better or worse in the second set."""
    frames = [_load(name) for name in (old, new)]
    found = changes(*frames, confidence=confidence, ignore_new=ignore_new)
    for frame in frames:
        tell_notes(frame)
    failed = found.is_worse if fail_on == "worse" else found.is_changed
    document = dataclasses.asdict(found)
    document |= {"added": document.pop("new"), "changes": document.pop("points")}
    return Answer({"schema": SCHEMA, "old": old, "new": new, "confidence": confidence,
                   "ok": not failed, **document},
                  _markdown(found, old, new, confidence), int(failed))


def _load(name: str) -> pandas.DataFrame:
    """Return the measurements of a path, of ``program``, or of ``REVISION`` or ``REVISION:PATH``.
    """
    if rows_path(name).exists():
        return load(rows_path(name))
    revision, _, path = name.partition(":")
    commit = "" if revision.startswith("-") else _git("rev-parse", "--verify", "--quiet",
                                                      "--end-of-options", f"{revision}^{{commit}}")
    if not commit:
        raise UnknownName(f"'{name}' is neither a file or folder nor a revision of git here; name "
                          "a store, results, or REVISION:PATH")
    path = path or _RESULTS
    top = _git("rev-parse", "--show-toplevel").strip()
    files = [each for each in _git("ls-tree", "-r", "-z", "--name-only", commit.strip(), "--", path,
                                   folder=top).split("\0")
             # Files that do not end in rows.jsonl were named.
             if Path(each).name == "rows.jsonl" or each == path]
    if not files:
        raise ResultsError(f"Revision {revision} holds no rows.jsonl in {path}; name another place "
                           "as REVISION:PATH")
    with tempfile.TemporaryDirectory(prefix="montgomery-revision-") as folder:
        for count, each in enumerate(files):
            place = Path(folder, str(count), "rows.jsonl")
            place.parent.mkdir()
            place.write_text(_git("show", f"{commit.strip()}:{each}", folder=top), encoding="utf-8")
        return load(folder)


def _git(*arguments: str, folder: str | None = None) -> str:
    """Return what git says; nothing if it fails."""
    program = shutil.which("git")
    if program is None:
        raise ToolMissing("git is missing; install it, or name files instead of revisions")
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, check=False,
                          encoding="utf-8", errors="replace").stdout


def _markdown(found: Changes, old: str, new: str, confidence: float) -> Iterator[str]:
    """Yield the lines of a comment."""
    counts = {"worse": found.count(Judgement.WORSE), "better": found.count(Judgement.BETTER),
              "other": found.count(Judgement.OTHER), "new": len(found.new), "gone": len(found.gone),
              "unchanged": found.unchanged}
    yield f"### From {markdown_text(old)} to {markdown_text(new)}: " + ", ".join(
        f"{number} {what}" for what, number in counts.items() if number or what != "other")
    if found.points:
        order = list(Judgement)
        listed = sorted(found.points, key=lambda change: -order.index(change.verdict))
        yield ""
        yield render(plain_table(
            "Clocks and areas are exact; a clock frequency is the median of the seeds.",
            dict.fromkeys(("Point", "Quantity", "Old", "New", "Change", "Judgement"), ""),
            list(map(_cells, listed))), "markdown").rstrip()
    for each in found.targets:
        said = str(each.verdict) if each.verdict else "within the spread"
        yield ""
        yield (f"Fmax of {each.points} points on {each.target}: {_percent(each.relative)} in the "
               f"mean, {said}.")
    for what, labels in (("New", found.new), ("Gone", found.gone)):
        if labels:
            yield ""
            yield f"{what}: {'; '.join(map(markdown_text, labels))}."
    if found.unjudged:
        yield ""
        yield (f"{found.unjudged} clock frequencies differ, but no point has two seeds that would "
               "show the spread.")
    if found.versions:
        yield ""
        yield "Versions: " + "; ".join(
            f"{name} {markdown_text(before)} → {markdown_text(after)}"
            for name, (before, after) in found.versions.items()) + "."
    yield ""
    yield (f"Confidence {confidence:.4g}: so likely do equal cores with other seeds show no "
           "difference.")


def _cells(change: Change) -> list[Any]:
    column = known_columns()[change.column]
    title = column.header
    if column.unit not in ("", title):
        title += f", {column.unit}"
    if change.p is not None:
        title += f" ({change.seeds[0]} → {change.seeds[1]} seeds)"
    return [change.label, title, change.old, change.new,
            None if change.relative is None else _percent(change.relative), str(change.verdict)]


def _percent(relative: float) -> str:
    percent = 100 * relative
    return f"{percent:+.1f} %" if abs(percent) >= 0.1 or not percent else f"{percent:+.1g} %"
