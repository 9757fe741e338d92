"""Registers, and blocks of a device that have some, which synthesis leaves where they are."""

import sys

from amaranth.hdl import ClockSignal, EnableInserter, Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of
from .values import later

__all__ = ["DeviceBlock", "OwnRegister", "owned"]


class DeviceBlock(Instance):
    """An instance of a block with registers.

    ``EnableInserter`` on what it is in is refused by :exc:`NotImplementedError`: all other
    registers would stop, and these go on. ``DomainRenamer`` and ``ResetInserter`` are right.
    """

    @property
    def type(self):
        # Amaranth copies instances as they are, and asks for their type first.
        if isinstance(sys._getframe(1).f_locals.get("self"), EnableInserter):
            raise NotImplementedError(
                f"EnableInserter must not be applied to a core with {self._type}, whose registers "
                "it cannot stop; pause the streams of the core, or elaborate it without a platform")
        return self._type

    @type.setter
    def type(self, value):
        self._type = value


class OwnRegister(wiring.Component):
    """A register that synthesis does not merge with others of the same value.

    So each of many columns has one nearby. Nothing resets it.

    Latency: one clock. Throughput: a bit per clock.
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
