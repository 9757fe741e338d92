"""Clock frequency of designs against their parameters."""

from functools import partial

from ._parameters import draw_parameters
from ._parameters import of_designs as shows

__all__ = ["draw", "needs", "shows", "summary"]

needs = ("fmax_mhz",)
summary = "Fmax of designs without a model against each parameter that a sweep varies"
draw = partial(draw_parameters, quantity="fmax_mhz", y_label="Fmax, MHz")
