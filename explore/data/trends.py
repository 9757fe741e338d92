"""Comparisons of all measurements.

These are Pareto fronts, growth with the width, and effects of one cause at a time: of
a parameter on a core, and of the seed on a placement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import Refusal
from ..lookup import known as known_name
from ..outcome import Status
from ..table import Range, Table, heads
from .frame import POINT, frozen_texts
from .labels import full_names
from .verdict import CONFIDENCE, PRIOR, Difference

if TYPE_CHECKING:
    import pandas

__all__ = ["OBJECTIVES", "check_points", "fronts", "growth", "noise", "pareto",
           "relative", "slopes"]


#: What grows with the width, and its title in tables.
_GROWING = {"lut": "LUT", "fmax_usable_mhz": "Clock", "latency_us": "Latency",
            "lut_us": "LUT times latency"}
#: Widths that a power is fitted to, at least.
FEWEST_WIDTHS = 3
#: Columns in which a core must be beaten at once to be off the front.
OBJECTIVES = ("lut", "dsp", "latency_us")


def check_points(points: pandas.DataFrame) -> None:
    """Refuse points that are no frame of :func:`explore.data.frame.medians`."""
    needed = ("kind", "arch", "width", "target", "status", "lut", "lut_us", "latency_us",
              "latency_us_max", "fmax_usable_mhz", "fmax_usable_mhz_max")
    if not points.empty and (missing := [name for name in needed if name not in points]):
        raise Refusal(f"Points must be what medians() returns, but column {missing[0]} is "
                      "missing; call medians() on the rows first")


def _ok(points: pandas.DataFrame, kind: str) -> pandas.DataFrame:
    fit = points[(points["status"] == Status.OK) & (points["kind"] == kind)]
    return fit.assign(label=full_names(fit)) if len(fit) else fit


def pareto(points: pandas.DataFrame, columns: Sequence[str]) -> pandas.DataFrame:
    """Return the Pareto front of points in ``columns``, in which smaller values are better.

    A point is on the front if no other point is at least as good in all columns and better in one.
    Points that lack a value in one of the columns are left out.
    """
    import moocore

    for name in columns:
        known_name("column", name, list(points.columns))
    known = points.dropna(subset=list(columns))
    if known.empty:
        return known
    return known[moocore.is_nondominated(known[list(columns)].to_numpy(float), keep_weakly=True)]


def fronts(points: pandas.DataFrame, width: int) -> Table | None:
    """Return the table of each target's Pareto front of multipliers with ``width`` bits.

    The front is in LUTs, DSP blocks and latency. The result is None if no such multiplier was
    measured.
    """
    check_points(points)
    fit = _ok(points, "multiplier")
    fit = fit[fit["width"] == width] if len(fit) else fit
    rows: list[list[Any]] = []
    for target, here in (fit.groupby("target") if len(fit) else ()):
        front = pareto(here, OBJECTIVES).sort_values("latency_us")
        rows += [[target, point["label"], point["lut"], point["dsp"], point["bram"],
                  Range(point["latency_us"], point["latency_us_min"], point["latency_us_max"])]
                 for point in front.to_dict("records")]
    if not rows:
        return None
    return Table(
        caption=f"Multipliers of {width} bits that no other one beats in LUTs, DSP blocks and "
                "latency at once.",
        columns=heads({"target": "Target", "core": "Core", "lut": "LUT", "dsp": "DSP",
                       "bram": "BRAM", "latency_us": "Latency, µs"}, texts="target core"),
        rows=rows)


def slopes(points: pandas.DataFrame, kind: str = "multiplier") -> pandas.DataFrame:
    """Return the exponents e such that area, clock and times grow as width^e.

    They are fitted by least squares on logarithms, for each form of a core of a kind that was
    measured at three widths or more: a core with its parameters and tool options. All widths count,
    although constant parts distort small ones.

    The columns are ``target``, ``arch`` and ``core`` (the form); ``widths``, their number, and the
    smallest and the largest in ``from`` and ``to``; and an exponent for each of ``lut``,
    ``fmax_usable_mhz``, ``latency_us`` and ``lut_us``. Of the forms of an architecture on a target,
    the one with the most widths comes first.
    """
    import numpy
    import pandas

    check_points(points)
    rows: list[list[Any]] = []
    fit = _ok(points, kind)
    for names, here in (fit.groupby(["target", "arch", "label"]) if len(fit) else ()):
        here = here[(here[[*_GROWING]] > 0).all(axis=1)]
        widths = sorted(set(here["width"]))
        if len(widths) >= FEWEST_WIDTHS:
            logs = numpy.log(here[["width", *_GROWING]].to_numpy(dtype=float))
            powers = numpy.polyfit(logs[:, 0], logs[:, 1:], 1)[0]
            rows.append([*names, len(widths), widths[0], widths[-1], *powers.tolist()])
    rows.sort(key=lambda row: (*row[:2], -row[3], len(row[2])))
    return pandas.DataFrame(rows, columns=["target", "arch", "core", "widths", "from", "to",
                                           *_GROWING])


def growth(points: pandas.DataFrame) -> Table | None:
    """Return the table of :func:`slopes`; None if there are none."""
    found = slopes(points).sort_values(["target", "core"])
    if found.empty:
        return None
    return Table(
        caption="Cost grows with this power of the width (least squares on logarithms).",
        columns=heads({"target": "Target", "core": "Core", "from": "From, bits", "to": "To, bits",
                       **_GROWING}, texts="target core"),
        rows=found[["target", "core", "from", "to", *_GROWING]].to_numpy(object).tolist())


#: From each ratio of points that differ in a parameter to the column that it is of.
_RATIOS = {"lut_ratio": "lut", "fmax_ratio": "fmax_usable_mhz", "latency_ratio": "latency_us",
           "lut_us_ratio": "lut_us"}
#: Standard deviations on both sides of the mean between which 19 of 20 values lie.
_WITHIN = 1.96


def relative(points: pandas.DataFrame, *names: str) -> pandas.DataFrame:
    """Return points that differ in some parameters alone, with ratios to the narrowest of them.

    The parameters, such as ``steps``, may change at the same time. The narrowest point has the
    smallest value. The value 0, which stands for as many as there can be, is the largest one.

    The frame has the placed points that have one such point or more beside them, by ``group``, a
    number. The largest groups come first, and in a group the narrowest point. Further columns are
    ``value``, a text of the parameters, and ``lut_ratio``, ``fmax_ratio``, ``latency_ratio`` and
    ``lut_us_ratio``.
    """
    check_points(points)
    placed = points[points["status"] == Status.OK]
    needed = [*(f"param_{name}" for name in names), "latency_us"]
    placed = placed[placed.reindex(columns=needed).notna().all(axis=1)]
    values = [[each[name] for name in names] for each in placed["params"]]
    others = [{key: value for key, value in each.items() if key not in names}
              for each in placed["params"]]
    group = _numbered(placed, frozen_texts(others))
    sizes = group.groupby(group).transform("size")
    order = sorted(range(len(placed)), key=lambda place: (
        -sizes.iloc[place], group.iloc[place], [(each == 0, each) for each in values[place]]))
    found = placed.assign(
        value=["/".join(dict.fromkeys(map(str, each))) for each in values],
        group=group).iloc[order][sizes.iloc[order] > 1]
    found["group"] = found["group"].factorize()[0]
    for name, column in _RATIOS.items():
        found[name] = found[column] / found.groupby("group")[column].transform("first")
    return found


def noise(rows: pandas.DataFrame, column: str = "fmax_mhz", *, seeds: int = 3
          ) -> pandas.DataFrame:
    """Return how far placements of the same netlist are apart that differ in their seed alone.

    The frame has one row per target, for a column of rows such as ``fmax_mhz`` or ``lut``.
    ``points`` and ``placements`` are the numbers of points with several seeds, and of their rows.
    All other columns are in per cent: ``spread``, the standard deviation of a placement within its
    point; ``range``, the largest range of a point; ``median``, how far the median of so many
    ``seeds`` is off, at most, in 19 of 20 cases if the values are distributed normally; and
    ``real``, from where on a difference of two cores, each with so many seeds, is not taken for
    noise.
    """
    import numpy
    import pandas

    here = rows[(rows["status"] == Status.OK) & (rows[column] > 0)]
    here = here.assign(log=numpy.log(here[column]), point=_numbered(
        here, frozen_texts(here["params"]), here["design"]))
    here = here[here["point"].duplicated(keep=False)]
    found = []
    for target, own in here.groupby("target"):
        logs = own.groupby("point")["log"]
        variance = ((own["log"] - logs.transform("mean")) ** 2).sum() / (len(own) - logs.ngroups)
        # Of the median of as many values that are distributed normally.
        error = math.sqrt(variance * math.pi / 2 / (seeds - 1 + math.pi / 2))
        least = Difference(0, 2 * variance / seeds, 2 * (seeds - 1) + PRIOR).interval(CONFIDENCE)
        found.append([target, logs.ngroups, len(own), *(100 * math.expm1(each) for each in (
            math.sqrt(variance), (logs.max() - logs.min()).max(), _WITHIN * error)),
            100 * least[1]])
    return pandas.DataFrame(found, columns=["target", "points", "placements", "spread", "range",
                                            "median", "real"]).set_index("target")


def _numbered(frame: pandas.DataFrame, *keys: Any) -> pandas.Series:
    """Return a number for each row, equal for rows of the same core, target, options and keys."""
    return frame.groupby([*POINT, frozen_texts(frame["options"]), *keys], sort=False,
                         dropna=False).ngroup()
