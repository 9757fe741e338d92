"""The array with the unit in front of it, and its slots.

The paper (Morales-Romero et al.) has these names for the parts of an array with one digit per PE.
PE j has digit j of y and digit j + 1 of the modulus, since the sum moves down before the multiple
of the modulus is added.

========================  ==========================================================================
in the paper              here
========================  ==========================================================================
IPE, PE(0) (Figure 2)     the first :class:`~.element.ProcessingElement` multiplies x_r y_0;
                          :class:`~.quotient.QuotientUnit` multiplies u m_0
GPE, PE(j) (Figure 3)     every other :class:`~.element.ProcessingElement` but the ``"tail"``
FPE, PE(n - 1)            the last :class:`~.element.ProcessingElement` with a multiplier; the
(Figure 4)                ``"tail"`` behind it has the upper digit of the FPE's output
CU (Figure 5)             :class:`~.quotient.QuotientUnit`
MMC (Algorithm 4)         the slots of :class:`PlainArray`, and what gives it digits of x:
                          :class:`~.multiplier.DspSystolicMultiplier`, or an exponentiator
========================  ==========================================================================
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In

from ..blocks.carry_save import gate
from ..blocks.values import later
from .chain import SystolicArray
from .delayed_array import DelayedArray
from .element import ProcessingElement
from .quotient import QuotientUnit

__all__ = ["PlainArray", "create_array"]


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

    Parameters
    ----------
    schedule : :class:`~.schedule.PlainSchedule`

    Members
    -------
    inverse, lowest : :py:`In(digit_width)`
        m' and m_0; the operand has the other digits of the modulus.
    others : see :class:`~.chain.SystolicArray`
    """

    def __init__(self, schedule):
        digit = schedule.digit_width
        super().__init__(schedule, {"inverse": In(digit), "lowest": In(digit)})

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        elements = [ProcessingElement(s, "inner" if index else "first")
                    for index in range(s.elements)]
        head = elements[0]
        bus = head.below.bus

        # -- Slots: one for each digit of x, and a last one in which x is 0.
        start, running = Signal(name="start"), Signal(name="running")
        enter = Signal(name="enter")  # a slot begins with the next clock
        cycle = Signal(range(s.period), name="cycle", reset_less=True)
        ends = Signal(name="ends")
        exhausted = Signal(name="exhausted", reset_less=True)
        final = Signal(name="final", reset_less=True)
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
