"""Claims about a block: what its outputs are, for every input in every clock.

A module ``claims`` beside blocks has a list ``CLAIMS``. Whoever proves a claim asks for its
hardware: the block with free inputs, beside registers and logic that say what it should do.
"""

import dataclasses
import typing

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["VIOLATED", "Checked", "Claim", "keeps_handshake"]

#: How the names of the outputs begin that are never to be high.
VIOLATED = "violated_"


class Checked(wiring.Component):
    """A component beside what is claimed of it.

    Parameters
    ----------
    component : :class:`amaranth.lib.wiring.Component`
    check : callable
        Takes the :class:`~amaranth.hdl.Module` to add logic to and the component, and returns the
        values of one bit that are never to be high, by name. A value that is called ``unless`` is
        none of them: from the clock on in which it is high nothing is claimed.

    Members
    -------
    ports of the component
        With the parts of a path joined by underscores. Inputs are inputs here too.
    violated : :py:`Out(1)`
        One for each value that ``check`` returns, named ``violated_…``.
    """

    def __init__(self, component, check):
        self._component, self._module = component, Module()
        self._values = dict(check(self._module, component))
        self._unless = self._values.pop("unless", None)
        self._ports = [("_".join(map(str, path)), member.flow, value) for path, member, value
                       in component.signature.flatten(component)]
        super().__init__({name: flow(value.shape()) for name, flow, value in self._ports}
                         | {VIOLATED + name: Out(1) for name in self._values})

    def elaborate(self, platform):
        m = self._module
        m.submodules.component = self._component
        for name, flow, value in self._ports:
            port = getattr(self, name)
            m.d.comb += value.eq(port) if flow is In else port.eq(value)
        void = Signal(name="void")
        if self._unless is not None:
            before = Signal(name="void_before", reset_less=True)
            m.d.comb += void.eq(before | self._unless)
            m.d.sync += before.eq(void)
        for name, value in self._values.items():
            m.d.comb += getattr(self, VIOLATED + name).eq(value & ~void)
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim about a block, and the sizes for which it is to be proved.

    Attributes
    ----------
    name : :class:`str`
        The block's class.
    text : :class:`str`
        What is claimed, in one line.
    create : callable
        Takes the parameters of the block, and returns it.
    check : callable
        See :class:`Checked`.
    sizes : tuple of :class:`dict`
        Parameters of the block, the smallest ones first.
    """

    name: str
    text: str
    create: typing.Callable
    check: typing.Callable
    sizes: tuple

    def hardware(self, size):
        """Return :class:`Checked` of one of :attr:`sizes`."""
        return Checked(self.create(**size), self.check)


def keeps_handshake(m, component):
    """Claim that a word on offer at port ``o`` stays until it is taken, unless there is a reset."""
    o = component.o
    waits = Signal(name="waits")
    payload = Signal.like(o.payload, name="waiting", reset_less=True)
    m.d.sync += [waits.eq(o.valid & ~o.ready), payload.eq(o.payload)]
    return {"valid": waits & ~o.valid, "payload": waits & o.valid & (o.payload != payload)}
