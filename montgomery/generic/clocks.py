"""How many clocks an exponentiation takes, from the clocks of the multiplier."""

import dataclasses

from ..blocks.skid import Skid
from ..core import ceil_div, traits
from .control import Control
from .reader import OperandReader

__all__ = ["Clocks"]

#: From the last word of a base, or of a key, to the clock in which that is known.
_LOADED = 1
#: From there, or from the first word of a base that goes straight to the multiplier, to the clock
#: in which the first product may go: it is prepared in between.
_PREPARE = 2
#: From the last word of a result to the clock in which a product may go that is prepared, and in
#: which one may go that had to wait for it to be prepared.
_GO, _PREPARE_AND_GO = 2, 4
#: From a product that goes to its first word at the multiplier, or where it is joined with results
#: and bases that go straight to the multiplier. From there to the multiplier.
_SEND, _JOIN = OperandReader.LATENCY + Skid.LATENCY, Skid.LATENCY
#: From the last word of a result to the state IDLE, and from the first word offered there to the
#: clock that accepts it, where it is loaded.
_TO_IDLE, _FROM_IDLE = 3, 2
#: From the last word of the last result to its first word at port ``o``, if it is not compared.
_TO_OUTPUT = 5


def _accepted(number, pace):
    """Return the clocks from the first word to that with a number, counted from 0, when each is
    accepted as early as can be and a :class:`Skid` hands one on in ``pace`` clocks.
    """
    return number if number < 2 else 2 + (number - 2) * pace


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
        return 1 + _accepted(p.operand_words - 1, self._pace if p.forwards else 1)

    @property
    def _pace(self):
        """From a word of the multiplier's port to the next one."""
        p = self.params
        return max((p.inner.cycles.load - 1) // max(p.inner.i_words - 1, 1), 1)

    @property
    def _join(self):
        return _JOIN if self.params.forwards else 0

    @property
    def _result(self):
        """From the first word of operands to the last one of their result."""
        inner = self.params.inner.cycles
        return inner.load - 1 + inner.compute + inner.unload - 1

    @property
    def _next_product(self):
        """From a result to the next one, if that depends on it and is another factor's."""
        inner = self.params.inner
        if traits(inner).keeps_results:
            return inner.cycles.interval
        if self.params.forwards:
            # A multiplier that is not ready yet takes the operands from the join when it is.
            return max(traits(inner).initiation, inner.cycles.load + inner.cycles.compute + _JOIN)
        return _GO + _SEND + self._result

    @property
    def _next_square(self):
        """From a result to its square."""
        inner = self.params.inner.cycles
        alone = inner.load + inner.compute + inner.unload - 1
        if traits(self.params.inner).keeps_results and inner.interval == alone:
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
        clocks += _PREPARE_AND_GO + _SEND + self._join + self._result
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
        if p.forwards:
            return clocks + _JOIN - (self.load - 1)
        return clocks + _LOADED + _PREPARE + _SEND

    @property
    def load_key(self):
        """From the first word of a key to the first clock that may accept one of a base."""
        p, inner = self.params, self.params.inner
        sizes = [(section.count, section.inner) for section in p.layout.key]
        last, begins = sum(count for count, _ in sizes) - 1, 0
        if inner.k_words:
            # The multiplier takes the words of its key at the pace of operands.
            own = sum(count for count, own in sizes if own)
            last += _accepted(own - 1, self._pace) - (own - 1)
            begins = Skid.LATENCY + inner.cycles.load_key
        # R**2 times 1.
        sent = max(begins, last + _LOADED + _PREPARE + _SEND + self._join)
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
