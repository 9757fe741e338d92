"""The cells that exported cores hold have models, which do what the cells do."""

import re

import pytest
from exports import exported, needs_icarus, ran

from explore.export.models import all_models
from explore.tools.find import packaged

pytestmark = [pytest.mark.thorough, pytest.mark.real_cores]

SHARE = packaged("yosys").folder / "share"

#: Cores that have all cells of which there are models.
COVERING = [
    ("dsp_systolic", "ecp5-85k", {"quotient": "delayed", "digit_width": 18, "word_width": 18},
     {"CCU2C", "DP16KD", "MULT18X18D"}),
    ("cox_rower", "ecp5-85k", {}, {"DP16KD", "FD1S3AX", "MULT18X18D"}),
    ("wide", "ecp5-85k", {}, {"CCU2C", "FD1S3AX", "MULT18X18D"}),
    ("single_dsp", "ice40-up5k", {"word_width": 16}, {"SB_MAC16", "SB_RAM40_4K"}),
    ("single_dsp", "nexus-lifcl-40", {}, {"MULT18X18"}),
    ("single_dsp", "gowin-gw2a-18", {}, {"MULT18X18"}),
    ("cox_rower", "xc6v", {}, {"RAMB18E1"}),
]


@needs_icarus
@pytest.mark.parametrize(("arch", "target", "params", "cells"), COVERING)
def test_the_testbench_passes_with_the_cells_of_a_device(arch, target, params, cells, tmp_path):
    files = exported(tmp_path, arch, target=target, params=params, vectors=2)
    text = files["models"].read_text()
    assert cells <= set(re.findall(r"(?m)^module (\w+)", text))
    compiled = ran("iverilog", "-g2012", "-o", "tb", "core.v", "core_models.v", "core_tb.sv",
                   folder=tmp_path)
    assert (compiled.returncode, compiled.stderr) == (0, "")
    ended = ran("vvp", "-N", "tb", folder=tmp_path)
    assert "PASS: " in ended.stdout, ended.stdout


# --- The models and those of yosys, side by side in Icarus ---

#: Inputs and outputs with their bits; the inputs that change at random, and in which bits.
MAC = ({"A": 16, "B": 16, "C": 16, "D": 16, "CE": 1}, {"O": 32})
MAC_ZERO = ("AHOLD", "BHOLD", "CHOLD", "DHOLD", "IRSTTOP", "IRSTBOT", "ORSTTOP", "ORSTBOT",
            "OLOADTOP", "OLOADBOT", "ADDSUBTOP", "ADDSUBBOT", "OHOLDTOP", "OHOLDBOT", "CI",
            "ACCUMCI", "SIGNEXTIN")
RAM = ({"RCLKE": 1, "RE": 1, "RADDR": 11, "WCLKE": 1, "WE": 1, "WADDR": 11, "MASK": 16,
        "WDATA": 16}, {"RDATA": 16})
CARRY = (dict.fromkeys(("CIN", "A0", "B0", "C0", "D0", "A1", "B1", "C1", "D1"), 1),
         {"S0": 1, "S1": 1, "COUT": 1})
MULTIPLIER = ({"A": 18, "B": 18, "CEA": 1, "RSTA": 1, "CEB": 1, "RSTB": 1, "SIGNEDA": 1,
               "SIGNEDB": 1, "RSTOUT": 1, "CEOUT": 1}, {"Z": 36})
ICE40, NEXUS = ["ice40/cells_sim.v"], ["lattice/cells_sim_nexus.v"]
ECP5 = ["lattice/ccu2c_sim.vh", "lattice/common_sim.vh"]
BESIDES = {"TOPADDSUB_LOWERINPUT": 2, "BOTADDSUB_LOWERINPUT": 2, "TOPADDSUB_UPPERINPUT": 1,
           "BOTADDSUB_UPPERINPUT": 1, "TOPADDSUB_CARRYSELECT": 3, "BOTADDSUB_CARRYSELECT": 0}


def mac(before, after, select):
    first = dict.fromkeys(("TOP_8x8_MULT_REG", "BOT_8x8_MULT_REG", "PIPELINE_16x16_MULT_REG1"),
                          int(after >= 1))
    return ("SB_MAC16", ICE40, "ice40-ultra", MAC, ["CLK"], MAC_ZERO, {
        "A_REG": before, "B_REG": before, **first, "PIPELINE_16x16_MULT_REG2": int(after == 2),
        "TOPOUTPUT_SELECT": select, "BOTOUTPUT_SELECT": select, **BESIDES})


SIDE_BY_SIDE = [
    *(mac(before, after, select) for before, after, select in (
        (0, 0, 3), (0, 1, 3), (1, 0, 0), (1, 1, 1), (1, 2, 1), (0, 2, 0))),
    *(("SB_RAM40_4K", ICE40, "ice40", RAM, ["RCLK", "WCLK"], (),
       {"READ_MODE": mode, "WRITE_MODE": mode}) for mode in range(4)),
    *(("CCU2C", ECP5, "ecp5", CARRY, [], (),
       {"INIT0": first, "INIT1": second, "INJECT1_0": '"NO"', "INJECT1_1": '"NO"'})
      for first, second in ((0x00AA, 0x665A), (0x665A, 0x0000), (0x1234, 0xFEDB))),
    *(("MULT18X18", NEXUS, "nexus", MULTIPLIER, ["CLK"], (),
       {"REGINPUTA": f'"{a}"', "REGINPUTB": f'"{b}"', "REGOUTPUT": f'"{z}"', "GSR": '"DISABLED"'})
      for a, b, z in (("REGISTER", "REGISTER", "REGISTER"), ("BYPASS", "REGISTER", "BYPASS"),
                      ("REGISTER", "BYPASS", "BYPASS"), ("BYPASS", "BYPASS", "REGISTER"))),
]

BENCH = """\
module tb;
  reg clk = 0;
  integer clock, wrong = 0, known = 0;
{registers}
  {cell} #({values}) theirs ({inputs}{theirs});
  own_{cell} #({values}) ours ({inputs}{ours});
  initial begin
{warm}
    for (clock = 0; clock < 4000; clock = clock + 1) begin
{random}
      #1;
      // What is unknown to them, ours may know.
      if (^{{{their_outputs}}} !== 1'bx) begin
        known = known + 1;
        if ({{{our_outputs}}} !== {{{their_outputs}}}) wrong = wrong + 1;
      end
      clk = 1; #1 clk = 0;
    end
    $display("%0d wrong, %0s", wrong, known > 3000 ? "known" : "unknown");
  end
endmodule
"""


@needs_icarus
@pytest.mark.parametrize(("cell", "sources", "family", "ports", "clocks", "zero", "parameters"),
                         SIDE_BY_SIDE)
def test_a_model_does_what_the_one_of_yosys_does(cell, sources, family, ports, clocks, zero,
                                                 parameters, tmp_path):
    model, = re.findall(rf"(?ms)^module {cell}\b.*?^endmodule\n", all_models(family))
    (tmp_path / "own.v").write_text(model.replace(f"module {cell}", f"module own_{cell}"))
    inputs, outputs = ports
    # Few places of a memory, so that what is written is read.
    few = {"RADDR": " & 11'h701", "WADDR": " & 11'h701"}
    connected = [*(f".{name}({name})" for name in inputs), *(f".{name}(clk)" for name in clocks),
                 *(f".{name}(1'b0)" for name in zero)]
    names = {whose: [f"{whose}_{name}" for name in outputs] for whose in ("ours", "theirs")}
    always = {"CE", "CEA", "CEB", "CEOUT", "RCLKE", "RE"} & inputs.keys()
    (tmp_path / "tb.v").write_text(BENCH.format(
        cell=cell, values=", ".join(f".{name}({value})" for name, value in parameters.items()),
        registers="\n".join([
            *(f"  reg [{bits - 1}:0] {name} = 0;" for name, bits in inputs.items()),
            *(f"  wire [{bits - 1}:0] {whose}_{name};" for whose in names
              for name, bits in outputs.items())]),
        inputs=", ".join(connected), their_outputs=", ".join(names["theirs"]),
        our_outputs=", ".join(names["ours"]),
        **{whose: "".join(f", .{name}({whose}_{name})" for name in outputs) for whose in names},
        warm="\n".join([*(f"    {name} = 1;" for name in always),
                        "    repeat (4) begin #1 clk = 1; #1 clk = 0; end"]),
        random="\n".join(f"      {name} = $urandom{few.get(name, '')};" for name in inputs)))
    theirs = "".join((SHARE / source).read_text() for source in sources)
    if sources == ECP5:  # Icarus does not take all of it.
        theirs = "".join(re.search(rf"(?ms)^module {name}\b.*?^endmodule\n", theirs)[0]
                         for name in ("CCU2C", "LUT4", "LUT2"))
    (tmp_path / "theirs.v").write_text(theirs)
    compiled = ran("iverilog", "-g2012", "-DNO_ICE40_DEFAULT_ASSIGNMENTS",
                   f"-I{SHARE / 'lattice'}", "-s", "tb", "-o", "tb", "tb.v", "own.v", "theirs.v",
                   folder=tmp_path)
    assert compiled.returncode == 0, compiled.stderr
    assert ran("vvp", "-N", "tb", folder=tmp_path).stdout == "0 wrong, known\n"
