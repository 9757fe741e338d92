"""Exported cores, in the simulators that users have."""

import dataclasses
import json
import random
import re
import shlex

import pytest
from amaranth.hdl import Elaboratable
from click.testing import CliRunner
from exports import CORES, exported, needs_icarus, point, ran

from explore.cli import cli
from explore.export.describe import description, markdown, simulation
from explore.export.verilog import KEYWORDS, check_name, declared, document
from explore.simulation import edge_vectors
from explore.simulation.kinds import adapter
from montgomery.core import expected_words, key_of, kind_of, option_names

pytestmark = pytest.mark.real_cores

def icarus(files, folder, *, changed=None):
    """Return how the testbench ends, with the texts of ``changed`` exchanged in the core."""
    sources = [files[kind] for kind in ("verilog", "models", "testbench") if kind in files]
    if changed is not None:
        text = sources[0].read_text()
        assert changed[0] in text
        sources[0].write_text(text.replace(*changed))
    compiled = ran("iverilog", "-g2012", "-Wall", "-o", "tb", *map(str, sources), folder=folder)
    assert compiled.returncode == 0, compiled.stderr
    return ran("vvp", "-N", "tb", folder=folder)


def _vectors(chosen, usual):
    """Return how many operations to simulate; Icarus does 2,000 clocks of a large core a second."""
    return 1 if chosen.parameters().cycles.interval > 5_000 else usual


@pytest.mark.thorough
@pytest.mark.sample(2)
@needs_icarus
@pytest.mark.parametrize("arch", sorted(CORES, key=len))
def test_the_document_says_that_no_reset_is_needed_and_how_to_instantiate_it(arch, tmp_path):
    files = exported(tmp_path, arch, vectors=_vectors(point(arch), 2))
    text = files["documentation"].read_text()
    assert "No reset is needed" in text
    template, = re.findall(r"(?ms)^```verilog\ncore core_instance \((.*?)\);\n```$", text)
    connected = re.findall(r"\.(\w+)\((\w+)\)", template)
    ports, = re.findall(r"(?m)^module core\((.*)\);$", files["verilog"].read_text())
    assert sorted(connected) == sorted((port, port) for port in ports.split(", "))
    bench = files["testbench"]
    held = bench.read_text().replace("rst <= clock < 3;", "rst <= 0;")
    assert held != bench.read_text()
    bench.write_text(held)
    assert "PASS: " in icarus(files, tmp_path).stdout


@pytest.mark.thorough
@needs_icarus
@pytest.mark.parametrize(("arch", "changed", "said"), [
    ("mmm_cs_1d", (" ^ ", " | "), "FAIL: "),
    # No clock reaches it.
    ("mmm_op_1d", ("posedge clk", "posedge 1'b0"), "FAIL: no word for")])
def test_the_testbench_finds_a_core_that_is_wrong_or_hangs(arch, changed, said, tmp_path):
    ended = icarus(exported(tmp_path, arch, vectors=4), tmp_path, changed=changed)
    assert said in ended.stdout
    assert ended.returncode != 0


def documents(arch):
    """Return the documents of a core, as it is by default and with each choice of a parameter, but
    for curves and moduli, which have a width of their own.
    """
    choices = [{}, *({field.name: choice} for field in dataclasses.fields(CORES[arch])
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
def test_the_document_says_what_the_core_does(arch):
    for params, text in documents(arch):
        check_names(params, text)
        check_functions(params, helper(text))
        check_example(params, section(text, "Example"))


def check_names(params, text):
    """Each operand is defined. What stands in backquotes is a port, a parameter, an operand, a
    file, or a symbol that is defined there.
    """
    operands = [*params.key_operands.fields, *params.operands.fields]
    sizes = [*(field.words for field in params.key_operands.fields),
             *(field.bits if params.operands.beside else field.words
               for field in params.operands.fields)]
    words, how = section(text, "Words"), section(text, "How it works")
    table = [line.strip("| ").split(" | ") for line in words.splitlines()
             if line.startswith("| `")]
    assert [(line[0], int(line[1])) for line in table] == [
        (f"`{operand.name}`", size) for operand, size in zip(operands, sizes, strict=True)]
    assert all(len(line[-1].split()) > 1 or line[-1].isdecimal() for line in table)
    assert not re.search(r":\w+:`|Parameters`|(?<!`)``(?!`)", text)
    assert how.strip()
    known = {field.name for field in (*dataclasses.fields(params), *operands)} | set(
        option_names(params)) | {"i", "o", "in1", "in2", "in3", "in4", "i_payload"}
    named = re.findall(r"`([A-Za-z_]\w*)(?:=\w+)?`",
                       how + words + section(text, "Numbers in and out"))
    assert set(named) <= known


def check_functions(params, functions):
    """The functions in the document make and read the words of the core."""
    longest = adapter(params).longest()
    assert len(params.encode(*longest)) == params.i_words
    for vector in (*edge_vectors(params)[:4], longest):
        key = key_of(params, *vector)
        assert functions["encode"](*vector[:len(vector) - len(key)]) == params.encode(*vector)
        if params.k_words:
            assert functions["encode_key"](*key) == params.encode_key(*key)
            assert len(params.encode_key(*key)) <= params.k_words
        assert functions["decode"](expected_words(params, *vector)) == params.compute(*vector)
    if kind_of(params).name == "multiplier":
        check_product(params, functions["product"])


def check_product(params, product):
    """The document tells how to multiply ordinary numbers."""
    rng = random.Random(5)
    modulus = adapter(params).modulus(rng)
    x, y = rng.randrange(modulus), rng.randrange(modulus)
    first = x, params.r ** 2 % modulus, modulus
    second = params.compute(*first), y, modulus
    core = {tuple(params.encode(*vector)): expected_words(params, *vector)
            for vector in (first, second)}
    keys = []
    load = [keys.append] if params.k_words else []
    assert product(x, y, modulus, *load, lambda sent: core[tuple(sent)]) == x * y % modulus
    assert keys == ([params.encode_key(modulus)] if load else [])


def check_example(params, shown):
    inputs = {name: int(value, 16)
              for name, value in re.findall(r"(?m)^    (\w+) = (0x\w+)$", shown)}
    is_multiplier = kind_of(params).name == "multiplier"
    # What numbers give without any factor R.
    assert int(re.search(r"is\n\n    (0x\w+)\n", shown)[1], 16) == (
        inputs["x"] * inputs["y"] % inputs["modulus"] if is_multiplier
        else adapter(params).golden(*inputs.values()))
    operations = re.findall(
        r"(?ms)((?:^ {7}\w+ = 0x\w+\n)+)(?:\n {7}sent to port k:\n(.*?)\n)?"
        r"\n {7}sent(?: to port i)?:\n(.*?)\n\n {7}received:\n(.*?)\n\n"
        r" {7}result = (0x\w+)", shown)
    assert len(operations) == (2 if is_multiplier else 1)
    names = [operand.name for operand in (*params.key_operands.fields, *params.operands.fields)]
    assert bool(operations[0][1]) == bool(params.k_words)
    for numbers, *words, number in operations:
        vector = [int(value, 16) for value in re.findall(r"= (0x\w+)", numbers)]
        key, sent, received = ([int(word, 16) for word in text.split() if word not in names]
                               for text in words)
        if key:
            assert key == params.encode_key(*key_of(params, *vector))
        assert sent == params.encode(*vector)
        assert received == expected_words(params, *vector)
        assert int(number, 16) == params.compute(*vector)


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
    def by_command(*options, folder):
        return CliRunner().invoke(cli, ["export", "-n", "8", "-t", "ice40-hx8k", *options,
                                        "--vectors", "1", "--name", "core", "--output",
                                        str(tmp_path / folder)])

    refused = by_command("-a", "dsp_systolic", folder="x")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "montgomery: dsp_systolic needs multiplier blocks, and ice40-hx8k has none: add '-o "
        "multipliers=logic' to make multipliers of logic, leave out '-t' for plain Verilog, or "
        "name another device\n")
    assert not (tmp_path / "x").exists()
    # The remedy works, and the document claims no blocks.
    done = by_command("-a", "dsp_systolic", "-o", "multipliers=logic", folder="logic")
    assert done.exit_code == 0
    assert "it holds cells" not in (tmp_path / "logic" / "core.md").read_text()
    # What needs no multiplier blocks is made for the device.
    memory = by_command("-a", "exponentiation.generic", folder="memory")
    assert memory.exit_code == 0, memory.stderr
    assert "for ice40: it holds cells of that family, SB_RAM40_4K, of which `core_models.v`" in (
        tmp_path / "memory" / "core.md").read_text()


def test_docstrings_become_markdown():
    assert markdown("See :class:`~.core.Cycles` and :meth:`.x.y`, ``z`` of :attr:`it <a.b>`::\n\n"
                    "    code\n\nRaises\n------\nValueError") == (
        "See `Cycles` and `x.y`, `z` of it:\n\n    code\n\n### Raises\n\nValueError")
