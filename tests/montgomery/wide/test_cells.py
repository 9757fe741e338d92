"""The cells that a datapath for a fixed prime is made of on an ECP5."""

import pytest
from amaranth.back import rtlil
from cxxrtl import Simulator as Compiled
from cxxrtl import seeded, top, yosys

from explore.tools.compiler import find_compiler
from montgomery.blocks.carry_chain import GatedSum
from montgomery.technology import GENERIC, technologies
from montgomery.wide.datapath.core import HeldProduct
from montgomery.wide.datapath.ranges import DIGIT_BITS


def test_sums_are_proved_equal_with_cells(tmp_path):
    script = ["read_verilog -defer -nooverwrite +/lattice/cells_sim_ecp5.v"]
    sizes = [(a, b, negate) for a, b in ((3, 4), (5, 2), (8, 8)) for negate in (0, 1)]
    names = ["_".join(map(str, size)) for size in sizes]
    for (a, b, negate), name in zip(sizes, names, strict=True):
        for side, technology in (("gold", GENERIC), ("gate", technologies()["ecp5"])):
            (tmp_path / f"{side}{name}.il").write_text(rtlil.convert(
                GatedSum(a, b, negate=bool(negate)), name=f"{side}{name}", platform=technology,
                emit_src=False))
            script.append(f"read_rtlil {side}{name}.il")
        script += [f"select -assert-min 1 gate{name}/t:CCU2C",
                   f"miter -equiv gold{name} gate{name} miter{name}"]
    instances = "".join(f"miter{name} m{name}(); " for name in names)
    (tmp_path / "all.v").write_text(f"module all; {instances} endmodule\n")
    script += ["read_verilog all.v", "hierarchy -check -top all", "delete all", "proc", "flatten",
               "opt_clean"]
    script += [f"sat -prove trigger 0 -verify miter{name}" for name in names]
    yosys(tmp_path, script)


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
def test_products_of_signed_digits_are_those_of_the_block(tmp_path, request):
    rng = seeded(request)
    inputs = {"x": DIGIT_BITS, "y": DIGIT_BITS, "load": 1}
    outputs = dict.fromkeys(("gold", "gate"), 2 * DIGIT_BITS)
    script, body = [], ""
    for side, technology in (("gold", GENERIC), ("gate", technologies()["ecp5"])):
        (tmp_path / f"{side}.il").write_text(rtlil.convert(
            HeldProduct(), name=f"{side}_block", platform=technology, emit_src=False))
        script.append(f"read_rtlil {side}.il")
        body += (f"{side}_block u{side}(.clk(clk), .rst(1'b0), .x(x), .y(y), .load(load), "
                 f".p({side}));\n")
    (tmp_path / "top.v").write_text(top(inputs, outputs, body))
    simulator = Compiled(tmp_path, [*script, "read_verilog -defer models.v", "read_verilog top.v"],
                         inputs, outputs)
    stimuli = [{name: rng.choice((rng.getrandbits(width), 1 << width - 1, (1 << width) - 1))
                for name, width in inputs.items()} for _ in range(400)]
    for shown in simulator.run(stimuli):
        assert shown["gate"] == shown["gold"]
