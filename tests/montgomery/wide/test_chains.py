"""Sums in carry chains of cells, proved equal to sums that synthesis makes."""

import pytest
from amaranth.back import rtlil
from cxxrtl import yosys

from montgomery.blocks.carry_chain import LoadedSum, OptionalSum
from montgomery.technology import GENERIC, technologies

# What is connected, so that no more is asked for than each contract says.
PORTS = {
    OptionalSum: ".a(a), .b(b), .has_a(x), .negative(y & x)",
    LoadedSum: ".a(y ? a : 0), .b(b), .other(c), .carry(x & y), .keeps(y)",
}


@pytest.mark.parametrize("chain", PORTS)
def test_sums_are_proved_equal_with_cells(chain, tmp_path):
    script = ["read_verilog -defer -nooverwrite +/lattice/cells_sim_ecp5.v"]
    for width in (3, 6):
        names = []
        for side, technology in (("gold", GENERIC), ("gate", technologies()["ecp5"])):
            name = f"{side}{width}"
            (tmp_path / f"{name}.il").write_text(rtlil.convert(
                chain(width), name=f"{name}_sum", platform=technology, emit_src=False))
            (tmp_path / f"{name}.v").write_text(
                f"module {name}(input [{width - 1}:0] a, b, c, input x, y, output [{width - 1}:0] "
                f"total); {name}_sum s({PORTS[chain]}, .total(total)); endmodule\n")
            script += [f"read_rtlil {name}.il", f"read_verilog {name}.v"]
            names.append(name)
        script += [f"select -assert-min 1 gate{width}_sum/t:CCU2C",
                   f"miter -equiv {' '.join(names)} miter{width}"]
    (tmp_path / "all.v").write_text("module all; miter3 a(); miter6 b(); endmodule\n")
    script += ["read_verilog all.v", "hierarchy -check -top all", "delete all", "proc", "flatten",
               "opt_clean", *(f"sat -prove trigger 0 -verify miter{width}" for width in (3, 6))]
    yosys(tmp_path, script)
