"""The plots. Each module without an underscore has some, by their names, as its ``PLOTS``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..outcome import Status

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["Plot"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plot:
    """What a plot shows, and the function that draws it.

    Parameters
    ----------
    summary : str
        One line, which ``montgomery list`` shows.
    draw : callable
        Returns the figure of a frame of :func:`explore.data.frame.medians` with measured points,
        and with a column ``label``.
    needs : tuple of str
        Columns of the axes. Points with a value that is not above 0 are left out.
    column : str
        A column that only some rows have, such as a parameter of one architecture. The plot gets
        only the points that have it, and needs two different values of it.
    over_width : bool
        Whether the widths are on an axis, so that one width shows little.
    shows : callable or None
        Returns for each row or point whether the plot can show it.
    of_any_kind : bool
        Whether the plot shows cores of several kinds side by side.
    area_only : bool
        Whether the plot shows only areas. It then also gets points without a frequency.
    """

    summary: str
    draw: Callable[[pandas.DataFrame], Figure]
    needs: tuple[str, ...] = ()
    column: str = ""
    over_width: bool = False
    shows: Callable[[pandas.DataFrame], pandas.Series] | None = None
    of_any_kind: bool = False
    area_only: bool = False

    def shown(self, rows: pandas.DataFrame) -> pandas.Series:
        """Return, for each row or point, whether the plot can show it."""
        statuses = [status for status in Status if status.is_success
                    and (status == Status.OK or self.area_only)]
        found = rows["status"].isin([str(status) for status in statuses])
        for name in self.needs:
            found &= rows[name] > 0
        if self.column:
            found &= rows[self.column].notna() if self.column in rows else False
        return found if self.shows is None else found & self.shows(rows)

    def varies(self, rows: pandas.DataFrame) -> bool:
        """Return whether the plot can show some rows, with two values of its column."""
        shown = self.shown(rows)
        return shown.any() and (not self.column or (
            self.column in rows and rows.loc[shown, self.column].nunique() > 1))
