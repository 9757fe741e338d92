"""Clock frequency of designs against their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parameters import draw_parameters, of_designs

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["draw", "needs", "shows", "summary"]

needs = ("fmax_mhz",)
shows = of_designs
summary = "Fmax of designs without a model against each parameter that a sweep varies"


def draw(points: pandas.DataFrame) -> Figure:
    """Return one panel per parameter and target."""
    return draw_parameters(points, "fmax_mhz", "Fmax, MHz")
