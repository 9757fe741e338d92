"""Integer model of the core; on intervals it says how wide each register has to be.

:func:`columns` computes on integers, the exact value of each register, and on
:class:`~.ranges.Range` objects, an interval that holds the register for all inputs.
"""

import functools

from .primes import DIGITS
from .ranges import BASE, Range, as_range, centred_high, centred_low, high, low

__all__ = ["CLOCKS", "DIGIT_BITS", "PER_CLOCK", "bounds", "columns", "leaves", "to_digits", "value"]

#: Digits of x that are multiplied in a clock, and clocks for all of them.
PER_CLOCK = 2
CLOCKS = DIGITS // PER_CLOCK
#: Bits of a signed digit of an operand.
DIGIT_BITS = 18


def leaves():
    """Return what is added at each place, a list of (digit of x, digit of y, high half or not).

    The halves of a pair of products that are added first come from blocks that are neighbours.
    """
    places = [[] for _ in range(DIGITS + PER_CLOCK)]
    for half in (False, True):
        for a in range(PER_CLOCK):
            for j in range(DIGITS):
                places[a + j + half].append((a, j, half))
    return places


def columns(x, y, prime, note=lambda name, value: None):
    """Return the digits of ``x * y / 2**256`` modulo the prime.

    Parameters
    ----------
    x, y : list of :class:`int` or of :class:`~.ranges.Range`
        Digits.
    prime : :class:`~.primes.Prime`
    note : function
        Called with the name and the value of each register.
    """
    acc, sums = [], [[0] * DIGITS] * 2  # D after the last two steps
    for step in range(CLOCKS):
        products = {(a, j): x[PER_CLOCK * step + a] * y[j]
                    for a in range(PER_CLOCK) for j in range(DIGITS)}
        total = [_tree(place, [(high if half else low)(products[a, j]) for a, j, half in halves],
                       note) for place, halves in enumerate(leaves())]
        # The columns move down by as many places as a step completes.
        acc = [total[k] + (acc[k + PER_CLOCK] if acc and k < DIGITS else 0)
               for k in range(DIGITS + PER_CLOCK)]
        # A complete column is a quotient digit, since the prime is -1.
        t = [acc[r] + sums[-2][PER_CLOCK + r] for r in range(PER_CLOCK)]
        moved = [*sums[-1][PER_CLOCK:], *[0] * PER_CLOCK]
        for place, sign in prime.ones:
            for r in range(PER_CLOCK):
                at = r + place - PER_CLOCK
                moved[at] = moved[at] + t[r] if sign > 0 else moved[at] - t[r]
        before, sums = sums[-2], [sums[-1], moved]
        for name, values in (("acc", acc), ("t", t), ("d", moved)):
            for index, each in enumerate(values):
                note((name, index), each)
    # The highest column is the last quotient digit and the high half of the last product.
    last = high(x[-1] * y[-1])
    note(("early",), before[2 * PER_CLOCK - 1] + last)
    top = t[-1] + last
    note(("top",), top)
    upper = acc[PER_CLOCK:-1]
    for place, sign in prime.carry:
        carry = centred_high(top)
        upper[place] = upper[place] + carry if sign > 0 else upper[place] - carry
    for index, each in enumerate(upper):
        note(("late", index), each)
    h = [*(a + b for a, b in zip(upper, moved[:-1], strict=True)), centred_low(top)]
    carries = [0, *map(centred_high, h[:-1])]
    result = [centred_low(each) + carry for each, carry in zip(h, carries, strict=True)]
    for name, values in (("h", h), ("result", result)):
        for index, each in enumerate(values):
            note((name, index), each)
    return result


def _tree(place, level, note):
    """Return the sum of numbers, by registers of pairs."""
    depth = 0
    while len(level) > 1:
        level = [sum(level[i + 1:i + 2], level[i]) for i in range(0, len(level), 2)]
        depth += 1
        for index, each in enumerate(level):
            note(("tree", depth, place, index), each)
    return level[0]


@functools.cache
def bounds(prime):
    """Return a :class:`~.ranges.Range` by name of register, for all digits of operands."""
    found = {}

    def note(name, each):
        found[name] = found[name] | each if name in found else as_range(each)

    digits = [Range(-(1 << DIGIT_BITS - 1), (1 << DIGIT_BITS - 1) - 1)] * DIGITS
    columns(digits, digits, prime, note)
    return found


def value(digits):
    """Return the number of digits."""
    return sum(digit << BASE * place for place, digit in enumerate(digits))


def to_digits(number):
    """Return the digits of a number below 2**257, from 0 to 2**16 - 1 but for the highest one."""
    return [*(low(number >> BASE * place) for place in range(DIGITS - 1)),
            number >> BASE * (DIGITS - 1)]
