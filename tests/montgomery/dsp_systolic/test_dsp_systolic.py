"""The systolic array of multiplier blocks, on the blocks themselves too, and what is around it."""

import json
import subprocess

import pytest
from amaranth.back import rtlil
from bench import run

from explore.simulation.kinds import adapter
from explore.tools.find import packaged
from montgomery import architectures, exponentiators
from montgomery.arithmetic import negated_inverse
from montgomery.core import traits
from montgomery.dsp_systolic import rsa_crt
from montgomery.dsp_systolic.quotient import DigitInverse
from montgomery.technology import technologies

Parameters, Exponentiator = architectures()["dsp_systolic"], exponentiators()["dsp_systolic"]


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


def test_algorithm_5_is_a_window_of_one_bit():
    """Equation 3 of the paper."""
    params = Exponentiator(width=1024, window=1)
    for bits in (1, 2, 1024):
        assert params.multiplications(3, 1 << (bits - 1), (1 << 1024) - 1) == 2 * bits + 2


@pytest.mark.parametrize(("options", "clocks"), [
    ({"width": 1024, "quotient": "plain"}, 280_000),
    ({"width": 1024, "quotient": "delayed", "word_width": 18}, 168_000),
    ({"width": 256, "quotient": "delayed", "word_width": 18}, 17_000)], ids=str)
def test_clocks(options, clocks):
    params = Exponentiator(**options)
    assert params.cycles.compute <= clocks


def test_a_window_whose_table_is_too_large():
    assert Exponentiator(width=4096, window=5)
    with pytest.raises(ValueError, match="Width 4096 must leave the memory at most 32768 words, "
                       "not 32896; choose a larger word_width or a smaller window"):
        Exponentiator(width=4096, window=6)


def test_an_unchecked_core_gives_what_it_found():
    params = rsa_crt.Parameters(width=20, word_width=8, window=2, quotient="delayed", check="none")
    assert not traits(params).checks
    assert params.compute(1234, 4, 6, 1001, 1003) == adapter(params).golden(1234, 4, 6, 1001, 1003)


def test_a_key_without_public_exponent_is_refused():
    params = rsa_crt.Parameters(width=20)
    for wrong, message in (((3, 3, 1001, 1009), "Factor p must be a prime"),
                           ((2, 3, 1013, 1009), "must have inverses modulo p - 1"),
                           ((1, 11, 1013, 1009), "inverses of one public exponent")):
        with pytest.raises(ValueError, match=message):
            params.compute(5, *wrong)
