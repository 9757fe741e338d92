"""Texts beside points and lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._style import lines

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

__all__ = ["ends_of_lines", "tell"]


def tell(axes: Axes, texts: Iterable[tuple[float, float, str]]) -> None:
    """Write texts beside their points, of which each has x, y and its text.

    A text is left out if it would lie on a point, on another text or outside in every place.
    """
    from matplotlib.patheffects import withStroke

    from ._fitting import Beside

    axes.add_artist(Beside([axes.annotate(
        text, (x, y), (0, 0), textcoords="offset points", fontsize=7.5, color="0.25",
        horizontalalignment="center", verticalalignment="center", in_layout=False,
        path_effects=[withStroke(linewidth=2, foreground="white")]) for x, y, text in texts]))


def ends_of_lines(points: pandas.DataFrame, styles: Mapping[str, dict[str, Any]], x: str, y: str
                  ) -> list[tuple[float, float, str]]:
    """Return x and y of the end of each line of a panel, and a text with its width.

    Lines whose points have several widths are left out.
    """
    every = (line for _, line in lines(points, styles, x, per_width=True))
    return [(line.iloc[-1][x], line.iloc[-1][y], f"{line.iloc[-1]['width']} bits")
            for line in every if line["width"].nunique() == 1]
