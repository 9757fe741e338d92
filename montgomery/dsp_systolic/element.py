"""The processing element, with one multiplier."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.multiply_add import MultiplyAdd
from ..blocks.values import later
from .chain import Element

__all__ = ["ProcessingElement"]


class ProcessingElement(Element):
    """Some digits of T <- floor(T / b) + u m + x_r y, one multiplier for all products.

    Digit k of the new T is the lower digit of x_r y_k + u m_k, plus the upper digit for k - 1, plus
    digit k + 1 of the old T, in three additions with one carry each::

        both_k = u m_k + x_r y_k + the top bit of both_(k-2)
        low_k  = upper digit of both_(k-1) + T_(k+1) + carry of low_(k-1)
        T_k    = lower digit of both_k + low_k + carry of T_(k-1)

    All three are added in every clock, also when there is no digit, which then is not used.

    Of the products of a digit, both_k, ``high`` is the upper digit, and ``top`` the bit above that,
    which has the weight of the digit after the next one: ``later_top`` is that of the digit before.
    ``lower`` and ``upper`` are the carries of low_k and T_k.

    Latency: :attr:`~.PlainSchedule.sum_latency` clocks from a digit of x to the digit of the sum.
    Throughput: see :class:`~.chain.Element`.

    Parameters
    ----------
    schedule : :class:`~.schedule.PlainSchedule`
    place : :class:`str`
        ``"first"`` (the paper's IPE, Figure 2), ``"inner"`` (its GPE, Figure 3), or ``"tail"``. The
        paper's FPE (Figure 4) is the last inner PE with the tail.

    Members
    -------
    below, above : see :class:`~.chain.Element`
        On the bus there are also:

        - ``first``: high as many clocks after digit 0 of y as the multiplier takes.
        - ``clear``: the sum that is found now is 0.
        - ``inner``: the sum is not that of the lowest digit of the PE.
        - ``take``: the sum is a digit of the result.

        ``keep``: the sum becomes a digit of y.
    u : :py:`In(digit_width)`
        The quotient digit, which joins the bus in a first PE of one digit.
    fresh : :py:`In(1)`
        There is none yet, it then counts as 0.
    product : :py:`Out(digit_width)`
        Lower digit of the product.
    parts : :py:`Out(...)`
        What the sum is made of, in the clock before: two digits and a carry.
    """

    def __init__(self, schedule, place="inner"):
        self.joins = schedule.per_element == 1 and place == "first"
        digit = schedule.digit_width
        quotient = {"u": In(digit), "fresh": In(1)} if self.joins else {}
        super().__init__(
            schedule, place, dict.fromkeys(("first", "clear", "inner", "take"), 1),
            {"high": digit, "top": 1, "later_top": 1, "lower": 1, "upper": 1},
            {**quotient, "product": Out(digit),
             "parts": Out(data.StructLayout({"both": digit, "low": digit, "upper": 1}))})

    def elaborate(self, platform):
        m = Module()
        s, bus = self.schedule, self.below.bus
        below, above = self.below.carries, self.above.carries
        width = s.digit_width
        folded = s.per_element > 1

        def register(name, shape=1):
            return Signal(shape, name=name, reset_less=True)

        total = register("total", width + 1)
        if self.place == "tail":
            product = other = Const(0, 2 * width)
        else:
            operand, factor = self._operand(m, total), bus.digit
            if self.joins:
                factor = Mux(bus.index[0], gate(~self.fresh, self.u), factor)
            m.submodules.multiplier = multiplier = MultiplyAdd(a_width=width, b_width=width,
                                                               product_registers=0)
            m.d.comb += [multiplier.a.eq(factor), multiplier.b.eq(operand)]
            # A third register is not one of the block, but can be near what adds the product.
            product = later(m, multiplier.p, s.multiplier_latency - 2, "product")
            other = register("other", 2 * width)
            m.d.comb += self.product.eq(product)
            m.d.sync += other.eq(product)

        # What is carried into a digit is there a clock before it is used; in a folded PE it comes
        # from the digit before or, for the first digit, from the PE below.
        both, low = register("both", 2 * width + 1), register("low", width + 1)
        later_top = register("later_top")
        m.d.comb += [above.high.eq(both[width:]), above.top.eq(both[-1]),
                     above.later_top.eq(later_top), above.lower.eq(low[-1]),
                     above.upper.eq(total[-1])]
        carried = {name: below[name] for name in below.shape().members}
        if folded:
            first = bus.first
            first_late = later(m, first, 1, "first_late")
            carried = self.carried(m, dict.fromkeys(carried, first) | {"upper": first_late})
            if self.place == "first":
                # The product below the first digit comes a clock later than from a PE.
                for name in ("high", "lower"):
                    carried[name] = Mux(first_late, below[name], carried[name])

        old = self.above.sum
        if folded and self.place != "tail":
            old = Mux(bus.inner, total[:width], old)
        old = later(m, old, s.hold, "old")
        m.d.sync += [
            later_top.eq(carried["top"]),
            both.eq(product + other + carried["later_top"]),
            low.eq(carried["high"] + old + carried["lower"]),
            total.eq(both[:width] + low[:width] + carried["upper"]),
        ]
        with m.If(bus.clear):
            m.d.sync += total.eq(0)
        m.d.comb += [self.parts.both.eq(both), self.parts.low.eq(low),
                     self.parts.upper.eq(carried["upper"]), self.below.sum.eq(total)]
        if self.place != "tail":
            # At the first PE they have arrived.
            m.d.comb += self.below.results.eq(later(
                m, Mux(bus.take, total[:width], self.above.results), int(self.place != "first"),
                "passed"))
        return m

    def _operand(self, m, total):
        """Add the storage of the digits of y and m, and the bus; return the digit that is used."""
        s, bus = self.schedule, self.below.bus
        keep = bus.keep
        digit = Mux(keep, total[:s.digit_width], bus.digit)
        if s.per_element == 1:
            y, y_full = self._register(m, "y", bus.load & ~bus.is_modulus, keep, digit)
            # That of the last PE stays 0.
            modulus, modulus_full = self._register(m, "modulus", bus.load & bus.is_modulus, 0,
                                                   bus.digit)
            operand = Mux(bus.index[0], modulus, y)
            full = Mux(bus.is_modulus, modulus_full, y_full)
        else:
            operand, full = self.digit_memory(m, digit)
        # A reset stops what is on its way, and sends the end.
        resets = {"clear": 1, "take": 0, "keep": 0, "load": 0, "last_operand": 1}
        for name in bus.shape().members:
            value = later(m, bus.load & full if name == "load" else bus[name], s.hop, name,
                          reset_less=name not in resets, init=resets.get(name, 0))
            if name == "digit" and self.joins:
                # Behind the register there is time for the choice.
                late = Signal(s.digit_width, name="u_late", reset_less=True)
                m.d.sync += late.eq(Mux(self.fresh, 0, self.u))
                value = Mux(self.above.bus.index[0], late, value)
            m.d.comb += self.above.bus[name].eq(value)
        return operand

    def _register(self, m, name, given, keep, digit):
        """Add a register for a digit given first, or kept; return it, and whether it is full."""
        register = Signal(self.schedule.digit_width, name=name, reset_less=True)
        full = Signal(name=f"{name}_full", reset_less=True)
        mine = given & ~full
        with m.If(self.below.bus.last_operand):
            m.d.sync += full.eq(0)
        with m.Elif(mine):
            m.d.sync += full.eq(1)
        with m.If(mine | keep):
            m.d.sync += register.eq(digit)
        return register, full
