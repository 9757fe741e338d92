"""Cores whose text is the same whatever they are called inside, and other cores."""

import re

import pytest
from amaranth import Cat, Module, Signal, Value
from amaranth.hdl import ClockSignal, Instance
from amaranth.lib import data, enum, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from explore.netlist.harness import core_rtlil
from explore.netlist.timing import with_names


class Step(enum.Enum, shape=2):
    IDLE = 0
    BUSY = 1
    DONE = 2


class Part(wiring.Component):
    """Counts, in a memory."""

    a: In(4)
    b: Out(4)

    def __init__(self, names, step):
        self.names, self.step = names, step
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        memory = Memory(shape=4, depth=8, init=[1, 2])
        setattr(m.submodules, self.names["memory"], memory)
        read, write = memory.read_port(), memory.write_port()
        count = Signal(3, name=self.names["count"])
        m.d.sync += count.eq(count + self.step)
        m.d.comb += [read.en.eq(1), write.en.eq(count[0]), read.addr.eq(count),
                     write.addr.eq(self.a), write.data.eq(self.a), self.b.eq(read.data)]
        return m


NAMES = {"memory": "memory", "count": "count", "part": "part", "block": "block", "sum": "sum",
         "state": "state"}


class Core(wiring.Component):
    """Two parts and a vendor's cell."""

    x: In(4)
    y: Out(4)
    z: Out(2)

    def __init__(self, names=(), *, step=1, swapped=False, cell="BLOCK", shape=2, alias=False):
        self.names = NAMES | dict(names)
        self.step, self.swapped, self.cell = step, swapped, cell
        self.shape, self.alias = shape, alias
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        first, second = Part(self.names, self.step), Part(self.names, 3)
        m.submodules += first
        m.submodules[self.names["part"]] = second
        total = Signal(4, name=self.names["sum"])
        state = Signal(self.shape, name=self.names["state"])
        result = Signal(4)
        m.submodules[self.names["block"]] = Instance(
            self.cell, p_WIDTH=4, i_CLK=ClockSignal(), i_A=total, o_P=result)
        summed = first.b + second.b
        if self.alias:
            debug = Signal(4)
            m.d.comb += debug.eq(summed)
            summed = debug
        m.d.sync += [total.eq(summed),
                     Value.cast(state).eq(total[:2] ^ Value.cast(state))]
        m.d.comb += [first.a.eq(self.x), second.a.eq(Cat(self.x[1], self.x[0], self.x[2:])
                                                     if self.swapped else self.x),
                     self.y.eq(~result), self.z.eq(~Value.cast(state))]
        return m


def _made(*args, **kwargs):
    return core_rtlil(Core(*args, **kwargs))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_does_not_change_the_text(name):
    own, other = _made(), _made({name: "a_new_one"})
    assert own.text == other.text
    # It is in the map alone, and nowhere else is another one.
    changed = [number for number in own.names if own.names[number] != other.names[number]]
    assert changed
    assert all("a_new_one" in other.names[number] for number in changed)
    assert "a_new_one" not in own.text


@pytest.mark.parametrize("same", [
    {"name": "taken"}, {"shape": Step}, {"alias": True},
    {"shape": data.StructLayout({"low": 1, "high": 1})}], ids=str)
def test_what_is_no_hardware_does_not_change_the_text(same):
    names = dict.fromkeys(("sum", "state"), same.pop("name")) if "name" in same else {}
    assert _made(names, **same).text == _made().text


@pytest.mark.parametrize("other", [{"step": 2}, {"swapped": True}, {"cell": "OTHER"},
                                   {"shape": 3}], ids=str)
def test_other_hardware_has_another_text(other):
    assert _made(**other).text != _made().text


def test_ports_and_cells_of_vendors_keep_their_names():
    text = _made().text
    ports = re.findall(r"wire width (\d+) (?:in|out)put \d+ +\\(\S+)", text)
    assert {name: int(width) for width, name in ports} == {
        "x": 4, "y": 4, "z": 2, "clk": 1, "rst": 1}
    cell = re.search(r"cell \\BLOCK \\(c\d+)\n(.*?)end", text, re.DOTALL)
    assert re.findall(r"\\([A-Z]+)", cell[2]) == ["WIDTH", "CLK", "A", "P"]
    assert _made().names[cell[1]] == "block"
    names = set(re.findall(r"^ *(?:wire|cell|memory) .*\\(\S+)$", text, re.MULTILINE))
    assert {name for name in names if not re.fullmatch(r"[nc]\d+", name)} == {
        name for _, name in ports}


def test_names_come_back():
    made = _made()
    numbers = {name: number for number, name in made.names.items()}
    assert {"sum", "state", "part.count", "part.memory", "block", "result"} <= numbers.keys()
    path = f"{numbers['sum']} to {numbers['part.memory']}.0.0: 1.00 ns logic, 2.00 ns routing"
    assert with_names(path, made.names) == "sum to part.memory.0.0: 1.00 ns logic, 2.00 ns routing"
    assert with_names("n999999 to chain's drive", made.names) == "n999999 to chain's drive"


def test_a_next_value_is_called_after_its_register():
    made = _made()
    register, = (number for number, name in made.names.items()
                 if name == "sum" and f"connect \\Q \\{number}\n" in made.text)
    after = re.search(rf"connect \\D \\(n\d+).*\n.*\n *connect \\Q \\{register}\n", made.text)[1]
    assert (after != register, made.names[after]) == (True, "sum")


def test_a_signal_in_parts_is_named_at_each():
    class Halves(wiring.Component):
        o: Out(4)

        def elaborate(self, platform):
            m = Module()
            halves = Signal(4)
            m.d.sync += halves[:2].eq(halves[2:])
            m.d.comb += [halves[2:].eq(~halves[:2]), self.o.eq(halves[::-1])]
            return m

    assert list(core_rtlil(Halves()).names.values()).count("halves") == 3
