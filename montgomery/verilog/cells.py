# amaranth: UnusedElaboratable=no
"""Cells and memories of yosys as expressions and memories of Amaranth."""

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory

__all__ = ["Cell", "Memory", "memory_of", "number"]

_BITWISE = {"$and": lambda a, b: a & b, "$or": lambda a, b: a | b, "$xor": lambda a, b: a ^ b,
            "$xnor": lambda a, b: ~(a ^ b)}
_ARITHMETIC = {"$add": lambda a, b: a + b, "$sub": lambda a, b: a - b, "$mul": lambda a, b: a * b}
_DIVISION = {"$div": lambda a, b: a // b, "$mod": lambda a, b: a % b}
_COMPARISONS = {"$lt": lambda a, b: a < b, "$le": lambda a, b: a <= b, "$eq": lambda a, b: a == b,
                "$ne": lambda a, b: a != b, "$ge": lambda a, b: a >= b, "$gt": lambda a, b: a > b,
                "$eqx": lambda a, b: a == b, "$nex": lambda a, b: a != b,
                "$logic_and": lambda a, b: a.any() & b.any(),
                "$logic_or": lambda a, b: a.any() | b.any()}
_REDUCTIONS = {"$reduce_and": lambda a: a.all(), "$reduce_or": lambda a: a.any(),
               "$reduce_bool": lambda a: a.any(), "$reduce_xor": lambda a: a.xor(),
               "$reduce_xnor": lambda a: ~a.xor(), "$logic_not": lambda a: ~a.any()}
_LATCHES = ("$dlatch", "$adlatch", "$dlatchsr", "$sr")


def number(text: str) -> int:
    """Return a parameter of a cell as a number; what is undefined or missing in it is 0."""
    return int(f"0{text}".replace("x", "0").replace("z", "0"), 2)


class Cell:
    """A cell of a netlist without state, as yosys' JSON has it; ``result`` is the value of its
    output.

    :exc:`ValueError` says that it has state, or is not known.
    """

    def __init__(self, netlist: Any, cell: Mapping[str, Any]) -> None:
        self._netlist, self._cell = netlist, cell
        self._parameters = cell["parameters"]
        kind = self._kind = cell["type"]
        if kind in _LATCHES:
            raise ValueError(f"{netlist.name} has a latch at {self._place}; a register must have a "
                             "clock, and each branch must assign")
        if not kind.startswith("$"):
            raise ValueError(f"{netlist.name} uses {kind} at {self._place}, which is in none of "
                             "the sources")
        self._y_width = len(cell["connections"].get("Y", ()))
        self.result = self._made()

    @property
    def _place(self):
        return self._cell["attributes"].get("src", "an unknown line").split("|")[0]

    def _port(self, name):
        return self._netlist.port(self._cell, name)

    def _is_signed(self, name):
        return number(self._parameters.get(f"{name}_SIGNED", "0"))

    def _wide(self, name, width, signed):
        """Return an input in so many bits, extended by its sign or by zeros."""
        value = self._port(name)
        if len(value) >= width:
            return value[:width]
        return Cat(value, (value[-1] if signed else Const(0, 1)).replicate(width - len(value)))

    def _made(self):
        kind, y = self._kind, self._y_width
        if kind in _REDUCTIONS:
            return _REDUCTIONS[kind](self._port("A"))
        if kind in ("$not", "$pos", "$neg"):
            a = self._wide("A", y, self._is_signed("A"))
            return {"$not": lambda: ~a, "$pos": lambda: a, "$neg": lambda: -a}[kind]()
        if kind == "$mux":
            return Mux(self._port("S"), self._port("B"), self._port("A"))
        if kind == "$pmux":
            return self._chosen()
        if kind in ("$shl", "$sshl", "$shr", "$sshr", "$shift", "$shiftx"):
            return self._shifted()
        signed = bool(self._is_signed("A") and self._is_signed("B"))
        if kind in _BITWISE:
            return _BITWISE[kind](self._wide("A", y, signed), self._wide("B", y, signed))
        numbers = {**_ARITHMETIC, **_COMPARISONS, **({} if signed else _DIVISION)}
        if kind in numbers:
            return numbers[kind](*(self._port(name).as_signed() if signed else self._port(name)
                                   for name in "AB"))
        raise ValueError(f"{self._netlist.name} has at {self._place} what is not supported "
                         f"({kind} of yosys)")

    def _chosen(self):
        a, b, s = self._port("A"), self._port("B"), self._port("S")
        # At most one bit of s is high.
        width = len(a)
        result = Mux(s.any(), 0, a)
        for index, bit in enumerate(s):
            result = result | Mux(bit, b[index * width:(index + 1) * width], 0)
        return result

    def _shifted(self):
        kind, y = self._kind, self._y_width
        b = self._port("B")
        left, signed = kind in ("$shl", "$sshl"), self._is_signed("A")
        width = y if left else max(y, len(self._port("A")))
        a = self._wide("A", width, signed)
        fill = a[-1] if kind == "$sshr" and signed else Const(0, 1)
        if kind in ("$shift", "$shiftx") and self._is_signed("B"):
            right = self._moved(a, b[:-1], False, fill)[:y]
            return Mux(b[-1], self._moved(self._wide("A", width, signed), (-b)[:len(b)], True,
                                          fill)[:y], right)
        return self._moved(a, b, left, fill)[:y]

    def _moved(self, a, by, left, fill):
        """Return a number moved by an amount, with what is moved in."""
        bits = min(len(by), len(a).bit_length())
        near, far = by[:bits], by[bits:]
        moved = a << near if left else Cat(a, fill.replicate((1 << bits) - 1)) >> near
        return Mux(far.any(), fill.replicate(len(a)), moved[:len(a)])


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
