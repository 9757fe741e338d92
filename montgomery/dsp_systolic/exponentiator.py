"""The exponentiator around the systolic array of multiplier blocks."""

import dataclasses

from ..blocks.left_to_right import LeftToRight
from ..core import Cycles, parameter
from .exponentiator_component import Exponentiator
from .multiplier import Parameters as _Multiplier
from .reducer import Reducer

__all__ = ["Exponentiator", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(LeftToRight):
    """Parameters of :class:`Exponentiator`.

    With ``quotient="scaled"`` the array knows a multiple of the modulus only. The last product is
    by 2**k instead of 1, and its result, below the modulus times 2**k + 1, is then halved k times
    modulo the modulus itself, of which some 2k + 2 clocks per digit come. That takes no multiplier.
    Products below twice the modulus need no such passes.

    Parameters
    ----------
    word_width : :class:`int`
        Bits per word of the streams and per digit, the paper's k.
    quotient, processing_elements
        See :class:`montgomery.dsp_systolic.multiplier.Parameters`.
    """

    source = ("Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication"
              " Systolic Architecture Implemented on an FPGA; Algorithm 5, Figure 6")
    summary = "square and multiply always on a systolic array of multiplier blocks"
    portable = False

    word_width: int = parameter(16, "bits per word of the streams and per digit", minimum=4,
                                maximum=18)
    quotient: str = parameter("plain", "how quotient digits are found: by a product with -1/m "
                              "(plain), or from a scaled modulus (scaled)",
                              choices=("plain", "scaled"))
    processing_elements: int = parameter(0, "largest number of processing elements, each with "
                                         "one multiplier; 0 means one per digit", minimum=0,
                                     maximum=2048)

    @property
    def inner(self):
        return _Multiplier(width=self.width, word_width=self.word_width,
                           digit_width=self.word_width, quotient=self.quotient,
                           processing_elements=self.processing_elements)

    @property
    def fixed(self):
        if self.inner.scaled:
            return [("modulus", self.operand_words), *super().fixed]
        return super().fixed

    @property
    def halvings(self):
        """Number of times that the last product is halved."""
        return self.word_width if self.inner.scaled else 0

    @property
    def last_factor(self):
        return 1 << self.halvings

    def reduced(self, product, modulus):
        # A scaled product is at most (2**k - 1) m + 2 m: the scaled modulus and, since R >= 2**2k,
        # the two that 2**k of twice it, over R, come to. Halved k times it is below 2m.
        for _ in range(self.halvings):
            product = (product + (modulus if product & 1 else 0)) >> 1
        return product - modulus if product >= modulus else product

    def multipliers(self, technology):
        return self.inner.multipliers(technology)

    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        schedule, words = self.inner.schedule, self.operand_words
        count = self.multiplications(base, exponent, modulus, exponent_bits=bits)
        reduction, turn = Reducer.clocks(words, self.halvings, Exponentiator.LATENCY)
        compute = (count * schedule.interval + words - schedule.period
                   + schedule.sum_latency + schedule.arrival(words - 1) + reduction
                   + Exponentiator.OVERHEAD)
        load = (self.header_words + sum(words for _, words in self.fixed) + 3 * words
                + self.exponent_words)
        unload = 1 + (words - 1) * turn
        return Cycles(load=load, compute=compute, unload=unload,
                      interval=load + compute + unload - 1)

    def create(self):
        return Exponentiator(self)
