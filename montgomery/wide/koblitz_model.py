"""Integer model of :class:`~.koblitz_core.KoblitzCore`; on intervals it gives registers a width.

As in :mod:`~.model`, :func:`columns` computes on integers and on :class:`~.ranges.Range` objects.
"""

import functools

from .folding_model import CLOCKS, PER_CLOCK
from .model import bounds_of, leaves, tree
from .primes import DIGITS
from .ranges import BASE, centred_high, centred_low, high, low

__all__ = ["FACTOR", "PRIME", "KoblitzPrime", "bounds", "columns"]

#: What a column is multiplied by that is folded to the place 16 below; at 14 below it counts once.
FACTOR = 977
#: The two parts of the factor, each a sum of two shifted numbers.
_MORE, _LESS = 1024 + 1, 16 - 64


class KoblitzPrime:
    """The prime ``2**256 - 2**32 - 977`` of secp256k1, a curve of the kind called after Koblitz.

    Attributes
    ----------
    name : :class:`str`
    value : :class:`int`
    carry : tuple of pairs of :class:`int`
        What 2**256 is modulo the prime, as :attr:`~.primes.Prime.carry` has it.
    digits, width : :class:`int`
        Digits and bits of a number.
    lowest : :class:`int`
        Most digits of x in a clock.
    """

    name, digits, width, lowest = "secp256k1", DIGITS, DIGITS * BASE, PER_CLOCK
    carry = (0, FACTOR), (2, 1)
    value = (1 << DIGITS * BASE) - sum(times << BASE * place for place, times in carry)


PRIME = KoblitzPrime()


def columns(x, y, note=lambda name, value: None, *, short=False):
    """Return the digits of ``x * y`` modulo the prime.

    Parameters
    ----------
    x, y : list of :class:`int` or of :class:`~.ranges.Range`
        Digits.
    note : function
        Called with the name and the value of each register.
    short : :class:`bool`
        Multiply by the two highest digits of x alone, as if they were the two lowest ones.
    """
    acc, folds, again, scaled = [0] * (DIGITS + PER_CLOCK), [], [], []
    for step in range(1 if short else CLOCKS):
        lowest = DIGITS - PER_CLOCK * (step + 1)
        products = {(a, j): x[lowest + a] * y[j]
                    for a in range(PER_CLOCK) for j in range(DIGITS)}
        level = [[(high if half else low)(products[a, j]) for a, j, half in halves]
                 for halves in leaves(PER_CLOCK)]
        # What the first two complete columns count once is 2**256 and above: it comes in again.
        for r in range(PER_CLOCK):
            level[DIGITS + r].append(again[r] if again and step == CLOCKS - 1 else 0)
        total = [tree(place, each, note) for place, each in enumerate(level)]
        # The columns move up by as many places as there are digits in a clock.
        acc = [total[k] + (acc[k - PER_CLOCK] if step and k >= PER_CLOCK else 0)
               for k in range(DIGITS + PER_CLOCK)]
        # The highest ones are complete. Those of this step count once where those of the step
        # before count 977 times.
        if step:
            folds = [each + column
                     for each, column in zip(scaled, acc[DIGITS:], strict=True)] + folds
        else:
            again = acc[DIGITS:]
            folds = again if short else []
        more, less, scaled = _scaled(acc[DIGITS:])
        for name, values in (("acc", acc), ("again", again), ("more", more), ("less", less),
                             ("scaled", scaled), ("fold", folds[:PER_CLOCK])):
            for index, each in enumerate(values):
                note((name, index), each)
    folds += [0] * (DIGITS - PER_CLOCK - len(folds))
    # The highest column is complete before the others.
    top = acc[-1 - PER_CLOCK] + folds[-1]
    up = high(top)
    (up_more,), (up_less,), (up_scaled,) = _scaled([up])
    beside = acc[PER_CLOCK] + up
    h = [*(acc[r] + scaled[r] for r in range(PER_CLOCK)), beside + folds[0],
         *(acc[k] + folds[k - PER_CLOCK] for k in range(PER_CLOCK + 1, DIGITS - 1))]
    # Twice what is above 16 bits goes to the next digit, and from the highest one to the lowest.
    g = [low(each) + below for each, below in
         zip([*h, top], [up_scaled, *map(high, h)], strict=True)]
    give = centred_high(g[-1])
    g[1] = g[1] + give * (1 << BASE)  # at place 2
    result = [centred_low(each) + below for each, below in
              zip(g, [FACTOR * give, *map(centred_high, g[:-1])], strict=True)]
    for name, values in (("h", h), ("g", g), ("result", result)):
        for index, each in enumerate(values):
            note((name, index), each)
    for name, each in (("top", top), ("beside", beside), ("up_more", up_more), ("give", give),
                       ("up_less", up_less), ("up_scaled", up_scaled), ("given", FACTOR * give)):
        note((name,), each)
    return result


def _scaled(numbers):
    """Return the two parts of numbers times 977, and their sums."""
    more, less = ([times * each for each in numbers] for times in (_MORE, _LESS))
    return more, less, [a + b for a, b in zip(more, less, strict=True)]


@functools.cache
def bounds():
    """Return a :class:`~.ranges.Range` by name of register, for all digits of operands."""
    return bounds_of(*(functools.partial(columns, short=short) for short in (False, True)))
