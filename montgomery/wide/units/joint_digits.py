"""Digits of two scalars: of one for a point, and one for the base point."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ...blocks.values import later
from ...core import ceil_div
from ..datapath.primes import DIGITS
from ..datapath.ranges import BASE
from .scalar_digits import WINDOW, DigitMaker, ScalarDigits, bit_of, scalar_words, signed_digits
from .scalar_halves import BITS, ScalarHalves, half_digits

__all__ = ["BASE_WINDOW", "PLACES", "SUMS", "JointDigits", "JointHalves", "base_place",
           "first_of_base", "joint_digits", "joint_half_digits"]

#: Bits of a digit for the base point, which there is one of with every second digit for the point.
BASE_WINDOW = 2 * WINDOW


def joint_digits(scalar, of_base, width):
    """Return the digits of both scalars of so many bits by turns, the highest first: pairs of the
    magnitude and whether the digit is negative. Every other one for the base point is 0.
    """
    found = []
    firsts, seconds = (signed_digits(scalar, width),
                       iter(signed_digits(of_base, width, BASE_WINDOW)))
    for number, digit in enumerate(firsts):
        has_second = (len(firsts) - 1 - number) % 2 == 0
        second = next(seconds) if has_second else 0
        found += [(abs(digit), digit < 0), (abs(second), second < 0)]
    return found


def first_of_base(slots):
    """Return the first entry of multiples of the base point; those of other points are below."""
    return slots << WINDOW


def base_place(magnitude, part, slots=1):
    """Return where a coordinate of a multiple of the base point is: entry and part.

    An entry has x and y of two multiples. z is 1 or 0, in the point at infinity of entry 0.
    """
    if part == 2:
        return 0, int(magnitude > 0)
    return first_of_base(slots) + magnitude // 2, 2 * (magnitude % 2) + part


class JointDigits(DigitMaker):
    """Keeps two scalars of each operation, and gives a digit of one at a time as
    :class:`~.ScalarDigits` does, and with every second one a digit of the other.

    Latency: :attr:`LATENCY` clocks from ``next`` to the digits. Throughput: two digits of each
    operation in as many.

    A scalar has ``count`` words; operations have ``slots``, a power of two. If ``opposite``, digits
    for the point may have the opposite sign.
    """

    LATENCY = BASE_WINDOW + 6

    def __init__(self, count, slots=1, *, opposite=False):
        self.count, self.slots, self.opposite = count, slots, opposite
        entries = first_of_base(slots) + (1 << BASE_WINDOW - 2) + 1
        # Words of the scalar for the point come first.
        super().__init__(
            range(entries), slot_in=In(range(slots)),
            # Whether ``magnitude`` and ``odd`` are of the digit for the base point in the next
            # clock, and for z, and of which operation; the same of ``negative``.
            of_base=In(1), of_z=In(1), slot=In(range(slots)), negative_of_base=In(1),
            negative_of_slot=In(range(slots)),
            odd=Out(1),  # the place in the entry, for the base point: see base_place
            **({"flips": In(1)} if opposite else {}))  # signs are the opposite

    def elaborate(self, platform):
        m, count, digits = Module(), self.count, []
        size = (count - 1).bit_length()
        for slot in range(self.slots):
            first, second = ScalarDigits(count), ScalarDigits(count, BASE_WINDOW)
            suffix = f"_{slot}" if slot else ""
            m.submodules[f"first{suffix}"], m.submodules[f"second{suffix}"] = first, second
            place, skips = Signal(size + 1), Signal()
            push = self.push & (self.slot_in == slot) if self.slots > 1 else self.push
            m.d.sync += place.eq(place + push)
            if count < 1 << size:  # the second scalar begins at a power of two
                with m.If(push & (place[:size] == count - 1)):
                    m.d.sync += place.eq(Cat(C(0, size), ~place[-1]))
            with m.If(push):
                m.d.sync += skips.eq(ceil_div(count * BASE, WINDOW) % 2 == 0)
            with m.Elif(self.next):
                m.d.sync += skips.eq(~skips)
            for turn, each in enumerate((first, second)):
                m.d.sync += [each.push.eq(push & (place[-1] == turn)), each.word.eq(self.word)]
            m.d.comb += [first.next.eq(self.next), second.next.eq(self.next & ~skips)]
            digits.append((first, second))

        def of(slot, which, name):
            """Return an output of the digits of an operation, for the point or the base point."""
            return Array(getattr(each[which], name) for each in digits)[slot]

        negative = of(self.negative_of_slot, 0, "negative")
        if self.opposite:
            negative = negative ^ self.flips
        # Entries of the base point begin at a power of two.
        entry, bits = of(self.slot, 1, "magnitude"), first_of_base(self.slots).bit_length() - 1
        m.d.sync += [
            self.magnitude.eq(Mux(
                self.of_base,
                Mux(self.of_z, 0, Cat(entry[1:1 + bits], entry[1 + bits:] + 1)),
                Cat(of(self.slot, 0, "magnitude"), self.slot))),
            self.odd.eq(Mux(self.of_z, entry.any(), entry[0])),
            self.negative.eq(Mux(self.negative_of_base, of(self.negative_of_slot, 1, "negative"),
                                 negative))]
        return m


# On secp256k1 the scalar for the base point takes as many windows as a half of the other one: each
# has five bits from place 5 w on, and five from place 130 + 5 w on. A bit stands for 1 or -1, half
# of which is meant, so that no sum of ten of them is 0, and the one at the highest place is a sign.

#: The places of the bits of a digit for the base point there, less that of the lowest one.
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


class JointHalves(DigitMaker):
    """Keeps two scalars, and gives digits of one of them as :class:`~.scalar_halves.ScalarHalves`
    does, and with these a digit of the other.

    Latency: :attr:`DIVIDED` clocks from the last word until digits may be asked for, and
    :attr:`LATENCY` from ``next`` to the digits. Throughput: three digits in as many.
    """

    DIVIDED = ScalarHalves.DIVIDED
    LATENCY = len(PLACES) + 6

    def __init__(self):
        entries = first_of_base(1) + SUMS // 2
        # Words of the scalar for the point come first.
        super().__init__(
            range(entries),
            # Whether ``magnitude`` and ``odd``, and ``negative``, are of the digit for the base
            # point in the next clock.
            of_base=In(1), negative_of_base=In(1),
            # The same in the clock after that, if they are not: whether they are of the second
            # half.
            of_half=In(1), negative_of_half=In(1),
            odd=Out(1))  # see JointDigits

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
