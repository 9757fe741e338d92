"""Exported cores, in the simulators that users have."""

import json
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from explore.cli import cli
from explore.export import export
from explore.export.describe import markdown
from explore.export.files import default_name
from explore.export.naming import KEYWORDS, check_name, declared
from explore.points.expand import expand
from montgomery import KINDS

CORES = [kind.full_name(name) for kind in KINDS.values() for name in sorted(kind.cores())]
WIDTH = 9

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None,
                                  reason="Icarus Verilog is not installed")
needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None,
                                     reason="Verilator is not installed")


@pytest.fixture(autouse=True)
def registry():
    """The real one, in place of toys."""


def point(arch, width=WIDTH, target="ecp5-25k", **params):
    found, = expand([arch], [width], {name: [value] for name, value in params.items()}, [target])
    return found


def run(*command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def icarus(exported, folder, *, changed=None):
    """Return how the testbench ends, with the texts of ``changed`` exchanged in the core."""
    sources = [exported.files[kind] for kind in ("verilog", "models", "testbench")
               if kind in exported.files]
    if changed is not None:
        text = sources[0].read_text()
        assert changed[0] in text
        sources[0].write_text(text.replace(*changed))
    compiled = run("iverilog", "-g2012", "-Wall", "-o", "tb", *map(str, sources), folder=folder)
    assert compiled.returncode == 0, compiled.stderr
    return run("vvp", "-N", "tb", folder=folder)


@needs_icarus
@pytest.mark.parametrize("arch", CORES)
def test_the_testbench_passes_in_icarus(arch, tmp_path):
    exported = export(point(arch), tmp_path, vectors=4, generic=True)
    ended = icarus(exported, tmp_path)
    assert ended.stdout.startswith("PASS: "), ended.stdout
    assert ended.returncode == 0
    assert "models" not in exported.files


@needs_icarus
@pytest.mark.parametrize(("arch", "target", "params"), [
    ("dsp_systolic", "ecp5-25k", {}),
    ("single_dsp", "ecp5-25k", {}),
    ("cox_rower", "ecp5-25k", {}),  # with registers that are cells, too
    ("dsp_systolic", "ice40-up5k", {}),
    ("single_dsp", "ice40-up5k", {"word_width": 16}),
])
def test_the_testbench_passes_with_the_blocks_of_a_device(arch, target, params, tmp_path):
    exported = export(point(arch, target=target, **params), tmp_path, vectors=4)
    cell = {"ecp5-25k": "MULT18X18D", "ice40-up5k": "SB_MAC16"}[target]
    assert cell in exported.files["verilog"].read_text()
    ended = icarus(exported, tmp_path)
    assert ended.stdout.startswith("PASS: "), ended.stdout


@needs_icarus
def test_the_testbench_finds_a_wrong_core(tmp_path):
    exported = export(point("mmm_cs_1d"), tmp_path, vectors=4)
    ended = icarus(exported, tmp_path, changed=(" ^ ", " | "))
    assert "FAIL: " in ended.stdout
    assert ended.returncode != 0


@needs_icarus
def test_the_testbench_finds_a_core_that_hangs(tmp_path):
    exported = export(point("mmm_op_1d"), tmp_path, vectors=1)
    # No clock reaches it.
    ended = icarus(exported, tmp_path, changed=("posedge clk", "posedge 1'b0"))
    assert "FAIL: no word for" in ended.stdout
    assert ended.returncode != 0


@needs_verilator
def test_the_testbench_passes_in_verilator(tmp_path):
    export(point("mmm_mx_1d"), tmp_path, vectors=2, name="top")
    built = run("verilator", "--binary", "--timing", "-Wno-fatal", "--top-module", "top_tb",
                "top.v", "top_tb.sv", folder=tmp_path)
    assert built.returncode == 0, built.stderr
    ended = run("./obj_dir/Vtop_tb", folder=tmp_path)
    assert "PASS: " in ended.stdout
    assert ended.returncode == 0


@needs_icarus
def test_fusesoc_runs_the_core_file(tmp_path):
    pytest.importorskip("fusesoc")
    exported = export(point("mmm_op_1d"), tmp_path / "core", vectors=1, name="top")
    ended = run(sys.executable, "-m", "fusesoc.main", "--cores-root", "core", "run", "--target",
                "sim", exported.name, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "PASS: " in ended.stdout


def test_documentation_says_what_a_user_needs(tmp_path):
    exported = export(point("mmm_mx_1d", width=32), tmp_path)
    text = exported.files["documentation"].read_text()
    params = point("mmm_mx_1d", width=32).parameters()
    assert f"| compute | {params.cycles.compute} |" in text
    assert "| R | 2^34 |" in text
    assert "below 2 m" in text
    for name, words in params.operands:
        assert f"| `{name}` | {words} |" in text
    assert "`o__payload` | out | 16 |" in text
    assert "Algorithm 3 on a ring" in text
    assert "Parameters\n---" not in text


def test_the_command_in_the_documentation_makes_the_same_files(tmp_path):
    def montgomery(*arguments):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.stderr
        return result

    result = montgomery("export", "-a", "exponentiation.generic", "-n", "8", "-p", "method=binary",
                 "-t", "ecp5-25k", "--output", str(tmp_path / "first"), "--vectors", "1",
                 "--name", "power", "--json")
    document = json.loads(result.stdout)
    assert document["name"] == "power"
    text = (tmp_path / "first" / "power.md").read_text()
    command = re.search(r"Made by `montgomery (.*)`", text)[1].split("`")[0]
    montgomery(*shlex.split(command), "--output", str(tmp_path / "second"), "--vectors", "1")
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()


def test_kinds_of_a_core_do_not_overwrite_each_other():
    names = {default_name(point(arch)) for arch in CORES}
    assert len(names) == len(CORES)
    assert {"cox_rower_9", "exponentiation_cox_rower_9", "decryption_cox_rower_9"} <= names


@pytest.mark.parametrize(("arguments", "message"), [
    (("-n", "8,16"), "export takes one point, not 2; give one value each to -n, -p and -o"),
    (("-n", "8", "--name", "8bit"), "The name must be letters, digits and underscores that do not "
                                    "begin with a digit, not '8bit'; 'mmm_cs_1d_8' would do"),
    (("-n", "8", "--name", "module"), "The name must be no keyword of SystemVerilog, unlike "
                                      "'module'; 'module_core' would do"),
    (("-n", "8", "--name", "stalls"), "must not be one that the testbench or the models of the "
                                      "device's blocks have, unlike 'stalls'; 'stalls_core' would"),
    (("-n", "8", "-o", "multipliers=logic"), "-o is for the device; name one with -t"),
    (("-n", "3"), "Width must be 4 or more, not 3"),
])
def test_wrong_arguments(arguments, message, tmp_path):
    result = CliRunner().invoke(cli, ["export", "-a", "mmm_cs_1d", *arguments, "--output",
                                      str(tmp_path / "x")])
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_names_that_mean_something_else_are_refused():
    # IEEE Std 1800-2017 has 248 keywords.
    assert len(KEYWORDS) == 248
    assert {"module", "logic", "wand", "unique0", "s_until_with", "1step"} - KEYWORDS == {"1step"}
    for name in KEYWORDS:
        with pytest.raises(ValueError, match=f"unlike '{name}'; '{name}_core' would do"):
            check_name(name, "core")
        check_name(f"{name}_core", "core")
        check_name(name.upper(), "core")
    assert declared("module \\top.sub (clk);\n  reg [3:0] count;\nmodule MULT(a);\n  X x (") == {
        "top.sub", "count", "MULT", "x"}


@pytest.mark.parametrize(("target", "name"), [("ecp5-25k", "MULT18X18D"),
                                              ("ice40-up5k", "SB_MAC16")])
def test_names_of_the_blocks_of_a_device_are_refused(target, name, tmp_path):
    result = CliRunner().invoke(cli, ["export", "-a", "dsp_systolic", "-n", "64", "-t", target,
                                      "--name", name, "--output", str(tmp_path / "x")])
    assert result.exit_code == 2
    assert f"unlike '{name}'; '{name}_core' would do" in result.stderr
    assert not (tmp_path / "x").exists()


def test_docstrings_become_markdown():
    assert markdown("See :class:`~.core.Cycles` and :meth:`.x.y`, ``z`` of :attr:`it <a.b>`::\n\n"
                    "    code\n\nRaises\n------\nValueError") == (
        "See `Cycles` and `x.y`, `z` of it:\n\n    code\n\n### Raises\n\nValueError")
