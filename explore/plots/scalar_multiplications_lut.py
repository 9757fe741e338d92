"""Scalar multiplications in a second against area."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.rates import POINTS
from ._rates import draw_rates

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "shows", "summary"]

needs = ("lut", "latency_us")
summary = "Scalar multiplications in a second against LUTs, one panel per length of a coordinate"


def shows(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether it is of a core for scalar multiplication of any kind."""
    return points["kind"].isin(POINTS)


def draw(points: pandas.DataFrame) -> Figure:
    """Return the figure of :func:`explore.plots._rates.draw_rates`."""
    return draw_rates(points, "Scalar multiplications per second")
