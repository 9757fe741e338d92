"""Cores in Verilog: what yosys reads is the same in Amaranth, and faults are told in a line."""

import importlib.util
import os
import random
import re
import sys
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

from explore.simulation import verify
from montgomery.verilog import components, description
from montgomery.verilog.description import described
from montgomery.verilog.module import written
from montgomery.verilog.netlist import Netlist
from montgomery.verilog.reading import read

EXAMPLE = Path(description.__file__).with_name("example.toml")
TOML, CORE = (EXAMPLE.with_suffix(suffix).read_text() for suffix in (".toml", ".v"))


@pytest.fixture
def core(tmp_path, monkeypatch):
    """Return a function that makes a core of 8 bits of texts, in which parts are replaced."""
    monkeypatch.setattr("montgomery.verilog.module._folder", lambda: tmp_path / "cache")

    def make(*replaced, width=8):
        toml, verilog = TOML, CORE
        for old, new in replaced:
            assert old in toml + verilog
            toml, verilog = toml.replace(old, new), verilog.replace(old, new)
        (tmp_path / "my_core.toml").write_text(toml)
        (tmp_path / "my_core.v").write_text(verilog)
        file = written(tmp_path / "my_core.toml")
        spec = importlib.util.spec_from_file_location("my_core_in_verilog", file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module.Parameters(width=width)

    return make


def simulated(netlist, steps):
    """Return the outputs before each clock, for the inputs of each clock by name."""
    m, seen = Module(), []
    m.domains.sync = ClockDomain(reset_less=True)
    m.submodules.dut = netlist

    async def bench(ctx):
        for inputs in steps:
            for name, value in inputs.items():
                ctx.set(netlist.inputs[name], value)
            await ctx.delay(0)
            seen.append({name: ctx.get(signal) for name, signal in netlist.outputs.items()})
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def netlist_of(text, top="top", clock="clk", **parameters):
    return Netlist(read((("top.v", text),), top, tuple(parameters.items())), name=top, clock=clock)


def signed(value, bits):
    return value - (value >> bits - 1 << bits)


#: From an expression of a and b, which have 8 and 4 bits, to what it is in 12 bits.
OPERATORS = {
    "a + b": lambda a, b: a + b, "a - b": lambda a, b: a - b, "a * b": lambda a, b: a * b,
    "a / (b | 4'd1)": lambda a, b: a // (b | 1), "a % (b | 4'd1)": lambda a, b: a % (b | 1),
    "-a": lambda a, b: -a, "~a": lambda a, b: ~a, "a & b": lambda a, b: a & b,
    "a | b": lambda a, b: a | b, "a ^ b": lambda a, b: a ^ b, "a ~^ b": lambda a, b: ~(a ^ b),
    "a << b": lambda a, b: a << b, "a >> b": lambda a, b: a >> b,
    "$signed(a) >>> b": lambda a, b: signed(a, 8) >> b,
    "$signed(a) * $signed(b)": lambda a, b: signed(a, 8) * signed(b, 4),
    "$signed(a) < $signed(b)": lambda a, b: signed(a, 8) < signed(b, 4),
    "a < b": lambda a, b: a < b, "a <= b": lambda a, b: a <= b, "a > b": lambda a, b: a > b,
    "a >= b": lambda a, b: a >= b, "a == b": lambda a, b: a == b, "a != b": lambda a, b: a != b,
    "&a": lambda a, b: a == 255, "|a": lambda a, b: a > 0, "!a": lambda a, b: a == 0,
    "^a": lambda a, b: a.bit_count() & 1, "~^a": lambda a, b: ~a.bit_count() & 1,
    "a && b": lambda a, b: a > 0 and b > 0, "a || b": lambda a, b: a > 0 or b > 0,
    "b[0] ? a : b": lambda a, b: a if b & 1 else b,
    "a[b[2:0]]": lambda a, b: a >> (b & 7) & 1,
    "{b, a[5:2]}": lambda a, b: b << 4 | a >> 2 & 15,
    "{2{b}}": lambda a, b: b * 17,
}


def test_operators_mean_the_same():
    outputs = "".join(f", output [11:0] y{index}" for index in range(len(OPERATORS)))
    assigned = "".join(f"assign y{index} = {each};\n" for index, each in enumerate(OPERATORS))
    netlist = netlist_of(f"module top(input clk, input [7:0] a, input [3:0] b{outputs});\n"
                         f"{assigned}endmodule")
    chosen = random.Random(1)
    steps = [{"a": chosen.randrange(256), "b": chosen.randrange(16)} for _ in range(100)]
    steps += [{"a": a, "b": b} for a in (0, 127, 128, 255) for b in (0, 7, 8, 15)]
    for step, seen in zip(steps, simulated(netlist, steps), strict=True):
        for index, (text, meaning) in enumerate(OPERATORS.items()):
            assert seen[f"y{index}"] == int(meaning(**step)) & 0xfff, (text, step)


def test_memories_registers_and_choices_mean_the_same():
    netlist = netlist_of("""
        module top(input clk, rst_n, write, input [1:0] lanes, input [3:0] at, from,
                   input [15:0] data, output reg [15:0] clocked, output [15:0] now,
                   output reg [7:0] state, output [3:0] rom, output reg [15:0] cleared);
          reg [15:0] memory [2:17];
          assign now = memory[from + 2];
          always @(posedge clk) begin
            if (write & lanes[0]) memory[at + 2][7:0] <= data[7:0];
            if (write & lanes[1]) memory[at + 2][15:8] <= data[15:8];
            clocked <= memory[from + 2];
          end
          always @(posedge clk or negedge rst_n)
            if (!rst_n) cleared <= 16'd3; else cleared <= memory[at + 2];
          always @(posedge clk or negedge rst_n)
            if (!rst_n) state <= 8'd5;
            else case (state)
              8'd5: state <= {4'd0, from};
              8'd0, 8'd1: state <= 8'd9;
              8'd9: state <= data[7:0];
              default: state <= 8'd5;
            endcase
          reg [3:0] table_ [0:15];
          integer n;
          initial for (n = 0; n < 16; n = n + 1) table_[n] = 15 - n;
          assign rom = table_[from];
        endmodule""")
    chosen, memory, state, clocked, cleared = random.Random(2), [0] * 16, 5, 0, None
    steps = [{"rst_n": chosen.random() < .9, "write": chosen.randrange(2),
              "lanes": chosen.randrange(4), "at": chosen.randrange(4), "from": chosen.randrange(4),
              "data": chosen.randrange(65536)} for _ in range(300)]
    for step, seen in zip(steps, simulated(netlist, steps), strict=True):
        now, data = memory[step["from"]], step["data"]
        assert cleared in (None, seen.pop("cleared"))  # before the first clock it may be anything
        assert seen == {"clocked": clocked, "now": now, "state": state, "rom": 15 - step["from"]}
        clocked, cleared = now, memory[step["at"]] if step["rst_n"] else 3
        for lane, mask in ((1, 0xff), (2, 0xff00)):
            if step["write"] and step["lanes"] & lane:
                memory[step["at"]] = memory[step["at"]] & ~mask | data & mask
        state = (5 if not step["rst_n"] else {5: step["from"], 0: 9, 1: 9, 9: data & 0xff}
                 .get(state, 5))


@pytest.mark.parametrize("replaced", [
    (),
    [('"rst"', '"!rst_n"'), ("clk, rst,", "clk, rst_n,"), ("if (rst)", "if (!rst_n)")],
    [('"done"', '"!working"'), ("output reg             done", "output working"),
     (" busy;\n", " busy, done; assign working = busy;\n")],
    [('r = "2 ** width"', 'r = "2 ** (width + 2)"'), ('"modulus"  ', '"2 * modulus"'),
     ('WIDTH = "width"', 'WIDTH = "width + 2"'), ("total >= m ? total - m : total", "total")],
    [('\nm = "modulus"', '\nm = "modulus"\nunused = "1"'), ("y, m,", "y, m, input unused,")],
    [('top = "my_core"', 'top = "my_core"\nmodulus = "2 ** width - 5"')],
    [('WIDTH = "width"', 'WIDTH = "min(width, 2 ** math.ceil(math.log2(width)))"'),
     ("top =", 'clocks = "width + 2 if (width + 1).bit_length() > 2 else 3"\ntop =')],
])
def test_words_and_clocks_are_those_of_a_core(core, replaced):
    report = verify(core(*replaced), vectors=4, seed=3)
    assert report.ok, report.message
    assert report.constant_time


GHDL = """#!/bin/sh
# Stands for ghdl: checks what it is told, and has the example ready for a width of 8.
case "$*" in
  *--work=lib*) ;;
  *) echo "core.vhd:1:1:error: no library lib" >&2; exit 1 ;;
esac
case "$*" in
  "-a "*\\ core.vhd) ;;
  "--synth "*\\ -gWIDTH=8\\ my_core) cat EXAMPLE ;;
  *) echo "core.vhd:1:1:error: $*" >&2; exit 1 ;;
esac
"""
IN_VHDL = [('"my_core.v"', '"core.vhd"'), ('top =', 'library = "lib"\ntop =')]


@pytest.fixture
def fake_ghdl(tmp_path, monkeypatch):
    file = tmp_path / "bin" / "ghdl"
    file.parent.mkdir()
    file.write_text(GHDL.replace("EXAMPLE", str(EXAMPLE.with_suffix(".v"))))
    file.chmod(0o755)
    (tmp_path / "core.vhd").write_text("entity my_core is generic (width : integer);")
    monkeypatch.setenv("PATH", str(file.parent), prepend=os.pathsep)
    read.cache_clear()


def test_ghdl_converts_vhdl(core, fake_ghdl):
    report = verify(core(*IN_VHDL), vectors=4, seed=3)
    assert report.ok, report.message


def test_what_ghdl_says_is_told(core, fake_ghdl):
    with pytest.raises(ValueError, match=r"ghdl does not read my_core: .* no library lib"):
        used(core, IN_VHDL[:1])


def test_vhdl_needs_ghdl(core, fake_ghdl, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match=r"my_core is VHDL, .* install version 5 or newer"):
        used(core, IN_VHDL)


def test_clocks_may_be_said(core, monkeypatch):
    monkeypatch.setattr(components, "measured", None)
    params = core(('top = "my_core"', 'top = "my_core"\nclocks = "width + 2"'))
    assert params.cycles.compute == 8 + 4


def test_clocks_are_measured_once(core, monkeypatch):
    assert core().cycles.compute == 8 + 4
    monkeypatch.setattr(components, "_simulated", None)
    components.measured.cache_clear()
    assert core().cycles.compute == 8 + 4


def test_a_source_that_changes_makes_another_module(core):
    first = sys.modules[type(core()).__module__].__file__
    second = sys.modules[type(core(("busy  <= 1;", "busy  <= 1'b1;"))).__module__].__file__
    assert first != second


FAULTS = [
    ([('["my_core.v"]', '["none.v"]')], "my_core.toml: there is no file .*none.v"),
    ([('kind = "multiplier"', 'kind = "adder"')], "kind must be multiplier or design, not adder"),
    ([("kind =", "kinds =")], "kinds is unknown; there is bound, clocks"),
    ([("top =", "# top")], "top is missing"),
    ([('result = "p"', "")], "ports.result is missing"),
    ([('"2 ** width"', '"2 ** widht"')], "r names widht; there is R"),
    ([('"2 ** width"', '"2 **"')], r"r must be an expression, not '2 \*\*'"),
    ([('"2 ** width"', '"3"')], "r must be a power of two, not 3"),
    ([('top = "my_core"', 'top = "other"')], "other is no module of these sources"),
    ([("endmodule", "endmodul")], r"my_core: my_core.v:\d+: expected a declaration"),
    ([('WIDTH = "width"', 'WIDHT = "width"')], "my_core has no parameter WIDHT"),
    # A local parameter, a constant of a package, a word in a comment, a parameter of a submodule.
    *(([('WIDTH = "width"', 'WIDTH = "width"\nOTHER = "3"'), ("endmodule", text)],
       "my_core has no parameter OTHER that can be set") for text in (
        "localparam OTHER = 2;\nendmodule", "endmodule\npackage other; parameter OTHER = 2; "
        "endpackage", "endmodule // OTHER", "sub #(.OTHER(2)) sub (clk);\nendmodule\n"
        "module sub #(parameter OTHER = 1) (input clk); endmodule")),
    ([(" busy;\n", " busy; wire odd = start; assign odd = rst;\n"),
      ("total >= m ?", "odd ? 0 : total >= m ?")], "my_core drives odd more than once"),
    ([("endmodule", "always @(posedge clk) busy <= start;\nendmodule")],
     "my_core drives busy more than once"),
    ([("endmodule", f'reg [7:0] kept [3:0]; initial $readmemh("{__file__}", kept);\nendmodule')],
     "my_core names /.*, which may change unseen; name it in sources"),
    ([("endmodule", f'endmodule\n`include "{__file__}"')], "my_core names /.*, which may change"),
    ([('done = "done"', 'done = "ready"')], "my_core has no output ready; it has done, p"),
    ([('clock = "clk"', 'clock = "clock"')], "my_core has no port clock; it has clk, done"),
    ([('\nm = "modulus"', '\nn = "modulus"')], "my_core has no input n; it has m, rst, start, x"),
    ([("y, m,", "y, m, input spare,")], r"Nothing drives the input spare of my_core; say in \[i"),
    ([('WIDTH = "width"', 'WIDTH = "width - 1"')], "Port x of my_core has 7 bits, and must .* 8"),
    ([("even = product +", "even = even[0] ^ product +")],
     "my_core has a combinational loop through even"),
    ([("clk, rst,", "clk, clk2, rst,"), ("posedge clk)", "posedge clk2)"),
      ('\nm = "modulus"', '\nm = "modulus"\nclk2 = "0"')],
     "registers on clk2; all must be on the rising edge of clk"),
    ([("posedge clk)", "negedge clk)")], "registers on the falling edge of clk; all"),
    ([(" busy;\n", " busy; reg [7:0] kept; always @(*) if (busy) kept = x;\n"),
      ("total >= m ?", "kept == 3 ? 0 : total >= m ?")], "has a latch at my_core.v:13"),
    ([(" busy;\n", " busy; wire odd; BUFG buffer (.I(clk), .O(odd));")], "unknown module 'BUFG'"),
    ([("done <= 1;", "")], "done of my_core does not say within 1536 clocks that a multiplication"),
]


def test_sources_of_one_name_and_includes_beside_a_folder_are_read(tmp_path):
    """What stands in other folders is found where its name says."""
    files = {"core/my_core.v": """`include "../inc/defs.vh"
        `include "more.vh"
        module my_core(input clk, input a, output reg [1:0] q);
        wire [`BITS-1:0] w; unit_a ua(a, w[0]); unit_b ub(a, w[1]);
        always @(posedge clk) q <= w ^ `MORE; endmodule""",
             "inc/defs.vh": "`define BITS 2", "inc/deep/more.vh": "`define MORE 1",
             "a/unit.v": "module unit_a(input a, output b); assign b = a; endmodule",
             "b/unit.v": "module unit_b(input a, output b); assign b = !a; endmodule"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    description = tmp_path / "core" / "my_core.toml"
    description.write_text('kind = "design"\ntop = "my_core"\nclock = "clk"\nsources = ['
                           '"my_core.v", "../*/unit.v", "../inc/**/*.vh"]\n')
    texts = described(description)["texts"]
    assert texts == files
    assert len(read(tuple(texts.items()), "my_core", ())["ports"]["q"]["bits"]) == 2


#: From keys of a description to what stands in the example, and what does with another expression.
KEYS = {"parameters.WIDTH": ('WIDTH = "width"', 'WIDTH = "{}"'),
        "r": ('r = "2 ** width"', 'r = "{}"'), "bound": ('bound = "modulus"', 'bound = "{}"'),
        "clocks": ("top =", 'clocks = "{}"\ntop ='), "inputs.m": ('\nm = "modulus"', '\nm = "{}"'),
        "inputs.m.bits": ('\nm = "modulus"', '\nm = {{value = "modulus", bits = "{}"}}')}
#: From expressions to what is said of them, after the key.
EXPRESSIONS = {
    "width / 1": "must be a whole number, but width / 1 is 8.0; // divides",
    "width * 1.0": "must be a whole number, but width .* 8.0",
    "None": "must be a whole number, but None is None",
    "width > 3": "must be a whole number, but width > 3 is True",
    "[width]": "must be made of numbers, .*, but has .width.",
    "width // 0": "has no value, since of width // 0: ",
    "-pow(2, -1, 4)": "has no value, since of ",
    **dict.fromkeys(("__import__('os')", "width.__class__", "open('x')", "(lambda: 1)()",
                     "math.__loader__", "max(width, key=abs)"), "must be made of")}


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("key", KEYS)
def test_expressions_are_arithmetic_with_whole_values(core, key, expression):
    old, new = KEYS[key]
    with pytest.raises(ValueError, match=f"{re.escape(key)} {EXPRESSIONS[expression]}") as caught:
        used(core, [(old, new.format(expression))])
    assert "\n" not in str(caught.value)


def test_sources_are_found_by_patterns(tmp_path):
    (tmp_path / "rtl").mkdir()
    for name in ("b.sv", "a.v"):
        (tmp_path / "rtl" / name).write_text(name)
    (tmp_path / "x.toml").write_text(TOML.replace('"my_core.v"', '"rtl/*"'))
    assert described(tmp_path / "x.toml")["texts"] == {"rtl/a.v": "a.v", "rtl/b.sv": "b.sv"}


@pytest.mark.parametrize("name", ["core.verilog", "MY_CORE.V", "core.sv"])
def test_sources_may_have_other_suffixes(core, tmp_path, name):
    (tmp_path / name).write_text(CORE)
    used(core, [('"my_core.v"', f'"{name}"')])


def used(core, replaced):
    params = core(*replaced)
    rtlil.convert(params.create())
    assert params.cycles


@pytest.mark.parametrize(("replaced", "says"), FAULTS, ids=range(len(FAULTS)))
def test_faults_are_told_in_a_line(core, replaced, says):
    with pytest.raises(ValueError, match=says) as caught:
        used(core, replaced)
    assert "\n" not in str(caught.value)
