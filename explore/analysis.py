"""Measurements as objects of :class:`pandas.DataFrame`, for notebooks.

>>> from explore.analysis import columns, load, medians, pareto
>>> points = medians(load("results"))
>>> pareto(points[points["width"] == 256], ("lut", "latency_us"))

``results/analysis.ipynb`` is an example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .data.columns import known_columns
from .data.frame import load, medians, notes
from .data.labels import full_names
from .data.trends import check_points, fronts, growth, pareto, rsa
from .lookup import known
from .papers._compare import tabulate
from .table import Table, text

if TYPE_CHECKING:
    import pandas

__all__ = ["COLUMNS", "columns", "frame", "fronts", "growth", "load", "medians", "named", "notes",
           "paper", "pareto", "rsa"]

#: From the name of each column of :func:`load` to its unit and its meaning.
COLUMNS = {column.name: (column.unit, column.meaning) for column in known_columns().values()}


def columns() -> pandas.DataFrame:
    """Return :data:`COLUMNS` as a frame.

    A frame of :func:`load` also has a column ``param_*`` for each parameter of a core, and a
    column ``option_*`` for each option of a tool.
    """
    import pandas

    return pandas.DataFrame([(name, *what) for name, what in COLUMNS.items()],
                            columns=["column", "unit", "meaning"]).set_index("column")


def frame(table: Table | None) -> pandas.DataFrame:
    """Return a frame of texts: numbers are rounded, and ranges of seeds stand in parentheses.

    Parameters
    ----------
    table : Table or None
        The frame is empty if it is None. :func:`growth`, :func:`fronts` and :func:`rsa` return
        None if too little was measured.
    """
    import pandas

    if table is None:
        return pandas.DataFrame()
    return pandas.DataFrame([[text(cell) for cell in row] for row in table.rows],
                            columns=[column.header for column in table.columns])


def named(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return points with a first column ``core``, which differs between cores of the same width.

    The column has the name of the core among the cores of all kinds, and the parameters and tool
    options that differ from their defaults.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`load` or :func:`medians`.
    """
    found = points.copy()
    found.insert(0, "core", full_names(points))
    return found


def paper(name: str, points: pandas.DataFrame) -> pandas.DataFrame:
    """Return the table of a paper. Each row is followed by the measured points of the same core.

    Parameters
    ----------
    name : str
        Name of a module of :mod:`explore.papers`, such as ``song_single_dsp``.
    points : DataFrame
        A frame of :func:`medians`.

    Raises
    ------
    UnknownName
        If there is no such paper.
    ValueError
        If the points are not medians.
    """
    from .papers import published

    check_points(points)
    sources = published()
    figures = sources[known("paper", name, sources)]
    return frame(tabulate(figures[0].source, figures, points))
