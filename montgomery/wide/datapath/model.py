"""Integer model of the core; on intervals it says how wide each register has to be.

:func:`columns` computes on integers, the exact value of each register, and on
:class:`~.ranges.Range` objects, an interval that holds the register for all inputs.
"""

import dataclasses
import functools
from typing import ClassVar

from .primes import DIGITS, Prime
from .ranges import BASE, Range, as_range, centred_high, centred_low, high, low

__all__ = ["DIGIT_BITS", "RESULT_BITS", "Pace", "Steps", "addends", "bounds", "bounds_of",
           "columns", "leaves", "to_digits", "tree", "value", "waiting"]

#: Bits of a signed digit of an operand, and of a result.
DIGIT_BITS, RESULT_BITS = 18, 17


class Steps:
    """What follows from the digits of x, all of them and those in a clock."""

    digits = DIGITS

    @property
    def interval(self):
        """Clocks for all digits of x."""
        return self.digits // self.per_clock

    @property
    def levels(self):
        """Levels of adders for the two halves of the products at a place."""
        return self.per_clock.bit_length()

    @property
    def first(self):
        """Clock of the first sums: after a register for x, three in blocks, and the adders'."""
        return 1 + 3 + self.levels + 1


@dataclasses.dataclass(frozen=True)
class Pace(Steps):
    """In which clock what is done, from the start on.

    Attributes
    ----------
    prime : :class:`~.primes.Prime`
    per_clock : :class:`int`
        Digits of x that are multiplied in a clock: 2 or 4.
    """

    prime: Prime
    per_clock: int
    #: Clocks to the result of a short product, of which there are none.
    short: ClassVar[int] = 0

    @property
    def digits(self):
        """Digits of x."""
        return self.prime.digits

    @property
    def ahead(self):
        """Clocks from a sum of columns to its quotient digits.

        Where a quotient digit is needed in the next clock, all but its addition is done a clock
        ahead.
        """
        return 1 if self.prime.lowest >= 3 * self.per_clock else 2

    @property
    def in_tree(self):
        """Whether the high half of the last product is added to the highest column from the
        products on: because there is no time for it between the last quotient digits.
        """
        return 2 * self.prime.lowest < 3 * self.per_clock

    @property
    def latency(self):
        """Clock of the result: three after the last quotient digits."""
        return self.first + self.interval - 1 + self.ahead + 3


def leaves(per_clock, digits=DIGITS):
    """Return what is added at each place, a list of (digit of x, digit of y, high half or not).

    The halves of a pair of products that are added first come from blocks that are neighbours.
    """
    places = [[] for _ in range(digits + per_clock)]
    for first in range(0, per_clock, 2):
        for half in (False, True):
            for a in (first, first + 1):
                for j in range(digits):
                    places[a + j + half].append((a, j, half))
    return places


def addends(prime, per_clock):
    """Return by place what multiples of the prime add: pairs of a quotient digit and a sign, of
    which only a second one may be negative if there are two.
    """
    places = [[] for _ in range(prime.digits)]
    for place, sign in prime.ones:
        for r in range(per_clock):
            places[r + place - per_clock].append((r, sign))
    return [sorted(digits, key=lambda each: -each[1]) for digits in places]


def waiting(prime, per_clock):
    """Return the places where two quotient digits are added, so that what comes down waits for the
    next step.
    """
    return [place for place, digits in enumerate(addends(prime, per_clock)[:-per_clock])
            if len(digits) > 1]


def columns(x, y, prime, per_clock, note=lambda name, value: None):
    """Return the digits of a product divided by ``2**(16 * digits)``, modulo the prime.

    Parameters
    ----------
    x, y : list of :class:`int` or of :class:`~.ranges.Range`
        Digits.
    prime : :class:`~.primes.Prime`
    per_clock : :class:`int`
        Digits of x that are multiplied in a clock.
    note : function
        Called with the name and the value of each register.
    """
    pace, lowest, count = Pace(prime, per_clock), prime.lowest, prime.digits
    places = leaves(per_clock, count)
    # D after each step, and quotient digits.
    acc, sums, quotient = [], [[0] * count] * (pace.ahead + 1), []
    beside = {}
    for step in range(pace.interval):
        products = {(a, j): x[per_clock * step + a] * y[j]
                    for a in range(per_clock) for j in range(count)}
        total = [tree(place, [(high if half else low)(products[a, j]) for a, j, half in halves],
                       note) for place, halves in enumerate(places)]
        # The columns move down by as many places as a step completes.
        acc = [total[k] + (acc[k + per_clock] if acc and k < count else 0)
               for k in range(count + per_clock)]
        # A complete column is a quotient digit, since the prime is -1.
        pre = [acc[r] + sums[-1 - pace.ahead][pace.ahead * per_clock + r]
               for r in range(per_clock)]
        t = pre
        if pace.ahead > 1:
            t = [each + (quotient[len(quotient) + r - lowest]
                         if len(quotient) + r >= lowest else 0) for r, each in enumerate(pre)]
        quotient += t
        moved = [*sums[-1][per_clock:], *[0] * per_clock]
        for place, each in beside.items():
            moved[place - per_clock] = moved[place - per_clock] + each
        beside = {place: moved[place] for place in waiting(prime, per_clock)}
        for place, digits in enumerate(addends(prime, per_clock)):
            if place in beside:
                moved[place] = 0
            for r, sign in digits:
                moved[place] = moved[place] + t[r] if sign > 0 else moved[place] - t[r]
        sums.append(moved)
        for name, values in (("acc", acc), ("pre", pre), ("t", t), ("d", moved)):
            for index, each in enumerate(values):
                note((name, index), each)
        for place, each in beside.items():
            note(("beside", place), each)
    # The highest column is the last quotient digit and the high half of the last product.
    last = high(x[-1] * y[-1])
    if pace.in_tree:
        tree("last", [*((high if half else low)(products[a, j])
                        for a, j, half in places[per_clock - 1]), last], note)
        note(("early",), acc[per_clock - 1] + last)
        note(("middle",), pre[-1] + last)
    elif pace.ahead > 1:
        note(("early",), quotient[count - 1 - 2 * lowest] + last)
        note(("middle",), quotient[count - 1 - lowest] + last)
    else:
        note(("early",), sums[-3][2 * per_clock - 1] + last)
    top = t[-1] + last
    note(("top",), top)
    upper = acc[per_clock:-1]
    for place, sign in prime.carry:
        carry = centred_high(top)
        upper[place] = upper[place] + carry if sign > 0 else upper[place] - carry
    for place, each in beside.items():
        upper[place] = upper[place] + each
    for index, each in enumerate(upper):
        note(("late", index), each)
    h = [*(a + b for a, b in zip(upper, moved[:-1], strict=True)), centred_low(top)]
    carries = [0, *map(centred_high, h[:-1])]
    result = [centred_low(each) + carry for each, carry in zip(h, carries, strict=True)]
    for name, values in (("h", h), ("result", result)):
        for index, each in enumerate(values):
            note((name, index), each)
    return result


def tree(place, level, note):
    """Return the sum of the numbers at a place, by registers of pairs."""
    depth = 0
    while len(level) > 1:
        level = [sum(level[i + 1:i + 2], level[i]) for i in range(0, len(level), 2)]
        depth += 1
        for index, each in enumerate(level):
            note(("tree", depth, place, index), each)
    return level[0]


@functools.cache
def bounds(prime, per_clock):
    """Return a :class:`~.ranges.Range` by name of register, for all digits of operands."""
    return bounds_of(functools.partial(columns, prime=prime, per_clock=per_clock),
                     digits=prime.digits)


def bounds_of(*models, digits=DIGITS):
    """Return a :class:`~.ranges.Range` by name of register, for all that models compute of numbers
    of so many digits.

    Each is called with x, y and ``note``, as :func:`columns` is.
    """
    found = {}

    def note(name, each):
        found[name] = found[name] | each if name in found else as_range(each)

    number = [Range(-(1 << DIGIT_BITS - 1), (1 << DIGIT_BITS - 1) - 1)] * digits
    for compute in models:
        compute(number, number, note=note)
    return found


def value(digits):
    """Return the number of digits."""
    return sum(digit << BASE * place for place, digit in enumerate(digits))


def to_digits(number, count=DIGITS):
    """Return so many digits of a number, from 0 to 2**16 - 1 but for the highest one."""
    return [*(low(number >> BASE * place) for place in range(count - 1)),
            number >> BASE * (count - 1)]
