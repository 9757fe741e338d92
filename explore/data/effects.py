"""Effects of one cause at a time: of a parameter on a core, and of the seed on a placement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..outcome import Status
from .frame import POINT, frozen_texts
from .trends import check_points
from .verdict import CONFIDENCE, PRIOR, Difference

if TYPE_CHECKING:
    import pandas

__all__ = ["noise", "relative"]

#: From each ratio of points that differ in a parameter to the column that it is of.
_RATIOS = {"lut_ratio": "lut", "fmax_ratio": "fmax_usable_mhz", "latency_ratio": "latency_us",
           "lut_us_ratio": "lut_us"}
#: Standard deviations on both sides of the mean between which 19 of 20 values lie.
_WITHIN = 1.96


def relative(points: pandas.DataFrame, *names: str) -> pandas.DataFrame:
    """Return points that differ in some parameters alone, with ratios to the narrowest of them.

    The narrowest has the smallest value. The value 0, which stands for as many as there can be, is
    the largest one.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    names : str
        Names of parameters, such as ``steps``, which may change at the same time.

    Returns
    -------
    DataFrame
        The placed points that have one such point or more beside them, by ``group``, a number. The
        largest groups come first, and in a group the narrowest point. Further columns are
        ``value``, a text of the parameters, and ``lut_ratio``, ``fmax_ratio``, ``latency_ratio``
        and ``lut_us_ratio``.

    Raises
    ------
    ValueError
        If the points are not medians.
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

    Parameters
    ----------
    rows : DataFrame
        A frame of :func:`explore.data.frame.load`.
    column : str
        The quantity, such as ``fmax_mhz`` or ``lut``.
    seeds : int
        How many seeds the last two columns of the result are for.

    Returns
    -------
    DataFrame
        One row per target. ``points`` and ``placements`` are the numbers of points with several
        seeds, and of their rows. All other columns are in per cent: ``spread``, the standard
        deviation of a placement within its point; ``range``, the largest range of a point;
        ``median``, how far the median of several seeds is off, at most, in 19 of 20 cases if the
        values are distributed normally; and ``real``, from where on a difference of two cores, each
        with so many seeds, is not taken for noise.
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
