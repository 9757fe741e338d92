"""Designs that a TOML file describes; :mod:`.module` derives a class from this one."""

import dataclasses

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..kinds import design
from .reading import FromSources

__all__ = ["Component", "Design"]

#: Ports that a component has anyway, or names that it cannot have.
_TAKEN = ("clk", "rst", "signature")


class Component(wiring.Component):
    """The top module with its ports; one that is called as the reset of a component has a ``_``.

    Latency and throughput are those of the module.

    Members
    -------
    Each port of the module but the clock.
    """

    def __init__(self, netlist):
        if not netlist.outputs:
            raise ValueError(f"{netlist.name} has no output, so that nothing of it would be left")
        self._netlist = netlist
        super().__init__({_called(name): flow(len(port)) for flow, ports in
                          ((In, netlist.inputs), (Out, netlist.outputs))
                          for name, port in ports.items()})

    def elaborate(self, platform):
        m = Module()
        m.submodules.design = self._netlist
        m.d.comb += [port.eq(getattr(self, _called(name)))
                     for name, port in self._netlist.inputs.items()]
        m.d.comb += [getattr(self, _called(name)).eq(port)
                     for name, port in self._netlist.outputs.items()]
        return m


def _called(port):
    return f"{port}_" if port in _TAKEN else port


@dataclasses.dataclass(frozen=True, kw_only=True)
class Design(FromSources, design.Design):
    """A design whose parameters are those of the top module, in small letters."""

    def create(self):
        return Component(self.netlist_of(self._description["clock"]))
