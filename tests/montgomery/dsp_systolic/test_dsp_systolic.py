"""The systolic array of multiplier blocks, on the blocks themselves."""

import json
import subprocess

import pytest
from amaranth.back import rtlil

from explore.tools.find import packaged
from montgomery.core import traits
from montgomery.dsp_systolic.multiplier import Parameters
from montgomery.technology import technologies


@pytest.mark.thorough
@pytest.mark.sample(4)
@pytest.mark.parametrize("options", [{}, {"processing_elements": 2},
                                     {"quotient": "delayed"}], ids=str)
@pytest.mark.parametrize(("name", "script"), [
    ("ecp5", "synth_ecp5 -run begin:map_ram"),
    ("ice40-ultra", "synth_ice40 -dsp -run begin:map_ram"),
    ("xilinx-7", "synth_xilinx -run begin:coarse")])
def test_blocks_in_the_netlist(name, script, options, tmp_path):
    """As many as are said, no product of logic, and none that yosys makes beside them."""
    params = Parameters(width=36, **options)
    technology = technologies()[name]
    (tmp_path / "core.il").write_text(rtlil.convert(params.create(), name="core",
                                                    platform=technology, emit_src=False))
    begin, _, run = script.partition(" ")
    subprocess.run([*packaged("yosys").command, "-q", "-p",
                    f"read_rtlil core.il; {begin} -top core {run}; "
                    "flatten; tee -q -o stat.json stat -json"], cwd=tmp_path, check=True)
    cells = json.loads((tmp_path / "stat.json").read_text())["design"]["num_cells_by_type"]
    assert cells[technology.multiplier.cell] == traits(params).blocks(technology)
    assert "$mul" not in cells
