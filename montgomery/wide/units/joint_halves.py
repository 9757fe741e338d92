"""Digits of two scalars for secp256k1: one for a point, in two halves, and one for the base point.

The scalar for the base point takes as many windows as a half of the other one: each has five bits
from place 5 w on, and five from place 130 + 5 w on. A bit stands for 1 or -1, half of which is
meant, so that no sum of ten of them is 0, and the one at the highest place is a sign.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...blocks.values import later
from ..datapath.primes import DIGITS
from ..datapath.ranges import BASE
from .joint_digits import first_of_base
from .scalar_digits import WINDOW, bit_of, scalar_words
from .scalar_halves import BITS, ScalarHalves, half_digits

__all__ = ["PLACES", "SUMS", "JointHalves", "joint_half_digits"]

#: The places of the bits of a digit for the base point, less that of the lowest one.
PLACES = (*range(WINDOW), *range(BITS, BITS + WINDOW))
#: Sums for the base point that there are, of either sign.
SUMS = 1 << len(PLACES) - 1


def joint_half_digits(scalar, of_base):
    """Return the digits of a window after the other, the highest first: of both halves, and for the
    base point; pairs of the magnitude and whether the digit is negative.
    """
    halves = iter(half_digits(scalar))
    found = []
    for window in reversed(range(0, BITS, WINDOW)):
        bits = sum((of_base >> window + place & 1) << at for at, place in enumerate(PLACES))
        negative = bits < SUMS
        found += [next(halves), next(halves), ((bits ^ -negative) % SUMS, negative)]
    return found


class JointHalves(wiring.Component):
    """Keeps two scalars, and gives digits of one of them as :class:`~.scalar_halves.ScalarHalves`
    does, and with these a digit of the other.

    Latency: :attr:`DIVIDED` clocks from the last word until digits may be asked for, and
    :attr:`LATENCY` from ``next`` to the digits. Throughput: three digits in as many.
    """

    DIVIDED = ScalarHalves.DIVIDED
    LATENCY = len(PLACES) + 6

    def __init__(self):
        entries = first_of_base(1) + SUMS // 2
        super().__init__({
            # Take a word, the lowest one of each scalar first; first those of the scalar for the
            # point.
            "push": In(1), "word": In(BASE),
            "next": In(1),  # make the next digits; at first the highest ones
            # Whether ``magnitude`` and ``odd``, and ``negative``, are of the digit for the base
            # point in the next clock.
            "of_base": In(1), "negative_of_base": In(1),
            # The same in the clock after that, if they are not: whether they are of the second
            # half.
            "of_half": In(1), "negative_of_half": In(1),
            "odd": Out(1), "negative": Out(1), "magnitude": Out(range(entries)),  # see JointDigits
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.halves = halves = ScalarHalves()
        place = Signal(range(2 * DIGITS))
        of_point, of_base = (later(m, self.push & (place[-1] == turn), 1, f"push_{turn}",
                                   reset_less=False) for turn in range(2))
        word = later(m, self.word, 1, "word_late")
        m.d.sync += place.eq(place + self.push)
        m.d.comb += [halves.push.eq(of_point), halves.word.eq(word), halves.next.eq(self.next),
                     halves.magnitude_of.eq(self.of_half),
                     halves.negative_of.eq(self.negative_of_half)]
        size, negative = self._of_base(m, of_base, word)
        # Entries of the base point begin at a power of two.
        bits = first_of_base(1).bit_length()
        m.d.sync += [
            self.magnitude.eq(Mux(self.of_base, Cat(size[1:bits], size[bits:] + 1),
                                  halves.magnitude)),
            self.odd.eq(size[0]),
            self.negative.eq(Mux(self.negative_of_base, negative, halves.negative))]
        return m

    def _of_base(self, m, push, word):
        """Return the magnitude of the digit for the base point, and whether it is negative."""
        to, read = scalar_words(m, push, word, DIGITS)
        # The bit that is read next; there is none above the words.
        at, left = Signal(range(2 * BITS)), Signal(range(len(PLACES) + 1))
        bits = Signal(len(PLACES), reset_less=True)
        bit = bit_of(m, read.data, at[:4], at >= DIGITS * BASE)
        found = later(m, left.any(), 3, "found", reset_less=False)
        m.d.comb += read.addr.eq(at[4:])
        with m.If(push):
            m.d.sync += [to.eq(to + 1), at.eq(2 * BITS - 1)]
        with m.Elif(left.any()):
            # From the upper places to the lower ones, and to the window below.
            m.d.sync += [left.eq(left - 1), at.eq(at + Mux(
                left == WINDOW + 1, WINDOW - 1 - BITS, Mux(left == 1, BITS - 1, -1)))]
        with m.Elif(self.next):
            m.d.sync += left.eq(len(PLACES))
        with m.If(found):
            m.d.sync += bits.eq(Cat(bit, bits))
        size = bits[:-1]
        return Mux(bits[-1], size, ~size), ~bits[-1]
