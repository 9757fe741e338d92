"""RSA signatures in a second against area."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..data.rates import RSA_BITS
from ._rates import draw_rates

if TYPE_CHECKING:
    import pandas

__all__ = ["draw", "needs", "of_any_kind", "shows", "summary"]

needs = ("lut", "latency_us")
of_any_kind = True
summary = "RSA signatures in a second against LUTs, one panel per length of the key"


def shows(points: pandas.DataFrame) -> pandas.Series:
    """Return for each point whether it is of a core that makes RSA signatures of a usual length."""
    from montgomery import KINDS

    makes = [name for name, kind in KINDS.items() if kind.does_rsa]
    return points["kind"].isin(makes) & points["width"].isin(RSA_BITS)


draw = partial(draw_rates, y_label="RSA signatures per second")
