"""Area of designs against their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parameters import draw_parameters, of_designs

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["area_only", "draw", "needs", "shows", "summary"]

area_only = True
needs = ("lut",)
shows = of_designs
summary = "LUTs of designs without a model against each parameter that a sweep varies"


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per parameter and target."""
    return draw_parameters(points, "lut", "Area, LUTs")
