"""What differs between two sets of measurements: new, gone, better, worse, and by how much.

Clocks and areas are exact: any difference counts. A clock frequency depends on the seed, and a
difference only counts if it is more than the seeds explain:

- Each point is judged by :mod:`explore.data.verdict`, with the spread within the other points of
  the same target.
- The mean change of all points of a target is tested too: it shows what is too small to be seen in
  any one of them.
- The p values are corrected for their number. So the probability that a comparison of equal things
  reports any difference is 1 - confidence.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..lookup import UnknownName
from ..outcome import Status
from ..points.point import Point
from .labels import core_name, present
from .verdict import CONFIDENCE, Difference, Spread, difference, holm, mean_of

if TYPE_CHECKING:
    import pandas

__all__ = ["Change", "Changes", "TargetChange", "Verdict", "changes"]

#: Exact quantities of which less is better.
_EXACT = ("lut", "ff", "dsp", "bram", "cycles_load_key", "cycles_load", "cycles_compute",
          "cycles_unload", "cycles_interval", "cycles_initiation")
_FMAX = "fmax_mhz"
_Row = Mapping[str, Any]
#: The rows of a point, by seed.
_Rows = Mapping[int, _Row]


class Verdict(enum.StrEnum):
    """What a difference means."""

    BETTER = "better"
    WORSE = "worse"
    #: Neither of two outcomes is better.
    OTHER = "other"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Change:
    """A quantity of a point that differs.

    Attributes
    ----------
    label : str
        The point.
    column : str
        A column of rows.
    old, new : bool, int, float or str
        The values; of a frequency, the median over the seeds.
    relative : float or None
        The change as a part of the old value; None for what is no number, and if that is 0.
    p : float or None
        The corrected p value of a frequency; None for what is exact.
    seeds : tuple of int
        Number of seeds with a frequency, old and new.
    """

    label: str
    column: str
    old: Any
    new: Any
    relative: float | None
    verdict: Verdict
    p: float | None = None
    seeds: tuple[int, int] = (0, 0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TargetChange:
    """The mean change of the frequencies of all points of a target.

    Attributes
    ----------
    points : int
        Number of points whose frequencies were compared.
    relative : float
        The geometric mean of new to old frequencies, less 1.
    p : float
        The corrected p value.
    verdict : Verdict or None
        None if the change is within the spread.
    """

    target: str
    points: int
    relative: float
    p: float
    verdict: Verdict | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Changes:
    """The differences between two sets of measurements.

    Attributes
    ----------
    new, gone : tuple of str
        Labels of points that only one side has.
    points : tuple of Change
        What differs, by point.
    targets : tuple of TargetChange
    unchanged : int
        Number of points without a difference.
    unjudged : int
        Number of points whose frequencies differ, but whose spread is unknown: no point has two
        seeds.
    versions : dict
        From each program whose version differs to the old and the new ones.
    """

    new: tuple[str, ...]
    gone: tuple[str, ...]
    points: tuple[Change, ...]
    targets: tuple[TargetChange, ...]
    unchanged: int
    unjudged: int
    versions: Mapping[str, tuple[str, str]]

    def count(self, verdict: Verdict) -> int:
        """Return the number of points with a difference of this verdict."""
        return len({change.label for change in self.points if change.verdict == verdict})

    @property
    def is_worse(self) -> bool:
        """Whether anything is worse or gone."""
        return bool(self.gone) or any(each.verdict == Verdict.WORSE
                                      for each in (*self.points, *self.targets))

    @property
    def is_changed(self) -> bool:
        """Whether anything differs."""
        return bool(self.new or self.gone or self.points
                    or any(each.verdict for each in self.targets))


@dataclasses.dataclass(frozen=True)
class _Compared:
    """The frequencies of a point on both sides, by seed."""

    label: str
    target: str
    old: Mapping[int, float]
    new: Mapping[int, float]

    @property
    def spread(self) -> Spread:
        return Spread.of(self.old.values()) + Spread.of(self.new.values())


def changes(old: pandas.DataFrame, new: pandas.DataFrame, *, confidence: float = CONFIDENCE,
            ignore_new: bool = False) -> Changes:
    """Return what differs between two frames of :func:`explore.data.frame.load`.

    Parameters
    ----------
    confidence : float
        Probability that no difference of frequencies is reported where there is none.
    ignore_new : bool
        Leave out points that the old side does not have.
    """
    before, after = _points(old), _points(new)
    if ignore_new:
        after = {key: rows for key, rows in after.items() if key in before}
    common = {key: (rows, after[key]) for key, rows in before.items() if key in after}
    exact = [change for rows, others in common.values() for change in _exact(rows, others)]
    compared = list(_compared(common.values()))
    differences = _differences(compared)
    noisy, targets = _judged(compared, differences, 1 - confidence)
    unjudged = sum(each.value != 0 and not each.freedom for each in differences)
    found = (*exact, *noisy)
    return Changes(
        new=_labels(after, before), gone=_labels(before, after), points=found, targets=targets,
        unchanged=len(common) - len({change.label for change in found}) - unjudged,
        unjudged=unjudged, versions=_versions(common.values()))


def _points(frame: pandas.DataFrame) -> dict[str, dict[int, _Row]]:
    """Return the rows of each point, by seed."""
    found: defaultdict[str, dict[int, _Row]] = defaultdict(dict)
    for row in frame.to_dict("records"):
        try:
            key = Point.from_row(row).key
        except UnknownName:
            # A target of another version of this program.
            key = json.dumps([row[name] for name in ("kind", "arch", "width", "target", "params",
                                                     "options")], sort_keys=True)
        found[key][row["seed"]] = row
    return dict(found)


def _label(rows: _Rows) -> str:
    row = next(iter(rows.values()))
    try:
        return Point.from_row(row).label
    except UnknownName:
        return f"{core_name(row)}/{row['width']} on {row['target']}"


def _labels(rows: Mapping[str, _Rows], others: Mapping[str, _Rows]) -> tuple[str, ...]:
    return tuple(_label(own) for key, own in rows.items() if key not in others)


def _plain(value: Any) -> Any:
    """Return a value of a frame as Python has it."""
    if hasattr(value, "item"):
        value = value.item()
    if not present(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _exact(old: _Rows, new: _Rows) -> Iterable[Change]:
    """Yield the differences of exact quantities, and of what became of the measurement."""
    label = _label(old)
    yield from _of_status(label, old, new)
    for column in (*_EXACT, "constant_time"):
        before, after = (_only(rows, column) for rows in (old, new))
        if before == after or before is None or after is None:
            continue
        if column == "constant_time":
            yield Change(label=label, column=column, old=before, new=after, relative=None,
                         verdict=Verdict.BETTER if after else Verdict.WORSE)
        else:
            yield Change(label=label, column=column, old=before, new=after,
                         relative=after / before - 1 if before else None,
                         verdict=Verdict.BETTER if after < before else Verdict.WORSE)


def _only(rows: _Rows, column: str) -> Any:
    """Return the value that all seeds have; the first one, should they differ."""
    return next((value for row in rows.values() if (value := _plain(row[column])) is not None),
                None)


def _of_status(label: str, old: _Rows, new: _Rows) -> Iterable[Change]:
    """Yield a difference of status: on a seed of both sides, or on all seeds."""
    shared = sorted(set(old) & set(new))
    pairs = [(old[seed]["status"], new[seed]["status"]) for seed in shared]
    pairs = pairs or [(_best(old), _best(new))]
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    if not differing:
        return
    # What failed and fails in another way matters less than what fails now, or does no longer.
    before, after = max(differing, key=lambda pair: _is_measured(pair[0]) != _is_measured(pair[1]))
    verdict = Verdict.OTHER
    if _is_measured(before) != _is_measured(after):
        verdict = Verdict.BETTER if _is_measured(after) else Verdict.WORSE
    yield Change(label=label, column="status", old=before, new=after, relative=None,
                 verdict=verdict)


def _best(rows: _Rows) -> str:
    statuses = [row["status"] for row in rows.values()]
    return next(filter(_is_measured, statuses), statuses[0])


def _is_measured(status: str) -> bool:
    return status in [str(each) for each in Status if each.is_measured]


def _frequencies(rows: _Rows) -> dict[int, float]:
    return {seed: float(row[_FMAX]) for seed, row in rows.items()
            if row["status"] == Status.OK and present(row[_FMAX])}


def _compared(common: Iterable[tuple[_Rows, _Rows]]) -> Iterator[_Compared]:
    """Yield the points of which both sides have frequencies."""
    for old, new in common:
        before, after = _frequencies(old), _frequencies(new)
        if before and after:
            yield _Compared(_label(old), next(iter(old.values()))["target"], before, after)


def _differences(compared: Sequence[_Compared]) -> list[Difference]:
    """Return the difference of each point, judged by its spread and by those of the others."""
    by_target: defaultdict[str, Spread] = defaultdict(Spread)
    for each in compared:
        by_target[each.target] += each.spread
    whole = sum(by_target.values(), Spread())
    found = []
    for each in compared:
        others = by_target[each.target] - each.spread
        found.append(difference(each.old, each.new, others if others.freedom else
                                whole - each.spread))
    return found


def _judged(compared: Sequence[_Compared], differences: Sequence[Difference], level: float
            ) -> tuple[list[Change], tuple[TargetChange, ...]]:
    """Return the differences that the spread does not explain, by point and by target."""
    by_target: defaultdict[str, list[Difference]] = defaultdict(list)
    judged = [(point, each) for point, each in zip(compared, differences, strict=True)
              if each.freedom]
    for point, each in judged:
        by_target[point.target].append(each)
    means = {target: mean_of(own) for target, own in by_target.items() if len(own) > 1}
    corrected = holm([each.p for each in (*(each for _, each in judged), *means.values())])
    found = [Change(label=point.label, column=_FMAX, old=statistics.median(point.old.values()),
                    new=statistics.median(point.new.values()), relative=each.relative,
                    verdict=_verdict(each.value), p=p, seeds=(len(point.old), len(point.new)))
             for (point, each), p in zip(judged, corrected, strict=False) if p < level]
    targets = tuple(TargetChange(
        target=target, points=len(by_target[target]), relative=each.relative, p=p,
        verdict=_verdict(each.value) if p < level else None)
        for (target, each), p in zip(means.items(), corrected[len(judged):], strict=True))
    return found, targets


def _verdict(value: float) -> Verdict:
    return Verdict.BETTER if value > 0 else Verdict.WORSE


def _versions(common: Iterable[tuple[_Rows, _Rows]]) -> dict[str, tuple[str, str]]:
    """Return the versions of the programs that differ on points of both sides."""
    sides: tuple[defaultdict[str, set[str]], ...] = (defaultdict(set), defaultdict(set))
    for pair in common:
        for side, rows in zip(sides, pair, strict=True):
            for row in rows.values():
                for name, version in (row["versions"] or {}).items():
                    side[name].add(str(version))
    return {name: (", ".join(sorted(sides[0][name])), ", ".join(sorted(sides[1][name])))
            for name in sorted(set(sides[0]) & set(sides[1])) if sides[0][name] != sides[1][name]}
