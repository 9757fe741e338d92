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
#: clock that accepts it, where it is loaded.
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
    def load(self):
        """From the first word of a base to the last, both counted."""
        p = self.params
        return p.inner.cycles.load if p.forwards else p.operand_words

    @property
    def _result(self):
        """From the first word of operands to the last one of their result."""
        inner = self.params.inner.cycles
        return inner.load - 1 + inner.compute + inner.unload - 1

    @property
    def _next_product(self):
        """From a result to the next one, if that depends on it and is another factor's."""
        if self.params.inner.chains or self.params.forwards:
            return self.params.inner.cycles.interval
        return _GO + _SEND + self._result

    @property
    def _next_square(self):
        """From a result to its square."""
        inner = self.params.inner.cycles
        alone = inner.load + inner.compute + inner.unload - 1
        if self.params.inner.chains and inner.interval == alone:
            # No operand is sent before the result was taken, and then but one word.
            return self._next_product - (inner.load - 1)
        return self._next_product

    def _computed(self, digits):
        """Return the clocks from the first word of the first operands to the last one of the last
        result.
        """
        p, others = self.params, digits[1:]
        clocks = self._result  # enter
        if p.window_bits > 1:
            clocks += self._next_square + ((1 << p.window_bits) - 3) * self._next_product
        # The first square, or the last product.
        clocks += _PREPARE_AND_GO + _SEND + self._result
        if others:
            multiplied = len(others) if p.method == "always" else sum(map(bool, others))
            clocks += (p.window_bits * len(others) - 1) * self._next_square
            clocks += (multiplied + 1) * self._next_product
        return clocks

    def compute(self, digits):
        """Return the clocks from the last word of a base to the first one of the result.

        Parameters
        ----------
        digits : list of :class:`int`
            Those of the exponent, the highest one first.
        """
        p = self.params
        clocks = self._computed(digits) + _TO_OUTPUT + (Control.CHECK if p.reduces else 0)
        return clocks - (self.load - 1) if p.forwards else clocks + _PREPARE + _SEND

    @property
    def load_key(self):
        """From the first word of a key to the first clock that may accept one of a base."""
        p, inner = self.params, self.params.inner
        sizes = [(section.count, section.inner) for section in p.layout.key]
        last, begins = sum(count for count, _ in sizes) - 1, 0
        if inner.key_inputs:
            # The multiplier takes the words of its key at the pace of operands.
            words = ceil_div(sum(count for _, count in inner.operands),
                             2 if p.side_by_side else 1)
            pace = (inner.cycles.load - 1) // max(words - 1, 1)
            last += (sum(count for count, own in sizes if own) - 1) * (max(pace, 1) - 1)
            begins = inner.cycles.load_key
        # R**2 times 1.
        sent = max(begins, last + _PREPARE + _SEND)
        idle = sent + self._result + _TO_IDLE
        if p.forwards:
            return idle + _PREPARE + _SEND
        return idle + _FROM_IDLE

    def interval(self, compute):
        """Return the clocks from a result to the next one, if that depends on it.

        Parameters
        ----------
        compute : :class:`int`
            What :meth:`compute` says of the second exponentiation.
        """
        p = self.params
        first = ceil_div(p.result_words, p.operand_words)  # the first word of the base is offered
        if p.forwards:
            return self.load - 1 + compute + first + _PREPARE + _SEND
        clock = first + _FROM_IDLE - 1
        for count in range(1, p.operand_words + 1):
            clock = max(clock + 1, ceil_div(count * p.result_words, p.operand_words))
        return clock + compute
