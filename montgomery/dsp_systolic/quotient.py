"""What finds the quotient digits, the paper's CU, and the constant of a modulus that it needs."""

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.multiply_add import MultiplyAdd
from ..blocks.values import later, signals

__all__ = ["DigitInverse", "QuotientUnit"]


class QuotientUnit(Elaboratable):
    """CU, Figure 5: u = m' T_0 modulo b, and what T_0 + u m_0, whose lower digit is 0, carries.

    Latency: the digit is found in the slot in which it is used, from the sum of the one before.
    Throughput: a digit per slot.
    """

    def __init__(self, array, head, source, *, cycle, running, fresh):
        self.schedule, self.inverse, self.modulus = array.schedule, array.inverse, array.lowest
        # Clock of the slot; there is a slot; it is the first.
        self.cycle, self.running, self.fresh = cycle, running, fresh
        # ``head`` is the first PE, and ``source`` has digit 1 of the sum: what that is made of, in
        # the clock before, unless it will be 0 instead.
        self.product, self.total = head.product, head.below.sum
        self.parts, self.cleared = source.parts, source.below.bus.clear
        # Digit of the quotient, in the odd clocks of a slot; what is carried.
        self.quotient, self.high = signals("quotient high", array.schedule.digit_width)
        self.carry = Signal(name="carry")

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        m.submodules.lowest = lowest = self._multiplier(s.multiplier_latency)
        m.d.comb += [lowest.a.eq(gate(~self.fresh, self.quotient)), lowest.b.eq(self.modulus),
                     self.high.eq(lowest.p[s.digit_width:]),
                     self.quotient.eq(self._ahead(m) if s.ahead else self._behind(m))]
        return m

    def _ahead(self, m):
        """Return the quotient digit, all of which but one product is added before the sum is."""
        s = self.schedule
        total = Signal(s.digit_width, name="lowest_total")
        late = later(m, total, 1, "lowest_late")
        known = Signal(s.digit_width, name="known", reset_less=True)
        kept = ~self.cleared
        not_zero = Signal(name="not_zero", reset_less=True)
        m.d.sync += known.eq(self.product + gate(kept, self.parts.both) + gate(kept, self.parts.low)
                             + (kept & self.parts.upper) + not_zero)
        m.d.comb += [total.eq(self.product + known + self.high), self.carry.eq(not_zero)]
        with m.If(~self.running):
            m.d.sync += not_zero.eq(0)
        with m.Elif((self.cycle == 4 % s.period) & ~self.fresh):
            m.d.sync += not_zero.eq(late.any())
        return self._held(m, self._times_inverse(m, total if s.per_element == 1 else late))

    def _behind(self, m):
        """Return the quotient digit, found from the sum."""
        s = self.schedule
        there = Signal(name="there", reset_less=True)  # ``total`` is the lowest digit of the sum
        m.d.sync += there.eq(~self.running | (self.cycle == s.sum_latency - 1))
        not_zero = Signal(name="not_zero", reset_less=True)
        m.d.comb += self.carry.eq(not_zero)
        with m.If(there):
            m.d.sync += not_zero.eq(self.total.any())
        # Otherwise a slot is longer than it takes to find the digit.
        if s.period == s.sum_latency + s.quotient_latency - 1:
            return self._held(m, self._times_inverse(m, self.total))
        kept, quotient = signals("kept quotient_digit", s.digit_width, reset_less=True)
        with m.If(there):
            m.d.sync += kept.eq(self.total)
        found = self._times_inverse(m, kept)
        with m.If(self.cycle == 0):
            m.d.sync += quotient.eq(found)
        return quotient

    def _held(self, m, found):
        """Return what is there in clock 1 of a slot, from then on."""
        s = self.schedule
        if s.per_element == 1:
            return found
        held = Signal(s.digit_width, name="quotient_digit", reset_less=True)
        with m.If(self.cycle == 1):
            m.d.sync += held.eq(found)
        return Mux(self.cycle == 1, found, held)

    def _multiplier(self, latency):
        width = self.schedule.digit_width
        return MultiplyAdd(a_width=width, b_width=width, product_registers=max(latency - 2, 0),
                           output_register=latency > 1)

    def _times_inverse(self, m, value):
        """Return ``value`` times m' modulo b."""
        m.submodules.quotient = multiplier = self._multiplier(self.schedule.quotient_latency)
        m.d.comb += [multiplier.a.eq(value), multiplier.b.eq(self.inverse)]
        return multiplier.p[:self.schedule.digit_width]


class DigitInverse(wiring.Component):
    """Finds m' = -1/m_0 modulo b, a bit a clock.

    The bits of m' are chosen, from the lowest, so that the lowest bits of m' m_0 + 1 are 0. What is
    left of that sum is shifted down by a bit each time.

    Latency: ``width`` + 1 clocks. Throughput: one inverse at a time.
    """

    def __init__(self, width):
        self.width = width
        super().__init__({
            "start": In(1),  # find m' for the odd digit ``lowest``, which must stay
            "lowest": In(width),
            "inverse": Out(width),
            "done": Out(1),  # it is there; high until another ``start``, low before the first one
        })

    def elaborate(self, platform):
        m = Module()
        left = Signal(range(self.width + 1), name="left")
        total, inverse = signals("total inverse", self.width, reset_less=True)
        m.d.comb += self.inverse.eq(inverse)
        with m.If(self.start):
            m.d.sync += [left.eq(self.width), total.eq(1), self.done.eq(0)]
        with m.Elif(left != 0):
            added = total + Mux(total[0], self.lowest, 0)
            m.d.sync += [left.eq(left - 1), total.eq(added >> 1), self.done.eq(left == 1),
                         inverse.eq(Cat(inverse[1:], total[0]))]
        return m
