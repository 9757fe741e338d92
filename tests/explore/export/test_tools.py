"""What is exported gives no warning in the tools that check, simulate and synthesise Verilog."""

import re
import shlex
import shutil
import subprocess

import pytest

from explore.export import export
from explore.points.expand import expand
from explore.tools.find import packaged
from explore.tools.verilator import find_verilator
from montgomery import KINDS

pytestmark = pytest.mark.thorough

CORES = [(kind.full_name(name), None, {})
         for kind in KINDS.values() for name in sorted(kind.cores())]
#: One of each family with cells, and of each form of its cells.
WITH_CELLS = [
    ("dsp_systolic", "ecp5-85k", {"quotient": "delayed"}), ("cox_rower", "ecp5-85k", {}),
    ("single_dsp", "ecp5-85k", {"word_width": 8}), ("rsa_crt.dsp_systolic", "ecp5-85k", {}),
    ("single_dsp", "ice40-up5k", {"word_width": 16}), ("exponentiation.generic", "ice40-hx8k", {}),
    ("single_dsp", "nexus-lifcl-40", {}), ("single_dsp", "gowin-gw2a-18", {}),
    ("single_dsp", "xc6v", {}), ("cox_rower", "xc7", {})]


@pytest.fixture(autouse=True)
def registry():
    """The real one, in place of toys."""


def checked_by_verilator(folder, sources):
    found = find_verilator()
    if found is not None:
        done = subprocess.run(
            [*found.command, "--lint-only", "-Wall", "--timing", "--top-module", "core_tb",
             *sources], cwd=folder, capture_output=True, text=True, env=found.environment)
        assert done.returncode == 0, done.stderr
        assert "%Warning" not in done.stdout + done.stderr
        core = [source for source in sources if source != "core_tb.sv"]
        subprocess.run([*found.command, "--lint-only", "-Wall", "--top-module", "core", *core],
                       cwd=folder, check=True, env=found.environment)


def checked_by_slang(folder, sources, capfd):
    driver = pytest.importorskip("pyslang.driver").Driver()
    driver.addStandardArgs()
    files = " ".join(shlex.quote(str(folder / source)) for source in sources)
    assert driver.parseCommandLine(f"slang {files} --top core_tb")
    assert driver.processOptions()
    assert driver.parseAllSources()
    assert driver.runFullCompilation()
    said = "".join(capfd.readouterr())
    assert "Build succeeded: 0 errors, 0 warnings" in said
    assert "warning:" not in said


def checked_by_icarus(folder, sources):
    if shutil.which("iverilog") is not None:
        done = subprocess.run(["iverilog", "-g2012", "-Wall", "-o", "tb", *sources], cwd=folder,
                              capture_output=True, text=True)
        # It says so of ports of blocks that a core has no use for.
        said = [line for line in done.stderr.splitlines()
                if not re.search(r"module (MULT18X18D|DP16KD) with dangling input port", line)]
        assert (done.returncode, said) == (0, [])


def checked_by_yosys(folder, sources):
    reads = "; ".join(f"read_verilog {'-defer ' * (source != 'core.v')}{source}"
                      for source in sources if source != "core_tb.sv")
    done = subprocess.run([*packaged("yosys").command, "-q", "-p",
                           f"{reads}; hierarchy -check -top core; proc; check -assert"],
                          cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.sample(5)
@pytest.mark.parametrize(("arch", "target", "params"), [*CORES, *WITH_CELLS])
def test_no_tool_warns(arch, target, params, tmp_path, capfd):
    point, = expand([arch], [9], {name: [value] for name, value in params.items()},
                    [target or "ecp5-25k"])
    files = export(point, tmp_path, name="core", vectors=1, generic=target is None).files
    sources = [files[kind].name for kind in ("verilog", "models", "testbench") if kind in files]
    checked_by_verilator(tmp_path, sources)
    checked_by_icarus(tmp_path, sources)
    checked_by_yosys(tmp_path, sources)
    capfd.readouterr()
    checked_by_slang(tmp_path, sources, capfd)
    # One rule for the time scale: all files have the same.
    for source in sources:
        assert re.findall("(?m)^`timescale (.*)$", (tmp_path / source).read_text()) == [
            "1ns / 1ps"]
