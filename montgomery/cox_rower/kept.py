"""What is kept before the Rowers, and the divisions that are done with it."""

import dataclasses
import functools
import itertools

from ..core import ceil_div, to_words
from .divider import Divider

__all__ = ["Kept", "division_clocks", "index_of_set"]


def _dividends(bases):
    """Return B and B**2, each with its number of words."""
    return [(value, ceil_div(value.bit_length(), bases.r))
            for value in (bases.b_product, bases.b_product ** 2)]


def index_of_set(sets, *factors):
    """Return the number of the set of a key: it goes by words that all are small enough."""
    words = ceil_div(max(factors).bit_length(), sets[0].r)
    return next((index for index, bases in enumerate(sets[:-1])
                 if words <= bases.bits // bases.r), len(sets) - 1)


def division_clocks(sets, *factors):
    """Return the clocks of all divisions for a key.

    Words from the memory take four, and there is a register before the divider.
    """
    bases, clocks = sets[index_of_set(sets, *factors)], 0
    for factor in factors:
        words = ceil_div(factor.bit_length(), bases.r)
        clocks += sum(Divider.clocks(count, words, bases.r) + 6 * words + 1
                      for _, count in _dividends(bases))
    return clocks


@dataclasses.dataclass(frozen=True)
class Kept:
    """The places of numbers in the block RAM of :class:`~montgomery.cox_rower.front.Front`.

    ==================  ============================================================================
    words               number
    ==================  ============================================================================
    n for each factor   the factors
    likewise            with CRT, the inverse of the other one
    likewise            the message
    2 n for each        B and B**2 modulo the factor
    ==================  ============================================================================

    B and B**2 of each set are in a ROM.

    Parameters
    ----------
    sets : tuple of :class:`~montgomery.cox_rower.bases.BaseSet`
        In rising order of their size; n is that of the largest.
    crt : bool
        There are two factors.
    """

    sets: tuple
    crt: bool

    @property
    def halves(self):
        """Number of factors."""
        return 1 + self.crt

    @property
    def _n(self):
        return self.sets[-1].n

    @property
    def message(self):
        """The place of the message; what is before it comes with a key."""
        return self.halves * self._n * (1 + self.crt)

    def remainder(self, half, square):
        """Return the place of what B or B**2 leaves."""
        return self.message + (self.halves + 2 * half + square) * self._n

    def rows(self, half):
        """Return the places of what the Rowers are given for a factor; any for the first, 1."""
        found = [0, half * self._n, self.remainder(half, 0), self.remainder(half, 1)]
        return [*found, (self.halves + half) * self._n] if self.crt else found

    @functools.cached_property
    def _dividends(self):
        return list(itertools.chain.from_iterable(map(_dividends, self.sets)))

    @property
    def dividend_tops(self):
        """The number of words less one of B and B**2 of each set."""
        return [count - 1 for _, count in self._dividends]

    @property
    def dividend_starts(self):
        """Their places in the ROM."""
        counts = [count for _, count in self._dividends]
        return list(itertools.accumulate(counts[:-1], initial=0))

    @property
    def depth(self):
        """Words of the block RAM."""
        return self.remainder(self.halves, 0)

    @functools.cached_property
    def dividends(self):
        """The words of the ROM."""
        return [word for value, count in self._dividends
                for word in to_words(value, self.sets[0].r, count)]
