"""The systolic array of multiplier blocks, folded and not, on the blocks themselves too."""

import json
import random
import subprocess

import pytest
from amaranth.back import rtlil
from bench import run

from explore.tools.find import packaged
from montgomery import architectures
from montgomery.arithmetic import negated_inverse
from montgomery.core import traits
from montgomery.dsp_systolic.quotient import DigitInverse
from montgomery.technology import technologies

Parameters = architectures()["dsp_systolic"]


@pytest.mark.parametrize(("bits", "blocks"), [(510, 34), (1022, 66), (2046, 130)])
def test_blocks_as_in_the_paper(bits, blocks):
    """Tables 1 to 3; with a modulus of all bits it is one digit more."""
    assert traits(Parameters(width=bits)).blocks(technologies()["xilinx-7"]) == blocks
    assert traits(Parameters(width=bits + 2)).blocks(technologies()["xilinx-7"]) == blocks + 1


@pytest.mark.parametrize("bits", [510, 1022, 2046])
def test_clocks_beside_those_of_the_paper(bits):
    """The paper has 3n + 2; results come back through a memory here."""
    params = Parameters(width=bits)
    assert params.cycles.interval == 3 * params.schedule.digits + 10


@pytest.mark.parametrize(("name", "widest"), [("ice40-ultra", 16), ("xilinx-7", 17), ("ecp5", 18)])
def test_a_digit_must_fit_the_block(name, widest):
    technology = technologies()[name]
    assert traits(Parameters(width=64, word_width=widest, digit_width=widest)).blocks(technology)
    if widest < 18:
        with pytest.raises(ValueError, match=f"have {widest} bits or fewer on {name}, "):
            traits(Parameters(width=64, word_width=18, digit_width=18)).blocks(technology)


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


@pytest.mark.parametrize("width", [1, 2, 4, 9])
def test_inverse(width):
    """Each odd digit has one, in as many clocks as are said."""
    core = DigitInverse(width)
    found = {}

    async def testbench(ctx):
        for lowest in range(1, 1 << width, 2 if width < 9 else 34):
            ctx.set(core.lowest, lowest)
            ctx.set(core.start, 1)
            await ctx.tick()
            ctx.set(core.start, 0)
            for _ in range(width):
                assert not ctx.get(core.done)
                await ctx.tick()
            assert ctx.get(core.done)
            found[lowest] = ctx.get(core.inverse)

    run(core, testbench)
    assert found == {lowest: negated_inverse(lowest, 1 << width) for lowest in found}
    assert found


@pytest.mark.parametrize(("bits", "digits", "interval", "initiation"), [
    (256, 18, 49, 42), (1024, 60, 133, 126)])
def test_two_clocks_a_digit(bits, digits, interval, initiation):
    """Orup's bound: 4 m b**3 < b**digits; two slots more than digits, and one for the result."""
    params = Parameters(width=bits, word_width=18, digit_width=18, quotient="delayed")
    assert params.schedule.digits == digits == traits(params).blocks(technologies()["ecp5"])
    assert params.cycles.interval == interval == 2 * digits + 13
    assert traits(params).initiation == initiation == 2 * (digits + 3)


@pytest.mark.parametrize("elements", [0, 30, 20, 1])
@pytest.mark.parametrize("digit_width", [4, 11, 18])
def test_delayed_model(digit_width, elements):
    """Against pow, for moduli of all lengths and operands at the bound."""
    rng = random.Random(digit_width)
    for width in (4, 5, 17, 64, 255, 521):
        params = Parameters(width=width, word_width=digit_width, digit_width=digit_width,
                            quotient="delayed", processing_elements=elements)
        assert params.schedule.elements <= (elements or params.schedule.digits)
        for modulus in (3, (1 << width) - 1, rng.getrandbits(width) | 1 | 1 << (width - 1)):
            bound = params.bound(modulus)
            assert 2 * bound < params.r
            assert (params.multiple(modulus) + 1) % (1 << digit_width) == 0
            for x, y in ((bound - 1, bound - 1), (rng.randrange(bound), rng.randrange(bound)),
                         (0, bound - 1), (1, 1)):
                result = params.compute(x, y, modulus)
                assert result < bound
                assert result % modulus == x * y * pow(params.r, -1, modulus) % modulus
