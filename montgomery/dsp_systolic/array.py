"""The array with the unit in front of it, its slots and its processing elements (PEs).

The paper (Morales-Romero et al.) has these names for the parts of an array with one digit per PE.
PE j has digit j of y and digit j + 1 of the modulus, since the sum moves down before the multiple
of the modulus is added.

========================  ==========================================================================
in the paper              here
========================  ==========================================================================
IPE, PE(0) (Figure 2)     the first :class:`ProcessingElement` multiplies x_r y_0;
                          :class:`~.quotient.QuotientUnit` multiplies u m_0
GPE, PE(j) (Figure 3)     every other :class:`ProcessingElement` but the ``"tail"``
FPE, PE(n - 1)            the last :class:`ProcessingElement` with a multiplier; the ``"tail"``
(Figure 4)                behind it has the upper digit of the FPE's output
CU (Figure 5)             :class:`~.quotient.QuotientUnit`
MMC (Algorithm 4)         the slots of :class:`PlainArray`, and what gives it digits of x:
                          :class:`~.multiplier_component.DspSystolicMultiplier`, or an exponentiator
========================  ==========================================================================
"""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.multiply_add import MultiplyAdd
from ..blocks.values import later, signals
from .chain import Element, SystolicArray
from .delayed_array import DelayedArray
from .quotient import QuotientUnit

__all__ = ["PlainArray", "ProcessingElement", "create_array"]


class ProcessingElement(Element):
    """Some digits of T <- floor(T / b) + u m + x_r y, one multiplier for all products.

    Digit k of the new T is the lower digit of x_r y_k + u m_k, plus the upper digit for k - 1, plus
    digit k + 1 of the old T, in three additions with one carry each::

        both_k = u m_k + x_r y_k + the top bit of both_(k-2)
        low_k  = upper digit of both_(k-1) + T_(k+1) + carry of low_(k-1)
        T_k    = lower digit of both_k + low_k + carry of T_(k-1)

    All three are added in every clock, also when there is no digit, which then is not used.

    Latency: :attr:`~.PlainSchedule.sum_latency` clocks from a digit of x to the digit of the sum.
    Throughput: see :class:`~.chain.Element`.

    The ``"first"`` is the paper's IPE (Figure 2), and ``"inner"`` ones are its GPE (Figure 3); its
    FPE (Figure 4) is the last inner one with the tail.
    """

    def __init__(self, schedule, place="inner"):
        self.joins = schedule.per_element == 1 and place == "first"
        digit = schedule.digit_width
        # The quotient digit, which joins the bus; while there is none yet, it counts as 0.
        quotient = {"u": In(digit), "fresh": In(1)} if self.joins else {}
        super().__init__(schedule, place, {
            "first": 1,  # high as many clocks after digit 0 of y as the multiplier takes
            "clear": 1,  # the sum that is found now is 0
            "inner": 1,  # the sum is not that of the lowest digit of the PE
            "take": 1,  # the sum is a digit of the result
        }, {
            "high": digit,  # the upper digit of both_k
            "top": 1,  # the bit above that, which has the weight of the digit after the next one
            "later_top": 1,  # that of the digit before
            "lower": 1,  # the carries of low_k and of T_k
            "upper": 1,
        }, quotient | {
            "product": Out(digit),  # the lower digit of the product
            # What the sum is made of, in the clock before: two digits and a carry.
            "parts": Out(data.StructLayout({"both": digit, "low": digit, "upper": 1})),
        })

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


def create_array(schedule):
    """Return the array of a schedule; both have the same ports, but for what m' needs."""
    return (DelayedArray if schedule.excess else PlainArray)(schedule)


class PlainArray(SystolicArray):
    """The systolic array of Figure 1 with CU, and the control of Algorithm 4.

    The sum is kept one step ahead of the paper's: T, of which the quotient digit is found, is
    (T + u m) / b + x_r y with the u of the step before. So the array multiplies u and the next
    digit of x in the same slot, and after the last digit there is one more slot without x.

    CU, in front of the array, has two blocks as in Figure 5: one for the product with m', as there,
    the other for the upper digit of u m_0, which is all of digit 0 that is carried. Figure 5 finds
    x_i y_0 a second time; here CU takes it from the first PE. What the paper adds in
    the accumulator of a block is added in logic, in three short additions a digit. With up to two
    digits per PE, CU adds up the lowest digit of the sum by itself, ahead of the array, which does
    it two clocks later, so that a digit of x takes a PE two clocks more than it has digits. The
    blocks then do without the register within the multiplication, and the one that finds u without
    the last one too: m' is multiplied with, and u chosen, in one clock.

    Nothing but the reset is broadcast. Digits of y and m are given while there is no slot.

    Latency and throughput: see :class:`~.chain.SystolicArray`; one product at a time.
    """

    def __init__(self, schedule):
        digit = schedule.digit_width
        # m' and m_0; the operand has the other digits of the modulus.
        super().__init__(schedule, {"inverse": In(digit), "lowest": In(digit)})

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        elements = [ProcessingElement(s, "inner" if index else "first")
                    for index in range(s.elements)]
        head = elements[0]
        bus = head.below.bus

        # -- Slots: one for each digit of x, and a last one in which x is 0.
        start, running = signals("start running")
        enter = Signal(name="enter")  # a slot begins with the next clock
        cycle = Signal(range(s.period), name="cycle", reset_less=True)
        ends = Signal(name="ends")
        exhausted, final = signals("exhausted final", reset_less=True)
        fresh = Signal(name="fresh", reset_less=True)  # this is the first slot
        # In this order CU and the PEs should lie.
        source = elements[1] if s.per_element == 1 else head  # it has digit 1 of the sum
        m.submodules.cu = cu = QuotientUnit(self, head, source, cycle=cycle, running=running,
                                            fresh=fresh)
        self.add_elements(m, elements, ProcessingElement(s, "tail"))
        m.d.comb += [enter.eq(start | (running & ends & ~final)),
                     self.takes.eq(enter & ~exhausted), self.leaves.eq(enter & exhausted),
                     self.done.eq(ends & final)]
        m.d.sync += [
            start.eq(self.begin),
            running.eq((running & ~self.done) | start),
            ends.eq(running & (cycle == s.period - 2)),
            cycle.eq(Mux(running & ~ends, cycle + 1, 0)),
        ]
        with m.If(self.begin):
            m.d.sync += [exhausted.eq(0), final.eq(0)]
        with m.Elif(enter):
            m.d.sync += [exhausted.eq(self.last), final.eq(exhausted), fresh.eq(start)]

        # -- The bus of the first PE.
        digit = Signal(s.digit_width, name="digit", reset_less=True)
        first = Signal(name="first")
        summed = Signal(name="summed")  # this clock is that of a digit of y
        m.d.sync += first.eq(enter)
        with m.If(enter):
            m.d.sync += digit.eq(Mux(exhausted, 0, self.x))
        with m.Elif(~running):
            m.d.sync += digit.eq(self.operand.digit)
        m.d.comb += [
            head.below.carries.high.eq(cu.high), head.below.carries.lower.eq(cu.carry),
            summed.eq(running & ~cycle[0] & (cycle < 2 * s.per_element)),
            bus.digit.eq(digit if head.joins else Mux(cycle[0], gate(~fresh, cu.quotient), digit)),
            bus.index.eq(cycle),
        ]
        self.operand_bus(m, bus)
        if head.joins:
            m.d.comb += [head.u.eq(cu.quotient), head.fresh.eq(fresh)]
        wait = s.multiplier_latency
        m.d.comb += [
            bus.first.eq(later(m, first, wait, "first", reset_less=False)),
            bus.clear.eq(~later(m, running, wait + 2, "running", reset_less=False)),
            # Without a slot too: here the sum is cleared, when in the next PE it is not yet.
            bus.inner.eq(later(m, ~running | (summed & ~first), wait + 3, "inner")),
            bus.take.eq(later(m, summed & final, wait + 3, "take", reset_less=False)),
            bus.keep.eq(later(m, summed & final & self.keep, wait + 3, "keep", reset_less=False)),
        ]

        # -- Digits of the result come back in pace with the PEs.
        returning = Signal(name="returning")
        phase, given = self.digit_clock()
        m.d.sync += phase.eq(Mux(phase == s.hop, 0, phase + 1))
        with m.If(self.leaves):
            m.d.sync += returning.eq(0)
        with m.Elif(bus.take & ~returning):
            m.d.sync += [returning.eq(1), phase.eq(1)]
        m.d.comb += [self.result.digit.eq(head.below.results),
                     self.result.valid.eq(bus.take | (returning & given))]
        return m
