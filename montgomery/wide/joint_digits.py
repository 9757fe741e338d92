"""Digits of two scalars: of one for a point, and one for the base point."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .primes import DIGITS
from .ranges import BASE
from .scalar_digits import WINDOW, ScalarDigits, signed_digits

__all__ = ["OF_BASE", "JointDigits", "joint_digits"]

#: Entry of the first multiple of the base point; those of the other point are below.
OF_BASE = 1 << WINDOW


def joint_digits(scalar, of_base):
    """Return the digits of both scalars by turns, the highest first: pairs of the entry and whether
    its number is negative.
    """
    rows = [[(entry + abs(digit), digit < 0) for digit in signed_digits(each, DIGITS * BASE)]
            for each, entry in ((scalar, 0), (of_base, OF_BASE))]
    return [digit for pair in zip(*rows, strict=True) for digit in pair]


class JointDigits(wiring.Component):
    """Keeps two scalars, and gives a digit of each at a time, as :class:`~.ScalarDigits` does.

    Latency: :attr:`LATENCY` clocks from ``next`` to the digits. Throughput: two digits in as many.

    Members
    -------
    push, word : :py:`In(1)`, :py:`In(BASE)`
        Take a word, the lowest one of each scalar first; first those of the scalar for the point.
    next : :py:`In(1)`
        Make the next digits; at first the highest ones.
    magnitude_of, negative_of : :py:`In(1)`
        Whether ``magnitude``, and ``negative``, are of the digit for the base point in the next
        clock.
    magnitude, negative : :py:`Out(range(2 * OF_BASE))`, :py:`Out(1)`
        The entry of the digit, and its sign.
    """

    LATENCY = ScalarDigits.LATENCY + 1

    def __init__(self):
        super().__init__({"push": In(1), "word": In(BASE), "next": In(1),
                          "magnitude_of": In(1), "negative_of": In(1),
                          "magnitude": Out(range(2 * OF_BASE)), "negative": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.first, m.submodules.second = both = [ScalarDigits(DIGITS) for _ in range(2)]
        place = Signal(range(2 * DIGITS))
        m.d.sync += place.eq(place + self.push)
        for turn, each in enumerate(both):
            m.d.comb += [each.push.eq(self.push & (place[-1] == turn)), each.word.eq(self.word),
                         each.next.eq(self.next)]
        first, second = both
        m.d.sync += [
            self.magnitude.eq(Mux(self.magnitude_of, Cat(second.magnitude, C(1, 1)),
                                  first.magnitude)),
            self.negative.eq(Mux(self.negative_of, second.negative, first.negative))]
        return m
