"""Integer model of :class:`~.folding_core.FoldingCore`; on intervals it gives registers a width.

As in :mod:`~.model`, :func:`columns` computes on integers and on :class:`~.ranges.Range` objects.
"""

import dataclasses
import functools

from .model import Steps, bounds_of, leaves, tree
from .primes import DIGITS
from .ranges import BASE, centred_high, centred_low, high, low

__all__ = ["HALF", "FoldingPace", "bounds", "columns"]

#: Half a digit.
HALF = 1 << BASE - 1


@dataclasses.dataclass(frozen=True)
class FoldingPace(Steps):
    """In which clock what is done, from the start on.

    Attributes
    ----------
    per_clock : :class:`int`
        Digits of x that are multiplied in a clock: 2 or 4.
    tail : :class:`int`
        Clocks from the last sums of columns to the result.
    """

    per_clock: int
    tail: int = 3

    @property
    def short(self):
        """Clock of the result of a short product."""
        return self.first + self.tail

    @property
    def latency(self):
        """Clock of the result."""
        return self.short + self.interval - 1


def columns(x, y, prime, per_clock, note=lambda name, value: None, *, short=False):
    """Return the digits of ``x * y`` modulo the prime.

    Parameters
    ----------
    x, y : list of :class:`int` or of :class:`~.ranges.Range`
        Digits.
    prime : :class:`~.primes.FoldedPrime`
    per_clock : :class:`int`
        Digits of x that are multiplied in a clock.
    note : function
        Called with the name and the value of each register.
    short : :class:`bool`
        Multiply by the highest digits of x alone, as many as in a clock, as if they were the lowest
        ones.
    """
    first, second, third = (1 << shift for shift in prime.shifts)
    acc, folds = [0] * (DIGITS + per_clock), []
    for step in range(1 if short else DIGITS // per_clock):
        lowest = DIGITS - per_clock * (step + 1)
        products = {(a, j): x[lowest + a] * y[j]
                    for a in range(per_clock) for j in range(DIGITS)}
        total = [tree(place, [(high if half else low)(products[a, j]) for a, j, half in halves],
                       note) for place, halves in enumerate(leaves(per_clock))]
        # The columns move up by as many places as there are digits in a clock.
        acc = [total[k] + (acc[k - per_clock] if step and k >= per_clock else 0)
               for k in range(DIGITS + per_clock)]
        # The highest ones are complete, and come in again at the bottom.
        part = [first * column + second * column for column in acc[DIGITS:]]
        fold = [each + third * column for each, column in zip(part, acc[DIGITS:], strict=True)]
        folds = fold + folds
        for name, values in (("acc", acc), ("part", part), ("fold", fold)):
            for index, each in enumerate(values):
                note((name, index), each)
    folds += [0] * (DIGITS - len(folds))
    # Of the last ones the parts are added one by one.
    wide = [acc[r] + third * acc[DIGITS + r] for r in range(per_clock)]
    h = [each + added for each, added in zip(wide, part, strict=True)]
    h += [acc[k] + folds[k] for k in range(per_clock, DIGITS - 1)]
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
def bounds(prime, per_clock):
    """Return a :class:`~.ranges.Range` by name of register, for all digits of operands."""
    return bounds_of(*(functools.partial(columns, prime=prime, per_clock=per_clock,
                                           short=short)
                       for short in (False, True)))
