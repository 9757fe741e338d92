"""The multiply-add block does the same in every technology, in every clock."""

import functools
import itertools
import json

import pytest
from amaranth_boards.arty_a7 import ArtyA7_35Platform
from amaranth_boards.icebreaker import ICEBreakerPlatform
from amaranth_boards.icestick import ICEStickPlatform
from amaranth_boards.ulx3s import ULX3S_85F_Platform
from cxxrtl import MODELS, Simulator, prove_equal, seeded, sides, top, yosys

from explore.tools.compiler import find_compiler
from montgomery.blocks.multiply_add import MultiplyAdd
from montgomery.technology import technologies, technology_of

REGISTERS = [dict(zip(("input_register", "product_registers", "output_register"), values,
                      strict=True))
             for values in itertools.product((False, True), range(4), (False, True))]
ADDENDS = [{}, {"c_width": 16}, {"c_width": 16, "d_width": 16}, {"d_width": 1},
           {"c_width": 34}]
#: The technologies whose blocks are instances.
INSTANCES = ("ecp5", "ice40-ultra", "nexus")


def _shapes():
    """Return every choice of registers, the widths and addends taking turns."""
    widths = itertools.cycle([(16, 16), (18, 18), (1, 9), (17, 16), (20, 34)])
    addends = itertools.cycle(ADDENDS)
    return [{"a_width": a, "b_width": b, **more, **registers}
            for registers, (a, b), more in zip(REGISTERS, widths, addends, strict=False)]


def _block(shape):
    return functools.partial(MultiplyAdd, **shape)


def test_width_holds_the_largest_result():
    for a, b, c, d in itertools.product(range(1, 5), range(1, 5), range(7), range(3)):
        largest = (2**a - 1) * (2**b - 1) + 2**c - 1 + 2**d - 1
        width = MultiplyAdd.width_of(a, b, c, d)
        assert 1 << width > largest >= 1 << (width - 1)


@pytest.mark.thorough
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", INSTANCES)
def test_proved_equal(name, tmp_path):
    """By induction, at widths that a solver can multiply."""
    # Without any register, plain arithmetic has no clock to compare.
    cases = itertools.product(REGISTERS[1:], [{}, {"c_width": 2}, {"c_width": 3, "d_width": 4}])
    prove_equal(tmp_path, name, MODELS[name], {
        index: _block({"a_width": 3, "b_width": 2, **addends, **registers})
        for index, (registers, addends) in enumerate(cases)},
        sat="sat -tempinduct -set-init-zero -prove trigger 0 -verify")


@pytest.mark.thorough
@pytest.mark.sample(1)
@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("name", [*INSTANCES, "xilinx-7"])
def test_simulated_equal(name, tmp_path, request):
    rng = seeded(request)
    shapes = _shapes() if name in INSTANCES else [
        {"a_width": 24, "b_width": 17, **more, **REGISTERS[-1]} for more in ADDENDS[:3]]
    inputs = {"a": 24, "b": 34, "c": 34, "d": 16}
    outputs, body, script = {}, "", []
    for index, shape in enumerate(shapes):
        width = MultiplyAdd.width_of(*(shape.get(f"{port}_width", 0) for port in "abcd"))
        read = sides(tmp_path, name, index, _block(shape))
        for side in ("gold", "gate"):
            ports = [f".{port}({port}[{shape[port + '_width'] - 1}:0])" for port in "abcd"
                     if shape.get(port + "_width")]
            if any(shape[key] for key in REGISTERS[0]):
                ports += [".clk(clk)", ".rst(1'b0)"]
            outputs[f"{side}{index}_p"] = width
            body += f"{side}{index} u{side}{index} ({', '.join(ports)}, .p({side}{index}_p));\n"
        if technologies()[name].inferred:
            # Up to where registers are packed, which is enough and takes a second.
            yosys(tmp_path, [f"read_rtlil gate{index}.il",
                             f"synth_xilinx -top gate{index} -run begin:coarse",
                             f"select -assert-count 1 gate{index}/t:DSP48E1",
                             f"select gate{index}", f"write_rtlil -selected gate{index}.il"])
        script += read
    (tmp_path / "top.v").write_text(top(inputs, outputs, body))
    model = MODELS[name] if name in INSTANCES else "read_verilog -defer +/xilinx/cells_sim.v"
    simulator = Simulator(tmp_path, [*script, model, "read_verilog top.v"], inputs, outputs)
    stimuli = [{port: rng.choice((rng.getrandbits(width), 0, (1 << width) - 1))
                for port, width in inputs.items()} for _ in range(400)]
    for clock, shown in enumerate(simulator.run(stimuli)):
        for index, shape in enumerate(shapes):
            assert shown[f"gate{index}_p"] == shown[f"gold{index}_p"], (clock, shape)


@pytest.mark.thorough
@pytest.mark.sample(3)
@pytest.mark.parametrize(("name", "script", "more", "registers"), [
    ("ecp5", "synth_ecp5", {}, 0),
    ("ecp5", "synth_ecp5", {"c_width": 16}, 32),
    ("ecp5", "synth_ecp5", {"a_width": 30, "b_width": 32}, 62),
    ("ice40-ultra", "synth_ice40 -device u -dsp", {}, 0),
    ("ice40-ultra", "synth_ice40 -device u -dsp", {"c_width": 16}, 0),
    ("nexus", "synth_nexus", {}, 32),
    ("gowin", "synth_gowin", {}, 0),
])
def test_cells(name, script, more, registers, tmp_path):
    """As many blocks as are said, and the registers in them."""
    technology = technologies()[name]
    shape = {"a_width": 16, "b_width": 16, **more}
    sides(tmp_path, name, "block", _block(shape))
    yosys(tmp_path, ["read_rtlil gateblock.il", f"{script} -top gateblock",
                     "tee -q -o stat.json stat -json"])
    cells = json.loads((tmp_path / "stat.json").read_text())["design"]["num_cells_by_type"]
    block = technology.multiplier
    assert cells[block.cell] == (-(-shape["a_width"] // block.a_width)
                                 * -(-shape["b_width"] // block.b_width))
    assert registers == sum(number for cell, number in cells.items()
                            if cell.startswith(("TRELLIS_FF", "SB_DFF", "FD", "DFF")))


def test_platforms():
    found = [technology_of(platform()).name for platform in (
        ArtyA7_35Platform, ICEBreakerPlatform, ULX3S_85F_Platform, ICEStickPlatform)]
    assert found == ["xilinx-7", "ice40-ultra", "ecp5", "ice40"]
