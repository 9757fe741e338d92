"""The array, and what is in front of it: operands, quotient digits, and the result."""

import itertools

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.streams import adapt
from ..blocks.word_buffer import Pointer, WordBuffer
from ..core import Signature
from .element import ProcessingElement, later
from .queue import Queue
from .quotient import QuotientUnit

__all__ = ["Multiplier"]


class Multiplier(wiring.Component):
    """The systolic array of Figure 1, and the control of Algorithm 4.

    The sum is kept one step ahead of the paper's: T, of which the quotient digit is found, is
    (T + u m) / b + x_r y with the u of the step before. So the array multiplies u and the next
    digit of x in the same slot, and after the last digit there is one more slot without x.

    CU, in front of the array, has the paper's two blocks: one for the product with m', the other
    for the upper digit of u m_0, which is all of digit 0 that is carried. What the paper adds in
    the accumulator of a block is added in logic, in three short additions a digit. With up to two
    digits a PE, CU adds up the lowest digit of the sum by itself, ahead of the array, which does
    it two clocks later; on the plain modulus CU and the first PE then do without the register
    within the multiplication. Nothing but the reset is broadcast: operands, digits and control
    signals pass from PE to PE, results come back the same way.

    A multiplication takes :attr:`~.schedule.Schedule.period` clocks a digit, 3 on a scaled modulus,
    4 on a plain one, and a clock for each further digit of a PE up to 2, for 3 or more digits a PE
    twice as many as those; see :class:`~.schedule.Schedule`. The next one starts when its result
    has been taken.

    Parameters
    ----------
    params : :class:`montgomery.dsp_systolic.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        p = self.params
        m.submodules.array = array = _Array(p.schedule, p.ratio)
        adapt(m, self, array, width=p.digit_width, ratio=p.ratio)
        return m


class _Array(wiring.Component):
    """The multiplier on streams of digits.

    Parameters
    ----------
    schedule : :class:`~.schedule.Schedule`
    ratio : :class:`int`
        Digits that are sent for the constant m', of which the first is it.

    Members
    -------
    i : :py:`In(stream.Signature(digit_width))`
        Digits of x, of m' unless the modulus is scaled, of the modulus, of y.
    o : :py:`Out(stream.Signature(digit_width))`
        Digits of the result.
    """

    def __init__(self, schedule, ratio):
        self.schedule, self.ratio = schedule, ratio
        signature = stream.Signature(schedule.digit_width)
        super().__init__({"i": In(signature), "o": Out(signature)})

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        elements = [ProcessingElement(s, "inner" if index else "first")
                    for index in range(s.elements)]
        tail = ProcessingElement(s, "tail")
        for index, element in enumerate(elements):
            m.submodules[f"element_{index}"] = element
        m.submodules.tail = tail
        for lower, upper in itertools.pairwise([*elements, tail]):
            m.d.comb += [upper.bus.eq(lower.next_bus), upper.below.eq(lower.above),
                         lower.higher.eq(upper.lowest)]
            if upper is not tail:
                m.d.comb += lower.results.eq(upper.passed)
        head = elements[0]

        # -- Operands in: one register a state.
        taking_x = Signal(init=1)
        taking_c, taking_m, taking_y = Signal(), Signal(), Signal()
        running = Signal()
        valid = self.i.valid
        m.submodules.buffer = buffer = WordBuffer(s.digit_width, s.digits)
        m.submodules.place = place = Pointer(s.digits)
        last_x, last_c, last_m, last_y = Signal(), Signal(), Signal(), Signal()
        available = Signal()
        m.d.comb += [
            self.i.ready.eq(taking_x | taking_c | taking_m | taking_y),
            place.step.eq((taking_m | taking_y) & valid),
            buffer.push.eq(taking_x & valid), buffer.data.eq(self.i.payload),
            buffer.available.eq(available),
            last_x.eq(taking_x & valid & buffer.full),
            last_m.eq(taking_m & valid & place.last),
            last_y.eq(taking_y & valid & place.last),
        ]
        done = Signal()  # the last digit of the result has been handed over
        m.d.sync += [
            available.eq((~taking_x | last_x) & ~done),
            taking_x.eq((taking_x & ~last_x) | done),
            taking_m.eq((taking_m & ~last_m) | (last_x if s.scaled else last_c)),
            taking_y.eq((taking_y & ~last_y) | last_m),
        ]
        m.submodules.unit = unit = QuotientUnit(s)
        if not s.scaled:
            inverse = Signal(s.digit_width, reset_less=True)
            lowest = Signal(s.digit_width, reset_less=True)
            m.d.comb += [unit.inverse.eq(inverse), unit.modulus.eq(lowest)]
            with m.If(taking_m & valid & place.first):
                m.d.sync += lowest.eq(self.i.payload)
            sent = Signal(self.ratio, init=1)
            m.d.comb += last_c.eq(taking_c & valid & sent[-1])
            m.d.sync += taking_c.eq((taking_c & ~last_c) | last_x)
            with m.If(taking_c & valid):
                m.d.sync += sent.eq(sent.rotate_left(1))
                with m.If(sent[0]):
                    m.d.sync += inverse.eq(self.i.payload)

        # -- Slots: one for each digit of x, and a last one in which x is 0.
        start = Signal()
        enter = Signal()  # a slot begins with the next clock
        cycle = Signal(range(s.period), reset_less=True)
        ends = Signal(reset_less=True)
        exhausted, final = Signal(reset_less=True), Signal(reset_less=True)
        fresh = Signal(reset_less=True)  # this is the first slot
        m.d.comb += [enter.eq(start | (running & ends & ~final)),
                     buffer.o.ready.eq(enter & ~exhausted)]
        m.d.sync += [
            start.eq(last_y),
            running.eq((running & ~(ends & final)) | start),
            ends.eq(running & (cycle == s.period - 2)),
            cycle.eq(Mux(running & ~ends, cycle + 1, 0)),
        ]
        with m.If(last_y):
            m.d.sync += [exhausted.eq(0), final.eq(0)]
        with m.Elif(enter):
            m.d.sync += [exhausted.eq(buffer.last), final.eq(exhausted), fresh.eq(start)]

        # -- The bus of the first PE.
        digit = Signal(s.digit_width, reset_less=True)
        load, kind, end = Signal(), Signal(reset_less=True), Signal()
        first = Signal()
        summed = Signal()  # this clock is that of a digit of y
        # m_0 goes to CU alone; what is used of a scaled modulus begins above it.
        to_array = taking_y | (taking_m if s.scaled else taking_m & ~place.first)
        m.d.sync += [load.eq(valid & to_array), kind.eq(taking_m), end.eq(last_m | last_y),
                     first.eq(enter)]
        with m.If(enter):
            m.d.sync += digit.eq(Mux(exhausted, 0, buffer.o.payload))
        with m.Elif(~running):
            m.d.sync += digit.eq(self.i.payload)
        source = elements[1] if s.per_element == 1 else head  # it has digit 1 of the sum
        m.d.comb += [
            unit.digit.eq(head.bus.digit), unit.cycle.eq(cycle), unit.running.eq(running),
            unit.fresh.eq(fresh), unit.total.eq(head.lowest), unit.product.eq(head.product),
            unit.parts.eq(source.parts), unit.cleared.eq(source.bus.clear),
            head.below.high.eq(unit.high), head.below.lower.eq(unit.carry),
        ]
        m.d.comb += [
            summed.eq(running & ~cycle[0] & (cycle < 2 * s.per_element)),
            head.bus.digit.eq(Mux(cycle[0], gate(~fresh, unit.quotient), digit)),
            head.bus.index.eq(cycle), head.bus.load.eq(load), head.bus.kind.eq(kind),
            head.bus.end.eq(end),
        ]
        wait = s.multiplier_latency
        m.d.comb += [
            head.bus.first.eq(later(m, first, wait, "first", reset_less=False)),
            head.bus.clear.eq(~later(m, running, wait + 2, "running", reset_less=False)),
            # Without a slot too: here the sum is cleared, when in the next PE it is not yet.
            head.bus.inner.eq(later(m, ~running | (summed & ~first), wait + 3, "inner")),
            head.bus.take.eq(later(m, summed & final, wait + 3, "take", reset_less=False)),
        ]

        # -- The result. The PEs may have more digits than it has.
        m.submodules.queue = queue = Queue(s.digit_width, s.digits)
        m.submodules.pushed = pushed = Pointer(s.digits)
        m.submodules.popped = popped = Pointer(s.digits)
        storing = Signal()
        m.d.sync += storing.eq((storing & ~(queue.push & pushed.last)) | last_y)
        m.d.comb += [
            queue.push.eq(head.passed.valid & storing), queue.data.eq(head.passed.digit),
            pushed.step.eq(queue.push), popped.step.eq(self.o.valid & self.o.ready),
            done.eq(popped.step & popped.last),
        ]
        wiring.connect(m, queue.o, wiring.flipped(self.o))
        return m
