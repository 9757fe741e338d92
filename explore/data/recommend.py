"""Chooses among measured points: each is a candidate, with the reasons why it is left out."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from montgomery import KINDS

from ..devices import siblings, targets, unknown_measured
from ..errors import Refusal
from ..lookup import known
from ..outcome import Status
from .frame import MEASURED, POINT, marks
from .labels import curve_name, present
from .rates import REDUCED, only_modulus, result_of_row
from .verdict import CONFIDENCE, Spread, difference

if TYPE_CHECKING:
    from .estimates import Unmeasured
    from .shells import Shell

__all__ = ["LIMITS", "OBJECTIVES", "Candidate", "Question", "Reason",
           "Recommendation", "candidate", "placed", "recommend", "tied"]

#: From each objective to its column, and whether larger values are better.
OBJECTIVES = {
    "latency": ("latency_us", False),
    "interval": ("interval_us", False),
    "area": ("lut", False),
    "lut-us": ("lut_us", False),
    "throughput": ("useful_mbps", True),
}

#: What a core without a clock does not have, by objective.
_HAS = {"latency": "a latency", "interval": "an interval", "lut-us": "a product of area and time",
        "throughput": "a throughput"}

#: From each limit to its column, and whether it is an upper limit.
LIMITS = {
    "max_lut": ("lut", True),
    "max_ff": ("ff", True),
    "max_dsp": ("dsp", True),
    "max_bram": ("bram", True),
    "max_latency_us": ("latency_us", True),
    "min_mhz": ("fmax_usable_mhz", False),
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Question:
    """What a core is wanted for.

    ``bits`` is the length of the largest modulus; wider cores are suitable as well, but for those
    of a curve. The objective is one of :data:`OBJECTIVES`, the kind a name in
    :data:`montgomery.KINDS`, and limits are numbers by names in :data:`LIMITS`. A core may be built
    for the one ``modulus``, None leaves out all that are built for one, and for one of the
    ``curves``; without any, cores are not asked for theirs.

    ``targets`` are names of devices, all if there are none. Points of a device of which only the
    area is known are compared if it is named and the objective is the area. A core must reach the
    clock that it shares, and times are those at this clock; None stands for the fastest of each
    core. ``constant_time`` leaves out cores whose time depends on their operands, and ``reduced``
    those whose results may be the modulus or larger. A ``shell`` has the registers on a bus that a
    core is behind: this is the clock of the bus then, and areas include the registers.
    """

    bits: int
    objective: str = "latency"
    kind: str = "multiplier"
    modulus: int | None = None
    curves: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    limits: Mapping[str, float] = dataclasses.field(default_factory=dict)
    clock_mhz: float | None = None
    constant_time: bool = False
    reduced: bool = False
    shell: Shell | None = None

    def __post_init__(self) -> None:
        known("objective", self.objective, OBJECTIVES)
        for name in self.limits:
            known("limit", name, LIMITS)

    @property
    def column(self) -> str:
        return OBJECTIVES[self.objective][0]

    @property
    def core_mhz(self) -> float | None:
        """The clock that the core shares; None if it has one of its own."""
        return None if self.shell and self.shell.own_clock else self.clock_mhz

    def rank(self, point: Mapping[str, Any]) -> tuple[float, float]:
        """Return by what points are sorted."""
        column, largest = OBJECTIVES[self.objective]
        return -point[column] if largest else point[column], point["lut"]

    def timed(self, point: Mapping[str, Any], like: Mapping[str, Any] | None = None
              ) -> dict[str, Any]:
        """Return a point with ``interval_us`` and ``useful_mbps``, at the clock that is shared.

        For the rest, and for a point ``like`` it, see :meth:`explore.data.shells.Shell.around`.

        ``useful_mbps`` is the throughput of independent operations, of which only the bits that
        were asked for count; for a core that does not overlap operations, it is that of dependent
        ones.
        """
        found, most = dict(point), point["fmax_usable_mhz"]
        if self.shell:
            found |= self.shell.around(point, like)
        if not present(most):
            return found | {"interval_us": None, "useful_mbps": None}
        mhz = self.core_mhz or most
        rate = point["throughput_pipelined_mbps"]
        rate = rate if present(rate) else point["throughput_mbps"]
        if self.core_mhz and present(point["cycles_compute"]):
            found["latency_us"] = point["cycles_compute"] / mhz
        if (self.core_mhz or self.shell) and present(found["latency_us"]):
            found["lut_us"] = found["lut"] * found["latency_us"]
        return found | {
            "interval_us": point["cycles_interval"] / mhz if present(point["cycles_interval"])
            else None,
            "useful_mbps": rate * self.bits / point["width"] * mhz / most if present(rate)
            else None}


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why a candidate is left out.

    ``name`` is that of a limit, or ``modulus``, ``curve``, ``clock``, ``status``, ``device``,
    ``constant_time``, ``reduced``, ``unknown`` (the objective), ``bus`` (of which nothing was
    measured) or ``wider`` (than needed).
    ``value`` is what the candidate has: a number, a status, or what a device has too little of.
    """

    name: str
    value: Any
    limit: float | None = None

    @property
    def factor(self) -> float | None:
        """By how much it is too much; None for what is no question of more or less."""
        if self.name == "device":
            return max(needed / max(there, 1) for needed, there in self.value.values())
        if self.limit is None:
            return None
        if self.name == "clock" or not LIMITS[self.name][1]:
            return self.limit / self.value
        # A limit of 0 has no factor, so that the difference counts.
        return self.value / self.limit if self.limit else 1.0 + self.value


@dataclasses.dataclass(frozen=True, kw_only=True)
class Candidate:
    """A point of :meth:`Question.timed` that may be wanted, for its own device or another one.

    It is left out if there are reasons. ``estimate`` is what its figures come from, if they were
    not measured.
    """

    point: Mapping[str, Any]
    target: str
    reasons: tuple[Reason, ...]
    estimate: Unmeasured | None = None

    @property
    def factor(self) -> float | None:
        """By how much it exceeds limits; None if there is another reason why it is left out."""
        factors = [reason.factor for reason in self.reasons]
        return None if None in factors else max((each for each in factors if each), default=1.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recommendation:
    """The points that are wide enough and of the curve, and the best of them first.

    ``missing`` is a sentence on what was not measured, if there is no candidate.
    """

    candidates: list[Candidate]
    best: list[Candidate]
    missing: str = ""

    @property
    def nearest(self) -> Candidate | None:
        """If nothing is left, what exceeds its limits by the smallest factor."""
        near = [each for each in self.candidates if each.factor is not None]
        return min(near, key=lambda each: each.factor or 0, default=None) if not self.best else None


def recommend(points: Sequence[Mapping[str, Any]], question: Question) -> Recommendation:
    """Choose among measured points of :func:`explore.data.frame.points_of`.

    A device is answered for by the points of others that are made of the same cells, unless the
    same core was measured on itself.
    """
    if not points:
        raise Refusal("Nothing was measured yet; run 'montgomery sweep', or name a file with "
                      "--from")
    _check_targets(points, question)
    of_kind = [point for point in points if point["kind"] == question.kind]
    wide = [(point, device) for point, device in placed(of_kind, question.targets)
            if point["width"] >= question.bits]
    if question.curves:
        wide = [(point, device) for point, device in wide
                if curve_name(point) in (*question.curves, "")]
    if not wide:
        return Recommendation(candidates=[], best=[], missing=_missing(of_kind, question))
    candidates = [candidate(question, question.timed(point), device) for point, device in wide]
    narrowest: dict[tuple[Any, ...], int] = {}
    forms = [(key[1], each.target, *key[4:]) for key, each in zip(
        marks([each.point for each in candidates]), candidates, strict=True)]
    for form, each in zip(forms, candidates, strict=True):
        if not each.reasons:
            narrowest[form] = min(each.point["width"], narrowest.get(form, each.point["width"]))
    candidates = [
        dataclasses.replace(each, reasons=(Reason("wider", each.point["width"]),))
        if not each.reasons and each.point["width"] > narrowest[form] else each
        for form, each in zip(forms, candidates, strict=True)]
    return Recommendation(candidates=candidates, best=sorted(
        (each for each in candidates if not each.reasons),
        key=lambda each: question.rank(each.point)))


def placed(points: Sequence[Mapping[str, Any]], wanted: Sequence[str]
           ) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield points, each with a device that it answers for: one that is wanted, or its own."""
    if not wanted:
        yield from ((point, point["target"]) for point in points)
    forms = [key[:3] + key[4:] for key in marks(points)]
    for device in wanted:
        own = {form for form, point in zip(forms, points, strict=True)
               if point["target"] == device and point["status"] in MEASURED}
        for name in (device, *siblings(device)):
            for form, point in zip(forms, points, strict=True):
                if point["target"] == name and (name == device or form not in own):
                    own.add(form)
                    yield point, device


def candidate(question: Question, point: Mapping[str, Any], target: str,
              estimate: Unmeasured | None = None) -> Candidate:
    """Return a point of :meth:`Question.timed` on a device, with the reasons to leave it out."""
    return Candidate(point=point, target=target, estimate=estimate,
                     reasons=tuple(_reasons(question, point, target, estimate is not None)))


def _reasons(question: Question, point: Mapping[str, Any], target: str, is_estimate: bool
             ) -> Iterator[Reason]:
    """Yield the reasons for which a point is not what is wanted."""
    if (own := only_modulus(point)) not in (None, question.modulus):
        yield Reason("modulus", own)
    if question.curves and curve_name(point) not in (*question.curves, ""):
        yield Reason("curve", curve_name(point))
    area_only = question.objective == "area" and question.targets
    if point["status"] not in (MEASURED if area_only else [str(Status.OK)]):
        yield Reason("status", point["status"])
        return
    for name, limit in question.limits.items():
        column, upper = LIMITS[name]
        value = point[column]
        # A value that is missing breaks no limit.
        if present(value) and (value > limit if upper else value < limit):
            yield Reason(name, value, limit)
    mhz, wanted = point["fmax_usable_mhz"], question.core_mhz
    if wanted and not (present(mhz) and mhz >= wanted):
        yield Reason("clock", mhz, wanted) if present(mhz) else Reason("unknown", "")
    if question.shell and point["shell"] is None:
        yield Reason("bus", "")
    if question.constant_time and point["constant_time"] is not True:
        yield Reason("constant_time", point["constant_time"])
    if question.reduced and (result := result_of_row(point)) != REDUCED:
        yield Reason("reduced", result)
    if not present(point[question.column]):
        yield Reason("unknown", question.column)
    # What was placed on the device has room.
    placed_here = target == point["target"] and not (is_estimate or question.shell)
    device = None if placed_here else targets().get(target)
    if device:
        area = {name: point[name] for name in device.capacity or () if present(point[name])}
        if lacking := device.lacking(area):
            yield Reason("device", {name: (area[name], there) for name, there in lacking.items()})


def tied(best: Sequence[Mapping[str, Any]], rows: Iterable[Mapping[str, Any]],
         question: Question) -> list[bool]:
    """Return, for each of some of the best points, whether the spread of seeds may hide a tie.

    A point is tied with the first one if :mod:`explore.data.verdict` finds no difference. The
    points are medians of the rows.
    """
    on = {point["target"] for point in best}
    here = [question.timed(row) for row in rows
            if row["target"] in on and row["status"] in MEASURED]
    here = [row for row in here if present(row[question.column]) and row[question.column] > 0]
    seeds: defaultdict[tuple[Any, ...], dict[int, float]] = defaultdict(dict)
    for key, row in zip(marks(here), here, strict=True):
        seeds[key][row["seed"]] = row[question.column]
    place = POINT.index("target")
    spreads: defaultdict[str, Spread] = defaultdict(Spread)
    for key, figures in seeds.items():
        spreads[key[place]] += Spread.of(figures.values())
    first, *others = marks(best)
    found = [True]
    for other in others:
        own = Spread.of(seeds[first].values()) + Spread.of(seeds[other].values())
        around = sum((spreads[name] for name in {first[place], other[place]}), Spread()) - own
        each = difference(seeds[first], seeds[other], around)
        found.append(each.value == 0 or (bool(each.freedom) and each.p >= 1 - CONFIDENCE))
    return found


def _check_targets(points: Sequence[Mapping[str, Any]], question: Question) -> None:
    """Refuse targets that do not exist, and an objective that none of them has."""
    measured = sorted({point["target"] for point in points})
    for name in question.targets:
        if name not in targets() and name not in measured:
            raise unknown_measured(name, measured)
    if question.targets and question.objective != "area" and all(
            name in targets() and targets()[name].placer is None for name in question.targets):
        raise Refusal(f"Only the area of a core is known on {', '.join(question.targets)}, since "
                      "nothing is placed there, so that no core has "
                      f"{_HAS[question.objective]}; add --objective area")


def _missing(of_kind: Sequence[Mapping[str, Any]], question: Question) -> str:
    """Return the sentence that says what was not measured."""
    noun = KINDS[question.kind].noun
    on = f" on {', '.join(question.targets)}" if question.targets else ""
    widths = [point["width"] for point, _ in placed(of_kind, question.targets)]
    if question.curves or (question.targets and not widths):
        curve = f" on {', '.join(question.curves)}" if question.curves else ""
        return f"No {noun}{curve} was measured{on}"
    widest = f"the widest has {max(widths)}" if widths else "there is none"
    return f"No {noun} of {question.bits} bits or more was measured{on}, {widest}"
