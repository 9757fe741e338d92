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
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..outcome import Status
from .frame import MEASURED
from .labels import point_labels, present
from .verdict import CONFIDENCE, Difference, Spread, difference, holm, mean_of

if TYPE_CHECKING:
    import pandas

__all__ = ["Change", "Changes", "Judgement", "TargetChange", "changes"]

#: Exact quantities of which less is better.
_EXACT = ("lut", "ff", "dsp", "bram", "cycles_load_key", "cycles_load", "cycles_compute",
          "cycles_unload", "cycles_interval", "cycles_initiation")
_FMAX = "fmax_mhz"
#: The rows of a point, by seed.
_Rows = Mapping[int, Mapping[str, Any]]
#: The rows of both sides, by the label of each point.
_Common = Mapping[str, tuple[_Rows, _Rows]]


class Judgement(enum.StrEnum):
    """What a difference means."""

    BETTER = "better"
    WORSE = "worse"
    #: Neither of two outcomes is better.
    OTHER = "other"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Change:
    """A quantity of a point that differs.

    Of a frequency, the values are medians over the seeds, of which ``seeds`` has the numbers, old
    and new; its p value is corrected. ``relative`` is the change as a part of the old value; None
    for what is no number, and if that is 0.
    """

    label: str
    column: str
    old: Any
    new: Any
    relative: float | None
    verdict: Judgement
    p: float | None = None
    seeds: tuple[int, int] = (0, 0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TargetChange:
    """The mean change of the frequencies of all points of a target.

    ``relative`` is the geometric mean of new to old, less 1. There is no verdict if the change is
    within the spread.
    """

    target: str
    points: int
    relative: float
    p: float
    verdict: Judgement | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Changes:
    """The differences between two sets of measurements.

    ``new`` and ``gone`` are labels of points that only one side has, and ``unchanged`` is the
    number of points without a difference. ``unjudged`` ones have frequencies that differ, but an
    unknown spread: no point has two seeds. ``versions`` has the old and the new ones of each
    program that differs.
    """

    new: tuple[str, ...]
    gone: tuple[str, ...]
    points: tuple[Change, ...]
    targets: tuple[TargetChange, ...]
    unchanged: int
    unjudged: int
    versions: Mapping[str, tuple[str, str]]

    def count(self, verdict: Judgement) -> int:
        """Return the number of points with a difference of this verdict."""
        return len({change.label for change in self.points if change.verdict == verdict})

    @property
    def is_worse(self) -> bool:
        """Whether anything is worse or gone."""
        verdicts = [each.verdict for each in self.points]
        verdicts += [each.verdict for each in self.targets]
        return bool(self.gone) or Judgement.WORSE in verdicts

    @property
    def is_changed(self) -> bool:
        """Whether anything differs."""
        return bool(self.new or self.gone or self.points
                    or any(each.verdict for each in self.targets))


def changes(old: pandas.DataFrame, new: pandas.DataFrame, *, confidence: float = CONFIDENCE,
            ignore_new: bool = False) -> Changes:
    """Return what differs between two frames of :func:`explore.data.frame.load`.

    ``confidence`` is the probability that no difference of frequencies is reported where there is
    none; ``ignore_new`` leaves out points that the old side does not have.
    """
    before, after = _points(old), _points(new)
    if ignore_new:
        after = {label: rows for label, rows in after.items() if label in before}
    common = {label: (rows, after[label]) for label, rows in before.items() if label in after}
    exact = [change for label, sides in common.items() for change in _exact(label, *sides)]
    noisy, targets, unjudged = _of_frequencies(common, 1 - confidence)
    found = (*exact, *noisy)
    return Changes(
        new=tuple(label for label in after if label not in before),
        gone=tuple(label for label in before if label not in after), points=found, targets=targets,
        unchanged=len(common) - len({change.label for change in found}) - unjudged,
        unjudged=unjudged, versions=_versions(common))


def _points(frame: pandas.DataFrame) -> dict[str, dict[int, Mapping[str, Any]]]:
    """Return the rows of each point, by label and seed."""
    found: defaultdict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for label, row in zip(point_labels(frame), frame.to_dict("records"), strict=True):
        found[label][row["seed"]] = row
    return dict(found)


def _exact(label: str, old: _Rows, new: _Rows) -> Iterator[Change]:
    """Yield the differences of exact quantities, and of what became of the measurement."""
    yield from _of_status(label, old, new)
    for column in (*_EXACT, "constant_time"):
        before, after = (_first(rows, column) for rows in (old, new))
        if before == after or before is None or after is None:
            continue
        is_better = after if column == "constant_time" else after < before
        yield Change(label=label, column=column, old=before, new=after,
                     relative=after / before - 1 if before and column in _EXACT else None,
                     verdict=_verdict(is_better))


def _first(rows: _Rows, column: str) -> Any:
    """Return the value of the first seed that has one, as Python has it."""
    value = next((row[column] for row in rows.values() if present(row[column])), None)
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _of_status(label: str, old: _Rows, new: _Rows) -> Iterator[Change]:
    """Yield a difference of status: on a seed of both sides, or on all seeds."""
    pairs = [(old[seed]["status"], new[seed]["status"]) for seed in sorted(old.keys() & new.keys())]
    differing = [pair for pair in pairs or [(_best(old), _best(new))] if pair[0] != pair[1]]
    if not differing:
        return
    # What failed and fails in another way matters less than what fails now, or does no longer.
    before, after = max(differing, key=lambda pair: (pair[0] in MEASURED) != (pair[1] in MEASURED))
    verdict = (Judgement.OTHER if (before in MEASURED) == (after in MEASURED)
               else _verdict(after in MEASURED))
    yield Change(label=label, column="status", old=before, new=after, relative=None,
                 verdict=verdict)


def _best(rows: _Rows) -> str:
    return max((row["status"] for row in rows.values()), key=lambda status: status in MEASURED)


def _of_frequencies(common: _Common, level: float
                    ) -> tuple[list[Change], tuple[TargetChange, ...], int]:
    """Return the differences that the spread does not explain, of points and of targets.

    The last value is the number of differences of which nothing can be said.
    """
    sides = {label: both for label, (old, new) in common.items()
             if all(both := (_frequencies(old), _frequencies(new)))}
    target = {label: next(iter(common[label][0].values()))["target"] for label in sides}
    spread = {label: Spread.of(old.values()) + Spread.of(new.values())
              for label, (old, new) in sides.items()}
    by_target: defaultdict[str, Spread] = defaultdict(Spread)
    for label, own in spread.items():
        by_target[target[label]] += own
    whole = sum(spread.values(), Spread())
    found: dict[str, Difference] = {}
    for label, both in sides.items():
        others = by_target[target[label]] - spread[label]
        found[label] = difference(*both, others if others.freedom else whole - spread[label])
    judged = {label: each for label, each in found.items() if each.freedom}
    of_target: defaultdict[str, list[Difference]] = defaultdict(list)
    for label, each in judged.items():
        of_target[target[label]].append(each)
    means = {name: mean_of(own) for name, own in of_target.items() if len(own) > 1}
    p = holm([each.p for each in (*judged.values(), *means.values())])
    points = [Change(
        label=label, column=_FMAX, relative=each.relative, p=own, verdict=_verdict(each.value > 0),
        old=statistics.median(sides[label][0].values()),
        new=statistics.median(sides[label][1].values()),
        seeds=(len(sides[label][0]), len(sides[label][1])))
        for (label, each), own in zip(judged.items(), p, strict=False) if own < level]
    targets = tuple(TargetChange(
        target=name, points=len(of_target[name]), relative=mean.relative, p=own,
        verdict=_verdict(mean.value > 0) if own < level else None)
        for (name, mean), own in zip(means.items(), p[len(judged):], strict=True))
    return points, targets, sum(each.value != 0 for each in found.values() if not each.freedom)


def _frequencies(rows: _Rows) -> dict[int, float]:
    return {seed: float(row[_FMAX]) for seed, row in rows.items()
            if row["status"] == Status.OK and present(row[_FMAX])}


def _verdict(is_better: bool) -> Judgement:
    return Judgement.BETTER if is_better else Judgement.WORSE


def _versions(common: _Common) -> dict[str, tuple[str, str]]:
    """Return the versions of the programs that differ on points of both sides."""
    found: defaultdict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for sides in common.values():
        for side, rows in enumerate(sides):
            for row in rows.values():
                for name, version in (row["versions"] or {}).items():
                    found[name][side].add(str(version))
    return {name: (", ".join(sorted(old)), ", ".join(sorted(new)))
            for name, (old, new) in sorted(found.items()) if old and new and old != new}
