"""The models of the ECP5's hard blocks do what the documents say, and what yosys takes them for."""

import dataclasses
import random

import pytest
from cxxrtl import Simulator, instance, seeded, top, yosys

from explore.tools.compiler import find_compiler

pytestmark = [pytest.mark.thorough,
              pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")]

CLOCKS = 1500


# --- Block RAM ---

@dataclasses.dataclass(frozen=True)
class Ram:
    """One configuration of the block RAM; ``cell`` is the form it is instantiated in."""

    a: int
    b: int
    modes: tuple = ("NORMAL", "NORMAL")
    regs: tuple = ("NOREG", "NOREG")
    reset: str = "SYNC"
    codes: tuple = (0, 5)
    cell: str = "DP16KD"


RAMS = {
    "wide": Ram(18, 18),
    "through": Ram(18, 18, ("READBEFOREWRITE", "WRITETHROUGH"), ("OUTREG", "NOREG")),
    "mixed": Ram(9, 18, ("READBEFOREWRITE", "NORMAL"), ("NOREG", "OUTREG"), "ASYNC", (7, 2)),
    "narrow": Ram(4, 9, ("WRITETHROUGH", "READBEFOREWRITE"), ("OUTREG", "OUTREG"), "ASYNC"),
    "pairs": Ram(1, 2, ("NORMAL", "WRITETHROUGH")),
    "nibbles": Ram(2, 4, ("WRITETHROUGH", "READBEFOREWRITE"), ("OUTREG", "NOREG")),
    "same": Ram(4, 4),
    "pseudo": Ram(36, 36, regs=("OUTREG", "OUTREG")),
    "reader": Ram(36, 9, regs=("NOREG", "OUTREG")),
    "half": Ram(36, 18, reset="ASYNC"),
    "renamed": Ram(36, 36, cell="PDPW16KD"),
    "renamed_half": Ram(36, 18, regs=("OUTREG", "OUTREG"), reset="ASYNC", cell="PDPW16KD"),
}
CONTENTS = {f"INITVAL_{n:02X}": random.Random(n).getrandbits(320) for n in (0, 1, 0x2a, 0x3f)}
RAM_INPUTS = {f"{name}{port}": width for port in "ab" for name, width in
              {"di": 18, "ad": 14, "ce": 1, "oce": 1, "we": 1, "rst": 1, "cs": 3}.items()}


def ram_instance(name, ram):
    if ram.cell == "PDPW16KD":
        return instance("PDPW16KD", f"ram_{name}", {
            "DATA_WIDTH_W": 36, "DATA_WIDTH_R": ram.b, "REGMODE": ram.regs[1],
            "RESETMODE": ram.reset, "ASYNC_RESET_RELEASE": ram.reset,
            "CSDECODE_W": f"0b{ram.codes[0]:03b}", "CSDECODE_R": f"0b{ram.codes[1]:03b}",
            **CONTENTS}, [
            ("CLKW", 0, "clk"), ("CLKR", 0, "clk"), ("CEW", 0, "cea & wea"), ("CER", 0, "ceb"),
            ("OCER", 0, "oceb"), ("RST", 0, "rstb"), ("CSW", 3, "csa"), ("CSR", 3, "csb"),
            ("DI", 36, "dia_dib"), ("ADW", 9, "ada_row"), ("BE", 4, "ada"), ("ADR", 14, "adb"),
            ("DO", 36, name)])
    buses = []
    for port in "AB":
        low = port.lower()
        buses += [("CLK" + port, 0, "clk"), ("DI" + port, 18, "di" + low),
                  ("AD" + port, 14, "ad" + low), ("CS" + port, 3, "cs" + low)]
        buses += [(key + port, 0, (key + port).lower()) for key in ("CE", "OCE", "WE", "RST")]
    buses += [(f"DOA{n}", 0, f"{name}[{n}]") for n in range(18)]
    buses += [(f"DOB{n}", 0, f"{name}[{n + 18}]") for n in range(18)]
    return instance("DP16KD", f"ram_{name}", {
        "DATA_WIDTH_A": ram.a, "DATA_WIDTH_B": ram.b, "WRITEMODE_A": ram.modes[0],
        "WRITEMODE_B": ram.modes[1], "REGMODE_A": ram.regs[0], "REGMODE_B": ram.regs[1],
        "RESETMODE": ram.reset, "ASYNC_RESET_RELEASE": ram.reset,
        "CSDECODE_A": f"0b{ram.codes[0]:03b}", "CSDECODE_B": f"0b{ram.codes[1]:03b}",
        **CONTENTS}, buses)


def units(width, address):
    """Return the bits of the array that a word consists of, lowest first, a list for each byte."""
    if width >= 9:
        first = (address >> {9: 3, 18: 4, 36: 5}[width]) * width
        return [list(range(at, at + 9)) for at in range(first, first + width, 9)]
    # The ninth bit of a byte is out of reach.
    return [[(address >> 3) * 9 + (address & 7 & -width) + n for n in range(width)]]


class RamModel:
    """The block RAM, bit by bit, as the documents named in the models have it."""

    def __init__(self, ram):
        self._ram = ram
        words = [value >> 20 * n & 0x3ffff for index in range(64)
                 for value in [CONTENTS.get(f"INITVAL_{index:02X}", 0)] for n in range(16)]
        self._bits = [word >> n & 1 for word in words for n in range(18)]
        self._latch = {port: [0] * 36 for port in "ab"}
        self._register = {port: [0] * 36 for port in "ab"}

    def outputs(self, given):
        shown = {}
        for index, port in enumerate("ab"):
            if self._ram.reset == "ASYNC" and given["rst" + port]:
                self._latch[port] = self._register[port] = [0] * 36
            bits = (self._register if self._ram.regs[index] == "OUTREG" else self._latch)[port]
            shown[port] = _number(bits)
        half = (1 << 18) - 1
        if self._ram.a != 36:
            return shown["a"] | shown["b"] << 18
        if self._ram.b != 36:
            return shown["b"] if self._ram.cell == "PDPW16KD" else shown["b"] << 18
        if self._ram.cell == "PDPW16KD":
            return shown["b"] >> 18 | (shown["b"] & half) << 18
        return shown["b"]

    def clock(self, given):
        ram = self._ram
        widths = dict(zip("ab", (ram.a, ram.b), strict=True))
        words = {port: units(widths[port], given["ad" + port]) for port in "ab"}
        data = {port: given["di" + port] for port in "ab"}
        if ram.a == 36:
            data["a"] |= given["dib"] << 18
        active, written = {}, {}
        for index, port in enumerate("ab"):
            selected = given["ce" + port] and given["cs" + port] == ram.codes[index]
            writes = selected and given["we" + port] and not (port == "b" and ram.a == 36)
            active[port] = selected, writes
            blocked = ram.reset == "SYNC" and given["rst" + port]
            if port == "a" and ram.cell == "PDPW16KD":
                blocked = ram.reset == "SYNC" and given["rstb"]
            enabled = [widths[port] < 18 or given["ad" + port] >> n & 1
                       for n in range(len(words[port]))]
            written[port] = [(n, unit) for n, unit in enumerate(words[port])
                             if writes and not blocked and enabled[n]]
        touched = {port: {bit for _, unit in written[port] for bit in unit} for port in "ab"}
        before = {port: self._read(words[port], touched["ba"["ab".index(port)]]) for port in "ab"}
        for index, port in enumerate("ab"):
            self._output(port, ram, index, given, active[port], before[port], data[port],
                         [n for n, _ in written[port]], widths[port])
        clash = touched["a"] & touched["b"]
        for port in "ab":
            for n, unit in written[port]:
                for at, bit in enumerate(unit):
                    value = data[port] >> 9 * n + at & 1
                    if not clash:
                        self._bits[bit] = value
                    elif port == "a":
                        self._bits[bit] = value ^ 1

    def _read(self, word, others):
        return [self._bits[bit] ^ any(other in others for other in unit)
                for unit in word for bit in unit]

    def _output(self, port, ram, index, given, active, before, data, written, width):
        selected, writes = active
        reset = given["rst" + port]
        # The register takes what the latch had before this clock.
        if reset and (ram.reset == "ASYNC" or given["oce" + port]):
            self._register[port] = [0] * 36
        elif given["oce" + port]:
            self._register[port] = self._latch[port]
        if reset:
            self._latch[port] = [0] * 36
        elif selected and not writes:
            self._latch[port] = before
        elif selected and ram.modes[index] == "READBEFOREWRITE":
            self._latch[port] = before if width >= 9 else [bit ^ 1 for bit in before]
        elif selected and ram.modes[index] == "WRITETHROUGH":
            self._latch[port] = [data >> n & 1 if n // 9 in written else bit ^ 1
                                 for n, bit in enumerate(before[:width])]


def _number(bits):
    return sum(bit << n for n, bit in enumerate(bits))


def ram_stimuli(rng, count):
    """Return inputs in which the ports meet often, at places with and without initial contents."""
    rows = [0, 1, 2, 0x2a << 3 | 5, 0x3f << 3 | 7]
    codes = {code for ram in RAMS.values() for code in ram.codes}
    for _ in range(count):
        given = {name: rng.getrandbits(width) for name, width in RAM_INPUTS.items()}
        for port in "ab":
            given["ad" + port] = rng.choice(rows) << 5 | rng.getrandbits(5)
            given["ce" + port] |= rng.getrandbits(1)
            given["rst" + port] &= rng.getrandbits(1) & rng.getrandbits(1)
            given["cs" + port] = rng.choice(sorted(codes))
        yield given


def test_block_ram(tmp_path, request):
    rng = seeded(request)
    outputs = dict.fromkeys(RAMS, 36)
    body = ("wire [35:0] dia_dib = {dib, dia};\nwire [8:0] ada_row = ada[13:5];\n"
            + "".join(ram_instance(name, ram) for name, ram in RAMS.items()))
    (tmp_path / "top.v").write_text(top(RAM_INPUTS, outputs, body))
    simulator = Simulator(tmp_path, ["read_verilog -defer models.v top.v"], RAM_INPUTS, outputs)
    assert simulator.settles

    expected = {name: RamModel(ram) for name, ram in RAMS.items()}
    stimuli = list(ram_stimuli(rng, CLOCKS))
    for clock, (given, shown) in enumerate(zip(stimuli, simulator.run(stimuli), strict=True)):
        for name, model in expected.items():
            assert shown[name] == model.outputs(given), (name, clock, given)
            model.clock(given)

    # Written in clock 0 and read in clock 1: there in clock 2, or 3 with the output register.
    idle = dict.fromkeys(RAM_INPUTS, 0) | {"csa": 0, "csb": 5, "oceb": 1}
    write = idle | {"cea": 1, "wea": 1, "dia": 0x2ff77, "dib": 0x11, "ada": 1 << 5 | 15}
    read = idle | {"ceb": 1, "adb": 1 << 5}
    shown = simulator.run([write, read, idle, idle])
    assert [clock["half"] >> 18 == 0x2ff77 for clock in shown] == [False, False, True, True]
    assert [clock["pseudo"] == 0x11 << 18 | 0x2ff77 for clock in shown] == [False] * 3 + [True]


# --- Multiplier ---

def registers(clocks, ces=(0, 0, 0, 0), rsts=(0, 0, 0, 0), reset="SYNC", **other):
    """Return parameters; ``clocks`` and so on are for input A, input B, pipeline and output."""
    parameters = {"RESETMODE": reset, **other}
    names = ("INPUTA", "INPUTB", "PIPELINE", "OUTPUT")
    for name, clock, ce, rst in zip(names, clocks, ces, rsts, strict=True):
        parameters[f"REG_{name}_CLK"] = "NONE" if clock is None else f"CLK{clock}"
        parameters[f"REG_{name}_CE"], parameters[f"REG_{name}_RST"] = f"CE{ce}", f"RST{rst}"
    return parameters


MULTIPLIERS = {
    "plain": registers((None,) * 4),
    "full": registers((0,) * 4),
    "full_async": registers((3, 2, 1, 0), (0, 1, 2, 3), (3, 2, 1, 0), "ASYNC"),
    "inputs": registers((1, 2, None, None), (1, 2, 0, 0), (2, 1, 0, 0)),
    "one_input": registers((0, None, None, 3), (3, 0, 0, 2), (1, 0, 0, 2)),
    "pipeline": registers((None, None, 2, None), (0, 0, 3, 0), (0, 0, 2, 0), "ASYNC"),
}
MULTIPLIER_INPUTS = {"a": 18, "b": 18, "sria": 18, "srib": 18, "signeda": 1, "signedb": 1,
                     "sourcea": 1, "sourceb": 1, "ce": 4, "rst": 4}


class MultiplierModel:
    """The multiplier on Python's integers."""

    def __init__(self, parameters):
        self._parameters = parameters
        self._kept = {"INPUTA": (0, 0), "INPUTB": (0, 0), "PIPELINE": (0, 0), "OUTPUT": 0}

    def _stage(self, name, given, value):
        """Return what is seen behind a register, and note what it takes at the clock."""
        parameters = self._parameters
        if parameters[f"REG_{name}_CLK"] == "NONE":
            return value
        nothing = 0 if name == "OUTPUT" else (0, 0)
        reset = given["rst"] >> int(parameters[f"REG_{name}_RST"][-1]) & 1
        enable = given["ce"] >> int(parameters[f"REG_{name}_CE"][-1]) & 1
        if reset and parameters["RESETMODE"] == "ASYNC":
            self._kept[name] = nothing
        shown = self._kept[name]
        self._next[name] = nothing if reset else value if enable else shown
        return shown

    def clock(self, given):
        self._next = {}
        operands = []
        for port in "ab":
            value = given["sri" + port if given["source" + port] else port]
            operands.append(self._stage("INPUT" + port.upper(), given,
                                        (value, given["signed" + port])))
        factors = [value - (1 << 18) if signed and value >> 17 else value
                   for value, signed in operands]
        signed = operands[0][1] | operands[1][1]
        product, signed = self._stage("PIPELINE", given,
                                      (factors[0] * factors[1] % (1 << 36), signed))
        p = self._stage("OUTPUT", given, product)
        self._kept |= self._next
        return {"p": p, "signedp": signed, "roa": operands[0][0], "srob": operands[1][0]}


def test_multiplier(tmp_path, request):
    rng = seeded(request)
    shapes = {"p": 36, "signedp": 1, "roa": 18, "srob": 18}
    outputs = {f"{name}_{port}": width for name in MULTIPLIERS for port, width in shapes.items()}
    body = ""
    for name, parameters in MULTIPLIERS.items():
        buses = [(f"CLK{n}", 0, "clk") for n in range(4)]
        buses += [(port.upper(), 0 if width == 1 else width, port)
                  for port, width in MULTIPLIER_INPUTS.items()]
        buses += [("SIGNEDP", 0, f"{name}_signedp"), ("P", 36, f"{name}_p"),
                  ("ROA", 18, f"{name}_roa"), ("SROB", 18, f"{name}_srob")]
        body += instance("MULT18X18D", f"mult_{name}", parameters, buses)
    (tmp_path / "top.v").write_text(top(MULTIPLIER_INPUTS, outputs, body))
    simulator = Simulator(tmp_path, ["read_verilog -defer models.v top.v"], MULTIPLIER_INPUTS,
                          outputs)
    assert simulator.settles

    stimuli = []
    for _ in range(CLOCKS):
        given = {name: rng.getrandbits(width) for name, width in MULTIPLIER_INPUTS.items()}
        given["rst"] &= rng.getrandbits(4) & rng.getrandbits(4)
        given["ce"] |= rng.getrandbits(4)
        if rng.random() < 0.1:  # the corners
            given["a"], given["b"] = (rng.choice((0, 1, 0x1ffff, 0x20000, 0x3ffff)) for _ in "ab")
        stimuli.append(given)
    expected = {name: MultiplierModel(parameters) for name, parameters in MULTIPLIERS.items()}
    for clock, (given, shown) in enumerate(zip(stimuli, simulator.run(stimuli), strict=True)):
        for name, model in expected.items():
            for port, value in model.clock(given).items():
                assert shown[f"{name}_{port}"] == value, (name, port, clock, given)

    # All registers together take three clocks.
    idle = dict.fromkeys(MULTIPLIER_INPUTS, 0) | {"ce": 15}
    shown = simulator.run([idle | {"a": 0x3ffff, "b": 0x3ffff}, idle, idle, idle, idle])
    assert [clock["full_p"] for clock in shown] == [0, 0, 0, 0x3ffff ** 2, 0]


# --- What is refused ---


@pytest.mark.parametrize(("cell", "parameters"), [
    ("MULT18X18D", '.REG_OUTPUT_CLK("CLK4")'),
    ("MULT18X18D", '.REG_INPUTC_CLK("CLK0")'),
    ("DP16KD", '.WRITEMODE_A("BOTH")'),
    ("DP16KD", '.RESETMODE("ASYNC")'),
    ("PDPW16KD", '.CSDECODE_R("0b2")'),
])
def test_refused(tmp_path, cell, parameters):
    """What is not modelled stops the elaboration and says why."""
    (tmp_path / "top.v").write_text(f"module top; {cell} #({parameters}) x(); endmodule\n")
    with pytest.raises(RuntimeError, match="is_not_modelled"):
        yosys(tmp_path, ["read_verilog -defer models.v", "read_verilog top.v",
                         "hierarchy -check -top top"])
