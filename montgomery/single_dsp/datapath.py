"""The multiplier with its operands, and the two adders behind it."""

import itertools

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.multiply_add import MultiplyAdd
from ..blocks.values import add_with_carry
from .micro_ops import DIGIT, OPERANDS, PRODUCT, SUM, MicroOp

__all__ = ["Datapath"]


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

    Attributes
    ----------
    stage : list of Signal(MicroOp)
        What was issued, by the number of clocks since then. None of it is reset: what a product
        leaves behind has been done with when the next key is there.

    Members
    -------
    issued : :py:`In(MicroOp)`
    x_is_1 : :py:`In(1)`
        X is 1, whatever is at ``a``.
    a : :py:`In(width)`
        The digit of X, Y, M or -1/M, of ``width`` bits, from a register.
    s : :py:`In(width)`
        The digit of S, in the stage ``PRODUCT`` of the first clock of a pair.
    digit : :py:`Out(width)`
        The digit of the next S, in the stage ``DIGIT``.
    """

    def __init__(self, width):
        super().__init__({"issued": In(MicroOp), "x_is_1": In(1), "a": In(width), "s": In(width),
                          "digit": Out(width)})
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
