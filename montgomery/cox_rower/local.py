"""Registers that many of the same kind are fed from, which stay many."""

from amaranth.hdl import ClockSignal, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of

__all__ = ["LocalRegister"]


class LocalRegister(wiring.Component):
    """A register beside what it feeds, of a value that others like it have too.

    yosys makes one register of all that have the same input, whose output then goes all over the
    device in the clock in which it is used. On an ECP5 the flip-flops are instances, which it
    leaves alone: there are as many as were asked for, and each can be near its loads. They are a
    cell of the vendor's library, which yosys knows as well.

    It is 0 at first, and nothing resets it.

    Latency: one clock. Throughput: a value per clock.

    Parameters
    ----------
    width : :class:`int`

    Members
    -------
    i : :py:`In(width)`
    o : :py:`Out(width)`
        What ``i`` was in the clock before.
    """

    def __init__(self, width):
        self.width = width
        super().__init__({"i": In(width), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name != "ecp5":
            late = Signal(self.width, name="late", reset_less=True)
            m.d.sync += late.eq(self.i)
            m.d.comb += self.o.eq(late)
            return m
        for bit in range(self.width):
            m.submodules[f"bit_{bit}"] = Instance(
                "FD1S3AX", p_GSR="DISABLED", i_CK=ClockSignal(), i_D=self.i[bit],
                o_Q=self.o[bit])
        return m
