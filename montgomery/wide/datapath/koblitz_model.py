"""Integer model of :class:`~.koblitz_core.KoblitzCore`; on intervals it gives registers a width.

As in :mod:`~.model`, :func:`columns` computes on integers and on :class:`~.ranges.Range` objects.
"""

import functools

from .folding_model import FoldingPace
from .model import bounds_of, leaves, tree
from .primes import DIGITS, KOBLITZ
from .ranges import BASE, centred_high, centred_low, high, low

__all__ = ["ABOVE", "FACTOR", "bounds", "columns", "pace_of"]

#: What a column is multiplied by that is folded to the place 16 below, and how many places above
#: that it counts once.
(_, FACTOR), (ABOVE, _) = KOBLITZ.carry
#: The two parts of the factor, each a sum of two shifted numbers.
_MORE, _LESS = 1024 + 1, 16 - 64


def pace_of(per_clock):
    """Return the :class:`~.folding_model.FoldingPace` with so many digits of x in a clock."""
    return FoldingPace(per_clock, tail=5)


def columns(x, y, per_clock, note=lambda name, value: None, *, short=False):
    """Return the digits of ``x * y`` modulo the prime.

    Parameters
    ----------
    x, y : list of :class:`int` or of :class:`~.ranges.Range`
        Digits.
    per_clock : :class:`int`
        Digits of x that are multiplied in a clock.
    note : function
        Called with the name and the value of each register.
    short : :class:`bool`
        Multiply by the highest digits of x alone, as many as in a clock, as if they were the lowest
        ones.
    """
    acc, folds, complete, scaled = [0] * (DIGITS + per_clock), [], [], []
    # 2**256 is 977 + 2**32 modulo the prime. The term 2**32 of the highest two columns of the first
    # step is at 2**256 or above itself: c 2**256 2**32. So it is added again in the last step, to
    # the highest columns if these are two, or else folded to the lowest ones.
    in_place, again = per_clock == ABOVE, [0] * per_clock
    last = DIGITS // per_clock - 1
    for step in range(1 if short else last + 1):
        lowest = DIGITS - per_clock * (step + 1)
        products = {(a, j): x[lowest + a] * y[j]
                    for a in range(per_clock) for j in range(DIGITS)}
        level = [[(high if half else low)(products[a, j]) for a, j, half in halves]
                 for halves in leaves(per_clock)]
        if in_place:
            for column, each in zip(level[DIGITS:], again, strict=True):
                column.append(each if step == last else 0)
        total = [tree(place, each, note) for place, each in enumerate(level)]
        # The columns move up by as many places as there are digits in a clock.
        below = [0] * per_clock if in_place or step < last else again
        acc = [a + b for a, b in zip(total, [*below, *acc], strict=False)]
        # The highest ones are complete: they count 977 times, and once two places above.
        before, complete = complete, acc[DIGITS:]
        once = [*complete[per_clock - ABOVE:], *before[:per_clock - ABOVE]]
        if step:
            folds = [each + column for each, column in zip(scaled, once, strict=True)] + folds
        elif short:
            folds = once
        more, less, scaled = _scaled(complete)
        if not step:
            again = complete if in_place else [*scaled[-ABOVE:], *complete[-ABOVE:]]
        for name, values in (("acc", acc), ("again", again), ("more", more), ("less", less),
                             ("scaled", scaled), ("fold", folds[:per_clock])):
            for index, each in enumerate(values):
                note((name, index), each)
    folds += [0] * (DIGITS - per_clock - len(folds))
    # The highest column is complete before the others.
    top = acc[DIGITS - 1] + folds[-1]
    up = high(top)
    (up_more,), (up_less,), (up_scaled,) = _scaled([up])
    h = acc[:DIGITS - 1]
    for k, column in enumerate(complete[:per_clock - ABOVE], ABOVE):
        h[k] = h[k] + column
        note(("once", k), h[k])
    beside = h[ABOVE] = h[ABOVE] + up
    h = [each + column for each, column in zip(h, [*scaled, *folds], strict=False)]
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
def bounds(per_clock):
    """Return a :class:`~.ranges.Range` by name of register, for all digits of operands."""
    return bounds_of(*(functools.partial(columns, per_clock=per_clock, short=short)
                       for short in (False, True)))
