"""MMM_MX in one dimension: a gated full adder per bit, used twice per iteration."""

import dataclasses

from ...blocks.carry_save import Resolver
from ...blocks.gather import Gather
from ...core import About, parameter
from ..algorithms import PAPER, Gated
from ..radix2 import Radix2Parameters
from .folded import FoldedMultiplier
from .row import RowMultiplier

__all__ = ["Parameters"]

_ARRANGEMENTS = {"folded": FoldedMultiplier, "row": RowMultiplier}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Gated, Radix2Parameters):
    """Parameters of :class:`~.folded.FoldedMultiplier` and :class:`~.row.RowMultiplier`.

    Parameters
    ----------
    arrangement : :class:`str`
        ``"row"`` is Design 2 as Figure 4 draws it, one adder and its multiplexers per bit;
        ``"folded"`` has as many adders, in a ring and without multiplexers.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 3 (MMM_MX), Design 2",
        summary="radix 2, carry-save, two short clocks per iteration")

    arrangement: str = parameter("folded", "how the adders are arranged: in a ring (folded), or in "
                                 "a row as in the paper (row)", choices=tuple(_ARRANGEMENTS))

    hop = 2

    @property
    def stationary(self):
        return self.arrangement == "row"

    @property
    def resolve(self):
        gather = Gather.latency_of(self.sum_words) if self.stationary else 0
        return gather + 1 + Resolver.latency_of(self.pe_width)

    def create(self):
        return _ARRANGEMENTS[self.arrangement](self)
