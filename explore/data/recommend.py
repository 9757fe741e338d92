"""The best of what was measured, under limits, and what the limits ruled out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..lookup import known
from ..outcome import Status
from .labels import present

if TYPE_CHECKING:
    import pandas

__all__ = ["LIMITS", "OBJECTIVES", "Recommendation", "recommend"]

#: From each objective to the column it goes by, and whether the largest is the best.
OBJECTIVES = {
    "latency": ("latency_us", False),
    "area": ("lut", False),
    "lut-us": ("lut_us", False),
    "throughput": ("throughput_pipelined_mbps", True),
}

#: From each limit to the column it is on, and whether it is the largest that is allowed.
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
    """What :func:`recommend` found.

    Attributes
    ----------
    best : DataFrame
        The points that keep all limits, the best first, as :func:`explore.data.frame.medians` has
        them; ``tied`` says whether the range of its seeds meets that of the first one.
    ruled_out : dict
        From each reason to how many points it holds for: a limit, or ``not measured: STATUS``, or
        ``not constant time``. A point may have several.
    nearest : Series or None
        If nothing keeps all limits, the point that would need the smallest factor to.
    excess : dict
        From each limit that ``nearest`` breaks to its value there and the limit.
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
        Of the largest modulus; cores that are wider will do.
    objective : str
        One of :data:`OBJECTIVES`.
    kind : str
        A name in :data:`montgomery.KINDS`.
    targets : tuple of str
        Devices; all if empty.
    limits : dict
        From names in :data:`LIMITS` to numbers.
    constant_time : bool
        Whether to leave out cores whose time depends on what they compute.

    Raises
    ------
    UnknownName
        For an objective, a limit or a target that nothing was measured on.
    ValueError
        If nothing of that kind and width was measured.
    """
    limits = limits or {}
    column, largest = OBJECTIVES[known("objective", objective, OBJECTIVES)]
    for name in limits:
        known("limit", name, LIMITS)
    asked = _asked(points, bits, kind, targets)
    # Where nothing can be placed there is no clock to go by.
    placed = asked["status"].eq(Status.OK)
    broken = {}
    for name, value in limits.items():
        of, upper = LIMITS[name]
        measured = asked[of]
        # What was not measured keeps no limit, and breaks none.
        broken[name] = (measured > value if upper else measured < value) & measured.notna()
    if constant_time:
        broken["not constant time"] = asked["constant_time"].ne(True) & placed
    for status in sorted(set(asked["status"]) - {str(Status.OK)}):
        broken[f"not measured: {status}"] = asked["status"].eq(status)
    unknown = asked[column].isna() & placed
    if unknown.any():
        broken[f"not measured: {column}"] = unknown
    keeps = ~_any(asked, broken.values())
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
        which = "" if kind == "multiplier" else f"-a {KINDS[kind].full_name('NAME')} "
        raise ValueError(f"No {kind} of {bits} bits or more was measured here, {there}; measure "
                         f"one: montgomery sweep {which}-n {bits}")
    return asked


def _any(points: pandas.DataFrame, masks: Any) -> pandas.Series:
    import pandas

    found = pandas.Series(False, index=points.index)
    for mask in masks:
        found |= mask
    return found


def _nearest(points: pandas.DataFrame, limits: Mapping[str, float]) \
        -> tuple[pandas.Series | None, dict[str, tuple[float, float]]]:
    """Return the point whose worst factor over a limit is the smallest, and what it breaks."""
    if points.empty or not limits:
        return None, {}

    def factors(point: Mapping[str, Any]) -> dict[str, float]:
        found = {}
        for name, value in limits.items():
            column, upper = LIMITS[name]
            measured = point[column]
            if present(measured):
                over, under = (measured, value) if upper else (value, measured)
                # From a limit of 0 nothing is any factor away: count in units then.
                found[name] = over / under if under else 1.0 + over
        return found

    worst = points.apply(lambda point: max(factors(point).values(), default=1.0), axis=1)
    nearest = points.loc[worst.idxmin()]
    return nearest, {name: (float(nearest[LIMITS[name][0]]), limits[name])
                     for name, factor in factors(nearest).items() if factor > 1}
