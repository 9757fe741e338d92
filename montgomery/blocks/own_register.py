"""Registers that synthesis leaves where they are."""

from amaranth.hdl import ClockSignal, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of
from .delay import later
from .device_block import DeviceBlock

__all__ = ["OwnRegister", "owned"]


class OwnRegister(wiring.Component):
    """A register that synthesis does not merge with others of the same value.

    So each of many columns has one nearby. Nothing resets it.

    Latency: one clock. Throughput: a bit per clock.

    Members
    -------
    d : :py:`In(1)`
    q : :py:`Out(1)`
    """

    def __init__(self):
        super().__init__({"d": In(1), "q": Out(1)})

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            m.submodules.register = DeviceBlock(
                "FD1S3AX", p_GSR="DISABLED", i_CK=ClockSignal(), i_D=self.d, o_Q=self.q)
        else:
            m.d.comb += self.q.eq(later(m, self.d, 1, "register"))
        return m


def owned(m, value, name):
    """Return a bit a clock later, in a register of its own."""
    m.submodules[name] = register = OwnRegister()
    m.d.comb += register.d.eq(value)
    return register.q
