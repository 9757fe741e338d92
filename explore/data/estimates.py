"""Estimates of cores at widths that nobody measured, from the measured widths of the same form.

A form is a core with its parameters, tool options and target, but without its width. The area of a
form is taken for a constant part and one that grows with the width or, for arrays of two
dimensions, with its square; that predicts measured widths better than one power of the width does.
Where but one width was measured, the growth is that of other forms of the same core.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..devices import targets
from ..outcome import Status
from ..points.point import Point, cores
from .frame import frozen_texts
from .labels import present
from .rates import counted

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["Estimate", "Unmeasured", "at_width", "fits_width"]

_AREA = ("lut", "ff", "dsp", "bram")
_CLOCKS = ("cycles_compute", "cycles_interval", "cycles_initiation")
_MHZ = "fmax_usable_mhz"
#: Exponents of the growth of an area of which nothing is known: the middle and the ends.
_GROWTH = (0.85, 0.0, 1.9)
#: Exponents with which the frequency changes where one width was measured.
_SLOWDOWN = (-0.08, -0.25, 0.1)
#: The same for clocks, of multipliers and the like, and of whole engines.
_STEPS, _ENGINES = (1.0, 0.0, 2.0), (2.0, 1.0, 3.0)
#: Exponent with which the time of the tools grows.
_TOOLS = 1.5
#: Power of the width above which an area is taken to grow with the square of the width.
_SQUARE = 1.3
#: How far from a single width that was measured estimates are made, as a power of two.
_FAR = 2
#: How many widths above the one that is asked for are tried, in search of a legal one.
_TRIED = 1024


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A value that was not measured, and the range that it probably lies in."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Estimate:
        return cls(value, value, value)

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.value + other.value, self.low + other.low, self.high + other.high)

    def told(self) -> float | dict[str, float]:
        """Return the value, or what documents have of a range."""
        return self.value if self.low == self.high else dataclasses.asdict(self)

    def limited(self, limit: float) -> Estimate:
        """Return the estimate with no number above ``limit``."""
        return Estimate(*(min(value, limit) for value in dataclasses.astuple(self)))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Unmeasured:
    """A form at a width at which it was not measured, or at which it was for other devices.

    ``row`` is the point of the form at the nearest of the measured widths. The width is the one
    that is asked for or, once it is :meth:`built`, the next one that is legal; ``illegal`` says why
    it cannot have the former. ``figures`` has the area, the clocks and, if one was measured, the
    frequency, by the names of columns.
    """

    row: Mapping[str, Any]
    width: int
    figures: Mapping[str, Estimate]
    form: _Form = dataclasses.field(repr=False)
    illegal: str = ""

    @property
    def measured(self) -> tuple[int, ...]:
        return tuple(self.form.points)

    @property
    def point(self) -> Point:
        return Point.from_row({**self.row, "width": self.width})

    @property
    def seconds(self) -> tuple[float, float]:
        """Time that synthesis and one placement probably take."""
        scale = (self.width / self.row["width"]) ** _TOOLS
        synth, place = ((self.row[f"seconds_{stage}"] or 0.0) * scale
                        for stage in ("synth", "place"))
        return synth, place

    def built(self) -> Unmeasured | None:
        """Return the core with a legal width, if it is a part of an engine with its exact clocks.

        None stands for a core that there is not, or that was measured at the next legal width.
        Those of whole engines are a walk over their programs, which takes long.
        """
        point = self.point
        core = cores(point.kind).get(point.arch)
        if core is None:
            return None
        # Where multiples of 64 were measured, the others are legal too.
        if counted(point.kind) and self.width % math.gcd(64, *self.measured) == 0:
            return self
        try:
            parameters, illegal = fits_width(core, self.width, point.values)
        except TypeError:  # a core of another version
            return None
        if parameters is None or (illegal and parameters.width in self.measured):
            return None
        width = parameters.width
        figures = self.figures if width == self.width else self.form.figures(width)
        if not counted(point.kind):
            from montgomery.core import traits

            cycles = parameters.cycles
            clocks = cycles.compute, cycles.interval, traits(parameters).initiation
            figures = {**figures, **{name: Estimate.exact(each or cycles.interval)
                                     for name, each in zip(_CLOCKS, clocks, strict=True)}}
        return dataclasses.replace(self, width=width, figures=figures, illegal=illegal)


@dataclasses.dataclass(frozen=True, eq=False)
class _Form:
    """The measured points of one form, by their widths in rising order.

    ``others`` are all forms of the same core, this one included.
    """

    points: Mapping[int, Mapping[str, Any]]
    others: list[_Form] = dataclasses.field(repr=False)

    def values(self, column: str) -> dict[int, float]:
        return {width: float(point[column]) for width, point in self.points.items()
                if present(point[column])}

    def growths(self, column: str) -> list[float]:
        """Return the powers of the width with which an area grew from width to width."""
        values = [(width, value) for width, value in self.values(column).items() if value]
        powers = (math.log(later / first) / math.log(wide / narrow)
                  for (narrow, first), (wide, later) in itertools.pairwise(values))
        # Between widths that are nearly equal, a power would say nothing.
        return [min(max(power, 0.0), 2.0) for power in powers]

    def figures(self, width: int) -> dict[str, Estimate]:
        """Return estimates of the area, the clocks, and the frequency if one was measured."""
        found = {column: self._area(column, values, width)
                 for column in _AREA if (values := self.values(column))}
        row = next(iter(self.points.values()))
        powers = _ENGINES if counted(row["kind"]) else _STEPS
        found |= {column: _by_width(values, width, powers, (0.0, 3.0)) for column in _CLOCKS
                  if all((values := self.values(column)).values()) and values}
        if frequencies := self.values(_MHZ):
            estimate = _by_width(frequencies, width, _SLOWDOWN, (-0.3, 0.0))
            device = targets().get(row["target"])
            if device is not None:
                area = {column: found[column].value if column in found else 0 for column in _AREA}
                estimate = estimate.limited(device.usable_mhz(estimate.high, area))
            found[_MHZ] = estimate
        return found

    def _area(self, column: str, measured: Mapping[int, float], width: int) -> Estimate:
        if not any(measured.values()):
            return Estimate.exact(0.0)
        chosen, inside = _neighbours(measured, width)
        near, value = chosen[0], measured[chosen[0]]
        ratio = width / near
        if len(chosen) == 1 or not all(measured[each] for each in chosen):
            known = [power for other in self.others for power in other.growths(column)]
            powers = ((statistics.median(known), min(known) - 0.25, max(known) + 0.25)
                      if known else _GROWTH)
            return _by_powers(value, ratio, powers, 0.1)
        far = chosen[1]
        power = math.log(measured[far] / value) / math.log(far / near)
        degree = 2 if power > _SQUARE else 1
        slope = (measured[far] - value) / (far ** degree - near ** degree)
        if not inside:
            slope = max(slope, 0.0)
        # A constant part that would be negative is none.
        found = max(value + slope * (width ** degree - near ** degree),
                    value * min(ratio, 1.0) ** 2)
        return _with_error(found, 0.15 if inside else 0.1 + 0.1 * abs(math.log2(ratio)))


def _forms(points: Sequence[Mapping[str, Any]]) -> list[_Form]:
    found: defaultdict[tuple[str, ...], dict[int, Mapping[str, Any]]] = defaultdict(dict)
    measured = [point for point in points
                if present(point["lut"]) and point["status"] != str(Status.PARTIAL)]
    texts = [frozen_texts(point[name] for point in measured) for name in ("params", "options")]
    for point, params, options in zip(measured, *texts, strict=True):
        found[point["kind"], point["arch"], point["target"], params, options][
            point["width"]] = point
    cores: defaultdict[tuple[str, str], list[_Form]] = defaultdict(list)
    forms = []
    for (kind, arch, *_), own in found.items():
        forms.append(_Form(dict(sorted(own.items())), cores[kind, arch]))
        cores[kind, arch].append(forms[-1])
    return forms


def _neighbours(measured: Mapping[int, float], width: int) -> tuple[list[int], bool]:
    """Return the two widths to reckon from, the nearest first, and whether they enclose ``width``.

    There is one width if no other was measured.
    """
    near, *others = sorted(measured, key=lambda each: abs(math.log(each / width)))
    beyond = [each for each in others if (each < width) != (near < width)]
    return [near, *(beyond or others)[:1]], bool(beyond)


def _with_error(value: float, error: float) -> Estimate:
    return Estimate(value, value / (1 + error), value * (1 + error))


def _by_powers(value: float, ratio: float, powers: Sequence[float], error: float) -> Estimate:
    middle, *ends = (value * ratio ** power for power in powers)
    return Estimate(middle, min(middle, *ends) / (1 + error), max(middle, *ends) * (1 + error))


def _by_width(measured: Mapping[int, float], width: int, powers: Sequence[float],
              ends: tuple[float, float]) -> Estimate:
    """Return what a power of the width gives: of the nearest widths, or the first of ``powers``.

    Beyond the measured widths the power lies between ``ends``.
    """
    chosen, inside = _neighbours(measured, width)
    near, value = chosen[0], measured[chosen[0]]
    ratio = width / near
    if len(chosen) == 1:
        return _by_powers(value, ratio, powers, 0.05)
    power = math.log(measured[chosen[1]] / value) / math.log(chosen[1] / near)
    if not inside:
        power = min(max(power, ends[0]), ends[1])
    return _with_error(value * ratio ** power,
                       0.1 if inside else 0.08 + 0.08 * abs(math.log2(ratio)))


def fits_width(core: type[CoreParameters], width: int, params: Mapping[str, Any] = {}) \
        -> tuple[CoreParameters | None, str]:
    """Return a core of a width or, if it cannot have it, of the next legal one.

    The core is None if none of the next widths is legal. The second value is the reason why the
    core cannot have the width that is asked for; it is empty if it can.
    """
    reason = ""
    for tried in range(width, width + _TRIED):
        try:
            return core(**{**params, "width": tried}), reason
        except ValueError as error:
            reason = reason or str(error)
    return None, reason


def at_width(points: Sequence[Mapping[str, Any]], width: int, *, again: bool = False
             ) -> list[Unmeasured]:
    """Return estimates of the forms that were not measured at a width, but at others near it.

    Near is within a factor of two; if there is none, the nearest that were measured, unless that is
    a single width which is far. None of them is :meth:`~Unmeasured.built` yet. With ``again``,
    forms that were measured at this very width are among them.
    """
    forms = [form for form in _forms(points) if again or width not in form.points]
    distances = [min(abs(math.log2(each / width)) for each in form.points) for form in forms]
    limit = max(min(distances, default=0.0), 1.0) + 1e-9
    found = []
    for form, distance in zip(forms, distances, strict=True):
        if distance <= limit and (len(form.points) > 1 or distance <= _FAR):
            nearest = min(form.points, key=lambda each: abs(math.log(each / width)))
            found.append(Unmeasured(row=form.points[nearest], width=width, form=form,
                                    figures=form.figures(width)))
    return found
