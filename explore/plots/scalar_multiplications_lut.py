"""Scalar multiplications in a second against area."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..data.rates import POINTS
from ._rates import draw_rates

if TYPE_CHECKING:
    import pandas

__all__ = ["draw", "needs", "shows", "summary"]

needs = ("lut", "latency_us")
summary = "Scalar multiplications in a second against LUTs, one panel per length of a coordinate"


def shows(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether it is of a core for scalar multiplication of any kind."""
    return points["kind"].isin(POINTS)


draw = partial(draw_rates, y_label="Scalar multiplications per second")
