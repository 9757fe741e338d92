"""An addition with a choice in the carry chain does the same with and without cells."""

import random

import pytest
from amaranth.back import rtlil
from amaranth.sim import Simulator
from cxxrtl import yosys

from montgomery.blocks.carry_chain import ChosenSum
from montgomery.technology import GENERIC, technologies


@pytest.mark.parametrize("width", [1, 2, 18])
def test_total(width):
    block, rng = ChosenSum(width), random.Random(width)

    async def testbench(ctx):
        for _ in range(100):
            a, b, c = (rng.choice((0, (1 << width) - 1, rng.getrandbits(width)))
                       for _ in range(3))
            choose, carry = rng.getrandbits(1), rng.getrandbits(1)
            for name, value in {"a": a, "b": b, "c": c, "choose": choose, "carry": carry}.items():
                ctx.set(getattr(block, name), value)
            assert ctx.get(block.total) == a + (b if choose else c) + carry

    simulator = Simulator(block)
    simulator.add_testbench(testbench)
    simulator.run()


def test_proved_equal(tmp_path):
    """With the vendor's cells, of which there are as many as bits with both carries need."""
    script, widths = ["read_verilog -defer -nooverwrite +/lattice/cells_sim_ecp5.v"], (1, 2, 5, 18)
    for width in widths:
        for side, technology in (("gold", GENERIC), ("gate", technologies()["ecp5"])):
            name = f"{side}{width}"
            (tmp_path / f"{name}.il").write_text(rtlil.convert(
                ChosenSum(width), name=name, platform=technology, emit_src=False))
            script.append(f"read_rtlil {name}.il")
        script += [f"select -assert-count {(width + 3) // 2} gate{width}/t:CCU2C",
                   f"miter -equiv gold{width} gate{width} miter{width}"]
    # A top of all of them, so that of the models none but the cell of the chain is read.
    instances = "".join(f"miter{width} m{width}(); " for width in widths)
    (tmp_path / "all.v").write_text(f"module all; {instances} endmodule\n")
    script += ["read_verilog all.v", "hierarchy -check -top all", "delete all", "proc", "flatten",
               "opt_clean"]
    script += [f"sat -prove trigger 0 -verify miter{width}" for width in widths]
    yosys(tmp_path, script)
