"""Lengths as data, and the use of the multiplier."""

import json
import random
from collections import Counter

import pytest
from amaranth.hdl import Fragment
from bench import Resettable, keys_of, multiply, operate, run, whole
from counting import count

from explore.devices import targets
from explore.netlist.harness import HARNESS
from explore.pipeline.on_demand import Demand
from explore.simulation import CompiledEngine, simulate
from explore.store import Store
from explore.tools.compiler import find_compiler
from montgomery import architectures, exponentiators
from montgomery.technology import technologies

SEED = 2010
MULTIPLIER = architectures()["single_dsp"]
EXPONENTIATOR = exponentiators()["single_dsp"]


def _vector(params, rng):
    modulus = rng.getrandbits(params.width) | 1 << (params.width - 1) | 1
    if params.kind == "multiplier":
        return rng.randrange(2 * modulus), rng.randrange(2 * modulus), modulus
    return rng.randrange(modulus), rng.getrandbits(5), modulus


@pytest.mark.parametrize("core", [
    MULTIPLIER(width=117, word_width=8), MULTIPLIER(width=53, word_width=4),
    EXPONENTIATOR(width=61, word_width=8), EXPONENTIATOR(width=61, word_width=8, method="binary"),
], ids=repr)
def test_one_core_for_all_lengths(core):
    rng = random.Random(SEED)
    component = core.create()
    widths = [core.width, 4, 17, core.width, 13, 29, 38, 5]

    async def testbench(ctx):
        for width in widths:
            params = core.shorter(width)
            vector = _vector(params, rng)
            words, cycles = await operate(ctx, component, params, vector, patience=10000)
            assert params.decode(words) == params.compute(*vector), f"{vector} seed {SEED}"
            formula = params.cycles_of(*vector)
            assert whole(cycles, formula) == formula

    run(component, testbench)


@pytest.mark.parametrize("cls", [MULTIPLIER, EXPONENTIATOR])
def test_a_length_that_does_not_fit(cls):
    core = cls(width=64)
    with pytest.raises(ValueError, match="64 or less, the width of the core, not 65; make a core"):
        core.shorter(65)
    assert core.shorter(64) == core
    with pytest.raises(TypeError, match="Width must be an integer"):
        core.shorter("64")


def test_upper_bits_of_a_length_are_ignored():
    """There is room for 7 digits, so three bits say how many there are."""
    params = MULTIPLIER(width=16, word_width=8)
    component = params.create()
    vectors = [(200, 100, 251), (30000, 40000, 65535)]

    async def testbench(ctx):
        for upper, vector in zip((0b10110, 0b11111), vectors, strict=True):
            length, *key = params.encode_key(*params.key_of(*vector))
            found, _ = await multiply(ctx, component, params.encode(*vector), params.result_words,
                                      key=[length | upper << 3, *key])
            assert params.decode(found) == params.compute(*vector)

    run(component, testbench)


async def _offer(ctx, port, words, *, taken=lambda: None, patience=10000):
    """Offer words all the time, and call ``taken`` when one is taken."""
    for word in words:
        ctx.set(port.payload, word)
        ctx.set(port.valid, 1)
        for _ in range(patience):
            if (await ctx.tick().sample(port.ready))[-1]:
                break
        else:
            raise AssertionError(f"no word was taken in {patience} clocks")
        taken()
    ctx.set(port.valid, 0)


@pytest.mark.parametrize("cls", [MULTIPLIER, EXPONENTIATOR])
def test_words_that_come_while_it_computes_wait(cls):
    """Words of the next operation are offered all the time, and none is taken before the first word
    of a result; of an exponentiator, before its last one.
    """
    params = cls(width=29, word_width=8)
    rng = random.Random(SEED)
    *key, modulus = params.key_of(*_vector(params, rng))
    vectors = [(*(rng.randrange(modulus) for _ in range(2 - len(key))), *key, modulus)
               for _ in range(3)]
    component = params.create()
    each = len(params.encode(*vectors[0]))
    begun, taken, sent = [], [], []

    async def sender(ctx):
        await _offer(ctx, component.k, params.encode_key(*key, modulus))
        await _offer(ctx, component.i,
                     [word for vector in vectors for word in params.encode(*vector)],
                     taken=lambda: taken.append((len(begun), len(sent))))

    async def receiver(ctx):
        ctx.set(component.o.ready, 1)
        for vector in vectors:
            words = []
            for _ in range(params.result_words):
                word, = await ctx.tick().sample(component.o.payload).until(component.o.valid)
                if not words:
                    begun.append(vector)
                words.append(word)
            assert params.decode(words) == params.compute(*vector), f"{vector} seed {SEED}"
            sent.append(vector)

    run(component, sender, receiver)
    numbers = [number for number in range(3) for _ in range(each)]
    assert [found[cls is EXPONENTIATOR] for found in taken] == numbers


@pytest.mark.parametrize("params", [
    MULTIPLIER(width=29, word_width=8), MULTIPLIER(width=5, word_width=8),
    EXPONENTIATOR(width=29, word_width=8), EXPONENTIATOR(width=5, word_width=8),
    EXPONENTIATOR(width=11, word_width=8, processors=2)], ids=repr)
def test_a_key_does_not_wait_for_a_result_to_be_taken(params):
    """Nor does what is written of it change the result; but it waits for an operation."""
    rng = random.Random(SEED)
    vectors = [_vector(params, rng) for _ in range(2)]
    component = params.create()
    first, second = keys_of(params, vectors)

    async def testbench(ctx):
        await _offer(ctx, component.k, first)
        await _offer(ctx, component.i, params.encode(*vectors[0]))
        await _offer(ctx, component.k, second)
        results = [await multiply(ctx, component, words, params.result_words, patience=10000)
                   for words in ([], params.encode(*vectors[1]))]
        for vector, (words, _) in zip(vectors, results, strict=True):
            assert params.decode(words) == params.compute(*vector), f"{vector} seed {SEED}"

    run(component, testbench)


@pytest.mark.parametrize("window", range(1, 7))
@pytest.mark.parametrize("word_width", [4, 8])
def test_windows(word_width, window):
    """Exponents of all lengths, so that the last windows are of all lengths too."""
    params = EXPONENTIATOR(width=9, word_width=word_width, window=window)
    rng = random.Random(SEED)
    vectors = [(rng.randrange(507), exponent, 507) for exponent in (
        0, *(rng.getrandbits(bits) | 1 << (bits - 1) for bits in range(1, 10)), 511)]
    result = simulate(params, vectors, chained=True)
    assert result.products == [pow(*vector) for vector in vectors], f"seed {SEED}"
    for vector, cycles in zip(vectors, result.cycles, strict=True):
        formula = params.cycles_of(*vector)
        assert whole(cycles, formula) == formula
    assert [params.compute(*vector) for vector in vectors] == result.products


def test_the_window_that_fits():
    """In 1024 words: parts of 64 words at 1024 bits, of which eleven and more are numbers."""
    windows = {width: EXPONENTIATOR(width=width).window_bits
               for width in (64, 128, 256, 512, 1024, 2048, 2173, 4096)}
    assert windows == {64: 3, 128: 4, 256: 4, 512: 4, 1024: 3, 2048: 1, 2173: 1, 4096: 1}
    assert EXPONENTIATOR(width=1024, window=3).multiplications(
        2, 1 << 1023, (1 << 1024) - 1) == 8 + 1024 + 342 + 1
    assert EXPONENTIATOR(width=1024, window=1).multiplications(
        2, 1 << 1023, (1 << 1024) - 1) == 2 * 1024 + 3
    assert EXPONENTIATOR(width=1024, method="binary").window_bits == 1
    with pytest.raises(ValueError, match="Window must be 3 or less where the numbers of 1024 bits "
                       "are to fit a block RAM, not 4; the nearest legal value is 3"):
        EXPONENTIATOR(width=1024, window=4)
    with pytest.raises(ValueError, match="Window must be 1 with method binary, not 2; the nearest "
                       "legal value is 1"):
        EXPONENTIATOR(width=64, method="binary", window=2)
    with pytest.raises(ValueError, match="Window must be 6 or less, not 7"):
        EXPONENTIATOR(width=64, window=7)


@pytest.mark.parametrize("processors", [1, 2])
def test_create_has_the_ports_of_the_parameters(processors):
    params = EXPONENTIATOR(width=64, processors=processors)
    component = params.create()
    assert component.signature == params.signature
    Fragment.get(component, None)  # or it would be said to be unused


def test_an_exponent_without_a_one_above_it_is_0():
    params = EXPONENTIATOR(width=11, word_width=4)
    key = params.encode_key(0, 2039)
    key[-params.result_words:] = [0] * params.result_words
    component = params.create()

    async def testbench(ctx):
        found, _ = await multiply(ctx, component, params.encode(5), params.result_words, key=key)
        assert params.decode(found) == 1

    run(component, testbench)


@pytest.mark.parametrize("gaps", [{}, {"i_gap": 0.3, "o_gap": 0.9, "k_gap": 0.3}])
def test_an_array_gives_results_in_order(gaps):
    params = EXPONENTIATOR(width=12, word_width=8, processors=3)
    rng = random.Random(SEED)
    modulus = params.random_modulus(rng)
    vectors = [(rng.randrange(modulus), exponent, modulus)
               for exponent in (19, 30) for _ in range(8)]
    result = simulate(params, vectors, seed=SEED, **gaps)
    assert result.products == [pow(*vector) for vector in vectors], f"seed {SEED}"
    one = sum(params.cycles(*vector).interval for vector in vectors)
    assert result.clocks < one / 2 or gaps


@pytest.mark.parametrize("processors", [2, 5])  # one branch, and one after the other
def test_clocks_of_an_array(processors):
    core = EXPONENTIATOR(width=12, word_width=8, processors=processors)
    component = core.create()
    rng = random.Random(SEED)

    async def testbench(ctx):
        for width in (12, 5, 9, 12, 5, 12):  # more than there are processors
            params = core.shorter(width)
            vector = _vector(params, rng)
            words, cycles = await operate(ctx, component, params, vector, patience=10000)
            assert params.decode(words) == params.compute(*vector), f"{vector} seed {SEED}"
            formula = params.cycles_of(*vector)
            assert whole(cycles, formula) == formula

    run(component, testbench)


@pytest.mark.parametrize("processors", [2, 5])
def test_an_array_is_reset(processors):
    """At any time, while some of them compute and one is sent words, or sends its result."""
    params = EXPONENTIATOR(width=5, word_width=8, processors=processors)
    core = Resettable(params)
    rng = random.Random(SEED)
    key, longest = params.encode_key(31, 31), params.encode(30) * processors
    cycles = params.cycles(30, 31, 31)
    end = cycles.load_key + cycles.load + cycles.compute
    for_results = range(end, end + (processors - 1) * cycles.load + 16)
    clocks = [*rng.sample(range(end), 1), *rng.sample(for_results, 9 - processors)]

    async def testbench(ctx):
        for clock in clocks:
            await multiply(ctx, core, longest, processors, key=key, clocks=clock, patience=10000)
            ctx.set(core.reset, 1)
            await ctx.tick()
            ctx.set(core.reset, 0)
            _, exponent, modulus = _vector(params, rng)
            bases = [rng.randrange(modulus) for _ in range(processors)]
            words, _ = await multiply(
                ctx, core, [word for base in bases for word in params.encode(base)],
                processors, key=params.encode_key(exponent, modulus), patience=10000)
            assert words == [pow(base, exponent, modulus) for base in bases], (
                f"reset in {clock} seed {SEED}")

    run(core, testbench)


def test_an_array_says_what_is_done():
    """A processor is done before its result is taken."""
    params = EXPONENTIATOR(width=5, word_width=8, processors=2)
    component = params.create()
    seen = []

    async def testbench(ctx):
        assert ctx.get(component.all_done)
        await _offer(ctx, component.k, params.encode_key(30, 31))
        for base in (2, 3):
            await _offer(ctx, component.i, params.encode(base))
        while len(seen) < 2 or seen[-1] != (3, 1):
            await ctx.tick()
            state = ctx.get(component.done), ctx.get(component.all_done)
            if seen[-1:] != [state]:
                seen.append(state)

    run(component, testbench)
    # The first one began first.
    assert seen == [(0b11, 1), (0b10, 0), (0b00, 0), (0b01, 0), (0b11, 1)]


@pytest.mark.parametrize("cls", [MULTIPLIER, EXPONENTIATOR])
def test_digits_that_no_block_holds(cls):
    with pytest.raises(ValueError, match="Word width must be 16 or less on ice40-ultra, whose SB_"):
        cls(width=64).multipliers(technologies()["ice40-ultra"])
    assert cls(width=64, word_width=16).multipliers(technologies()["ice40-ultra"]) == 1
    assert EXPONENTIATOR(width=64, processors=7).multipliers(technologies()["ecp5"]) == 7


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("name", ["ecp5-25k", "ice40-up5k", "xc7"])
def test_netlist_with_the_blocks(name, tmp_path):
    """One multiplier, as many memories as are needed, and what they compute."""
    params, device = EXPONENTIATOR(width=37, word_width=8), targets()[name]
    options = {key: option.default for key, option in device.options.items()}
    rng = random.Random(SEED)
    vectors = [_vector(params, rng) for _ in range(3)]
    with Store(tmp_path / "store") as store:
        demand = Demand(store, params, tmp_path)
        library = demand.netlist_library(find_compiler(), device, options)
        result = simulate(params, vectors, engine=CompiledEngine(library))
        netlist = json.loads(demand.netlist(device, options))["modules"][HARNESS]
    assert result.products == [pow(*vector) for vector in vectors], f"seed {SEED}"
    area = device.family.count(Counter(
        cell["type"] for cell in netlist["cells"].values()))
    # 64 words of 9 bits, in two copies where a memory has one port that reads.
    assert (area["dsp"], area["bram"]) == (1, 2 if name == "ice40-up5k" else 1)


@pytest.mark.parametrize("digits", [1, 3, 4, 5, 11])
def test_use_of_the_multiplier(digits):
    params = MULTIPLIER(width=8 * digits - 3, word_width=8)
    vector = _vector(params, random.Random(SEED))
    product, clocks, products = count(params, vector)
    assert product == params.compute(*vector)
    assert (clocks, products) == (params.schedule.product, params.schedule.multiplications)


def test_clocks_of_the_paper():
    """Not more than in Equation 2 and in Table III, for all lengths from 64 bits on.

    From word to word, the shortest of these take up to three clocks more than a product does there.
    """
    for width in range(64, 2174):
        params = MULTIPLIER(width=width)
        d = params.digits
        assert params.schedule.product <= 2 * d * d + 8 * d + 4
        assert params.cycles.compute <= 2 * d * d + 8 * d + (4 if width > 82 else 7)
    for width in (64, 65, 100, 128, 256, 512, 1000, 1024, 2048, 2173):
        for method in ("always", "binary"):
            params = EXPONENTIATOR(width=width, method=method)
            d = params.result_words
            top = (1 << width) - 1
            assert params.cycles(2, top, top).compute <= (2 * d * d + 8 * d + 9) * 2 * width
    schedule = MULTIPLIER(width=2048).schedule
    assert schedule.digits == 121
    assert schedule.multiplications / schedule.product > 0.979
