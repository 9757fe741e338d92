"""Bits of a scalar, as a ladder takes them: from the highest one, each added to the one before."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ...blocks.values import after, later
from ...core import ceil_div
from ..datapath.ranges import BASE

__all__ = ["LadderBits", "ladder_bits"]


def ladder_bits(scalar, bits):
    """Return for each bit, from the highest one, whether it is not the one above."""
    return [(scalar ^ scalar >> 1) >> place & 1 for place in reversed(range(bits))]


class LadderBits(wiring.Component):
    """Keeps scalars, clamped as RFC 7748 says for a curve, and gives digits of 0 and 1.

    A digit is 1 where a bit is not the one above: then the two points of a ladder change places.

    Latency: a clock from ``next`` to the digits. Throughput: a digit of each scalar in four clocks.
    """

    def __init__(self, curve, slots=1):
        self.curve, self.slots = curve, slots
        super().__init__({
            # Take a word of the scalar of an operation, the lowest one first. The last one makes
            # the highest bit next.
            "push": In(1), "word": In(BASE), "slot_in": In(range(slots)),
            "next": In(1),  # give the next digits
            # The digit of each scalar. None is negative.
            "magnitude": Out(slots), "negative": Out(1),
        })

    def elaborate(self, platform):
        m, word, curve = Module(), self.word, self.curve
        count, low, top = (ceil_div(curve.width, BASE), curve.cofactor_bits,
                           (curve.width - 1) % BASE)
        for slot in range(self.slots):
            push = self.push & (self.slot_in == slot) if self.slots > 1 else self.push
            m.submodules[f"words_{slot}"] = memory = Memory(shape=BASE, depth=count, init=[])
            write, read = memory.write_port(), memory.read_port(domain="comb")
            to = Signal(range(count), name=f"to_{slot}")
            at = Signal(range(count * BASE), name=f"at_{slot}", reset_less=True)
            m.d.comb += [write.en.eq(push), write.addr.eq(to), read.addr.eq(at[4:]),
                         write.data.eq(Cat(word[:low] & (to != 0).replicate(low), word[low:top],
                                           word[top] | (to == count - 1),
                                           *(bit & (to != count - 1) for bit in word[top + 1:])))]
            row = later(m, read.data, 1, f"row_{slot}")
            bit = later(m, row.bit_select(at[:4], 1), 1, f"bit_{slot}")
            above = Signal(name=f"above_{slot}", reset_less=True)
            with m.If(push):
                m.d.sync += [to.eq(after(to, count)), at.eq(curve.width - 1), above.eq(0)]
            with m.Elif(self.next):
                m.d.sync += [at.eq(at - 1), above.eq(bit), self.magnitude[slot].eq(bit ^ above)]
        return m
