"""Area of designs against their parameters."""

from functools import partial

from ._parameters import draw_parameters
from ._parameters import of_designs as shows

__all__ = ["area_only", "draw", "needs", "shows", "summary"]

area_only = True
needs = ("lut",)
summary = "LUTs of designs without a model against each parameter that a sweep varies"
draw = partial(draw_parameters, quantity="lut", y_label="Area, LUTs")
