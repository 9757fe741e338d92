"""The multiplier with its operands, and the two adders behind it."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.multiply_add import MultiplyAdd
from .line import Line

__all__ = ["ISSUED", "Datapath"]

#: What is issued in a clock; see :class:`~montgomery.single_dsp.sequencer.Sequencer`.
ISSUED = {"start": 1, "special": 1, "pair_0": 1, "pair_1": 1, "flush": 1, "odd": 1, "first": 1,
          "beyond": 1}


def _add(a, b, carry):
    """Return ``a + b + carry`` by one carry chain."""
    return (Cat(Const(1, 1), a) + Cat(carry, b))[1:]


class Datapath(wiring.Component):
    """Figure 2, with registers between all of its parts.

    Nothing but registers is connected to the multiplier, but for a LUT behind it: it may lie far
    from the logic.

    Each clock has one multiplication; one addition of its lower half to the upper half of the
    product before it in the same row, which the paper does in the DSP block; and one addition of
    that to the digit of S. The paper has one adder for that, which adds the two products first and
    S then, in turns; here two adders in a row take every other clock, S first, so that no operand
    has to wait or be chosen. Another one, used once per iteration, makes the sum that becomes q.

    Parameters
    ----------
    width : :class:`int`
        Bits per digit.
    reset : :class:`~amaranth.hdl.Signal` or None
        Of :class:`~montgomery.single_dsp.resets.Resets`.

    Attributes
    ----------
    OPERANDS, PRODUCT, SUM, DIGIT : :class:`int`
        Clocks from what is issued to ``a``, to the product and a register behind it, to its lower
        half with the upper one of the product before, and, of the first clock of a pair, to
        ``digit``.

    Members
    -------
    start, special, pair_0, pair_1, flush, odd, first, beyond : :py:`In(1)`
        What is issued; see :class:`~montgomery.single_dsp.sequencer.Sequencer`.
    x_is_1 : :py:`In(1)`
        X is 1, whatever is at ``a``.
    a : :py:`In(width)`
        The digit of X, Y, M or -1/M, from a register.
    s : :py:`In(width)`
        The digit of S, :attr:`PRODUCT` clocks after the first one of a pair.
    digit : :py:`Out(width)`
        The digit of the next S.
    """

    OPERANDS = 5
    PRODUCT = 9
    SUM = 10
    DIGIT = 12

    def __init__(self, width, reset=None):
        self.width, self._reset = width, reset
        super().__init__({name: In(bits) for name, bits in ISSUED.items()} | {
            "x_is_1": In(1), "a": In(width), "s": In(width), "digit": Out(width)})

    def elaborate(self, platform):
        m = Module()
        line = Line(m, self._reset)
        w = self.width

        def even(kind, clocks):
            """Return when the first clock of a pair is so far; ``kind`` names it."""
            return line.after(clocks, **{f"{kind}_even": getattr(self, kind) & ~self.odd})

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
        with m.If(even("start", self.OPERANDS)):
            m.d.sync += x_0.eq(self.a)
        with m.If(self.x_is_1):
            m.d.sync += x_0.eq(1)
        with m.If(line.after(self.OPERANDS - 2, x_0=Mux(self.odd, self.start,
                                                        self.special | self.pair_0))):
            m.d.sync += other.eq(x_0)
        with m.Elif(even("pair_0", self.OPERANDS)):
            m.d.sync += other.eq(self.a)
        with m.Else():
            m.d.sync += other.eq(b)
        with m.If(line.after(self.OPERANDS, y_is_0=self.pair_0 & ~self.odd & self.x_is_1)):
            m.d.sync += other.eq(0)

        def operand(**named):
            """Return when what is issued with this condition has its second operand chosen."""
            return line.after(self.OPERANDS - 1, **named)

        # The first t is X_0 Y_0, just multiplied.
        with m.If(operand(q=self.odd & (self.pair_0 | (self.special & self.first)))):
            m.d.sync += b.eq(product[:w])
        with m.Elif(operand(t=self.odd & self.special)):
            m.d.sync += b.eq(t)
        with m.Elif(operand(a=self.odd & self.start & ~self.x_is_1)):
            m.d.sync += b.eq(self.a)
        with m.Else():
            m.d.sync += b.eq(other)
        with m.If(operand(beyond=self.beyond)):
            m.d.sync += b.eq(0)
        m.d.comb += [multiplier.a.eq(self.a), multiplier.b.eq(b)]

        # Nothing is carried into the first of these pairs.
        lowest = self.special | self.pair_0

        # -- {C : row} <- X_j Y_i + C and {C' : row} <- q M_j + C' in turns. Each C is in two parts,
        # the upper half of a product and the carry of adding its lower one.
        mac = Signal(w + 1, name="$signal")
        carry_next, carry = register("carry_next", w + 1), register("carry", w + 1)
        row = register("row")
        m.d.comb += mac.eq(_add(low, carry[:w], carry[w]))
        m.d.sync += [row.eq(mac), carry_next.eq(Cat(high, mac[w]))]
        with m.If(line.after(self.PRODUCT - 1, lowest=lowest)):
            m.d.sync += carry.eq(0)
        with m.Else():
            m.d.sync += carry.eq(carry_next)

        # -- {C : gamma} <- row + S_j + C in one clock, {C' : S_{j-1}} <- row + gamma + C' in the
        # next. What each of them adds in other clocks is not used.
        addend, gamma, digit = register("addend"), register("gamma"), register("digit")
        with m.If(line.after(self.PRODUCT, s_is_0=self.first | self.flush)):
            m.d.sync += addend.eq(0)
        with m.Else():
            m.d.sync += addend.eq(self.s)
        for name, clocks, operand, result in (("gamma", 0, addend, gamma),
                                              ("s", 1, gamma, digit)):
            carry_out, carry_in = (register(f"carry_{name}_{which}", 1) for which in ("out", "in"))
            total = Signal(w + 1, name=f"total_{name}")
            m.d.comb += total.eq(_add(row, operand, carry_in))
            clear = line.after(self.PRODUCT + clocks, lowest_even=lowest & ~self.odd)
            m.d.sync += [result.eq(total), carry_out.eq(total[w]),
                         carry_in.eq(carry_out & ~clear)]
        m.d.comb += self.digit.eq(digit)

        # -- X_0 Y_{i+1} + S_0, the new one, which is digit 1 of what is added now.
        ahead = register("ahead")
        with m.If(even("special", self.SUM)):
            m.d.sync += ahead.eq(row)
        with m.If(even("pair_1", self.DIGIT)):
            m.d.sync += t.eq(ahead + digit)
        return m
