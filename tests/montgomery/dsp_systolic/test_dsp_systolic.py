"""The systolic array of multiplier blocks, folded and not, on the blocks themselves too."""

import dataclasses
import json
import random
import subprocess

import pytest
from amaranth.back import rtlil
from bench import Resettable, check_products, run, whole
from compiled_cores import netlist_library

from explore.devices import targets
from explore.simulation import CompiledEngine, edge_vectors, random_vectors, simulate, verify
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.find import packaged
from montgomery import architectures
from montgomery.arithmetic import negated_inverse
from montgomery.dsp_systolic.inverse import Inverse
from montgomery.technology import technologies

Parameters = architectures()["dsp_systolic"]
SEED = 2022


def _check_cycles(params, result):
    """Compare all clock counts with the formula, but the interval of operands that are sent."""
    assert len(result.cycles) > 1
    for cycles in result.cycles:
        assert whole(dataclasses.replace(cycles, interval=0), params.cycles) == params.cycles


def _folded():
    """Each number of elements that some limit gives, all digits among them."""
    for quotient in ("plain", "scaled", "delayed"):
        known = set()
        for elements in range(10):
            params = Parameters(width=38, word_width=5, digit_width=5, quotient=quotient,
                                processing_elements=elements)
            if params.schedule.elements not in known:
                known.add(params.schedule.elements)
                yield pytest.param(params, id=f"{quotient}-{elements}")


@pytest.mark.sample(5)
@pytest.mark.parametrize("params", list(_folded()))
def test_folded(params):
    """Digits fill the elements, or leave some of the last one over."""
    assert params.schedule.elements <= (params.processing_elements or params.schedule.digits)
    vectors = [*edge_vectors(params)[-3:], *random_vectors(params, 3, SEED)]
    result = simulate(params, vectors, chained=True)
    check_products(params, vectors, result.products, seed=SEED)
    _check_cycles(params, result)
    products, results = params.dependent_operations(random.Random(SEED), 4)
    result = simulate(params, products, kept=results)
    check_products(params, products, result.products, seed=SEED)
    assert {cycles.interval for cycles in result.cycles[1:]} == {params.cycles.interval}


@pytest.mark.sample(6)
@pytest.mark.parametrize("quotient", ["plain", "scaled", "delayed"])
@pytest.mark.parametrize("digit_width", [4, 8, 13, 16, 17, 18])
def test_radix(quotient, digit_width):
    params = Parameters(width=75, word_width=digit_width, digit_width=digit_width,
                        quotient=quotient)
    vectors = [*edge_vectors(params)[-3:], *random_vectors(params, 2, SEED)]
    result = simulate(params, vectors, chained=True)
    check_products(params, vectors, result.products, seed=SEED)


@pytest.mark.parametrize(("bits", "blocks"), [(510, 34), (1022, 66), (2046, 130)])
def test_blocks_as_in_the_paper(bits, blocks):
    """Tables 1 to 3; with a modulus of all bits it is one digit more."""
    assert Parameters(width=bits).multipliers(technologies()["xilinx-7"]) == blocks
    assert Parameters(width=bits + 2).multipliers(technologies()["xilinx-7"]) == blocks + 1


@pytest.mark.parametrize("quotient", ["plain", "scaled"])
@pytest.mark.parametrize("bits", [510, 1022, 2046])
def test_clocks_beside_those_of_the_paper(bits, quotient):
    """The paper has 3n + 2; results come back through a memory here."""
    params = Parameters(width=bits, quotient=quotient)
    schedule = params.schedule
    assert params.cycles.interval == schedule.interval
    assert schedule.interval == 3 * schedule.digits + {"plain": 10, "scaled": 11}[quotient]


@pytest.mark.parametrize(("name", "widest"), [("ice40-ultra", 16), ("xilinx-7", 17), ("ecp5", 18)])
def test_a_digit_must_fit_the_block(name, widest):
    technology = technologies()[name]
    assert Parameters(width=64, word_width=widest, digit_width=widest).multipliers(technology)
    if widest < 18:
        with pytest.raises(ValueError, match=f"Digit width must be {widest} or less on {name}, "):
            Parameters(width=64, word_width=18, digit_width=18).multipliers(technology)


@pytest.mark.thorough
@pytest.mark.sample(4)
@pytest.mark.parametrize("options", [{}, {"quotient": "scaled"},
                                     {"quotient": "scaled", "processing_elements": 2},
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
    assert cells[technology.multiplier.cell] == params.multipliers(technology)
    assert "$mul" not in cells


@pytest.mark.thorough
@pytest.mark.sample(1)
@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
@pytest.mark.parametrize(("target", "options"), [
    ("ice40-up5k", {"processing_elements": 1}), ("ecp5-25k", {"quotient": "delayed"})], ids=str)
def test_netlist_with_the_blocks(target, options, tmp_path, unoptimised):
    params = Parameters(width=8, word_width=4, digit_width=4, **options)
    device = targets()[target]
    defaults = {name: option.default for name, option in device.options.items()}
    with Store(tmp_path / "store") as store:
        library = netlist_library(store, params, device, defaults, tmp_path)
        vectors = [*edge_vectors(params), *random_vectors(params, 100, SEED)]
        result = simulate(params, vectors, chained=True, engine=CompiledEngine(library))
    check_products(params, vectors, result.products, seed=SEED)
    _check_cycles(params, result)


@pytest.mark.parametrize("quotient", ["plain", "scaled", "delayed"])
def test_a_key_waits_for_no_receiver(quotient):
    """Two operations begin, a key is taken when they are computed, and then their results are."""
    params = Parameters(width=12, word_width=4, digit_width=4, quotient=quotient)
    core = params.create()
    vectors = [(5, 7, 4091), (9, 2, 4091), (300, 200, 4093)]
    found = []

    async def send(ctx, port, words):
        for word in words:
            ctx.set(port.payload, word)
            ctx.set(port.valid, 1)
            for _ in range(200):
                if (await ctx.tick().sample(port.ready))[-1]:
                    break
            else:
                raise AssertionError("a word was not taken")
        ctx.set(port.valid, 0)

    async def testbench(ctx):
        await send(ctx, core.k, params.encode_key(4091))
        for vector in vectors[:2]:
            await send(ctx, core.i, params.encode(*vector))
        await send(ctx, core.k, params.encode_key(4093))
        if params.schedule.overlaps:
            await send(ctx, core.i, params.encode(9, 9, 4093))
        # There is no room for another result: its operands wait for the receiver.
        ctx.set(core.i.payload, params.encode(*vectors[2])[0])
        ctx.set(core.i.valid, 1)
        for _ in range(100):
            assert not (await ctx.tick().sample(core.i.ready))[-1]
        ctx.set(core.o.ready, 1)

        words = []
        for vector in vectors[:2]:
            while len(words) < params.result_words:
                *_, valid, word = await ctx.tick().sample(core.o.valid, core.o.payload)
                words += [word] * valid
            found.append((params.decode(words), params.compute(*vector)))
            words = []

    run(core, testbench)
    assert len(found) == 2
    assert all(product == expected for product, expected in found)


@pytest.mark.parametrize("width", [1, 2, 4, 9])
def test_inverse(width):
    """Each odd digit has one, in as many clocks as are said."""
    core = Inverse(width)
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
    assert params.schedule.digits == digits == params.multipliers(technologies()["ecp5"])
    assert params.cycles.interval == interval == 2 * digits + 13
    assert params.initiation == initiation == 2 * (digits + 3)


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


def test_results_and_operands_that_are_sent_take_turns():
    """A y that waits is used, and what is kept is not in its way; nor the other way round."""
    params = Parameters(width=12, word_width=4, digit_width=4, quotient="delayed")
    rng, modulus = random.Random(SEED), 4093
    bound = params.bound(modulus)
    words, expected, result = [], [], None
    for index in range(24):
        x, y = (None if index and rng.random() < 0.5 else rng.randrange(bound) for _ in range(2))
        words += params.encode(x, y, modulus)
        result = params.compute(*(result if value is None else value for value in (x, y)), modulus)
        expected.append(result)
    core, found = params.create(), []

    async def sender(ctx):
        for port, sent in ((core.k, params.encode_key(modulus)), (core.i, words)):
            for word in sent:
                ctx.set(port.payload, word)
                ctx.set(port.valid, 1)
                while not (await ctx.tick().sample(port.ready))[-1]:
                    pass
                ctx.set(port.valid, 0)

    async def testbench(ctx):
        ctx.set(core.o.ready, 1)
        received = []
        for _ in range(4000):
            *_, valid, word = await ctx.tick().sample(core.o.valid, core.o.payload)
            received += [word] * valid
            if len(received) == params.result_words:
                found.append(params.decode(received))
                received = []
            if len(found) == len(expected):
                break

    run(core, sender, testbench)
    assert found == expected


@pytest.mark.parametrize("elements", [0, 2])
def test_reset_of_the_delayed_array(elements):
    """In any clock of loading and multiplying; then all is as after power-up."""
    params = Parameters(width=9, word_width=4, digit_width=4, quotient="delayed",
                        processing_elements=elements)
    core, clocks = Resettable(params), range(0, 70, 3)
    first, second = (33, 44, 511), (7, 13, 509)
    found = []

    async def send(ctx, port, words, patience):
        for word in words:
            ctx.set(port.payload, word)
            ctx.set(port.valid, 1)
            while patience:
                patience -= 1
                if (await ctx.tick().sample(port.ready))[-1]:
                    break
            ctx.set(port.valid, 0)
        return patience

    async def testbench(ctx):
        for clock in clocks:
            left = await send(ctx, core.k, params.encode_key(511), clock)
            left = await send(ctx, core.i, params.encode(*first), left)
            if left:
                await ctx.tick().repeat(left)
            ctx.set(core.reset, 1)
            await ctx.tick()
            ctx.set(core.reset, 0)
            await send(ctx, core.k, params.encode_key(509), 1000)
            await send(ctx, core.i, params.encode(*second), 1000)
            ctx.set(core.o.ready, 1)
            received = []
            for _ in range(400):
                *_, valid, word = await ctx.tick().sample(core.o.valid, core.o.payload)
                received += [word] * valid
                if len(received) == params.result_words:
                    break
            ctx.set(core.o.ready, 0)
            found.append(params.decode(received))

    run(core, testbench)
    assert found == [params.compute(*second)] * len(clocks)


def test_a_key_that_another_one_follows_at_once_is_not_used(compiled):
    """Words of two digits: the next key has begun before the last digit has come to the array."""
    params = Parameters(width=24, word_width=8, digit_width=4)
    report = verify(params, vectors=40, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
