# amaranth: UnusedElaboratable=no
"""A multiplier in Verilog that has streams of its own."""

from amaranth.hdl import Module

from ..core import Core
from .ports import Ports

__all__ = ["Multiplier"]


class Multiplier(Core):
    """Connects the streams of the core by the names of its ports.

    Latency and throughput are those of the core.
    """

    def elaborate(self, platform):
        m = Module()
        said = self.params._description
        m.submodules.core = netlist = self.params.netlist()
        ports = Ports(m, netlist, said["ports"].get("reset"))
        for name, each in said["streams"].items():
            stream = getattr(self, name)
            bits = self.params.word_width
            if name == "o":
                m.d.comb += [stream.valid.eq(ports.take(each["valid"]) & ports.ready),
                             stream.payload.eq(ports.take(each["payload"], bits))]
                ports.give(each["ready"], stream.ready)
            else:
                ports.give(each["valid"], stream.valid & ports.ready)
                ports.give(each["payload"], stream.payload, bits)
                m.d.comb += stream.ready.eq(ports.take(each["ready"]) & ports.ready)
        ports.check()
        return m
