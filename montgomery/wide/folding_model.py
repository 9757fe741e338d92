"""Integer model of :class:`~.folding_core.FoldingCore`; on intervals it gives registers a width.

As in :mod:`~.model`, :func:`columns` computes on integers and on :class:`~.ranges.Range` objects.
"""

import dataclasses
import functools

from .model import bounds_of, leaves, tree
from .primes import DIGITS
from .ranges import BASE, centred_high, centred_low, high, low

__all__ = ["CLOCKS", "HALF", "PER_CLOCK", "FoldedPrime", "bounds", "columns"]

#: Digits of x that are multiplied in a clock, and clocks for all of them.
PER_CLOCK = 2
CLOCKS = DIGITS // PER_CLOCK
#: Half a digit.
HALF = 1 << BASE - 1


@dataclasses.dataclass(frozen=True)
class FoldedPrime:
    """A prime that is a power of two less a small number.

    Attributes
    ----------
    name : :class:`str`
    bits : :class:`int`
    less : :class:`int`
        The prime is ``2**bits - less``. Of the bits of ``less`` three are ones.
    """

    name: str
    bits: int
    less: int

    @property
    def value(self):
        """The prime."""
        return (1 << self.bits) - self.less

    @property
    def digits(self):
        """Digits of a number."""
        return DIGITS

    @property
    def factor(self):
        """What 2**256 is modulo the prime."""
        return self.less << DIGITS * BASE - self.bits

    @property
    def shifts(self):
        """The three powers of two that the factor is the sum of, as exponents."""
        return tuple(bit for bit in range(self.factor.bit_length()) if self.factor >> bit & 1)

    @property
    def carry(self):
        """What 2**256 is modulo the prime, as :attr:`~.primes.Prime.carry` has it."""
        return ((0, self.factor),)


def columns(x, y, prime, note=lambda name, value: None, *, short=False):
    """Return the digits of ``x * y`` modulo the prime.

    Parameters
    ----------
    x, y : list of :class:`int` or of :class:`~.ranges.Range`
        Digits.
    prime : :class:`FoldedPrime`
    note : function
        Called with the name and the value of each register.
    short : :class:`bool`
        Multiply by the two highest digits of x alone, as if they were the two lowest ones.
    """
    first, second, third = (1 << shift for shift in prime.shifts)
    acc, folds = [0] * (DIGITS + PER_CLOCK), []
    for step in range(1 if short else CLOCKS):
        lowest = DIGITS - PER_CLOCK * (step + 1)
        products = {(a, j): x[lowest + a] * y[j]
                    for a in range(PER_CLOCK) for j in range(DIGITS)}
        total = [tree(place, [(high if half else low)(products[a, j]) for a, j, half in halves],
                       note) for place, halves in enumerate(leaves(PER_CLOCK))]
        # The columns move up by as many places as there are digits in a clock.
        acc = [total[k] + (acc[k - PER_CLOCK] if step and k >= PER_CLOCK else 0)
               for k in range(DIGITS + PER_CLOCK)]
        # The highest ones are complete, and come in again at the bottom.
        part = [first * column + second * column for column in acc[DIGITS:]]
        fold = [each + third * column for each, column in zip(part, acc[DIGITS:], strict=True)]
        folds = fold + folds
        for name, values in (("acc", acc), ("part", part), ("fold", fold)):
            for index, each in enumerate(values):
                note((name, index), each)
    folds += [0] * (DIGITS - len(folds))
    # Of the last two the parts are added one by one.
    wide = [acc[r] + third * acc[DIGITS + r] for r in range(PER_CLOCK)]
    h = [each + added for each, added in zip(wide, part, strict=True)]
    h += [acc[k] + folds[k] for k in range(PER_CLOCK, DIGITS - 1)]
    # What leaves the highest column is so little that it is added to the lowest digit.
    early = folds[-1] + HALF
    top = acc[DIGITS - 1] + early
    carry = prime.factor * high(top)
    highest = low(top) - HALF
    ups = [carry, *(centred_high(each) for each in h)]
    result = [centred_low(each) + up for each, up in zip(h, ups, strict=False)]
    result.append(highest + ups[-1])
    for name, values in (("wide", wide), ("h", h), ("result", result)):
        for index, each in enumerate(values):
            note((name, index), each)
    for name, each in (("early", early), ("top", top), ("carry", carry)):
        note((name,), each)
    return result


@functools.cache
def bounds(prime):
    """Return a :class:`~.ranges.Range` by name of register, for all digits of operands."""
    return bounds_of(*(functools.partial(columns, prime=prime, short=short)
                       for short in (False, True)))
