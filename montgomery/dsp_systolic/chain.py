"""What both arrays are made of: processing elements (PEs) in a row."""

import itertools

from amaranth.hdl import Cat, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.values import later

__all__ = ["Element", "SystolicArray"]


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
