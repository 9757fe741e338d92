"""Digits of two scalars: of one for a point, and one for the base point."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core import ceil_div
from ..datapath.ranges import BASE
from .scalar_digits import WINDOW, ScalarDigits, signed_digits

__all__ = ["BASE_WINDOW", "JointDigits", "base_place", "first_of_base", "joint_digits"]

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


class JointDigits(wiring.Component):
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
        super().__init__({
            # Take a word of an operation, the lowest one of each scalar first; first those of the
            # scalar for the point.
            "push": In(1), "word": In(BASE), "slot_in": In(range(slots)),
            "next": In(1),  # make the next digits; at first the highest ones
            # Whether ``magnitude`` and ``odd`` are of the digit for the base point in the next
            # clock, and for z, and of which operation; the same of ``negative``.
            "of_base": In(1), "of_z": In(1), "slot": In(range(slots)), "negative_of_base": In(1),
            "negative_of_slot": In(range(slots)),
            **({"flips": In(1)} if opposite else {}),  # with ``opposite``: they have
            # The entry of the digit, and its sign.
            "negative": Out(1), "magnitude": Out(range(entries)),
            "odd": Out(1),  # the place in the entry, for the base point: see base_place
        })

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
