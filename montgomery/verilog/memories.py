# amaranth: UnusedElaboratable=no
"""Memories of yosys as those of Amaranth."""

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import memory

from .cells import number

__all__ = ["Memory", "memory_of"]


def memory_of(cell: Mapping[str, Any]) -> str:
    """Return the name of the memory of a port."""
    return cell["parameters"]["MEMID"].removeprefix("\\")


class Memory:
    """A memory, with its write ports; read ports are added."""

    def __init__(self, m: Module, netlist: Any, said: Mapping[str, Any],
                 cells: list[Mapping[str, Any]]) -> None:
        self._m, self._netlist = m, netlist
        self._width, self._offset = int(said["width"]), int(said["start_offset"])
        depth = int(said["size"])
        words = [0] * depth
        for cell in cells:
            if cell["type"].startswith("$meminit"):
                self._fill(words, cell)
        self._memory = memory.Memory(shape=self._width, depth=depth, init=words)
        m.submodules += self._memory
        writes = [cell for cell in cells if cell["type"].startswith("$memwr")]
        writes.sort(key=lambda cell: number(cell["parameters"].get("PORTID", "0")))
        self._writes = [self._write(cell) for cell in writes]

    def _fill(self, words, cell):
        address, = (int("".join(reversed(cell["connections"]["ADDR"])), 2),)
        data = "".join(reversed([str(bit) for bit in cell["connections"]["DATA"]]))
        value = number(data)
        for index in range(len(data) // self._width):
            words[address - self._offset + index] = (
                value >> index * self._width & (1 << self._width) - 1)

    def _address(self, cell):
        address = self._netlist.port(cell, "ADDR")
        return address - self._offset if self._offset else address

    def _write(self, cell):
        self._netlist.check_clock(cell)
        enables = cell["connections"]["EN"]
        parts = next(count for count in range(1, len(enables) + 1)
                     if len(enables) % count == 0 and all(
                         len(set(enables[at:at + len(enables) // count])) == 1
                         for at in range(0, len(enables), len(enables) // count)))
        size = self._width // parts
        port = self._memory.write_port(granularity=None if parts == 1 else size)
        enable = self._netlist.port(cell, "EN")
        self._m.d.comb += [port.addr.eq(self._address(cell)),
                           port.data.eq(self._netlist.port(cell, "DATA")),
                           port.en.eq(Cat(enable[at] for at in range(0, self._width, size)))]
        return port

    def read(self, cell: Mapping[str, Any], signal: Signal) -> None:
        """Add a read port, whose data are a signal."""
        parameters, netlist = cell["parameters"], self._netlist
        clocked = number(parameters["CLK_ENABLE"])
        own = clocked and self._needs_register(cell)
        if clocked:
            netlist.check_clock(cell)
        if clocked and not own:
            mask = number(parameters["TRANSPARENCY_MASK"])
            port = self._memory.read_port(transparent_for=[
                write for index, write in enumerate(self._writes) if mask >> index & 1])
            self._m.d.comb += port.en.eq(netlist.port(cell, "EN"))
        else:
            port = self._memory.read_port(domain="comb")
        data = self._register(cell, port.data) if own else port.data
        self._m.d.comb += [port.addr.eq(self._address(cell)), signal.eq(data)]

    def _needs_register(self, cell):
        """Return whether the data of a clocked port have a reset or a first value."""
        return "1" in cell["parameters"]["INIT_VALUE"] or any(
            cell["connections"][name] != ["0"] for name in ("ARST", "SRST"))

    def _register(self, cell, data):
        parameters, netlist = cell["parameters"], self._netlist
        if number(parameters["TRANSPARENCY_MASK"]) or number(parameters["CE_OVER_SRST"]):
            raise ValueError(f"{netlist.name} resets what it reads of the memory "
                             f"{memory_of(cell)} as is not supported; put a register behind it")
        values = [parameters[f"{name}_VALUE"] for name in ("INIT", "ARST", "SRST")]
        register = Signal(self._width, reset_less=True, init=number(values[0]))
        with self._m.If(netlist.port(cell, "ARST")):
            self._m.d.sync += register.eq(number(values[1]))
        with self._m.Elif(netlist.port(cell, "SRST")):
            self._m.d.sync += register.eq(number(values[2]))
        with self._m.Elif(netlist.port(cell, "EN")):
            self._m.d.sync += register.eq(data)
        return register
