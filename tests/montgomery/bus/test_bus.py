"""Cores on buses do what their models say, whatever software and the bus do meanwhile."""

import pytest
from amaranth.hdl import Mux
from amaranth.sim import Simulator
from bus_master import (
    CLEAR,
    DONE,
    ERROR_BUSY,
    ERROR_KEY,
    ERROR_WORDS,
    HAS_KEY,
    INTERRUPT,
    LOAD,
    REFUSED,
    START,
    BusError,
    Master,
)
from cxxrtl import seeded
from toy import Toy
from toy_broken import Around

import montgomery
from explore.simulation import random_vectors
from montgomery.bus import BUSES, BusCore
from montgomery.core import Traits, cycles_of, key_of, kind_of, name_of, traits

#: The clocks of bus and core, in seconds, where they differ: either may be the faster one.
CLOCKS = ((10e-9, 3.7e-9), (4.3e-9, 10e-9))
MODULUS = 251


def simulate(core, testbench, rng=None, clocks=None, background=None):
    """Run a testbench, which takes the context and a :class:`Master`, until it ends."""
    own = core.registers.own_clock
    simulator = Simulator(core)
    bus, clock = clocks or (10e-9, 7e-9)
    simulator.add_clock(bus, domain="bus" if own else "sync")

    async def oscillator(ctx):
        while True:
            for level in (1, 0):
                ctx.set(core.core_clk, level)
                await ctx.delay(clock / 2)

    async def body(ctx):
        await testbench(ctx, Master(core, rng))

    if own:
        simulator.add_testbench(oscillator, background=True)
    if background:
        simulator.add_testbench(background, background=True)
    simulator.add_testbench(body)
    simulator.run()


def multiplier():
    return montgomery.architectures()["mmm_mx_1d"](width=8, word_width=4, pe_width=4)


WORDS_OF_66_BITS = montgomery.architectures()["multi_step"](width=66, word_width=66)


def product(x, y, modulus=MODULUS):
    return multiplier().compute(x, y, modulus)


@pytest.mark.parametrize("own_clock", [False, True])
@pytest.mark.parametrize("clear", [False, True])
@pytest.mark.parametrize("bus", BUSES)
def test_operations_through_each_bus(bus, clear, own_clock, request):
    rng = seeded(request)
    core = BusCore(multiplier(), bus, clear=clear, own_clock=own_clock)

    async def testbench(ctx, master):
        await master.opened(ctx)
        assert await master.load(ctx, MODULUS) == DONE | HAS_KEY
        clocks = set()
        for _ in range(2):
            x, y = rng.randrange(MODULUS), rng.randrange(MODULUS)
            status, words, taken = await master.run(ctx, x, y)
            assert status == DONE | HAS_KEY
            assert core.registers.params.decode(words) == product(x, y)
            clocks.add(taken)
        assert clocks == {core.registers.params.cycles.compute}

    simulate(core, testbench, rng, rng.choice(CLOCKS))


def _each_kind():
    """Yield a small core of each kind that a quick simulation can do operations of."""
    yield montgomery.KINDS["exponentiator"].cores()["generic"](width=8)
    yield montgomery.KINDS["inversion"].cores()["divsteps"](width=16)
    yield montgomery.KINDS["hash"].cores()["sha1"](width=16)
    yield from (montgomery.architectures()[arch](**options) for arch, options in (
        ("cox_rower", {"width": 64}), ("mmm_mx_2d", {"width": 8}), ("single_dsp", {"width": 20}),
        ("dsp_systolic", {"width": 40})))
    yield WORDS_OF_66_BITS


@pytest.mark.parametrize("params", [*_each_kind()],
                         ids=lambda params: f"{kind_of(params).name}-{name_of(params)}")
def test_messages_of_each_kind(params, request):
    core = BusCore(params, "apb")
    vectors = random_vectors(params, 2, seed=seeded(request).randrange(1 << 30))
    late = set()

    async def testbench(ctx, master):
        for vector in vectors:
            if key := key_of(params, *vector):
                assert await master.load(ctx, *key) == DONE | HAS_KEY
            status, words, taken = await master.run(ctx, *vector)
            assert status & ~HAS_KEY == DONE
            assert params.decode(words) == params.compute(*vector)
            # Words come more slowly than a core could take them that begins before the last one.
            late.add(taken - cycles_of(params, *vector).compute)
        assert len(late) == 1
        assert late <= set(range(params.width))

    simulate(core, testbench)


@pytest.mark.parametrize(("kind", "name"), [
    ("multiplier", "single_dsp"), ("exponentiator", "single_dsp"), ("multiplier", "multi_step"),
    ("multiplier", "dsp_systolic")])
def test_messages_of_fewer_words(kind, name, request):
    """Numbers may be shorter, or operands be the results before, where the core takes that."""
    params = montgomery.KINDS[kind].cores()[name](width=40)
    core, seed = BusCore(params, "apb", clear=True), seeded(request).randrange(1 << 30)
    shorter = traits(params).takes_shorter
    operands, key = core.registers.window("OPERANDS"), core.registers.window("KEY")

    async def count(ctx, master, bits, words):
        await master.acknowledge(ctx)
        await master.command(ctx, bits, words)
        return await master.ended(ctx)

    async def testbench(ctx, master):
        for each in [params.shorter(width) for width in (4, 40, 20)] if shorter else [params]:
            vector = random_vectors(each, 1, seed)[0]
            words = each.encode_key(*key_of(each, *vector))
            await master.put(ctx, "KEY", words)
            assert await count(ctx, master, LOAD, len(words)) == DONE | HAS_KEY
            words = each.encode(*vector)
            await master.put(ctx, "OPERANDS", words)
            assert await count(ctx, master, START, len(words)) == DONE | HAS_KEY
            found = (await master.result(ctx))[:each.result_words]
            assert each.decode(found) == each.compute(*vector)
        if not shorter:
            await master.put(ctx, "OPERANDS", params.encode(None, None))
            assert await count(ctx, master, START, 1) == DONE | HAS_KEY
            result, modulus = params.decode(found), vector[-1]
            assert params.decode(await master.result(ctx)) == params.compute(
                result, result, modulus)
        for window, bits in ((operands, START), (key, LOAD)):
            for words in {*range(window.words + 2)} - {*window.counts}:
                assert await count(ctx, master, bits, words) == ERROR_WORDS | HAS_KEY
        assert await count(ctx, master, CLEAR, 0) == DONE
        assert await master.result(ctx) == [0] * params.result_words

    simulate(core, testbench)


@pytest.mark.parametrize("own_clock", [False, True])
@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("params", [multiplier(), WORDS_OF_66_BITS], ids=name_of)
def test_an_operation_takes_the_clocks_that_the_map_says(params, bus, own_clock):
    core, ticks, (of_bus, of_core) = BusCore(params, bus, own_clock=own_clock), 0, CLOCKS[1]
    counts = core.bus.clocks(core.registers)
    said = counts[0] + counts[1] * (of_core / of_bus if own_clock else 1)

    async def count(ctx):
        nonlocal ticks
        while True:
            await ctx.tick("bus" if own_clock else "sync")
            ticks += 1

    async def testbench(ctx, master):
        words = params.encode(250, 249)
        assert await master.load(ctx, MODULUS) == DONE | HAS_KEY
        begins = ticks
        await master.put(ctx, "OPERANDS", words)
        await master.command(ctx, START, len(words))
        assert await master.ended(ctx) == DONE | HAS_KEY
        assert params.decode(await master.result(ctx)) == params.compute(250, 249, MODULUS)
        # STATUS is read again and again; and two clocks meet as they may.
        assert abs(ticks - begins - said) <= core.bus.read + 4 * own_clock

    simulate(core, testbench, clocks=CLOCKS[1], background=count)


def _refuse_zeros(m, core, ports):
    m.d.comb += ports.o.payload.eq(core.o.payload | Mux(core.o.payload == 0, 0xFF, 0))


class Refusing(Toy):
    """One that gives ones in place of 0, as cores do that check."""

    _traits = Traits(checks=True)

    def create(self):
        return Around(super().create(), self.word_width, _refuse_zeros)


@pytest.mark.parametrize("own_clock", [False, True])
def test_a_refusal_is_told_and_gives_no_result(own_clock):
    params = Refusing(width=8)
    core = BusCore(params, "wishbone", own_clock=own_clock)

    async def testbench(ctx, master):
        for _ in range(2):
            assert (await master.run(ctx, 0, 5, MODULUS))[:2] == (DONE | REFUSED, [0xFF])
            status, words, _ = await master.run(ctx, 3, 5, MODULUS)
            assert (status, params.decode(words)) == (DONE, params.compute(3, 5, MODULUS))

    simulate(core, testbench)


def test_errors_are_told_and_change_nothing():
    core, words = BusCore(multiplier(), "axi-lite"), multiplier().i_words

    async def error(ctx, master, bits, count):
        await master.command(ctx, bits, count)
        status = await master.ended(ctx)
        await master.acknowledge(ctx)
        return status

    async def testbench(ctx, master):
        assert await error(ctx, master, START, words) == ERROR_KEY
        assert await error(ctx, master, START | LOAD, words) == ERROR_WORDS
        assert await master.load(ctx, MODULUS) == DONE | HAS_KEY
        x, y = 250, 249
        await master.put(ctx, "OPERANDS", multiplier().encode(x, y))
        await master.command(ctx, START, words)
        # All of these come while the operation is under way.
        await master.command(ctx, START, words)
        await master.put(ctx, "OPERANDS", [0] * words)
        await master.put(ctx, "KEY", [0])
        await master.command(ctx, LOAD, core.registers.params.k_words)
        assert await master.ended(ctx) == DONE | HAS_KEY | ERROR_BUSY
        assert core.registers.params.decode(await master.result(ctx)) == product(x, y)
        # A bit is cleared by 1 alone.
        await master.acknowledge(ctx, DONE)
        assert await master.status(ctx) == HAS_KEY | ERROR_BUSY
        await master.acknowledge(ctx, ERROR_BUSY | ERROR_KEY)
        assert await master.status(ctx) == HAS_KEY
        # The operands are still there.
        await master.command(ctx, START, words)
        assert await master.ended(ctx) == DONE | HAS_KEY
        assert core.registers.params.decode(await master.result(ctx)) == product(x, y)

    simulate(core, testbench)


@pytest.mark.parametrize("bus", BUSES)
def test_writes_of_some_bytes_are_refused(bus):
    core = BusCore(multiplier(), bus)

    async def testbench(ctx, master):
        for strobes in (1, 8, 0b0111):
            with pytest.raises(BusError):
                await master.write(ctx, 0x20, INTERRUPT, strobes)
        assert await master.read(ctx, 0x20) == 0
        await master.write(ctx, 0x20, INTERRUPT)
        assert await master.read(ctx, 0x20) == INTERRUPT
        # What is written cannot be read.
        await master.put(ctx, "OPERANDS", [5])
        assert await master.read(ctx, core.registers.window("OPERANDS").offset) == 0
        await master.write(ctx, 0, 0)
        assert await master.read(ctx, 0) == core.registers.registers[0].value

    simulate(core, testbench)


def test_the_interrupt_stays_until_it_is_acknowledged():
    core = BusCore(multiplier(), "apb")

    async def testbench(ctx, master):
        await master.load(ctx, MODULUS)
        assert not ctx.get(core.irq)
        await master.command(ctx, START | INTERRUPT, multiplier().i_words)
        assert not ctx.get(core.irq)
        await master.ended(ctx)
        assert ctx.get(core.irq)
        await master.command(ctx, 0)  # which turns it off
        await ctx.tick()
        assert not ctx.get(core.irq)
        await master.command(ctx, INTERRUPT)
        await ctx.tick()
        assert ctx.get(core.irq)
        await master.acknowledge(ctx, DONE)
        await ctx.tick()
        assert not ctx.get(core.irq)
        await master.command(ctx, START | LOAD | INTERRUPT, 1)
        await ctx.tick()
        assert ctx.get(core.irq)

    simulate(core, testbench)


@pytest.mark.parametrize("own_clock", [False, True])
@pytest.mark.parametrize("clear", [False, True])
def test_clear_in_all_phases(clear, own_clock, request):
    rng = seeded(request)
    core = BusCore(multiplier(), "apb", clear=clear, own_clock=own_clock)
    params = core.registers.params
    phases = sorted(rng.sample(range(params.cycles.compute + 60), 3))

    async def testbench(ctx, master):
        for number, wait in enumerate(phases):
            await master.load(ctx, MODULUS)
            x, y = rng.randrange(MODULUS), rng.randrange(MODULUS)
            if number % 2:
                await master.put(ctx, "OPERANDS", params.encode(x, y))
                await master.command(ctx, START, params.i_words)
            else:
                await master.put(ctx, "KEY", params.encode_key(MODULUS))
                await master.command(ctx, LOAD, params.k_words)
            for _ in range(wait):
                await ctx.tick(master.domain)
            await master.command(ctx, CLEAR)
            assert await master.ended(ctx) == DONE
            if clear:
                assert await master.result(ctx) == [0] * params.result_words
            await master.acknowledge(ctx)
            await master.command(ctx, START, params.i_words)
            assert await master.ended(ctx) == ERROR_KEY
            await master.acknowledge(ctx)
            await master.load(ctx, MODULUS)
            if clear:
                # Operands are wiped: these are zeros.
                await master.command(ctx, START, params.i_words)
                await master.ended(ctx)
                assert params.decode(await master.result(ctx)) == product(0, 0)
            status, words, taken = await master.run(ctx, x, y)
            assert (status, params.decode(words)) == (DONE | HAS_KEY, product(x, y))
            assert taken == params.cycles.compute

    simulate(core, testbench, clocks=rng.choice(CLOCKS))
