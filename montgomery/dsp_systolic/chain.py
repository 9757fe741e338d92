"""What both arrays are made of: processing elements (PEs) in a row; their sizes and times.

Time is counted in clocks from the beginning of a slot, the step for one digit of x, at the first
PE; the next PE is ``hop`` clocks later. In clock 2k of a slot the multiplier of a PE takes the
digit of x and digit k of y, in clock 2k + 1 the quotient digit and digit k of the modulus.
"""

import itertools

from amaranth.hdl import Cat, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.values import later
from ..core import Cycles, ceil_div

__all__ = ["DelayedSchedule", "Element", "PlainSchedule", "Slots", "SystolicArray"]


class Slots:
    """What both arrays have in common: slots, and digits on PEs."""

    def __init__(self, *, digit_width, digits, per_element):
        # The base b is 2**digit_width. Digits of x, and in use on PEs; digits of a PE.
        self.digit_width, self.digits, self.per_element = digit_width, digits, per_element
        #: Number of PEs.
        self.elements = ceil_div(digits, per_element)
        #: Clocks from a digit to the next one: two in a folded PE, for two products each.
        self.spacing = 1 if per_element == 1 else 2
        #: Clocks from a PE to the next.
        self.hop = per_element * self.spacing

    @staticmethod
    def excess_of(per_element):
        """Return the digits of what the modulus is scaled by."""
        return 0

    @property
    def slots(self):
        """Slots of a multiplication."""
        return self.digits + self.delay + 1

    @property
    def interval(self):
        """Clocks from a multiplication to one with its result."""
        return (self.slots - 1) * self.period + self.restart

    @property
    def initiation(self):
        """Clocks from a multiplication to the next one, whose operands are sent.

        Unless slots follow each other at once, y enters when the product before has left the array.
        """
        return self.slots * self.period if self.overlaps else self.interval + self.digits + 2

    def arrival(self, digit):
        """Return the clocks from digit 0 of the result to another, both back at the first PE.

        The lowest digits have moved down to the first PE before the sum is complete.
        """
        moved = min(digit, self.delay)
        element, own = divmod(digit - moved, self.per_element)
        return moved * self.period + element * (self.hop + 1) + own * self.spacing

    def cycles(self, *, ratio):
        """Return the clocks of the multiplier, with ``ratio`` digits in a word of the streams."""
        load, load_key = self.digits, max(self.digits + 1, self.inverse_latency)
        # The digits of the last slot pass through the queue.
        compute = self.lead + self.waits + self.digits * self.period + self.sum_latency + 1
        unload = 1 + self.arrival(self.digits - 1) - self.arrival(ratio - 1)
        if ratio > 1:
            # A word is accepted as a whole before its digits, and is there after the last of them.
            load -= ratio - 1
            load_key += 1
            compute += ratio + 1 + self.arrival(ratio - 1)
        return Cycles(load_key=load_key, load=load, compute=compute, unload=unload,
                      interval=self.interval)


class PlainSchedule(Slots):
    """Sizes and times of the array on the modulus itself, whose quotient digits CU finds.

    Digit k of the new sum is there in clock ``2k + sum_latency``. The slot after those of the
    digits of x has none.
    """

    #: No quotient digit waits, and the modulus is not scaled.
    delay = excess = 0
    #: Multipliers besides one for each PE: CU's.
    extra_multipliers = 2
    #: Operands are given when the product before has left the array.
    overlaps = False
    #: Clocks from the order to begin to the first slot.
    lead = 2

    def __init__(self, **sizes):
        super().__init__(**sizes)
        #: Clocks from the first digit of a key to m', a bit of which is found in each.
        self.inverse_latency = self.digit_width + 2
        #: Clocks for which the first slot waits: it begins four clocks after the first digit.
        self.waits = int(self.digits < 3)
        #: The lowest digit of the sum is found ahead of the sum, since it is waited for.
        self.ahead = self.per_element <= 2
        #: Clocks through a multiplier of a PE. Where a quotient digit is waited for, all do without
        #: the register within the multiplication, and the one with m' has that in front of it only.
        self.multiplier_latency = 2 if self.ahead else 3
        #: Clocks from a digit of x to the digit of the sum: the products, and two additions.
        self.sum_latency = self.multiplier_latency + 3
        #: Clocks from the lowest digit of the sum to the quotient digit.
        self.quotient_latency = 1 if self.ahead else self.multiplier_latency
        #: Clocks of a slot.
        self.period = (self.per_element + 2 if self.ahead else
                       max(2 * self.per_element, self.sum_latency + self.quotient_latency - 1))
        #: Clocks for which a digit of the sum waits to be added one place lower, in the next slot:
        #: digit k + 1 is there in clock ``spacing + sum_latency`` of digit k, and is added to it
        #: two clocks before digit k of the next slot is there.
        self.hold = self.period - self.spacing - 2
        #: Clocks from the last slot of a multiplication to the first of one with its result. The
        #: array forgets the sum in two slots. A digit of the result passes through a memory to be
        #: one of x: written two clocks after it was found, it is read in two, and kept in a
        #: register.
        self.restart = max(2 * self.period, self.sum_latency + 5)


class DelayedSchedule(Slots):
    """Sizes and times of the array with a delayed quotient.

    There are ``delay`` + 1 slots without x after those of its digits.
    """

    #: There is no m', and no multiplier but those of PEs.
    inverse_latency = extra_multipliers = 0
    #: Clocks from a digit of x to the part of the sum with its product: a multiplication, the
    #: addition of both digits of products, and that to the sum.
    x_latency = 5
    #: Clocks from a digit of x to the lowest digit of the whole sum: the part with the product of
    #: the quotient digit is a clock later, and added to the other one in one more.
    quotient_latency = 7
    #: The same, to the digit of the result, which is in a register.
    sum_latency = 8

    def __init__(self, **sizes):
        super().__init__(**sizes)
        #: Digits of what the modulus is scaled by.
        self.excess = self.excess_of(self.per_element)
        #: Slots for which a quotient digit waits, after it was the lowest digit of the sum. This is
        #: the shortest delay that leaves time for ``quotient_latency``. It is a multiple of the
        #: digits of a PE, so that a digit of the result is found in the PE where it becomes one of
        #: y, or as many PEs below it as it does for all others.
        self.delay = self.excess - 1
        #: Clocks of a slot.
        self.period = 2 * self.per_element
        #: Digits of y are taken while there are slots of the product before.
        self.overlaps = self.per_element == 1
        #: Clocks for which the first digit of the result waits, in front of the queue.
        self.waits = int(self.overlaps)
        #: Clocks from a digit of y in the last slot to when the result takes its place: that comes
        #: from the PEs below, which are as many clocks ahead.
        self.keep_latency = self.quotient_latency - self.delay * self.spacing
        #: Clocks from the order to begin to the first slot; a y that waits is passed on in one.
        self.lead = 3 if self.overlaps else 2
        #: Clocks from the last slot of a multiplication to the first of one with its result. A
        #: digit of the result passes through a memory to be one of x: written two clocks after it
        #: was found, it is read in two, and is there in the clock before its slot. All of the
        #: result is y before another y is given to a folded PE.
        self.restart = max(
            0 if self.overlaps else self.period + max(self.keep_latency, 5),
            self.sum_latency + 5 - self.delay * self.period)

    @staticmethod
    def excess_of(per_element):
        return 1 if per_element > 2 else 3


class SystolicArray(wiring.Component):
    """The ports of an array.

    Latency: ``lead`` clocks from ``begin`` to the first slot, the slots, and the clocks in which
    digits of the result come back. Throughput: a product with the result of the one before begins
    ``interval`` clocks after it; one with a y that was sent, ``initiation`` clocks after it.
    """

    def __init__(self, schedule, more):
        self.schedule = schedule
        digit = schedule.digit_width
        super().__init__({
            # ``load``: ``digit`` is the next one of y, or of the modulus if ``is_modulus``;
            # ``last_operand``: it is the last one.
            "operand": In(data.StructLayout({"digit": digit, "load": 1, "is_modulus": 1,
                                             "last_operand": 1})),
            # Multiply: the first slot begins ``lead`` clocks later, after the last one of the
            # multiplication before, and ``restart`` or more clocks after that one began if a result
            # is an operand.
            "begin": In(1),
            # A digit of x, which has to be there in the clock before its slot; it is the last one.
            "x": In(digit),
            "last": In(1),
            "takes": Out(1),  # it is taken with the end of this clock
            "keep": In(1),  # in the last slot: the result becomes y
            "leaves": Out(1),  # the last slot begins with the next clock
            "done": Out(1),  # or it has ended with that
            # After ``leaves``, in pace with the PEs, which do not stop after the last digit.
            "result": Out(data.StructLayout({"digit": digit, "valid": 1})),
        } | more)

    def add_elements(self, m, elements, tail):
        """Add PEs, in the order in which they should lie, and connect them."""
        for index, element in enumerate(elements):
            m.submodules[f"element_{index}"] = element
        m.submodules.tail = tail
        for lower, upper in itertools.pairwise([*elements, tail]):
            wiring.connect(m, lower.above, upper.below)

    def operand_bus(self, m, bus):
        """Connect the bus of the first PE with what comes with an operand, a clock late."""
        for name in ("load", "is_modulus", "last_operand"):
            m.d.comb += bus[name].eq(later(
                m, self.operand[name], 1, name, reset_less=name == "is_modulus",
                init=int(name == "last_operand")))

    def digit_clock(self):
        """Return a counter that goes with the digits of a PE, and whether there is one.

        They are ``spacing`` clocks apart, with a clock without between those of two PEs.
        """
        s = self.schedule
        phase = Signal(range(s.hop + 1), name="phase", reset_less=True)
        given = phase != s.hop
        return phase, given & ~phase[0] if s.spacing == 2 else given


class Element(wiring.Component):
    """The ports of a PE, and of the ``"tail"`` that comes after the last one.

    The tail has no multiplier, only the carry out of the last digit.

    Latency: :attr:`~.Slots.hop` clocks from the bus to the next PE. Throughput: a multiplication
    per clock, and so a digit of x per slot.
    """

    def __init__(self, schedule, place, bus, carries, more):
        self.schedule, self.place = schedule, place
        digit = schedule.digit_width
        bus = {
            "digit": digit,  # of x, of the quotient, or to be stored
            # Which digit of a PE it is multiplied by: twice the place of a digit of y, and one more
            # for the modulus.
            "index": range(2 * schedule.per_element)
        } | bus | {
            "keep": 1,  # a digit of the result becomes y
            "load": 1,  # the first PE without an operand keeps ``digit``
            "is_modulus": 1,  # it keeps it as a digit of the modulus, and not of y
            "last_operand": 1,  # after this digit all PEs take operands again
        }
        link = wiring.Signature({
            "bus": Out(data.StructLayout(bus)),
            "carries": Out(data.StructLayout(carries)),  # to the next digit
            "sum": In(digit),  # the lowest digit of the sum in the upper PE
            "results": In(digit),  # digits of the result on their way to the first PE
        })
        super().__init__({"below": In(link), "above": Out(link)} | more)

    def carried(self, m, flags):
        """Return the carries into a digit of a folded PE, by name, a clock late.

        They come from the digit before or, where the flag of that name is high, from the PE below.
        """
        found, below, above = {}, self.below.carries, self.above.carries
        for name, flag in flags.items():
            found[name] = Signal(len(below[name]), name=f"{name}_in", reset_less=True)
            m.d.sync += found[name].eq(below[name] if self.place == "tail" else
                                       Mux(flag, below[name], above[name]))
        return found

    def digit_memory(self, m, digit):
        """Add the memory of a folded PE; return the digit that is used, and whether it is full."""
        s, bus = self.schedule, self.below.bus
        count = Signal(range(s.per_element), name="count", reset_less=True)
        full = Signal(name="full", reset_less=True)
        mine, last = bus.load & ~full, count == s.per_element - 1
        with m.If(bus.last_operand):
            m.d.sync += [full.eq(0), count.eq(0)]
        with m.Elif(mine | bus.keep):
            m.d.sync += [full.eq(bus.load & last), count.eq(Mux(last, 0, count + 1))]
        m.submodules.operands = memory = Memory(shape=s.digit_width, depth=1 << len(bus.index),
                                                init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [write.addr.eq(Cat(bus.is_modulus & ~bus.keep, count)), write.data.eq(digit),
                     write.en.eq(mine | bus.keep), read.addr.eq(bus.index)]
        return read.data, full
