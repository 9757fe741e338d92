"""Digits of two scalars: of one for a point, and one for the base point."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..core import ceil_div
from .primes import DIGITS
from .ranges import BASE
from .scalar_digits import WINDOW, ScalarDigits, signed_digits

__all__ = ["BASE_WINDOW", "OF_BASE", "JointDigits", "base_place", "joint_digits"]

#: Bits of a digit for the base point, which there is one of with every second digit for the point.
BASE_WINDOW = 2 * WINDOW
#: Entry of the memory with the first multiples of the base point; those of the other are below.
OF_BASE = 1 << WINDOW
#: Digits of the scalar for the point.
_DIGITS = ceil_div(DIGITS * BASE, WINDOW)


def joint_digits(scalar, of_base):
    """Return the digits of both scalars by turns, the highest first: pairs of the magnitude and
    whether the digit is negative. Every other one for the base point is 0.
    """
    found = []
    seconds = iter(signed_digits(of_base, DIGITS * BASE, BASE_WINDOW))
    for number, digit in enumerate(signed_digits(scalar, DIGITS * BASE)):
        has_second = (_DIGITS - 1 - number) % 2 == 0
        second = next(seconds) if has_second else 0
        found += [(abs(digit), digit < 0), (abs(second), second < 0)]
    return found


def base_place(magnitude, part):
    """Return where a coordinate of a multiple of the base point is: entry and part.

    An entry has x and y of two multiples. z is 1 or 0, in the point at infinity of entry 0.
    """
    if part == 2:
        return 0, int(magnitude > 0)
    return OF_BASE + magnitude // 2, 2 * (magnitude % 2) + part


class JointDigits(wiring.Component):
    """Keeps two scalars, and gives a digit of one at a time as :class:`~.ScalarDigits` does, and
    with every second one a digit of the other.

    Latency: :attr:`LATENCY` clocks from ``next`` to the digits. Throughput: two digits in as many.

    Members
    -------
    push, word : :py:`In(1)`, :py:`In(BASE)`
        Take a word, the lowest one of each scalar first; first those of the scalar for the point.
    next : :py:`In(1)`
        Make the next digits; at first the highest ones.
    of_base, of_z, negative_of_base : :py:`In(1)`
        Whether ``magnitude`` and ``odd`` are of the digit for the base point in the next clock, and
        for z; the same of ``negative``.
    magnitude, negative : :py:`Out(range(...))`, :py:`Out(1)`
        The entry of the digit, and its sign.
    odd : :py:`Out(1)`
        The place in the entry, for the base point: see :func:`base_place`.
    """

    LATENCY = BASE_WINDOW + 6

    def __init__(self):
        super().__init__({"push": In(1), "word": In(BASE), "next": In(1), "of_base": In(1),
                          "of_z": In(1), "negative_of_base": In(1), "odd": Out(1),
                          "negative": Out(1),
                          "magnitude": Out(range(OF_BASE + (1 << BASE_WINDOW - 2) + 1))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.first, m.submodules.second = first, second = (
            ScalarDigits(DIGITS), ScalarDigits(DIGITS, BASE_WINDOW))
        place, skips = Signal(range(2 * DIGITS)), Signal()
        m.d.sync += place.eq(place + self.push)
        with m.If(self.push):
            m.d.sync += skips.eq(_DIGITS % 2 == 0)
        with m.Elif(self.next):
            m.d.sync += skips.eq(~skips)
        for turn, each in enumerate((first, second)):
            m.d.comb += [each.push.eq(self.push & (place[-1] == turn)), each.word.eq(self.word)]
        m.d.comb += [first.next.eq(self.next), second.next.eq(self.next & ~skips)]
        # Entries of the base point begin at a power of two.
        entry = second.magnitude[1:]
        entry = Cat(entry[:WINDOW], entry[WINDOW:] + 1)
        m.d.sync += [
            self.magnitude.eq(Mux(self.of_base, Mux(self.of_z, 0, entry), first.magnitude)),
            self.odd.eq(Mux(self.of_z, second.magnitude.any(), second.magnitude[0])),
            self.negative.eq(Mux(self.negative_of_base, second.negative, first.negative))]
        return m
