# amaranth: UnusedElaboratable=no
"""A netlist of yosys as Amaranth's logic."""

from collections.abc import Iterable, Mapping
from typing import Any

from amaranth.hdl import Cat, Const, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory

__all__ = ["Netlist"]

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
_REGISTERS = ("$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce")
_LATCHES = ("$dlatch", "$adlatch", "$dlatchsr", "$sr")


class Netlist(Elaboratable):
    """A flat module of one clock, which is that of the domain ``sync``.

    Registers begin at 0 if the source does not say otherwise. An asynchronous reset of a register
    becomes a synchronous one.

    Parameters
    ----------
    module : dict
        The module as yosys' JSON has it.
    name : str
        What it is called in messages.
    clock : str
        Name of the port with the clock.

    Attributes
    ----------
    inputs, outputs : dict from str to Signal
        The ports by name; the clock is none of them.

    Raises
    ------
    ValueError
        If the module has no such port, or a port in two directions.
    """

    def __init__(self, module: Mapping[str, Any], *, name: str, clock: str) -> None:
        self._module, self._name = module, name
        self.inputs: dict[str, Signal] = {}
        self.outputs: dict[str, Signal] = {}
        #: From the number of a bit to the signal that drives it.
        self._drivers: dict[int, Value] = {}
        ports = module["ports"]
        if clock not in ports:
            raise ValueError(f"{name} has no port {clock}; it has {', '.join(ports)}")
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
                memories[_memory(cell)].read(cell, outputs[label])
            elif kind == "$pmux" and (cases := self._cases(cell)):
                with m.Switch(self._value(cases[0])):
                    for values, each in zip(cases[1], _parts(cell, "B"), strict=True):
                        with m.Case(*values):
                            m.d.comb += outputs[label].eq(self._value(each))
                    with m.Default():
                        m.d.comb += outputs[label].eq(self.port(cell, "A"))
            elif not kind.startswith(("$memwr", "$meminit")):
                m.d.comb += outputs[label].eq(_Cell(self, cell).result)
        for port, signal in self.outputs.items():
            m.d.comb += signal.eq(self._value(self._module["ports"][port]["bits"]))
        return m

    def _cases(self, cell):
        """Return the bits that a choice compares, and the values of each case, if it does so.

        yosys makes a machine of states of what compares one number with constants.
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
                found.setdefault(_memory(cell), []).append(cell)
        return {name: _Memory(m, self, self._module["memories"][name], cells)
                for name, cells in found.items()}


def _parts(cell, name):
    """Return the connections of an input that holds one value for each case."""
    bits, width = cell["connections"][name], len(cell["connections"]["A"])
    return [bits[at:at + width] for at in range(0, len(bits), width)]


def number(text: str) -> int:
    """Return a parameter of a cell as a number; what is undefined in it is 0."""
    return int(text.replace("x", "0").replace("z", "0"), 2)


def _memory(cell):
    return cell["parameters"]["MEMID"].removeprefix("\\")


class _Memory:
    """A memory, with its write ports; read ports are added."""

    def __init__(self, m: Module, netlist: Netlist, memory: Mapping[str, Any],
                 cells: list[Mapping[str, Any]]) -> None:
        self._m, self._netlist = m, netlist
        self._width, self._offset = int(memory["width"]), int(memory["start_offset"])
        depth = int(memory["size"])
        words = [0] * depth
        for cell in cells:
            if cell["type"].startswith("$meminit"):
                self._fill(words, cell)
        self._memory = Memory(shape=self._width, depth=depth, init=words)
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
        parameters = cell["parameters"]
        clocked = number(parameters["CLK_ENABLE"])
        if clocked:
            self._netlist.check_clock(cell)
            mask = number(parameters.get("TRANSPARENCY_MASK", "0"))
            port = self._memory.read_port(transparent_for=[
                write for index, write in enumerate(self._writes) if mask >> index & 1])
            self._m.d.comb += port.en.eq(self._netlist.port(cell, "EN"))
        else:
            port = self._memory.read_port(domain="comb")
        self._m.d.comb += [port.addr.eq(self._address(cell)), signal.eq(port.data)]


class _Cell:
    """A cell without state; ``result`` is the value of its output."""

    def __init__(self, netlist: Netlist, cell: Mapping[str, Any]) -> None:
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
        if kind in ("$pmux", "$bmux"):
            return self._chosen()
        if kind in ("$shl", "$sshl", "$shr", "$sshr", "$shift", "$shiftx"):
            return self._shifted()
        signed = bool(self._is_signed("A") and self._is_signed("B"))
        if kind in _BITWISE:
            return _BITWISE[kind](self._wide("A", y, signed), self._wide("B", y, signed))
        a, b = ((self._port(name).as_signed() if signed else self._port(name)) for name in "AB")
        if kind in _ARITHMETIC:
            return _ARITHMETIC[kind](a, b)
        if kind in _COMPARISONS:
            return _COMPARISONS[kind](a, b)
        if kind in _DIVISION and not signed:
            return _DIVISION[kind](a, b)
        raise ValueError(f"{self._netlist.name} has at {self._place} what is not supported "
                         f"({kind} of yosys)")

    def _chosen(self):
        a, b, s = self._port("A"), self._port("B"), self._port("S")
        if self._kind == "$bmux":
            width = len(a) >> len(s)
            return (a >> Cat(Const(0, width.bit_length() - 1), s))[:width] \
                if width & width - 1 == 0 else (a >> s * width)[:width]
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
