"""The multiplier with its operands, and the two adders behind it."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.multiply_add import MultiplyAdd
from .line import Line

__all__ = ["ISSUED", "Datapath"]

#: What is issued in a clock; see :class:`~montgomery.single_dsp.sequencer.Sequencer`.
ISSUED = {"start": 1, "special": 1, "wait": 1, "pair_0": 1, "pair_1": 1, "flush": 1, "odd": 1,
          "first": 1, "beyond": 1}


def _add(a, b, carry):
    """Return ``a + b + carry`` by one carry chain."""
    return (Cat(Const(1, 1), a) + Cat(carry, b))[1:]


class Datapath(wiring.Component):
    """Figure 2, with registers between all of its parts.

    Each clock has one multiplication; one addition of its lower half to the upper half of the
    product before it in the same row, which the paper does in the DSP block; and one addition of
    that to the digit of S. The paper has one adder for that, which adds the two products first and
    S then, in turns; here two adders in a row take every other clock, S first, so that no operand
    has to wait or be chosen. Another one, used once an iteration, makes the sum that becomes q.

    Parameters
    ----------
    width : :class:`int`
        Bits a digit.

    Attributes
    ----------
    OPERANDS, PRODUCT, SUM, DIGIT : :class:`int`
        Clocks from what is issued to ``a``, to the product, to its lower half with the upper one of
        the product before, and, of the first clock of a pair, to ``digit``.

    Members
    -------
    start, special, wait, pair_0, pair_1, flush, odd, first, beyond : :py:`In(1)`
        What is issued; see :class:`~montgomery.single_dsp.sequencer.Sequencer`.
    x_is_1 : :py:`In(1)`
        X is 1, whatever is at ``a``.
    a : :py:`In(width)`
        The digit of X, Y, M or -1/M.
    s : :py:`In(width)`
        The digit of S, :attr:`PRODUCT` clocks after the first one of a pair.
    digit : :py:`Out(width)`
        The digit of the next S.
    """

    OPERANDS = 4
    PRODUCT = 7
    SUM = 8
    DIGIT = 10

    def __init__(self, width):
        self.width = width
        super().__init__({name: In(bits) for name, bits in ISSUED.items()} | {
            "x_is_1": In(1), "a": In(width), "s": In(width), "digit": Out(width)})

    def elaborate(self, platform):
        m = Module()
        line = Line(m)
        w = self.width

        def even(kind, clocks):
            """Return when the first clock of a pair is so far; ``kind`` names it."""
            return line.after(clocks, **{f"{kind}_even": getattr(self, kind) & ~self.odd})

        def odd(kind, clocks):
            """Likewise, of the second clock."""
            return line.after(clocks, **{f"{kind}_odd": getattr(self, kind) & self.odd})

        def register(name, width=w):
            return Signal(width, name=name, reset_less=True)

        m.submodules.multiplier = multiplier = MultiplyAdd(a_width=w, b_width=w)
        low, high = multiplier.p[:w], multiplier.p[w:]

        # -- The second operand. Y and q take turns; x_0 and what becomes q come in between. What is
        # known a clock before is chosen then, so that little stands between products and operand.
        x_0, t, now, turn, known = (register(name) for name in ("x_0", "t", "now", "turn", "known"))
        x_0_next, now_next = Signal(w), Signal(w)
        m.d.comb += x_0_next.eq(x_0)
        with m.If(even("start", self.OPERANDS)):
            m.d.comb += x_0_next.eq(Mux(self.x_is_1, 1, self.a))
        m.d.sync += x_0.eq(x_0_next)
        is_q, is_y = odd("pair_0", self.OPERANDS), even("pair_0", self.OPERANDS)
        with m.If(is_q):
            m.d.sync += turn.eq(low)
        with m.Elif(is_y):
            # With X = 1 there are no products by Y but X_0 Y_i, in which Y is the first operand.
            m.d.sync += turn.eq(gate(~self.x_is_1, self.a))
        with m.Else():
            m.d.sync += turn.eq(now)
        m.d.comb += now_next.eq(gate(~line.after(self.OPERANDS - 1, beyond=self.beyond), turn))
        is_x_0 = line.after(self.OPERANDS - 1, x_0=Mux(self.odd, self.special, self.pair_0))
        m.d.sync += [now.eq(now_next), known.eq(Mux(is_x_0, x_0_next, now_next))]
        is_t = even("special", self.OPERANDS)
        m.d.comb += [multiplier.a.eq(self.a),
                     multiplier.b.eq(Mux(is_q, low, Mux(is_t, t, known)))]

        # Nothing is carried into the first of these pairs.
        lowest = self.special | self.wait | self.pair_0

        # -- {C : row} <- X_j Y_i + C and {C' : row} <- q M_j + C' in turns. Each C is in two parts,
        # the upper half of a product and the carry of adding its lower one.
        mac, carry_next, carry = Signal(w + 1), register("carry_next", w + 1), register(
            "carry", w + 1)
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
        with m.If(line.after(self.PRODUCT, zero=self.first | self.flush)):
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
        with m.If(odd("start", self.DIGIT - 1)):
            m.d.sync += digit.eq(0)  # S_0 in the beginning

        # -- X_0 Y_{i+1} + S_0, the new one, which is digit 1 of what is added now.
        ahead = register("ahead")
        with m.If(odd("special", self.SUM)):
            m.d.sync += ahead.eq(row)
        with m.If(line.after(self.DIGIT, ahead=Mux(self.odd, self.start, self.pair_1))):
            m.d.sync += t.eq(ahead + digit)
        return m
