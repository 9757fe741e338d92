"""How many clocks an exponentiation takes, from the clocks of the multiplier."""

import dataclasses

from ..blocks.skid import Skid
from ..core import ceil_div
from .control import Control
from .reader import OperandReader

__all__ = ["Clocks"]

#: From the last word of a base, or of a key, to the clock in which the first product may go: it is
#: prepared in between.
_PREPARE = 2
#: From the last word of a result to the clock in which a product may go that is prepared, and in
#: which one may go that had to wait for it to be prepared.
_GO, _PREPARE_AND_GO = 1, 3
#: From a product that goes to its first word at the multiplier.
_SEND = OperandReader.LATENCY + Skid.LATENCY
#: From the last word of a result to the state IDLE, and from the first word offered there to the
#: clock that accepts it.
_TO_IDLE, _FROM_IDLE = 2, 1
#: From the last word of the last result to its first word at port ``o``, if it is not compared.
_TO_OUTPUT = 4


@dataclasses.dataclass(frozen=True)
class Clocks:
    """Clocks of exponentiations.

    Attributes
    ----------
    params : :class:`~montgomery.generic.exponentiator.Parameters`
    """

    params: object

    @property
    def _product(self):
        """From the clock in which a product goes to the last word of its result."""
        inner = self.params.inner.cycles
        return _SEND + inner.load - 1 + inner.compute + inner.unload - 1

    @property
    def _next_product(self):
        """From a result to the next one, if that depends on it and is another factor's."""
        if self.params.inner.chains:
            return self.params.inner.cycles.interval
        return self._product + _GO

    @property
    def _next_square(self):
        """From a result to its square."""
        inner = self.params.inner.cycles
        alone = inner.load + inner.compute + inner.unload - 1
        if self.params.inner.chains and inner.interval == alone:
            # No operand is sent before the result was taken, and then but one word.
            return self._next_product - (inner.load - 1)
        return self._next_product

    def compute(self, digits):
        """Return the clocks from the last word of a base to the first one of the result.

        Parameters
        ----------
        digits : list of :class:`int`
            Those of the exponent, the highest one first.
        """
        p, others = self.params, digits[1:]
        clocks = _PREPARE + self._product  # enter
        if p.window_bits > 1:
            clocks += self._next_square + ((1 << p.window_bits) - 3) * self._next_product
        clocks += _PREPARE_AND_GO + self._product  # the first square, or the last product
        if others:
            multiplied = len(others) if p.method == "always" else sum(map(bool, others))
            clocks += (p.window_bits * len(others) - 1) * self._next_square
            clocks += (multiplied + 1) * self._next_product
        return clocks + _TO_OUTPUT + (Control.CHECK if p.reduces else 0)

    @property
    def load_key(self):
        """From the first word of a key to the first clock that may accept one of a base."""
        p = self.params
        words = sum(section.count for section in p.layout.key)
        sent = words - 1 + _PREPARE + _SEND  # the first word of R**2
        if p.inner.key_inputs:
            own = sum(section.count for section in p.layout.key if section.inner)
            sent = max(sent, words - own + Skid.LATENCY + p.inner.cycles.load_key)
        return sent + self._product - _SEND + _TO_IDLE + _FROM_IDLE

    @property
    def last_base_word(self):
        """From the first word of a result to the last one of a base that depends on it."""
        p = self.params
        clock = ceil_div(p.result_words, p.operand_words) - 1 + _FROM_IDLE
        for count in range(1, p.operand_words + 1):
            clock = max(clock + 1, ceil_div(count * p.result_words, p.operand_words))
        return clock
