"""Measurements in a notebook: everything as a :class:`pandas.DataFrame`.

>>> from explore.analysis import columns, load, medians, pareto
>>> points = medians(load("results"))
>>> pareto(points[points["width"] == 256], ("lut", "latency_us"))

``results/analysis.ipynb`` is an example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .data.columns import columns as columns_of_rows
from .data.frame import load, medians, notes
from .data.labels import full_names
from .data.trends import check_points, fronts, growth, pareto, rsa
from .lookup import known
from .papers._compare import beside, tabulate
from .table import Table, text

if TYPE_CHECKING:
    import pandas

__all__ = ["COLUMNS", "columns", "frame", "fronts", "growth", "load", "medians", "named", "notes",
           "paper", "pareto", "rsa"]

#: Unit and meaning of each column of :func:`load`, as :mod:`explore.data.columns` has them.
COLUMNS = {column.name: (column.unit, column.meaning) for column in columns_of_rows()}


def columns() -> pandas.DataFrame:
    """Return :data:`COLUMNS` as a table.

    Beside these there are ``param_*`` and ``option_*``: the parameters of architectures, and the
    options of tools.
    """
    import pandas

    return pandas.DataFrame([(name, *what) for name, what in COLUMNS.items()],
                            columns=["column", "unit", "meaning"]).set_index("column")


def frame(table: Table | None) -> pandas.DataFrame:
    """Return a table as it is read: numbers rounded, ranges of seeds in parentheses.

    Empty if there is none, as of :func:`growth`, :func:`fronts` and :func:`rsa` where too little
    was measured.
    """
    import pandas

    if table is None:
        return pandas.DataFrame()
    return pandas.DataFrame([[text(cell) for cell in row] for row in table.rows],
                            columns=[column.header for column in table.columns])


def named(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return points with a column ``core`` in front, which tells cores of one width apart.

    It has the name among the cores of all kinds, and the parameters and tool options that are not
    as they are by default.

    Parameters
    ----------
    points : DataFrame
        Of :func:`load` or of :func:`medians`.
    """
    found = points.copy()
    found.insert(0, "core", full_names(points))
    return found


def paper(name: str, points: pandas.DataFrame) -> pandas.DataFrame:
    """Return a paper's table with the measured points that may stand beside each row.

    Parameters
    ----------
    name : str
        A module of :mod:`explore.papers`, as ``song_single_dsp``.
    points : DataFrame
        Of :func:`medians`.

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
    return frame(tabulate(figures[0].source, beside(figures, points)))
