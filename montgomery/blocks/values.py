"""Signals by name; values some clocks late, of a certain width, or with a carry; places that go
round; and what synthesis leaves where it is, registers and blocks of a device that have some.
"""

import sys

from amaranth.hdl import C, Cat, ClockSignal, EnableInserter, Instance, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of

__all__ = ["DeviceBlock", "OwnRegister", "add_carry", "add_with_carry", "after", "at_last",
           "delays", "later", "owned", "padded", "signals"]


def signals(names, shape=1, *, reset_less=False):
    """Return a signal for each of the names, between which there are blanks."""
    return [Signal(shape, name=name, reset_less=reset_less) for name in names.split()]


def delays(m, value, clocks, name, *, reset_less=True, number=0, init=0):
    """Return ``value`` and the registers that hold it 1, 2 … ``clocks`` clocks later.

    The registers are called by the name, and numbers from ``number`` on. If they are not
    ``reset_less`` they are ``init`` after a reset.
    """
    copies = [value]
    for index in range(clocks):
        register = Signal(len(value), name=f"{name}_{number + index}", reset_less=reset_less,
                          init=init)
        m.d.sync += register.eq(copies[-1])
        copies.append(register)
    return copies


def later(m, value, clocks, name, *, reset_less=True, number=0, init=0):
    """Return ``value``, some clocks late; see :func:`delays`."""
    return delays(m, value, clocks, name, reset_less=reset_less, number=number, init=init)[-1]


def add_with_carry(a, b, carry):
    """Return ``a + b + carry``, one bit longer, by one carry chain.

    Synthesis makes two chains of a sum of three, or full adders in front of one chain.
    """
    return (Cat(C(1, 1), a) + Cat(carry, b))[1:]


def add_carry(a, b, carry, sign=1):
    """Return ``a + b + carry`` or ``a - b - carry``, of signed numbers, by one carry chain."""
    a, b = Cat(C(int(sign > 0), 1), a).as_signed(), Cat(carry, b).as_signed()
    return (a + b if sign > 0 else a - b)[1:].as_signed()


def after(place, count, step=1):
    """Return the place a step of 0 or 1 after one of so many, which is 0 after the last one."""
    if 1 << len(place) == count:
        return place + step  # goes round by itself
    return Mux(step, Mux(place == count - 1, 0, place + 1), place)


def at_last(place, count):
    """Return whether a place is the last one of so many."""
    return place.all() if 1 << len(place) == count else place == count - 1


def padded(value, width):
    """Return ``value`` with zeros above it; the ports of an instance are not extended."""
    return Cat(value, C(0, width - len(value)))


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
