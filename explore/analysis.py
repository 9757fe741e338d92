"""Measurements as objects of :class:`pandas.DataFrame`, for notebooks.

>>> from explore.analysis import DATASET, load, medians, pareto
>>> points = medians(load(DATASET))
>>> pareto(points[points["width"] == 256], ("lut", "latency_us"))

``results/analysis.ipynb`` is an example.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from .data.columns import known_columns
from .data.frame import load, medians
from .data.labels import full_names
from .data.recommend import Question
from .data.recommend import recommend as _recommend
from .data.recommend import tied as _tied
from .data.rows import DATASET
from .data.trends import check_points, noise, pareto, relative, slopes

if TYPE_CHECKING:
    import pandas

__all__ = ["DATASET", "claims", "clocks", "columns", "load", "medians", "named", "noise", "pareto",
           "recommend", "relative", "slopes", "styles", "tied"]


def columns() -> pandas.DataFrame:
    """Return the unit and the meaning of each column of :func:`load`, by its name.

    A frame of :func:`load` also has a column ``param_*`` for each parameter of a core, and a
    column ``option_*`` for each option of a tool.
    """
    import pandas

    return pandas.DataFrame(
        [(column.name, column.unit, column.meaning) for column in known_columns().values()],
        columns=["column", "unit", "meaning"]).set_index("column")


def named(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return points with a first column ``core``, which differs between cores of the same width.

    The column has the name of the core among the cores of all kinds, and the parameters and tool
    options that differ from their defaults. The frame is one of :func:`load` or :func:`medians`.
    """
    found = points.copy()
    found.insert(0, "core", full_names(points))
    return found


class Chosen(NamedTuple):
    """The best points, the best first, and the nearest miss if there are none."""

    best: pandas.DataFrame
    nearest: pandas.Series | None


def recommend(points: pandas.DataFrame, **asked: Any) -> Chosen:
    """Return the best points with two more columns, ``interval_us`` and ``useful_mbps``.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`medians`.
    **asked
        Attributes of :class:`explore.data.recommend.Question`.
    """
    import pandas

    records = [{**point, "place": place} for place, point in zip(
        points.index, points.to_dict("records"), strict=True)]
    found = _recommend(records, Question(**asked))
    told = [dict(each.point) for each in (found.nearest, *found.best) if each]
    frame = pandas.DataFrame(told, [each["place"] for each in told],
                             [*points.columns, "interval_us", "useful_mbps"])
    return Chosen(frame.iloc[1:], frame.iloc[0]) if found.nearest else Chosen(frame, None)


def tied(best: pandas.DataFrame, rows: pandas.DataFrame, **asked: Any) -> list[bool]:
    """Return, for each of the best points, whether the seeds do not tell it from the first one."""
    return _tied(best.to_dict("records"), rows.to_dict("records"), Question(**asked))


def styles(points: pandas.DataFrame) -> dict[str, dict[str, Any]]:
    """Return colour, marker and dashes of each architecture: arguments of matplotlib's ``plot``."""
    from .plots._style import series

    return series(points.assign(label=points["arch"]))


def claims(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return claims of papers: the paper's figure in ``theirs``, and the measured one in ``ours``.

    The points are those of :func:`medians`. Further columns are ``paper``, a module of
    :mod:`explore.papers`; ``claim``; ``unit`` of both figures; ``where``, the targets of ours;
    ``verdict`` on whether the claim reproduces; and ``remark``.
    """
    import pandas

    from .papers import published
    from .papers._claims import claims as claims_of

    check_points(points)
    tables = {paper: claims_of(paper, points) for paper in published()}
    return pandas.DataFrame([
        {"paper": paper, **{column.name: cell for column, cell in zip(table.columns, row,
                                                                      strict=True)}}
        for paper, table in tables.items() if table is not None for row in table.rows])


def clocks(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return the clocks that papers report, in ``theirs``, and those of the same core in ``ours``.

    The points are those of :func:`medians`. The same core has the parameters that the paper names,
    on any target, since clocks do not depend on it. Of several such points, the one with the fewest
    clocks is taken. Further columns are ``paper``, a module of :mod:`explore.papers`; ``table``;
    ``core``; ``width``; ``column``, which says what is counted; and ``ratio`` of ours to theirs.
    """
    import pandas

    from .papers import published

    check_points(points)
    found = []
    for paper, figures in published().items():
        for each in filter(operator.attrgetter("is_here"), figures):
            same = pandas.Series({"kind": each.kind, "arch": each.core, "width": each.width} | {
                f"param_{name}": value for name, value in each.params.items()})
            alike = points[(points.reindex(columns=same.index) == same).all(axis=1)]
            found += [[paper, each.table, each.name, each.width, count, each.figures[count],
                       alike[count].min()]
                      for count in ("cycles_compute", "cycles_interval") if count in each.figures]
    table = pandas.DataFrame(found, columns=["paper", "table", "core", "width", "column", "theirs",
                                             "ours"]).dropna()
    return table.assign(ratio=table["ours"] / table["theirs"])
