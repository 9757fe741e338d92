"""Designs of any sort, which are measured as they are, since there is no model of them."""

import dataclasses
from typing import Any, ClassVar

from ..core import CoreParameters, Kind, Message, name_of, parameter

__all__ = ["KIND", "Design"]

#: It has neither inputs nor a formula, since nobody knows what such a design computes.
KIND = Kind(
    name="design", prefix="design", group="designs", noun="design", nouns="designs",
    operation="operation", formula="", inputs={})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Design(CoreParameters):
    """What a design is instantiated with; see :class:`montgomery.core.CoreParameters`.

    A design has its own ports and parameters. So it has neither words nor a model nor clocks, and
    what would need them raises :exc:`ValueError`. :meth:`create` returns a component with any
    signature, of one clock, the domain ``sync``. No port may be called ``clk`` or ``rst``.

    A width is a parameter like any other, which a design may declare with limits of its own; it is
    0 in one that has none.
    """

    _kind = KIND

    width: int = parameter(0, "none: the design has no width", minimum=0, maximum=0)
    word_width: ClassVar = 0  # type: ignore[misc]
    operands: ClassVar = Message(0)  # type: ignore[misc]
    result_words: ClassVar = 0  # type: ignore[misc]

    def _refuse(self, *inputs: Any, **options: Any) -> Any:
        raise ValueError(f"{name_of(self)} is a design without a model and clock counts; it can be "
                         "measured by 'montgomery sweep', and shown by table, plot and report")

    compute = _check_operands = _refuse
    cycles = property(_refuse)
