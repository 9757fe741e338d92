"""Finds the best measured points that keep limits, and counts the points that limits rule out."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..lookup import known
from ..outcome import Status
from .labels import present
from .rates import independent_mbps, with_signatures

if TYPE_CHECKING:
    import pandas

    from montgomery import CoreParameters

__all__ = ["LIMITS", "OBJECTIVES", "Recommendation", "recommend"]

#: From each objective to its column, and whether larger values are better.
OBJECTIVES = {
    "latency": ("latency_us", False),
    "interval": ("interval_us", False),
    "area": ("lut", False),
    "lut-us": ("lut_us", False),
    "throughput": ("useful_mbps", True),
}

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
class Recommendation:
    """The result of :func:`recommend`.

    Attributes
    ----------
    best : DataFrame
        The points that keep all limits, the best first, with the columns of
        :func:`explore.data.frame.medians` and three more. ``tied`` says whether the range of a
        point over its seeds overlaps the range of the first point. ``interval_us`` is the time
        between two dependent operations. ``useful_mbps`` is the throughput of independent
        operations, of which only the bits that were asked for count; for a core that does not
        overlap operations, it is the throughput of dependent ones. Points of a kind that makes RSA
        signatures also have the columns of :func:`explore.data.rates.with_signatures`.
    ruled_out : dict
        From each reason to the number of points that it rules out. A reason is the name of a limit,
        ``not measured: STATUS``, ``not measured: COLUMN``, ``not constant time``, or ``wider than
        needed``. A point may count for several reasons.
    nearest : Series or None
        If no point keeps all limits, the point that exceeds its limits by the smallest factor.
    excess : dict
        From each limit that ``nearest`` breaks to its value for this point, and the limit itself.
    """

    best: pandas.DataFrame
    ruled_out: dict[str, int]
    nearest: pandas.Series | None = None
    excess: dict[str, tuple[float, float]] = dataclasses.field(default_factory=dict)


def recommend(points: pandas.DataFrame, *, bits: int, objective: str = "latency",
              kind: str = "multiplier", targets: tuple[str, ...] = (),
              limits: Mapping[str, float] | None = None,
              constant_time: bool = False) -> Recommendation:
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
        Names of devices; all devices if empty.
    limits : dict
        From names in :data:`LIMITS` to numbers.
    constant_time : bool
        Whether to leave out cores whose time depends on their operands.

    Raises
    ------
    UnknownName
        For an unknown objective or limit, or a target without measurements.
    ValueError
        If no core of that kind and of that width or more was measured.
    """
    limits = limits or {}
    column, largest = OBJECTIVES[known("objective", objective, OBJECTIVES)]
    for name in limits:
        known("limit", name, LIMITS)
    from montgomery import KINDS

    asked = _with_rates(_asked(points, bits, kind, targets), bits)
    if KINDS[kind].base.does_rsa:
        asked = with_signatures(asked)
    # A point that was not placed has no clock frequency.
    placed = asked["status"].eq(Status.OK)
    broken = {}
    for name, value in limits.items():
        of, upper = LIMITS[name]
        measured = asked[of]
        # A missing value breaks no limit; points without a measurement have another reason.
        broken[name] = (measured > value if upper else measured < value) & measured.notna()
    if constant_time:
        broken["not constant time"] = asked["constant_time"].ne(True) & placed
    for status in sorted(set(asked["status"]) - {str(Status.OK)}):
        broken[f"not measured: {status}"] = asked["status"].eq(status)
    unknown = asked[column].isna() & placed
    if unknown.any():
        broken[f"not measured: {column}"] = unknown
    keeps = ~_any(asked, broken.values())
    twins = _twins(asked[keeps])
    if twins.any():
        broken["wider than needed"] = twins.reindex(asked.index, fill_value=False)
        keeps &= ~broken["wider than needed"]
    best = asked[keeps].sort_values([column, "lut"], ascending=[not largest, True], kind="stable")
    if not best.empty:
        first = best.iloc[0]
        best = best.assign(tied=(best[f"{column}_min"] <= first[f"{column}_max"])
                           & (best[f"{column}_max"] >= first[f"{column}_min"]))
    ruled_out = {name: int(mask.sum()) for name, mask in broken.items() if mask.any()}
    if not best.empty:
        return Recommendation(best=best, ruled_out=ruled_out)
    nearest, excess = _nearest(asked[~_any(asked, [mask for name, mask in broken.items()
                                                    if name not in limits])], limits)
    return Recommendation(best=best, ruled_out=ruled_out, nearest=nearest, excess=excess)


def _asked(points: pandas.DataFrame, bits: int, kind: str,
           targets: tuple[str, ...]) -> pandas.DataFrame:
    if points.empty:
        raise ValueError("Nothing was measured yet; run 'montgomery sweep', or name a file with "
                         "--from")
    for name in targets:
        known("measured target", name, sorted(set(points["target"])))
    if targets:
        points = points[points["target"].isin(targets)]
    of_kind = points[points["kind"] == kind]
    asked = of_kind[of_kind["width"] >= bits]
    if asked.empty:
        from montgomery import KINDS

        there = (f"the widest has {of_kind['width'].max()}" if len(of_kind) else "there is none")
        cores = [name for name, cls in KINDS[kind].cores().items() if _can_have(cls, bits)]
        # Prefer the cores that were measured at the largest width.
        known_ones = of_kind[of_kind["width"] == of_kind["width"].max()]["arch"]
        core = next((name for name in [*known_ones, *cores] if name in cores), None)
        advice = (f"measure one: montgomery sweep -a {KINDS[kind].full_name(core)} -n {bits} -t "
                  f"{','.join(targets or sorted(set(points['target']))[:1])}" if core else
                  f"no {kind} can have {bits} bits")
        on = f" on {', '.join(targets)}" if targets else ""
        raise ValueError(f"No {kind} of {bits} bits or more was measured{on}, {there}; {advice}")
    return asked


def _can_have(cls: type[CoreParameters], bits: int) -> bool:
    try:
        cls(width=bits)
    except ValueError:
        return False
    return True


def _with_rates(points: pandas.DataFrame, bits: int) -> pandas.DataFrame:
    """Return points with the columns ``interval_us`` and ``useful_mbps``, and their ranges."""
    clocks, mhz = points["cycles_interval"], "fmax_usable_mhz"
    rate = independent_mbps(points)
    faster, slower = (points[f"{mhz}_{end}"] / points[mhz] for end in ("max", "min"))
    useful = rate * bits / points["width"]
    return points.assign(
        interval_us=clocks / points[mhz], interval_us_min=clocks / points[f"{mhz}_max"],
        interval_us_max=clocks / points[f"{mhz}_min"], useful_mbps=useful,
        useful_mbps_min=useful * slower, useful_mbps_max=useful * faster)


def _twins(points: pandas.DataFrame) -> pandas.Series:
    """Return True for each point that is wider than a point that is otherwise equal."""
    alike = [json.dumps([arch, target, params, options], sort_keys=True)
             for arch, target, params, options in zip(
                 points["arch"], points["target"], points["params"], points["options"],
                 strict=True)]
    return points["width"] > points["width"].groupby(alike).transform("min")


def _any(points: pandas.DataFrame, masks: Any) -> pandas.Series:
    import pandas

    found = pandas.Series(False, index=points.index)
    for mask in masks:
        found |= mask
    return found


def _nearest(points: pandas.DataFrame, limits: Mapping[str, float]) \
        -> tuple[pandas.Series | None, dict[str, tuple[float, float]]]:
    """Return the point that exceeds its limits by the smallest factor, and the broken limits.

    The second value maps each broken limit to the value of the point and the limit.
    """
    if points.empty or not limits:
        return None, {}

    def factors(point: Mapping[str, Any]) -> dict[str, float]:
        found = {}
        for name, value in limits.items():
            column, upper = LIMITS[name]
            measured = point[column]
            if present(measured):
                over, under = (measured, value) if upper else (value, measured)
                # A limit of 0 has no factor; use the difference then.
                found[name] = over / under if under else 1.0 + over
        return found

    worst = points.apply(lambda point: max(factors(point).values(), default=1.0), axis=1)
    nearest = points.loc[worst.idxmin()]
    return nearest, {name: (float(nearest[LIMITS[name][0]]), limits[name])
                     for name, factor in factors(nearest).items() if factor > 1}
