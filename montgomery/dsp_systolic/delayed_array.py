"""The array with a delayed quotient: its slots, and its processing elements (PEs)."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..blocks.carry_chain import ChosenSum
from ..blocks.carry_save import gate
from ..blocks.multiply_add import MultiplyAdd
from ..blocks.values import later, signals
from .chain import Element, SystolicArray

__all__ = ["DelayedArray", "DelayedElement"]


class DelayedElement(Element):
    """Some digits of the two parts of T <- floor(T / b) + q m + x_r y, with one multiplier.

    The sum T has two parts, that of the products with x and that of those with quotient digits,
    whose digits are found in turn. For digit k of a part P, with c and m or y as the multiplier::

        both_k = lower digit of c m_k + upper digit of c m_(k-1) + carry of both_(k-1)
        P_k    = both_k + P_(k+1) + carry of P_(k-1)

    So no sum waits for anything but the digit above it. The parts are added where their lowest
    digits leave the array and, when they are complete, everywhere: the result moves down from PE to
    PE, and up, to where it is y, as far as it has moved down in the steps without x.

    Latency and throughput: see :class:`~.chain.Element`.
    """

    def __init__(self, schedule, place="inner"):
        digit = schedule.digit_width
        # Of several digits, ``lowest`` is high two clocks after those of the lowest one. Of one,
        # ``load`` keeps ``given`` instead of ``digit``; ``renew``: the y that waits is used.
        own = {"lowest": 1} if schedule.per_element > 1 else {"given": digit, "renew": 1}
        super().__init__(schedule, place, own | {
            "fresh": 1,  # the sum before counts as 0, at the time of the addition to it
            # The sum is complete, but for the other part, which comes with the next clock.
            "final": 1,
        }, {
            "high": digit,  # the upper digit of the product
            "both": 1,  # the carries of both_k, of P_k, and of the sum of both parts
            "part": 1,
            "result": 1,
        }, {"kept": In(digit)})  # digits of the result that are to become y

    def elaborate(self, platform):
        m = Module()
        s, bus = self.schedule, self.below.bus
        below, above = self.below.carries, self.above.carries
        width = s.digit_width
        folded = s.per_element > 1
        product = Const(0, 2 * width) if self.place == "tail" else self._product(m)

        def register(name, shape):
            return Signal(shape, name=name, reset_less=True)

        high, both, part, result = (register("high", width), register("both", width + 1),
                                    register("part_of_sum", width + 1),
                                    register("result", width + 1))
        m.d.sync += high.eq(product[width:])
        m.d.comb += [above.high.eq(high), above.both.eq(both[-1]), above.part.eq(part[-1]),
                     above.result.eq(result[-1]), self.below.sum.eq(part),
                     self.below.results.eq(result)]
        carried = {name: below[name] for name in below.shape().members}
        old = self.above.sum
        if folded:
            # The digit below is in this PE, or the last one of the PE below, two clocks before.
            lowest = {"high": bus.lowest, "both": bus.lowest}
            lowest["part"] = later(m, bus.lowest, 1, "lowest")
            lowest["result"] = later(m, lowest["part"], 2, "lowest_result")
            carried = self.carried(m, lowest)
            if self.place != "tail":
                # The digit above is here too, or the lowest one of the PE above.
                old = later(m, Mux(lowest["result"], self.above.sum, part[:width]), s.period - 3,
                            "old")

        m.d.sync += both.eq(product[:width] + carried["high"] + carried["both"])
        if self.place == "tail":
            m.d.sync += part.eq(both[:width] + carried["part"])
            return m
        m.submodules.sum = add = ChosenSum(width)
        m.d.comb += [add.a.eq(both), add.b.eq(0), add.c.eq(old), add.choose.eq(bus.fresh),
                     add.carry.eq(carried["part"])]
        m.d.sync += part.eq(add.total)

        # A clock after that of the first part there is the second one. Otherwise nothing is added.
        other, final = register("other", width), register("final", 1)
        m.d.sync += [other.eq(part), final.eq(bus.final)]
        with m.If(~bus.final):
            m.d.sync += other.eq(0)
        m.submodules.whole = whole = ChosenSum(width)
        m.d.comb += [whole.a.eq(other), whole.b.eq(part), whole.c.eq(self.above.results),
                     whole.choose.eq(final), whole.carry.eq(carried["result"])]
        m.d.sync += result.eq(whole.total)
        return m

    def _product(self, m):
        """Add the multiplier, the storage of y and m and the bus; return the product."""
        s, bus = self.schedule, self.below.bus
        operand, full = (self.digit_memory(m, Mux(bus.keep, self.kept, bus.digit))
                         if s.per_element > 1 else self._registers(m))
        for name in bus.shape().members:
            value = bus.load & full if name == "load" else bus[name]
            m.d.comb += self.above.bus[name].eq(later(m, value, s.hop, f"next_{name}"))
        width = s.digit_width
        m.submodules.multiplier = multiplier = MultiplyAdd(a_width=width, b_width=width)
        m.d.comb += [multiplier.a.eq(bus.digit), multiplier.b.eq(operand)]
        return multiplier.p

    def _registers(self, m):
        """Add registers for a digit; return what is multiplied by, and whether one is there."""
        bus, width = self.below.bus, self.schedule.digit_width
        modulus, waiting, given, kept = signals(
            "modulus waiting given kept_y", width, reset_less=True)
        full = Signal(name="full", reset_less=True)
        mine = bus.load & ~full
        m.d.sync += full.eq((full | bus.load) & ~bus.last_operand)
        with m.If(mine & bus.is_modulus):
            m.d.sync += modulus.eq(bus.given)
        with m.If(mine & ~bus.is_modulus):
            m.d.sync += waiting.eq(bus.given)
        with m.If(bus.keep):
            m.d.sync += given.eq(0)
        with m.Elif(bus.renew):
            m.d.sync += given.eq(waiting)
        with m.If(bus.renew):
            m.d.sync += kept.eq(0)
        with m.Elif(bus.keep):
            m.d.sync += kept.eq(self.kept)
        return Mux(bus.index[0], modulus, given | kept), full


class DelayedArray(SystolicArray):
    """An array whose quotient digits were the lowest digits of the sum some slots before.

    Orup, "Simplifying quotient determination in high-radix modular multiplication": with a multiple
    of the modulus that is -1 modulo b**(d + 1)::

        q_r = T mod b;  T <- floor(T / b) + q_(r-d) (m + 1) / b**(d + 1) + x_r y

    for the digits of x and d + 1 slots more, in which x is 0. The result is T, and below it the
    last d quotient digits, which have not been multiplied by. The multiplier of a processing
    element (PE) takes a digit of x and one of the quotient in turn; only a single addition in each
    clock waits for the sum of the PE above.

    Nothing is broadcast, and in the PEs nothing is reset: what is on its way when there is a reset
    is followed by all that comes later.

    Of the modulus the digits of (m + 1) / b**(d + 1) are given. Those, and with several digits per
    PE those of y, are given while there is no slot; else those of y after ``begin`` of the product
    that takes the y before. A product takes the y that was given since the ``begin`` before, or
    else the one that is there. The result becomes y, unless a product with another one has begun.

    Latency and throughput: see :class:`~.chain.SystolicArray`.
    """

    def __init__(self, schedule):
        # With a digit per PE: the digit at ``x`` is taken with the next clock, so that a memory of
        # two clocks can be read in time.
        super().__init__(schedule, {"advance": Out(1)} if schedule.overlaps else {})

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        folded, delay = s.per_element > 1, s.delay
        elements = [DelayedElement(s) for _ in range(s.elements)]
        self.add_elements(m, elements, DelayedElement(s, "tail"))
        head = elements[0]
        bus = head.below.bus

        # -- Slots: one for each digit of x, and some in which x is 0.
        start, running = signals("start running")
        enter = Signal(name="enter")  # a slot begins with the next clock
        cycle = Signal(range(s.period), name="cycle")
        ends, follows = signals("ends follows")  # another slot
        after = Signal(delay + 1, name="after")  # slots since that of the last digit of x, one-hot
        empty, final = signals("empty final")  # x is 0; this is the last slot
        young = Signal(delay + 1, name="young")  # no quotient digit yet; the highest: first slot
        exhausted = Signal(name="exhausted")
        begun = later(m, self.begin, s.lead - 2, "begin", reset_less=False)
        m.d.comb += [
            start.eq(later(m, begun, 1, "begin_late", reset_less=False)),
            enter.eq(start | follows), self.takes.eq(enter & (start | ~exhausted)),
        ]
        nearly = running & (cycle == s.period - 2)  # the clock before the last one of a slot
        m.d.sync += [
            running.eq((running & ~self.done) | start),
            follows.eq(nearly & ~final), self.leaves.eq(nearly & after[-1]),
            self.done.eq(nearly & final), ends.eq(nearly),
            cycle.eq(Mux(running & ~ends, cycle + 1, 0)),
        ]
        with m.If(enter):
            m.d.sync += [
                after.eq(Cat(self.last & self.takes, gate(~start, after[:-1]))),
                exhausted.eq((exhausted & ~start) | self.last), empty.eq(exhausted & ~start),
                final.eq(after[-1] & ~start), young.eq((young >> 1) | start.replicate(delay + 1)),
            ]

        # The clock before that in which ``ends`` is high is the first one of the slot.
        begins = Signal(name="begins_slot")
        m.d.comb += begins.eq(running & (cycle == 0))

        # -- Lowest digits of the sum.
        def at(clocks, value, name):
            """Return what is so many clocks later than its slot at the first PE."""
            return later(m, value, clocks, name, reset_less=False)

        width = s.digit_width
        part = Signal(width, name="part", reset_less=True)
        lowest = Signal(width + 1, name="lowest_digit", reset_less=True)
        before = Signal(width, name="digit_before", reset_less=True)
        first = at(s.quotient_latency - 1, young[-1], "first")
        m.d.sync += part.eq(head.below.sum)
        with m.If(at(s.quotient_latency - 1, begins, "summed")):
            m.d.sync += [before.eq(lowest),
                         lowest.eq(part + head.below.sum + (lowest[-1] & ~first))]

        # -- The bus of the first PE.
        digit = Signal(width, name="digit", reset_less=True)
        with m.If(enter):
            m.d.sync += digit.eq(Mux(exhausted & ~start, 0, self.x))
        quotient = lowest[:width]
        if s.per_element not in (1, 3):
            # There it is not changed while it is used.
            quotient = Signal(width, name="quotient", reset_less=True)
            with m.If(cycle == 0):
                m.d.sync += quotient.eq(before if delay else lowest)
        completes = Signal(name="completes")  # the last slot multiplies a digit of the modulus next
        m.d.comb += completes.eq(running & final & ~cycle[0])
        final_sum = at(s.x_latency, completes, "final_sum")
        kept = at(s.keep_latency, completes & self.keep, "kept")
        m.d.comb += [bus.digit.eq(Mux(cycle[0], gate(~young[0], quotient), digit)),
                     bus.index.eq(cycle)]
        self.operand_bus(m, bus)
        m.d.comb += [bus.final.eq(final_sum),
                     bus.fresh.eq(at(s.x_latency - 1, young[-1], "fresh"))]
        if folded:
            with m.If(~enter & ~running):
                m.d.sync += digit.eq(self.operand.digit)
            m.d.comb += [bus.lowest.eq(at(2, cycle < 2, "lowest")), bus.keep.eq(kept),
                         head.below.carries.result.eq(lowest[-1] & final_sum)]
        else:
            given = Signal(width, name="given", reset_less=True)
            waits, renewed, renew = signals("y_waits renewed renew")
            m.d.sync += [
                given.eq(self.operand.digit),
                waits.eq((waits & ~renew) | (self.operand.load & self.operand.last_operand
                                             & ~self.operand.is_modulus)),
                renewed.eq((renewed & ~self.leaves) | renew),
            ]
            m.d.comb += [
                renew.eq(start & waits), bus.given.eq(given), bus.renew.eq(renew),
                bus.keep.eq(kept & ~renew & ~renewed),
                self.advance.eq(begun | (begins & ~exhausted)),
                head.below.carries.result.eq(lowest[-1] & at(1, final_sum, "final_sum_late")),
            ]
        self._connect_kept(m, elements, lowest[:width], before)

        # -- Digits of the result: the lowest ones, and then in pace with the PEs.
        returning = Signal(name="returning")
        phase, given = self.digit_clock()
        of_quotient = at(s.quotient_latency, begins & empty & ~final, "of_quotient")
        arrives = at(s.quotient_latency, begins & final, "arrives")
        returned = Mux(of_quotient, lowest[:width], head.below.results)
        m.d.comb += self.result.digit.eq(later(m, returned, 1, "returned"))
        m.d.sync += [
            phase.eq(Mux(arrives, 1, Mux(phase == s.hop, 0, phase + 1))),
            returning.eq((returning | arrives) & ~self.leaves),
            self.result.valid.eq(of_quotient | ((arrives | (returning & given)) & ~self.leaves)),
        ]
        return m

    def _connect_kept(self, m, elements, lowest, before):
        """Connect what becomes y: the result of as many PEs below as the quotient is delayed."""
        s = self.schedule
        shift = s.delay // s.per_element
        for index, element in enumerate(elements[shift:]):
            m.d.comb += element.kept.eq(elements[index].below.results)
        if s.per_element == 1:
            m.d.comb += [elements[0].kept.eq(before), elements[1].kept.eq(lowest)]
        elif shift:
            second = Signal(name="second_kept")
            with m.If(elements[0].below.bus.keep):
                m.d.sync += second.eq(~second)
            m.d.comb += elements[0].kept.eq(Mux(second, lowest, before))
