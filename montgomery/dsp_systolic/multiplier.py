"""The array, and what is in front of it: operands, quotient digits, and the result."""

import itertools

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.multiply_add import MultiplyAdd
from ..blocks.streams import adapt
from ..blocks.word_buffer import Pointer, WordBuffer
from ..core import Signature
from .element import ProcessingElement, later
from .queue import Queue

__all__ = ["Multiplier"]


class Multiplier(wiring.Component):
    """The systolic array of Figure 1, and the control of Algorithm 4.

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
        if not s.scaled:
            inverse = Signal(s.digit_width, reset_less=True)
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
        to_bus = taking_y if s.scaled else taking_y | (taking_m & ~place.first)
        m.d.sync += [load.eq(valid & (to_bus | taking_m if s.scaled else to_bus)),
                     kind.eq(taking_m), end.eq(last_m | last_y), first.eq(enter)]
        with m.If(enter):
            m.d.sync += digit.eq(Mux(exhausted, 0, buffer.o.payload))
        with m.Elif(~running):
            m.d.sync += digit.eq(self.i.payload)
        find = self._ahead if s.ahead else self._behind
        quotient = find(m, elements, running, fresh, cycle)
        m.d.comb += [
            summed.eq(running & ~cycle[0] & (cycle < 2 * s.per_element)),
            head.bus.digit.eq(Mux(cycle[0], gate(~fresh, quotient), digit)),
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
        if not s.scaled:
            # The lowest digit of T + u m is 0. What it carries is the upper digit of u m_0, and one
            # if the lower digits of T and of u m_0 were not 0 themselves.
            lowest = Signal(s.digit_width, reset_less=True)
            with m.If(taking_m & valid & place.first):
                m.d.sync += lowest.eq(self.i.payload)
            m.submodules.lowest = product = MultiplyAdd(
                a_width=s.digit_width, b_width=s.digit_width,
                product_registers=0 if s.ahead else 1)
            upper = product.p[s.digit_width:]
            m.d.comb += [product.a.eq(head.bus.digit), product.b.eq(lowest),
                         head.below.high.eq(later(m, upper, s.ahead, "upper")),
                         head.below.lower.eq(self._not_zero),
                         self._upper.eq(upper), self._inverse.eq(inverse)]

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

    def _ahead(self, m, elements, running, fresh, cycle):
        """Return the quotient digit, which is used in odd clocks of a slot.

        All of the lowest digit of the sum but the product with the quotient digit before is added
        first, from what digit 1 of the sum before is made of.
        """
        s = self.schedule
        width = s.digit_width
        head = elements[0]
        source = elements[1] if s.per_element == 1 else head
        known = Signal(width, name="known", reset_less=True)
        total = Signal(width, name="lowest_total")
        kept = ~source.bus.clear
        parts = [head.product, gate(kept, source.parts.both), gate(kept, source.parts.low),
                 kept & source.parts.upper]
        late = Signal(width, name="lowest_late", reset_less=True)
        m.d.sync += late.eq(total)
        if s.scaled:
            m.d.sync += known.eq(sum(parts))
            m.d.comb += total.eq(head.product + known)
            if s.per_element == 1:
                return total
            result = late
        else:
            self._carries(m)
            m.d.sync += known.eq(sum(parts) + self._not_zero)
            m.d.comb += total.eq(head.product + known + self._upper)
            with m.If(~running):
                m.d.sync += self._not_zero.eq(0)
            with m.Elif((cycle == 4 % s.period) & ~((s.period == 4) & fresh)):
                m.d.sync += self._not_zero.eq(late.any())
            result = self._times_inverse(m, total if s.per_element == 1 else late,
                                         product_registers=0)
        return self._held(m, result, cycle == 1)

    def _behind(self, m, elements, running, fresh, cycle):
        """Return the quotient digit, found from the sum."""
        s = self.schedule
        total = elements[0].lowest
        found = Signal(reset_less=True)  # ``total`` is the lowest digit of the sum
        m.d.sync += found.eq(~running | (cycle == s.sum_latency % s.period - 1))
        in_time = s.period == s.sum_latency + s.quotient_latency - 1
        source = total
        if not in_time and s.sum_latency != s.period:
            source = Signal(s.digit_width, name="kept", reset_less=True)
            with m.If(found):
                m.d.sync += source.eq(total)
        if not s.scaled:
            self._carries(m)
            with m.If(found):
                m.d.sync += self._not_zero.eq(total.any())
            source = self._times_inverse(m, source, product_registers=1)
        if in_time:
            return self._held(m, source, cycle == 1)
        quotient = Signal(s.digit_width, name="quotient_digit", reset_less=True)
        with m.If(cycle == 0):
            m.d.sync += quotient.eq(source)
        return quotient

    def _held(self, m, quotient, there):
        """Return ``quotient`` from clock 1 of a slot, when it is there, to the last one."""
        if self.schedule.per_element == 1:
            return quotient
        held = Signal(self.schedule.digit_width, name="quotient_digit", reset_less=True)
        with m.If(there):
            m.d.sync += held.eq(quotient)
        return Mux(there, quotient, held)

    def _carries(self, m):
        """Make what carries from the digit that u makes 0 into the lowest one of the next sum."""
        self._upper = Signal(self.schedule.digit_width, name="upper_in")
        self._inverse = Signal(self.schedule.digit_width, name="inverse_in")
        self._not_zero = Signal(name="not_zero", reset_less=True)

    def _times_inverse(self, m, value, product_registers):
        """Return ``value`` times m' modulo b."""
        width = self.schedule.digit_width
        m.submodules.quotient = multiplier = MultiplyAdd(
            a_width=width, b_width=width, product_registers=product_registers)
        m.d.comb += [multiplier.a.eq(value), multiplier.b.eq(self._inverse)]
        return multiplier.p[:width]
