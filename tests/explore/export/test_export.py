"""Exported cores, in the simulators that users have."""

import dataclasses
import json
import random
import re
import shlex
import shutil
import subprocess

import pytest
from amaranth.hdl import Elaboratable
from click.testing import CliRunner

from explore.cli import cli
from explore.export import export
from explore.export.describe import description, markdown, simulation
from explore.export.verilog import KEYWORDS, check_name, declared, document
from explore.points.expand import expand
from explore.simulation import edge_vectors
from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.core import expected_words, key_of, kind_of, option_names

pytestmark = pytest.mark.real_cores

CORES = {kind.full_name(name): cls for kind in KINDS.values()
         for name, cls in sorted(kind.cores().items())}
WIDTH = 9

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None,
                                  reason="Icarus Verilog is not installed")


def point(arch, width=WIDTH, target="ecp5-25k", **params):
    least = CORES[arch].__dataclass_fields__["width"].metadata["minimum"]
    found, = expand([arch], [max(width, least)],
                    {name: [value] for name, value in params.items()}, [target])
    return found


def run(*command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


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


def _vectors(chosen, usual):
    """Return how many operations to simulate; Icarus does 2,000 clocks of a large core a second."""
    return 1 if chosen.parameters().cycles.interval > 5_000 else usual


@pytest.mark.thorough
@pytest.mark.sample(2)
@needs_icarus
@pytest.mark.parametrize("arch", sorted(CORES, key=len))
def test_the_document_says_that_no_reset_is_needed_and_how_to_instantiate_it(arch, tmp_path):
    chosen = point(arch)
    exported = export(chosen, tmp_path, vectors=_vectors(chosen, 2), name="core", generic=True)
    text = exported.files["documentation"].read_text()
    assert "No reset is needed" in text
    template, = re.findall(r"(?ms)^```verilog\ncore core_instance \((.*?)\);\n```$", text)
    connected = re.findall(r"\.(\w+)\((\w+)\)", template)
    ports, = re.findall(r"(?m)^module core\((.*)\);$", exported.files["verilog"].read_text())
    assert sorted(connected) == sorted((port, port) for port in ports.split(", "))
    bench = exported.files["testbench"]
    held = bench.read_text().replace("rst <= clock < 3;", "rst <= 0;")
    assert held != bench.read_text()
    bench.write_text(held)
    assert "PASS: " in icarus(exported, tmp_path).stdout


@pytest.mark.thorough
@needs_icarus
def test_the_testbench_finds_a_wrong_core(tmp_path):
    exported = export(point("mmm_cs_1d"), tmp_path, vectors=4)
    ended = icarus(exported, tmp_path, changed=(" ^ ", " | "))
    assert "FAIL: " in ended.stdout
    assert ended.returncode != 0


@pytest.mark.thorough
@needs_icarus
def test_the_testbench_finds_a_core_that_hangs(tmp_path):
    exported = export(point("mmm_op_1d"), tmp_path, vectors=1)
    # No clock reaches it.
    ended = icarus(exported, tmp_path, changed=("posedge clk", "posedge 1'b0"))
    assert "FAIL: no word for" in ended.stdout
    assert ended.returncode != 0


def documents(arch):
    """Return the documents of a core, as it is by default and with each choice of a parameter, but
    for curves and moduli, which have a width of their own.
    """
    known, = (core for kind in KINDS.values() for name, core in kind.cores().items()
              if kind.full_name(name) == arch)
    choices = [{}, *({field.name: choice} for field in dataclasses.fields(known)
                     for choice in field.metadata["choices"] or ()
                     if choice != field.default and field.name not in ("curve", "modulus"))]
    for chosen in choices:
        if chosen.get("in_flight") == 2:
            chosen["digits_per_clock"] = 4  # else one operation keeps the multiplier busy
        if chosen.get("keys") == "both":
            chosen["check"] = "none"  # a key without CRT does not tell the public exponent
        if "parts" in chosen:
            chosen["word_width"] = 16 * chosen["parts"]  # words of a multiplier
        params = point(arch, **chosen).parameters()
        yield params, document_of(params)


def document_of(params):
    context = description(params, unused(params.create()), seed=3)
    return document({**context, **simulation("core", "core.v core_tb.sv", 1, [{"clocks": 1}]),
                     "name": "core", "version": "0", "command": "export", "technology": None,
                     "cells": [], "models": None, "holder": "", "licence": "", "measured": []})


def unused(component):
    """Return a component that is never elaborated, which would be warned of."""
    component._MustUse__silence = True
    for part in vars(component).values():
        if isinstance(part, Elaboratable):
            unused(part)
    return component


def helper(text):
    """Return the functions of a document, which need nothing else."""
    code, = re.findall(r"(?ms)^```python\n(.*?)^```$", text)
    names = {}
    exec(compile(code, "the document", "exec"), names)
    return names


def section(text, title):
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("arch", CORES)
def test_every_operand_is_defined_in_the_document(arch):
    for params, text in documents(arch):
        operands = [*params.key_operands.fields, *params.operands.fields]
        sizes = [*(field.words for field in params.key_operands.fields),
                 *(field.bits if params.operands.beside else field.words
                   for field in params.operands.fields)]
        table = [line.strip("| ").split(" | ")
                 for line in section(text, "Words").splitlines() if line.startswith("| `")]
        assert [(line[0], int(line[1])) for line in table] == [
            (f"`{operand.name}`", size) for operand, size in zip(operands, sizes, strict=True)]
        assert all(len(line[-1].split()) > 1 or line[-1].isdecimal() for line in table)
        longest = adapter(params).longest()
        assert len(params.encode(*longest)) == params.i_words
        if params.k_words:
            assert len(params.encode_key(*key_of(params, *longest))) == params.k_words
        assert not re.search(r":\w+:`|Parameters`|(?<!`)``(?!`)", text)
        assert section(text, "How it works").strip()
        # What stands in backquotes is a port, a parameter, an operand, a file, or a symbol that is
        # defined there.
        known = {field.name for field in dataclasses.fields(params)} | {
            operand.name for operand in operands} | set(option_names(params)) | {
            "i", "o", "in1", "in2", "in3", "in4", "i_payload"}
        for name in re.findall(r"`([A-Za-z_]\w*)(?:=\w+)?`", section(text, "How it works")
                               + section(text, "Words") + section(text, "Numbers in and out")):
            assert name in known, name


@pytest.mark.parametrize("arch", CORES)
def test_the_functions_in_the_document_make_and_read_the_words_of_the_core(arch):
    for params, text in documents(arch):
        functions = helper(text)
        for vector in (*edge_vectors(params)[:4], adapter(params).longest()):
            rest = vector[:len(vector) - len(key_of(params, *vector))]
            assert functions["encode"](*rest) == params.encode(*vector)
            if params.k_words:
                key = key_of(params, *vector)
                assert functions["encode_key"](*key) == params.encode_key(*key)
            assert functions["decode"](expected_words(params, *vector)) == params.compute(*vector)


def test_the_document_of_ed25519_has_points_but_none_at_infinity():
    params = point("base_multiplication.wide", 256, curve="Ed25519").parameters()
    text = document_of(params)
    for scalar in (0, 1, params.domain.n - 1):
        assert helper(text)["point"](params.compute(scalar)) == params.domain.multiply(
            scalar, params.domain.base)
    with pytest.raises(ValueError, match="no point"):
        helper(text)["point"]((1 << 512) - 1)
    assert "infinity" not in section(text, "Numbers in and out")
    assert "x³" not in text


@pytest.mark.parametrize("arch", CORES)
def test_the_example_in_the_document_is_right(arch):
    for params, text in documents(arch):
        shown = section(text, "Example")
        inputs = {name: int(value, 16)
                  for name, value in re.findall(r"(?m)^    (\w+) = (0x\w+)$", shown)}
        result = int(re.search(r"is\n\n    (0x\w+)\n", shown)[1], 16)
        assert result == ordinary(params, **inputs)
        operations = re.findall(
            r"(?ms)((?:^ {7}\w+ = 0x\w+\n)+)(?:\n {7}sent to port k:\n(.*?)\n)?"
            r"\n {7}sent(?: to port i)?:\n(.*?)\n\n {7}received:\n(.*?)\n\n"
            r" {7}result = (0x\w+)", shown)
        assert len(operations) == (2 if kind_of(params).name == "multiplier" else 1)
        names = [operand.name
                 for operand in (*params.key_operands.fields, *params.operands.fields)]
        assert bool(operations[0][1]) == bool(params.k_words)
        for numbers, key, sent, received, number in operations:
            vector = [int(value, 16) for value in re.findall(r"= (0x\w+)", numbers)]
            if key:
                words = [int(word, 16) for word in key.split() if word not in names]
                assert words == params.encode_key(*key_of(params, *vector))
            words = [int(word, 16) for word in sent.split() if word not in names]
            assert words == params.encode(*vector)
            assert [int(word, 16) for word in received.split()] == expected_words(params, *vector)
            assert int(number, 16) == params.compute(*vector)


def ordinary(params, **inputs):
    """Return what numbers give without any factor R."""
    if kind_of(params).name == "multiplier":
        return inputs["x"] * inputs["y"] % inputs["modulus"]
    return adapter(params).golden(*inputs.values())


@pytest.mark.parametrize("arch", sorted(KINDS["multiplier"].cores()))
def test_the_document_tells_how_to_multiply_ordinary_numbers(arch):
    rng = random.Random(5)
    for params, text in documents(arch):
        modulus = adapter(params).modulus(rng)
        x, y = rng.randrange(modulus), rng.randrange(modulus)
        first = x, params.r ** 2 % modulus, modulus
        second = params.compute(*first), y, modulus
        core = {tuple(params.encode(*vector)): expected_words(params, *vector)
                for vector in (first, second)}
        keys = []
        load = [keys.append] if params.k_words else []
        product = helper(text)["product"](x, y, modulus, *load,
                                          lambda sent, core=core: core[tuple(sent)])
        assert product == x * y % modulus
        assert keys == ([params.encode_key(modulus)] if load else [])


def test_the_command_in_the_documentation_makes_the_same_files(tmp_path):
    def montgomery(*arguments):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.stderr
        return result

    result = montgomery("export", "-a", "exponentiation.generic", "-n", "8", "-p", "window=1",
                 "-t", "ecp5-25k", "--output", str(tmp_path / "first"), "--vectors", "1",
                 "--name", "power", "--json")
    document = json.loads(result.stdout)
    assert document["name"] == "power"
    text = (tmp_path / "first" / "power.md").read_text()
    command = re.search(r"Made by `montgomery (.*)`", text)[1].split("`")[0]
    montgomery(*shlex.split(command), "--output", str(tmp_path / "second"), "--vectors", "1")
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()




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


def test_names_of_the_blocks_of_a_device_are_refused(tmp_path):
    result = CliRunner().invoke(cli, ["export", "-a", "dsp_systolic", "-n", "64", "-t", "ecp5-25k",
                                      "--name", "MULT18X18D", "--output", str(tmp_path / "x")])
    assert result.exit_code == 2
    assert "unlike 'MULT18X18D'; 'MULT18X18D_core' would do" in result.stderr
    assert not (tmp_path / "x").exists()


def test_a_device_without_the_blocks_of_a_core_is_refused(tmp_path):
    def exported(*options, folder):
        return CliRunner().invoke(cli, ["export", "-n", "8", "-t", "ice40-hx8k", *options,
                                        "--vectors", "1", "--name", "core", "--output",
                                        str(tmp_path / folder)])

    refused = exported("-a", "dsp_systolic", folder="x")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "montgomery: dsp_systolic needs multiplier blocks, and ice40-hx8k has none: add '-o "
        "multipliers=logic' to make multipliers of logic, leave out '-t' for plain Verilog, or "
        "name another device\n")
    assert not (tmp_path / "x").exists()
    # The remedy works, and the document claims no blocks.
    assert exported("-a", "dsp_systolic", "-o", "multipliers=logic", folder="logic").exit_code == 0
    assert "it holds cells" not in (tmp_path / "logic" / "core.md").read_text()
    # What needs no multiplier blocks is made for the device.
    memory = exported("-a", "exponentiation.generic", folder="memory")
    assert memory.exit_code == 0, memory.stderr
    assert "for ice40: it holds cells of that family, SB_RAM40_4K, of which `core_models.v`" in (
        tmp_path / "memory" / "core.md").read_text()


def test_docstrings_become_markdown():
    assert markdown("See :class:`~.core.Cycles` and :meth:`.x.y`, ``z`` of :attr:`it <a.b>`::\n\n"
                    "    code\n\nRaises\n------\nValueError") == (
        "See `Cycles` and `x.y`, `z` of it:\n\n    code\n\n### Raises\n\nValueError")
