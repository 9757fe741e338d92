"""Digits of the scalars of two operations that are under way."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .ranges import BASE
from .scalar_digits import WINDOW, ScalarDigits

__all__ = ["PairedDigits"]


class PairedDigits(wiring.Component):
    """Keeps a scalar of each of two operations, and gives digits of both.

    Latency, throughput: those of :class:`~.scalar_digits.ScalarDigits`.

    Parameters
    ----------
    count : :class:`int`
        Words of a scalar.

    Members
    -------
    push, word, slot_in : :py:`In(1)`, :py:`In(BASE)`, :py:`In(1)`
        Take a word of the scalar of an operation, the lowest one first.
    next : :py:`In(1)`
        Make the next digits.
    slot, negative_of : :py:`In(1)`
        The operations of whose digits ``magnitude`` and ``negative`` are.
    magnitude, negative : :py:`Out(range(2 << WINDOW))`, :py:`Out(1)`
        The digit, and above it the operation; whether the digit is negative.
    """

    LATENCY = ScalarDigits.LATENCY

    def __init__(self, count):
        self.count = count
        super().__init__({"push": In(1), "word": In(BASE), "slot_in": In(1), "next": In(1),
                          "slot": In(1), "negative_of": In(1),
                          "magnitude": Out(range(2 << WINDOW)), "negative": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.first = first = ScalarDigits(self.count)
        m.submodules.second = second = ScalarDigits(self.count)
        for slot, digits in enumerate((first, second)):
            m.d.comb += [digits.push.eq(self.push & (self.slot_in == slot)),
                         digits.word.eq(self.word), digits.next.eq(self.next)]
        magnitude = Signal(WINDOW)
        m.d.comb += [magnitude.eq(Mux(self.slot, second.magnitude, first.magnitude)),
                     self.magnitude.eq(Cat(magnitude, self.slot)),
                     self.negative.eq(Mux(self.negative_of, second.negative, first.negative))]
        return m
