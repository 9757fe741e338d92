"""Finds the best measured points that keep limits, and counts the points that limits rule out."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..devices import targets as devices
from ..devices import unknown_measured
from ..errors import Refusal
from ..lookup import known
from ..outcome import Status
from ..points.expand import expand
from .estimates import Estimate, Unmeasured, at_width
from .frame import POINT, frozen_texts, is_measured
from .rates import independent_mbps, rate_of, with_rate
from .remainders import REDUCED, result_of_row
from .verdict import CONFIDENCE, Spread, difference

if TYPE_CHECKING:
    import pandas

__all__ = ["LIMITS", "OBJECTIVES", "NothingMeasured", "Recommendation", "estimates", "recommend",
           "tied", "without_rows"]

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


#: Place of the target in what tells points apart.
_TARGET = POINT.index("target")


class NothingMeasured(ValueError):
    """No core that could be recommended was measured; the message is one line of advice."""


@dataclasses.dataclass(kw_only=True)
class Recommendation:
    """The result of :func:`recommend`.

    Attributes
    ----------
    best : DataFrame
        The points that keep all limits, the best first, with the columns of
        :func:`explore.data.frame.medians` and two more. ``interval_us`` is the time between two
        dependent operations. ``useful_mbps`` is the throughput of independent operations, of which
        only the bits that were asked for count; for a core that does not overlap operations, it is
        the throughput of dependent ones. Points of a kind whose operations users count also have
        the columns of :func:`explore.data.rates.with_rate`.
    ruled_out : dict
        From each reason to the number of points that it rules out. A reason is the name of a limit,
        ``not measured: STATUS``, ``not measured: COLUMN``, ``not constant time``, ``not reduced``,
        or ``wider than needed``. A point may count for several reasons.
    is_exact : bool
        Whether a core of exactly the width that was asked for was measured, within the limits or
        not.
    nearest : Series or None
        If no point keeps all limits, the point that exceeds its limits by the smallest factor.
    excess : dict
        From each limit that ``nearest`` breaks to its value for this point, and the limit itself.
    """

    best: pandas.DataFrame
    ruled_out: dict[str, int]
    is_exact: bool
    nearest: pandas.Series | None = None
    excess: dict[str, tuple[float, float]] = dataclasses.field(default_factory=dict)


def recommend(points: pandas.DataFrame, *, bits: int, objective: str = "latency",
              kind: str = "multiplier", targets: tuple[str, ...] = (),
              limits: Mapping[str, float] | None = None,
              constant_time: bool = False, reduced: bool = False) -> Recommendation:
    """Choose among measured points.

    Parameters
    ----------
    points : DataFrame
        Medians, as :func:`explore.data.frame.medians` returns.
    bits : int
        Length of the largest modulus. Wider cores are suitable as well.
    objective : str
        One of :data:`OBJECTIVES`.
    kind : str
        A name in :data:`montgomery.KINDS`.
    targets : tuple of str
        Names of devices; all devices if empty. Points of a device of which only the area is known
        are compared if it is named and the objective is the area.
    limits : dict
        From names in :data:`LIMITS` to numbers.
    constant_time : bool
        Whether to leave out cores whose time depends on their operands.
    reduced : bool
        Whether to leave out cores whose results may be the modulus or larger.

    Raises
    ------
    UnknownName
        For an unknown objective, limit or target.
    NothingMeasured
        If no core of that kind and of that width or more was measured on these devices.
    ValueError
        If the devices have no clock, which the objective needs.
    """
    limits = limits or {}
    column, largest = OBJECTIVES[known("objective", objective, OBJECTIVES)]
    for name in limits:
        known("limit", name, LIMITS)
    import pandas


    _check_targets(points, targets, objective)
    asked = _with_rates(_asked(points, bits, kind, targets), bits)
    if rate := rate_of(kind):
        asked = with_rate(asked, rate)
    enough = [str(Status.OK)]
    if objective == "area" and targets:
        enough.append(str(Status.AREA_ONLY))
    # A point that was not placed has no clock frequency.
    placed = asked["status"].isin(enough)
    factors = _factors(asked, limits)
    broken = {name: factors[name] > 1 for name in limits}
    if constant_time:
        broken["not constant time"] = asked["constant_time"].ne(True) & placed
    if reduced:
        broken["not reduced"] = asked.apply(result_of_row, axis=1).ne(REDUCED) & placed
    for status in sorted(set(asked["status"]) - set(enough)):
        broken[f"not measured: {status}"] = asked["status"].eq(status)
    unknown = asked[column].isna() & placed
    if unknown.any():
        broken[f"not measured: {column}"] = unknown
    keeps = ~pandas.DataFrame(broken, index=asked.index).any(axis=1)
    alike = [asked[name][keeps] for name in ("arch", "target")]
    alike += [frozen_texts(asked[name][keeps]) for name in ("params", "options")]
    widths = asked["width"][keeps]
    twins = (widths > widths.groupby(alike).transform("min")).reindex(keeps.index, fill_value=False)
    if twins.any():
        broken["wider than needed"] = twins
    best = asked[keeps & ~twins].sort_values([column, "lut"], ascending=[not largest, True],
                                             kind="stable")
    ruled_out = {name: int(mask.sum()) for name, mask in broken.items() if mask.any()}
    found = Recommendation(best=best, ruled_out=ruled_out,
                           is_exact=bool((placed & asked["width"].eq(bits)).any()))
    others = pandas.DataFrame({name: mask for name, mask in broken.items() if name not in limits},
                              index=asked.index)
    near = factors[~others.any(axis=1)]
    if limits and best.empty and len(near):
        where = near.max(axis=1).fillna(1.0).idxmin()
        found.nearest = asked.loc[where]
        found.excess = {name: (float(found.nearest[LIMITS[name][0]]), limits[name])
                        for name in limits if near[name][where] > 1}
    return found


def _factors(points: pandas.DataFrame, limits: Mapping[str, float]) -> pandas.DataFrame:
    """Return the factor by which points exceed each limit: above 1 where they break it."""
    found = points[[]].copy()
    for name, limit in limits.items():
        column, upper = LIMITS[name]
        # A limit of 0 has no factor, so that the difference counts. A missing value breaks none.
        found[name] = (limit / points[column] if not upper else
                       points[column] / limit if limit else 1.0 + points[column])
    return found


def tied(best: pandas.DataFrame, rows: pandas.DataFrame, *, bits: int,
         objective: str = "latency") -> list[bool]:
    """Return, for each of some of the best points, whether the spread of seeds may hide a tie.

    A point is tied with the first one if :mod:`explore.data.verdict` finds no difference.

    Parameters
    ----------
    best : DataFrame
        The first points of :attr:`Recommendation.best`.
    rows : DataFrame
        The rows that they are medians of, as :func:`explore.data.frame.load` returns them.
    bits, objective
        See :func:`recommend`.
    """
    column, _ = OBJECTIVES[objective]
    here = _with_rates(rows[is_measured(rows) & rows["target"].isin(set(best["target"]))], bits)
    here = here[here[column] > 0]
    seeds: defaultdict[tuple[Any, ...], dict[int, float]] = defaultdict(dict)
    for key, seed, figure in zip(_keys(here), here["seed"].tolist(), here[column].tolist(),
                                 strict=True):
        seeds[key][seed] = figure
    spreads: defaultdict[str, Spread] = defaultdict(Spread)
    for key, figures in seeds.items():
        spreads[key[_TARGET]] += Spread.of(figures.values())
    first, *others = _keys(best)
    found = [True]
    for other in others:
        own = Spread.of(seeds[first].values()) + Spread.of(seeds[other].values())
        around = sum((spreads[name] for name in {first[_TARGET], other[_TARGET]}), Spread()) - own
        each = difference(seeds[first], seeds[other], around)
        found.append(each.value == 0 or (bool(each.freedom) and each.p >= 1 - CONFIDENCE))
    return found


def _keys(points: pandas.DataFrame) -> list[tuple[Any, ...]]:
    """Return what tells points, or the points of rows, apart."""
    return list(zip(*(points[name].tolist() for name in POINT), frozen_texts(points["params"]),
                    frozen_texts(points["options"]), strict=True))


def estimates(points: pandas.DataFrame, *, bits: int, objective: str = "latency",
              kind: str = "multiplier", targets: tuple[str, ...] = (),
              limits: Mapping[str, float] | None = None, constant_time: bool = False,
              reduced: bool = False) -> list[Unmeasured]:
    """Return what cores are probably like at a width at which they were not measured.

    The best come first, and those that probably do not fit their device last; those that probably
    break a limit are left out. Parameters are those of :func:`recommend`.
    """
    column, largest = OBJECTIVES[objective]

    def suits(row: Mapping[str, Any]) -> bool:
        return ((not targets or row["target"] in targets)
                and (not constant_time or row["constant_time"] is True)
                and (not reduced or result_of_row(row) == REDUCED))

    def keeps(figures: Mapping[str, Estimate]) -> bool:
        ends = [(figures.get(LIMITS[name][0]), LIMITS[name][1], limit)
                for name, limit in (limits or {}).items()]
        return all(figure is None or (figure.value <= limit if upper else figure.value >= limit)
                   for figure, upper, limit in ends)

    found = at_width(points, bits, kind=kind, suits=suits, keeps=keeps,
                     placed=not (objective == "area" and targets))
    return sorted((each for each in found if column in each.figures),
                  key=lambda each: (bool(each.lacking),
                                    each.figures[column].value * (-1 if largest else 1),
                                    each.figures["lut"].value))


def without_rows(points: pandas.DataFrame, bits: int, kind: str,
                 targets: tuple[str, ...]) -> list[str]:
    """Return a line of advice for each of ``targets`` on which no core of a kind was measured."""
    of_kind = points[points["kind"] == kind]
    return [_advice(of_kind, bits, kind, [name]) for name in targets
            if name not in set(of_kind["target"])]


def _check_targets(points: pandas.DataFrame, targets: tuple[str, ...], objective: str) -> None:
    """Refuse targets that do not exist, and an objective that none of them has."""
    for name in targets:
        measured = sorted(set(points.get("target", ())))
        if name not in devices() and name not in measured:
            raise unknown_measured(name, measured)
    if targets and objective != "area" and all(
            name in devices() and devices()[name].placer is None for name in targets):
        raise Refusal(f"Only the area of a core is known on {', '.join(targets)}, since nothing "
                      f"is placed there, so that no core has {_HAS[objective]}; add "
                      "--objective area")


def _asked(points: pandas.DataFrame, bits: int, kind: str,
           targets: tuple[str, ...]) -> pandas.DataFrame:
    if points.empty:
        raise Refusal("Nothing was measured yet; run 'montgomery sweep', or name a file with "
                      "--from")
    of_kind = points[points["kind"] == kind]
    here = of_kind[of_kind["target"].isin(targets)] if targets else of_kind
    asked = here[here["width"] >= bits]
    if asked.empty:
        raise NothingMeasured(_advice(of_kind, bits, kind, targets))
    return asked


def _advice(of_kind: pandas.DataFrame, bits: int, kind: str, targets: Sequence[str]) -> str:
    """Return what is missing on targets, and the command that measures it."""
    from montgomery import KINDS

    on = f" on {', '.join(targets)}" if targets else ""
    here = of_kind[of_kind["target"].isin(targets)] if targets else of_kind
    if here.empty and targets:
        said = f"No {kind} was measured{on}"
    else:
        widest = f"the widest has {here['width'].max()}" if len(here) else "there is none"
        said = f"No {kind} of {bits} bits or more was measured{on}, {widest}"
    device = next(iter(targets or sorted(set(of_kind["target"]))), next(iter(devices())))
    core = _to_measure(here if len(here) else of_kind, bits, kind, device)
    if core is None:
        return f"{said}; no {kind} can have {bits} bits"
    placed = device not in devices() or devices()[device].placer
    area = "" if placed else f"; only the area is known on {device}, for --objective area"
    return (f"{said}; measure one: montgomery sweep -a {KINDS[kind].full_name(core)} -n {bits} "
            f"-t {device}{area}")


def _to_measure(measured: pandas.DataFrame, bits: int, kind: str, device: str) -> str | None:
    """Return the name of a core that can have so many bits on a device, None if there is none.

    Those that were measured at the largest widths come first, and of these the smallest.
    """
    from montgomery import KINDS

    ranked = measured.sort_values(["width", "lut"], ascending=[False, True])["arch"]
    cores = KINDS[kind].cores()
    for name in dict.fromkeys([*(name for name in ranked if name in cores), *cores]):
        try:
            expand([KINDS[kind].full_name(name)], [bits], targets=[device])
        except ValueError:
            continue
        return name
    return None


def _with_rates(points: pandas.DataFrame, bits: int) -> pandas.DataFrame:
    """Return points, or rows, with the columns ``interval_us`` and ``useful_mbps``."""
    return points.assign(interval_us=points["cycles_interval"] / points["fmax_usable_mhz"],
                         useful_mbps=independent_mbps(points) * bits / points["width"])
