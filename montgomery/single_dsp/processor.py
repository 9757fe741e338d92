"""The memory, and products of what it holds: the multiplier with its operands and two adders."""

import itertools

from amaranth.hdl import C, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.multiply_add import MultiplyAdd
from ..blocks.values import add_with_carry, signals
from .micro_ops import DIGIT, OPERANDS, PRODUCT, READ, SUM, MicroOp, PairSequencer, decode

__all__ = ["MODULUS", "Datapath", "Processor", "index_width"]


class Datapath(wiring.Component):
    """Figure 2, with registers between all of its parts.

    Nothing but registers is connected to the multiplier, but for a LUT behind it: it may lie far
    from the logic.

    Each clock has one multiplication; one addition of its lower half to the upper half of the
    product before it in the same row, which the paper does in the DSP block; and one addition of
    that to the digit of S. The paper has one adder for that, which adds the two products first and
    S then, in turns; here two adders in a row take every other clock, S first, so that no operand
    has to wait or be chosen. Another one, used once per iteration, makes the sum that becomes q.

    Latency: :data:`~.micro_ops.DIGIT` clocks from a micro-operation to its digit. Throughput: a
    multiplication per clock, and a digit of S every second clock.
    """

    def __init__(self, width):
        super().__init__({
            "issued": In(MicroOp),
            "x_is_1": In(1),  # X is 1, whatever is at ``a``
            "a": In(width),  # the digit of X, Y, M or -1/M, from a register
            "s": In(width),  # that of S, in the stage PRODUCT of the first clock of a pair
            "digit": Out(width),  # the digit of the next S, in the stage DIGIT
        })
        # What was issued, by the number of clocks since then. None of it is reset: what a product
        # leaves behind has been done with when the next key is there.
        self.stage = [self.issued, *(Signal(MicroOp, name=f"stage_{clocks}", reset_less=True)
                                     for clocks in range(1, DIGIT + 1))]

    def elaborate(self, platform):
        m = Module()
        stage, w = self.stage, len(self.a)
        m.d.sync += [late.eq(early) for early, late in itertools.pairwise(stage)]

        def register(name, width=w):
            return Signal(width, name=name, reset_less=True)

        m.submodules.multiplier = multiplier = MultiplyAdd(a_width=w, b_width=w)
        product = multiplier.p
        low, high = register("low"), register("high")
        m.d.sync += Cat(low, high).eq(product)

        # -- The second operand is in a register too: Y and q take turns in it and in another one,
        # of which x_0 makes use as well. With X = 1 there are no products by Y but X_0 Y_i, in
        # which Y is the first operand.
        x_0, t, b, other = (register(name) for name in ("x_0", "t", "b", "other"))
        with m.If(stage[OPERANDS].take_x_0):
            m.d.sync += x_0.eq(self.a)
        with m.If(self.x_is_1):
            m.d.sync += x_0.eq(1)
        with m.If(stage[OPERANDS - 2].other_is_x_0):
            m.d.sync += other.eq(x_0)
        with m.Elif(stage[OPERANDS].take_y):
            m.d.sync += other.eq(self.a)
        with m.Else():
            m.d.sync += other.eq(b)
        with m.If(stage[OPERANDS].y_is_0):
            m.d.sync += other.eq(0)

        # The first t is X_0 Y_0, just multiplied.
        chosen = stage[OPERANDS - 1]
        with m.If(chosen.b_is_product):
            m.d.sync += b.eq(product[:w])
        with m.Elif(chosen.b_is_t):
            m.d.sync += b.eq(t)
        with m.Elif(chosen.b_is_a):
            m.d.sync += b.eq(self.a)
        with m.Else():
            m.d.sync += b.eq(other)
        with m.If(chosen.b_is_0):
            m.d.sync += b.eq(0)
        m.d.comb += [multiplier.a.eq(self.a), multiplier.b.eq(b)]

        # -- {C : row} <- X_j Y_i + C and {C' : row} <- q M_j + C' in turns. Each C is in two parts,
        # the upper half of a product and the carry of adding its lower one.
        mac = Signal(w + 1)
        carry_next, carry = register("carry_next", w + 1), register("carry", w + 1)
        row = register("row")
        m.d.comb += mac.eq(add_with_carry(low, carry[:w], carry[w]))
        m.d.sync += [row.eq(mac), carry_next.eq(Cat(high, mac[w]))]
        with m.If(stage[PRODUCT - 1].clear_row):
            m.d.sync += carry.eq(0)
        with m.Else():
            m.d.sync += carry.eq(carry_next)

        # -- {C : gamma} <- row + S_j + C in one clock, {C' : S_{j-1}} <- row + gamma + C' in the
        # next. What each of them adds in other clocks is not used.
        addend, gamma, digit = register("addend"), register("gamma"), register("digit")
        with m.If(stage[PRODUCT].s_is_0):
            m.d.sync += addend.eq(0)
        with m.Else():
            m.d.sync += addend.eq(self.s)
        for name, clocks, operand, result in (("gamma", 0, addend, gamma),
                                              ("s", 1, gamma, digit)):
            carry_out, carry_in = (register(f"carry_{name}_{which}", 1) for which in ("out", "in"))
            total = Signal(w + 1, name=f"total_{name}")
            m.d.comb += total.eq(add_with_carry(row, operand, carry_in))
            clear = stage[PRODUCT + clocks].clear_sums
            m.d.sync += [result.eq(total), carry_out.eq(total[w]),
                         carry_in.eq(carry_out & ~clear)]
        m.d.comb += self.digit.eq(digit)

        # -- X_0 Y_{i+1} + S_0, the new one, which is digit 1 of what is added now.
        ahead = register("ahead")
        with m.If(stage[SUM].take_ahead):
            m.d.sync += ahead.eq(row)
        with m.If(stage[DIGIT].take_t):
            m.d.sync += t.eq(ahead + digit)
        return m


#: The part of the memory that holds M.
MODULUS = 1


def index_width(digits):
    """Return the bits of the index of a digit, for so many digits."""
    return max((digits - 1).bit_length(), 3)


class Processor(wiring.Component):
    """Multiplies numbers that lie in its memory, and leaves the product there.

    The memory is divided into parts of ``2**index_width`` digits, one number each. With each digit
    stands a flag, which marks the highest one of its number; a product is given it too. -1/M is
    the digit before those of M, the last one of the part below.

    Throughput: a product in :func:`~.micro_ops.product_clocks`; while there is none, a digit is
    read, in :attr:`LATENCY` clocks, or written per clock.
    """

    LATENCY = 4
    #: Clocks after ``done`` from which ``part`` and ``index`` may name digit 0 of the product, to
    #: read a digit in two clocks or more.
    SETTLED = 5
    #: Clocks after ``done`` from which ``write`` may be set: the memory writes by one port alone.
    WRITTEN = 11
    #: Clocks from ``done`` to the next ``begin``, at least, where that reads the product.
    GAP = 3

    def __init__(self, width, index_width, part_width):
        self.sequencer, self.datapath = PairSequencer(index_width), Datapath(width)
        super().__init__({
            "begin": In(1),  # begin a product, when there is none
            "last": In(index_width),  # index of the highest digit of M
            # Parts of X, of Y, and for the product, which must be another one; or X is 1. They stay
            # until ``done``, and ``s`` for two clocks more.
            "x": In(part_width),
            "y": In(part_width),
            "s": In(part_width),
            "x_is_1": In(1),
            # The last clock of a product. Until the next one nothing else is read or written.
            "done": Out(1),
            # The digit to read, or to write; above it is its flag.
            "part": In(part_width),
            "index": In(index_width),
            "write": In(1),
            "data": In(width + 1),
            "q": Out(width + 1),
        })

    def elaborate(self, platform):
        m = Module()
        address_width = len(self.index) + len(self.part)
        m.submodules.memory = memory = BlockRam(len(self.q), 1 << address_width)
        m.submodules.sequencer = sequencer = self.sequencer
        m.submodules.datapath = datapath = self.datapath
        stage, odd, i, j = datapath.stage, sequencer.odd, sequencer.i, sequencer.j
        q, s = (Signal.like(port, name=port.name, reset_less=True)
                for port in (self.q, datapath.s))
        decode(m, datapath.issued, sequencer, self.x_is_1)
        # Behind the memory are registers alone, since that may lie far from the multiplier.
        m.d.sync += q.eq(memory.a.q)
        m.d.comb += [
            sequencer.begin.eq(self.begin), sequencer.last.eq(self.last),
            self.done.eq(sequencer.done), self.q.eq(q),
            datapath.x_is_1.eq(self.x_is_1), datapath.a.eq(q), datapath.s.eq(s),
        ]
        # -- Port a: what is multiplied, one digit per clock, and everything while nothing is.
        address, operand = signals(
            "address operand", address_width, reset_less=True)  # operand: a clock before
        multiplies, write = signals("multiplies write")
        y_ends = Signal(reset_less=True)
        data = Signal.like(self.data, name="data", reset_less=True)
        # As in column "port_a" of the table. Where nothing is read it may be any.
        with m.If(Mux(odd, sequencer.start, sequencer.special)):
            m.d.sync += operand.eq(Cat(sequencer.i_ahead, self.y))
        with m.Elif(sequencer.special):
            m.d.sync += operand.eq((MODULUS << len(self.index)) - 1)  # -1/M
        with m.Elif(odd):
            m.d.sync += operand.eq(Cat(j, C(MODULUS, len(self.part))))
        with m.Elif(sequencer.pair_0):
            m.d.sync += operand.eq(Cat(i, self.y))
        with m.Else():
            m.d.sync += operand.eq(Cat(j, self.x))
        m.d.sync += [
            multiplies.eq(sequencer.busy),
            address.eq(Mux(multiplies, operand, Cat(self.index, self.part))),
            data.eq(self.data), write.eq(self.write & ~multiplies),
        ]
        m.d.comb += [memory.a.enable.eq(Const(1)), memory.a.address.eq(address),
                     memory.a.write.eq(write), memory.a.data.eq(data), sequencer.y_ends.eq(y_ends)]
        is_y = stage[OPERANDS].take_y
        m.d.sync += y_ends.eq((is_y & q[-1]) | (~is_y & y_ends))

        # -- Port b: S_j is read, and S_{j-1} written, in turns. What was read stays for two clocks.
        at_b = Signal.like(address, name="at_b")
        part = Signal.like(self.part, name="part", reset_less=True)
        j_before, j_late, to = (Signal.like(j, name=name, reset_less=True)
                                for name in ("j_before", "j_late", "to"))
        m.d.sync += j_before.eq(j)
        with m.If(stage[READ].read_s):
            m.d.sync += s.eq(memory.b.q)
        with m.If(~odd):
            m.d.sync += j_late.eq(j_before)
        stores = stage[DIGIT - 1].store
        m.d.sync += at_b.eq(Cat(Mux(stores, to, j_late), part))
        with m.If(stage[DIGIT - 1].take_y):
            m.d.sync += [to.eq(0), part.eq(self.s)]
        with m.Elif(stores):
            m.d.sync += to.eq(to + 1)
        m.d.comb += [
            memory.b.enable.eq(Const(1)), memory.b.address.eq(at_b),
            memory.b.write.eq(stage[DIGIT].store),
            memory.b.data.eq(Cat(datapath.digit, stage[DIGIT].top)),
        ]
        return m
