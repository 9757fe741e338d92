# amaranth: UnusedElaboratable=no
"""A netlist of yosys as Amaranth's logic."""

from collections.abc import Iterable, Mapping
from typing import Any

from amaranth.hdl import Cat, Const, Elaboratable, Module, Signal, Value

from .cells import Cell, Memory, memory_of, number

__all__ = ["Netlist"]

_REGISTERS = ("$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce")


class Netlist(Elaboratable):
    """A flat module of one clock, as yosys' JSON has it; the clock is that of the domain ``sync``.

    Registers begin at 0 if the source does not say otherwise. An asynchronous reset of a register
    becomes a synchronous one. :exc:`ValueError` says that there is no port ``clock``, or a port in
    two directions.

    Attributes
    ----------
    inputs, outputs : dict from str to Signal
        The ports by name; the clock is none of them.
    """

    def __init__(self, module: Mapping[str, Any], *, name: str, clock: str) -> None:
        self._module, self._name = module, name
        self.inputs: dict[str, Signal] = {}
        self.outputs: dict[str, Signal] = {}
        #: From the number of a bit to the signal that drives it.
        self._drivers: dict[int, Value] = {}
        ports = module["ports"]
        if clock not in ports:
            raise ValueError(f"{name} has no port {clock}; it has {', '.join(sorted(ports))}")
        self._clock = ports[clock]["bits"][0]
        for port, each in ports.items():
            if each["direction"] == "inout":
                raise ValueError(f"Port {port} of {name} must have one direction, not inout")
            if port != clock:
                signal = Signal(len(each["bits"]), name=port)
                if each["direction"] == "input":
                    self._drive(signal, each["bits"])
                    self.inputs[port] = signal
                else:
                    self.outputs[port] = signal
        self._names, self._init = {}, {}
        for called, net in module["netnames"].items():
            for index, bit in enumerate(net["bits"]):
                if not called.startswith("$"):
                    self._names.setdefault(bit, (called, index))
            for bit, value in zip(net["bits"], reversed(net["attributes"].get("init", "")),
                                  strict=False):
                self._init[bit] = value

    def _drive(self, signal: Signal, bits: Iterable[int]) -> None:
        for index, bit in enumerate(bits):
            self._drivers[bit] = (signal, index)

    def _value(self, bits: list[int | str]) -> Value:
        """Return the value of bits, of which neighbours in a signal stay together."""
        parts: list[list] = []
        for bit in bits:
            signal, index = self._drivers.get(bit, (None, int(bit == "1")))
            if parts and signal is not None and parts[-1][0] is signal \
                    and parts[-1][2] == index:
                parts[-1][2] += 1
            elif signal is None and parts and parts[-1][0] is None:
                parts[-1][1] |= index << parts[-1][2]
                parts[-1][2] += 1
            else:
                parts.append([signal, index, index + 1] if signal is not None
                             else [None, index, 1])
        return Cat(Const(first, last) if signal is None else
                   signal if (first, last) == (0, len(signal)) else signal[first:last]
                   for signal, first, last in parts)

    def elaborate(self, platform):
        m = Module()
        cells = self._module["cells"]
        outputs = {}
        for label, cell in cells.items():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    called, index = self._names.get(bits[0], ("n", 0)) if bits else ("n", 0)
                    outputs[label] = signal = Signal(
                        len(bits), name=called if not index else f"{called}_{index}",
                        reset_less=True, init=self._first(cell, bits))
                    self._drive(signal, bits)
        memories = self._memories(m)
        for label, cell in cells.items():
            kind = cell["type"]
            if kind in _REGISTERS:
                self._register(m, cell, outputs[label])
            elif kind.startswith("$memrd"):
                memories[memory_of(cell)].read(cell, outputs[label])
            elif kind == "$pmux" and (cases := self._cases(cell)):
                with m.Switch(self._value(cases[0])):
                    for values, each in zip(cases[1], _parts(cell, "B"), strict=True):
                        with m.Case(*values):
                            m.d.comb += outputs[label].eq(self._value(each))
                    with m.Default():
                        m.d.comb += outputs[label].eq(self.port(cell, "A"))
            elif not kind.startswith(("$memwr", "$meminit")):
                m.d.comb += outputs[label].eq(Cell(self, cell).result)
        for port, signal in self.outputs.items():
            m.d.comb += signal.eq(self._value(self._module["ports"][port]["bits"]))
        return m

    def _cases(self, cell):
        """Return the bits that a choice compares with constants, and the values of each case, or
        None.

        yosys makes a machine of states of such a choice.
        """
        makers = {bit: each for each in self._module["cells"].values()
                  for port, bits in each["connections"].items()
                  if each["port_directions"][port] == "output" for bit in bits}
        chosen, found = None, []
        for bit in cell["connections"]["S"]:
            values, pending = [], [bit]
            while pending:
                maker = makers.get(pending.pop())
                if maker is None:
                    return None
                inputs = maker["connections"]
                if maker["type"] == "$reduce_or":
                    pending += inputs["A"]
                    continue
                if maker["type"] not in ("$eq", "$logic_not"):
                    return None
                value = inputs["B"] if "B" in inputs else ["0"] * len(inputs["A"])
                if chosen not in (None, inputs["A"]) or len(value) != len(inputs["A"]) or any(
                        each not in ("0", "1") for each in value):
                    return None
                chosen = inputs["A"]
                values.append("".join(reversed(value)))
            found.append(values)
        return chosen, found

    def _first(self, cell, bits):
        """Return what a register is at first: what is said, or else its value in a reset."""
        if cell["type"] not in _REGISTERS:
            return 0
        parameters = cell["parameters"]
        reset = next((parameters[name] for name in ("ARST_VALUE", "SRST_VALUE")
                      if name in parameters), "")[::-1]
        first = (self._init.get(bit, "x") for bit in bits)
        chosen = [said if said in "01" else reset[index:index + 1]
                  for index, said in enumerate(first)]
        return sum((bit == "1") << index for index, bit in enumerate(chosen))

    def check_clock(self, cell: Mapping[str, Any]) -> None:
        """Refuse a register or memory port on another clock."""
        bit, = cell["connections"]["CLK"]
        rising = int(cell["parameters"].get("CLK_POLARITY", "1"), 2)
        if bit != self._clock or not rising:
            name, _ = self._names.get(bit, (f"a gate ({cell['attributes'].get('src', '')})", 0))
            edge = "" if rising else "the falling edge of "
            raise ValueError(f"{self._name} has registers on {edge}{name}; all must be on the "
                             f"rising edge of {self._names[self._clock][0]}")

    def _register(self, m, cell, signal):
        self.check_clock(cell)
        kind, parameters = cell["type"], cell["parameters"]
        reset = next((name for name in ("ARST", "SRST") if f"{name}_VALUE" in parameters), None)
        data = self.port(cell, "D")
        enable = self.condition(cell, "EN") if "EN" in cell["connections"] else Const(1, 1)
        if reset is None:
            with m.If(enable):
                m.d.sync += signal.eq(data)
            return
        with m.If(self.condition(cell, reset) & (enable if kind == "$sdffce" else 1)):
            m.d.sync += signal.eq(number(parameters[f"{reset}_VALUE"]))
        with m.Elif(enable):
            m.d.sync += signal.eq(data)

    def port(self, cell: Mapping[str, Any], name: str) -> Value:
        """Return what is connected to a port of a cell."""
        return self._value(cell["connections"][name])

    def condition(self, cell: Mapping[str, Any], name: str) -> Value:
        """Return whether a port of one bit is active."""
        value = self.port(cell, name)
        return value if number(cell["parameters"][f"{name}_POLARITY"]) else ~value

    @property
    def name(self) -> str:
        return self._name

    def _memories(self, m):
        found = {}
        for cell in self._module["cells"].values():
            if cell["type"].startswith("$mem"):
                found.setdefault(memory_of(cell), []).append(cell)
        return {name: Memory(m, self, self._module["memories"][name], cells)
                for name, cells in found.items()}


def _parts(cell, name):
    """Return the connections of an input that holds one value for each case."""
    bits, width = cell["connections"][name], len(cell["connections"]["A"])
    return [bits[at:at + width] for at in range(0, len(bits), width)]
