"""Estimates of cores at widths that nobody measured, from the measured widths of the same form.

A form is a core with its parameters, tool options and target, but without its width. The area of a
form is taken for a constant part and one that grows with the width or, for arrays of two
dimensions, with its square; that predicts measured widths better than one power of the width does.
Where but one width was measured, the growth is that of other forms of the same core. The ranges
are judged by :func:`trials`, which leaves out one measured width at a time.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..devices import targets
from ..outcome import Status
from ..points.point import Point
from .frame import frozen_texts
from .labels import present
from .rates import rate_of

if TYPE_CHECKING:
    import pandas

    from montgomery import CoreParameters

__all__ = ["Estimate", "Trial", "Unmeasured", "at_width", "fits_width", "trials"]

_AREA = ("lut", "ff", "dsp", "bram")
_MHZ = "fmax_usable_mhz"
#: Exponents of the growth of an area of which nothing is known: the middle and the ends.
_GROWTH = (0.85, 0.0, 1.9)
#: Exponents with which the frequency changes where one width was measured.
_SLOWDOWN = (-0.08, -0.25, 0.1)
#: Exponent with which the time of the tools grows.
_TOOLS = 1.5
#: Power of the width above which an area is taken to grow with the square of the width.
_SQUARE = 1.3
#: How many widths above the one that is asked for are tried, in search of a legal one.
_TRIED = 1024
#: How many forms, more or less, are enough to judge the estimates.
_JUDGED = 200
#: What an estimate takes from a measured point.
_TAKEN = ("kind", "arch", "width", "target", "params", "options", "constant_time", *_AREA, _MHZ,
          "seconds_synth", "seconds_place")


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A value that was not measured, and the range that it probably lies in."""

    value: float
    low: float
    high: float

    def __rtruediv__(self, dividend: float) -> Estimate:
        return Estimate(dividend / self.value, dividend / self.high, dividend / self.low)

    def __mul__(self, other: Estimate | float) -> Estimate:
        if not isinstance(other, Estimate):
            other = Estimate(other, other, other)
        return Estimate(self.value * other.value, self.low * other.low, self.high * other.high)

    def limited(self, limit: float) -> Estimate:
        """Return the estimate with no number above ``limit``."""
        return Estimate(*(min(value, limit) for value in dataclasses.astuple(self)))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Unmeasured:
    """A form at a width at which it was not measured.

    Attributes
    ----------
    point : Point
        With the width that is asked for, or the next one that is legal.
    illegal : str
        Why the core cannot have the width that is asked for; empty if it can.
    measured : tuple of int
        The widths at which it was measured, in rising order.
    clocks : dict
        ``cycles_compute``, ``cycles_interval`` and ``cycles_initiation`` by the formulas of the
        core, which are exact.
    figures : dict from str to Estimate
        By the names of columns, ``interval_us`` and ``useful_mbps`` included. Those that need a
        frequency are missing where nothing is placed.
    constant_time : bool or None
        As it was measured at the other widths.
    synth_seconds, place_seconds : float
        Time that synthesis and one placement probably take.
    """

    point: Point
    illegal: str
    measured: tuple[int, ...]
    clocks: Mapping[str, int]
    figures: Mapping[str, Estimate]
    constant_time: bool | None
    synth_seconds: float
    place_seconds: float

    @property
    def lacking(self) -> dict[str, int]:
        """What the device has of each column of the area of which the core probably needs more."""
        device = targets().get(self.point.target)
        return {name: there for name, there in ((device and device.capacity) or {}).items()
                if name in self.figures and self.figures[name].value > there}


@dataclasses.dataclass(frozen=True)
class Trial:
    """A measured value, and its estimate from the other measured widths of the form."""

    column: str
    measured: float
    estimate: Estimate

    @property
    def is_inside(self) -> bool:
        return self.estimate.low <= self.measured <= self.estimate.high

    @property
    def error(self) -> float:
        """Distance of the estimate from the measured value, as a share of the latter."""
        return abs(self.estimate.value / self.measured - 1)


#: The measured points of one form, by their widths in rising order.
_Form = Mapping[int, Mapping[str, Any]]


def _values(form: _Form, column: str) -> dict[int, float]:
    return {width: float(point[column]) for width, point in form.items() if present(point[column])}


def _forms(points: pandas.DataFrame) -> list[_Form]:
    found: defaultdict[tuple[str, ...], dict[int, Mapping[str, Any]]] = defaultdict(dict)
    measured = points[points["lut"].notna() & points["status"].ne(str(Status.PARTIAL))]
    texts = zip(*(measured[name].tolist() for name in ("kind", "arch", "target")),
                *(frozen_texts(measured[name]) for name in ("params", "options")), strict=True)
    values = zip(*(measured[name].tolist() for name in _TAKEN), strict=True)
    for name, own in zip(texts, values, strict=True):
        point = dict(zip(_TAKEN, own, strict=True))
        found[name][point["width"]] = point
    return [dict(sorted(form.items())) for form in found.values()]


def _core(form: _Form) -> tuple[str, str]:
    point = next(iter(form.values()))
    return point["kind"], point["arch"]


def _growths(form: _Form, column: str) -> list[float]:
    """Return the powers of the width with which an area grew from width to width."""
    values = [(width, value) for width, value in _values(form, column).items() if value]
    powers = (math.log(later / first) / math.log(wide / narrow)
              for (narrow, first), (wide, later) in itertools.pairwise(values))
    # Between widths that are nearly equal, a power would say nothing.
    return [min(max(power, 0.0), 2.0) for power in powers]


def _growths_of_cores(forms: Iterable[_Form]) -> Callable[[tuple[str, str], str], list[float]]:
    """Return a function from a core and a column to the growths of all forms of the core."""
    of_core: defaultdict[tuple[str, str], list[_Form]] = defaultdict(list)
    for form in forms:
        of_core[_core(form)].append(form)

    @functools.cache
    def growths(core: tuple[str, str], column: str) -> list[float]:
        return [power for form in of_core[core] for power in _growths(form, column)]

    return growths


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


def _area(measured: Mapping[int, float], width: int, growths: Callable[[], Sequence[float]]
          ) -> Estimate:
    if not any(measured.values()):
        return Estimate(0.0, 0.0, 0.0)
    chosen, inside = _neighbours(measured, width)
    near, value = chosen[0], measured[chosen[0]]
    ratio = width / near
    if len(chosen) == 1 or not all(measured[each] for each in chosen):
        known = growths()
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
    found = max(value + slope * (width ** degree - near ** degree), value * min(ratio, 1.0) ** 2)
    return _with_error(found, 0.15 if inside else 0.1 + 0.1 * abs(math.log2(ratio)))


def _frequency(measured: Mapping[int, float], width: int) -> Estimate:
    chosen, inside = _neighbours(measured, width)
    near, value = chosen[0], measured[chosen[0]]
    ratio = width / near
    if len(chosen) == 1:
        return _by_powers(value, ratio, _SLOWDOWN, 0.05)
    power = math.log(measured[chosen[1]] / value) / math.log(chosen[1] / near)
    if not inside:
        power = min(max(power, -0.3), 0.0)
    return _with_error(value * ratio ** power,
                       0.1 if inside else 0.08 + 0.08 * abs(math.log2(ratio)))


def _figures(form: _Form, width: int, growths: Callable[[str], Sequence[float]]
             ) -> dict[str, Estimate]:
    """Return the estimates of the area, and of the frequency if one was measured.

    ``growths`` returns the growths of a column in other forms of the core.
    """
    found = {column: _area(values, width, functools.partial(growths, column))
             for column in _AREA if (values := _values(form, column))}
    if frequencies := _values(form, _MHZ):
        estimate = _frequency(frequencies, width)
        device = targets().get(next(iter(form.values()))["target"])
        if device is not None:
            area = {column: each.value for column, each in found.items()}
            estimate = estimate.limited(device.usable_mhz(estimate.high, area))
        found[_MHZ] = estimate
    return found


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
        except (TypeError, ValueError) as error:
            reason = reason or str(error)
    return None, reason


def _near(forms: Sequence[_Form], width: int) -> list[_Form]:
    """Return the forms that were measured within a factor of two, or else the nearest ones."""
    distances = {index: min(abs(math.log2(each / width)) for each in form)
                 for index, form in enumerate(forms)}
    limit = max(min(distances.values(), default=0.0), 1.0) + 1e-9
    return [form for index, form in enumerate(forms) if distances[index] <= limit]


def at_width(points: pandas.DataFrame, width: int, *, kind: str, placed: bool = True,
             suits: Callable[[Mapping[str, Any]], bool] = lambda row: True,
             keeps: Callable[[Mapping[str, Estimate]], bool] = lambda figures: True
             ) -> list[Unmeasured]:
    """Return estimates of the forms that were not measured at a width, but at others near it.

    Near is within a factor of two; if there is none, the nearest that were measured.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    kind : str
        A name in :data:`montgomery.KINDS`.
    placed : bool
        Whether to leave out forms without a frequency.
    suits : function
        Says of a measured point of a form whether the form is of interest.
    keeps : function
        Says of figures, or of those that need no clocks, whether they are of interest.
    """
    if points.empty:
        return []
    of_kind = points[points["kind"] == kind]
    forms = _forms(of_kind)
    growths = _growths_of_cores(forms)
    wanted = [form for form in forms if width not in form
              and (_values(form, _MHZ) or not placed)
              and suits(next(iter(form.values())))]
    found = [_unmeasured(form, width, functools.partial(growths, _core(form)), keeps)
             for form in _near(wanted, width)]
    return [each for each in found if each is not None and keeps(each.figures)]


def _unmeasured(form: _Form, width: int, growths: Callable[[str], Sequence[float]],
                keeps: Callable[[Mapping[str, Estimate]], bool]) -> Unmeasured | None:

    from montgomery.core import kind_of, traits

    nearest = min(form, key=lambda each: abs(math.log(each / width)))
    row = form[nearest]
    try:
        old = Point.from_row(row)
        parameters, illegal = fits_width(type(old.parameters()), width, old.values)
    except (TypeError, ValueError):  # a core of others, or of another version
        return None
    if parameters is None or parameters.width in form:
        return None
    legal = parameters.width
    figures = _figures(form, legal, growths)
    if not keeps(figures):  # before the clocks, which may take long
        return None
    point = dataclasses.replace(old, params=tuple(sorted(
        (old.values | {"width": legal}).items())))
    cycles = parameters.cycles
    clocks = {"cycles_compute": cycles.compute, "cycles_interval": cycles.interval,
              "cycles_initiation": traits(parameters).initiation or cycles.interval}
    if _MHZ in figures:
        mhz = figures[_MHZ]
        figures["latency_us"] = clocks["cycles_compute"] / mhz
        figures["interval_us"] = clocks["cycles_interval"] / mhz
        figures["lut_us"] = figures["lut"] * figures["latency_us"]
        figures["useful_mbps"] = mhz * (width / clocks["cycles_initiation"])
        if name := rate_of(kind_of(parameters).name):
            rate = 1e6 * traits(parameters).parallel / clocks["cycles_initiation"]
            figures[name] = mhz * rate
    scale = (legal / nearest) ** _TOOLS
    synth, place = (float(row[column]) * scale if present(row[column]) else 0.0
                    for column in ("seconds_synth", "seconds_place"))
    constant = row["constant_time"]
    return Unmeasured(point=point, illegal=illegal, measured=tuple(form),
                      clocks=clocks, figures=figures,
                      constant_time=bool(constant) if present(constant) else None,
                      synth_seconds=synth, place_seconds=place)


def trials(points: pandas.DataFrame) -> list[Trial]:
    """Return, for the LUTs and the frequency of a measured width, the estimate without it.

    Only forms with two widths or more take part, and of very many forms only some.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    """
    if points.empty:
        return []
    found = []
    several = [form for form in _forms(points) if len(form) > 1]
    judged = several[::1 + len(several) // _JUDGED]
    growths = _growths_of_cores(judged)
    for form in judged:
        for width in form:
            rest = {each: row for each, row in form.items() if each != width}

            def of_others(column: str, form: _Form = form, rest: _Form = rest) -> list[float]:
                others = [*growths(_core(form), column), *_growths(rest, column)]
                for power in _growths(form, column):
                    others.remove(power)
                return others

            figures = _figures(rest, width, of_others)
            found += [Trial(column, value, figures[column]) for column in ("lut", _MHZ)
                      if column in figures and (value := _values(form, column).get(width))
                      is not None]
    return found
