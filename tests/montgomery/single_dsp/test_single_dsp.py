"""Lengths as data, the use of the multiplier, keys, and the windows of exponents."""

from collections import Counter

import pytest
from bench import offer, receive, run
from compiled_cores import netlist, netlist_library
from counting import count

from explore.devices import targets
from explore.netlist.harness import HARNESS
from explore.simulation import CompiledEngine, random_vectors, simulate
from explore.store import Store
from explore.tools.compiler import find_compiler
from montgomery import architectures, exponentiators
from montgomery.core import cycles_of, key_of, traits
from montgomery.single_dsp.micro_ops import product_clocks
from montgomery.technology import technologies

SEED = 2010
MULTIPLIER = architectures()["single_dsp"]
EXPONENTIATOR = exponentiators()["single_dsp"]


@pytest.mark.parametrize("digits", [1, 3, 4, 5, 11])
def test_use_of_the_multiplier(digits):
    params = MULTIPLIER(width=8 * digits - 3, word_width=8)
    vector, = random_vectors(params, 1, SEED)
    product, clocks, products = count(params, vector)
    assert product == params.compute(*vector)
    # As many products as in the paper's Equation 1.
    assert (clocks, products) == (product_clocks(digits), 2 * digits**2 + digits)


@pytest.mark.parametrize("cls", [MULTIPLIER, EXPONENTIATOR])
def test_a_length_that_does_not_fit(cls):
    core = cls(width=64)
    with pytest.raises(ValueError, match="64 or less, the width of the core, not 65; make a core"):
        core.shorter(65)
    assert core.shorter(64) == core
    with pytest.raises(TypeError, match="Width must be an integer"):
        core.shorter("64")


@pytest.mark.parametrize("cls", [MULTIPLIER, EXPONENTIATOR])
def test_digits_that_no_block_holds(cls):
    with pytest.raises(ValueError, match="have 16 bits or fewer on ice40-ultra, whose SB_"):
        traits(cls(width=64)).blocks(technologies()["ice40-ultra"])
    assert traits(cls(width=64, word_width=16)).blocks(technologies()["ice40-ultra"]) == 1
    assert traits(EXPONENTIATOR(width=64, processors=7)).blocks(technologies()["ecp5"]) == 7


@pytest.mark.thorough
@pytest.mark.sample(1)
@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
# The blocks of xc7 are in test_multiply_add.py and test_block_ram.py.
@pytest.mark.parametrize("name", ["ecp5-25k", "ice40-up5k"])
def test_netlist_with_the_blocks(name, tmp_path, unoptimised):
    """One multiplier, as many memories as are needed, and what they compute."""
    params, device = EXPONENTIATOR(width=37, word_width=8), targets()[name]
    options = {key: option.default for key, option in device.options.items()}
    vectors = random_vectors(params, 3, SEED)
    with Store(tmp_path / "store") as store:
        library = netlist_library(store, params, device, options, tmp_path)
        result = simulate(params, vectors, engine=CompiledEngine(library))
        placed = netlist(store, params, device, options, tmp_path)["modules"][HARNESS]
    assert result.products == [pow(*vector) for vector in vectors], f"seed {SEED}"
    area = device.family.count(Counter(
        cell["type"] for cell in placed["cells"].values()))
    # 64 words of 9 bits, in two copies where a memory has one port that reads.
    assert (area["dsp"], area["bram"]) == (1, 2 if name == "ice40-up5k" else 1)


def test_clocks_of_the_paper():
    """Not more than in Equation 2 and in Table III, for all lengths from 64 bits on.

    From word to word, the shortest of these take up to three clocks more than a product does there.
    """
    for width in range(64, 2174):
        params = MULTIPLIER(width=width)
        d = params.digits
        assert product_clocks(d) <= 2 * d * d + 8 * d + 4
        assert params.cycles.compute <= 2 * d * d + 8 * d + (4 if width > 82 else 7)
    for width in (64, 65, 100, 128, 256, 512, 1000, 1024, 2048, 2173):
        for method in ("always", "binary"):
            params = EXPONENTIATOR(width=width, method=method)
            d = params.result_words
            top = (1 << width) - 1
            assert cycles_of(params, 2, top, top).compute <= (2 * d * d + 8 * d + 9) * 2 * width
    d = MULTIPLIER(width=2048).digits
    assert d == 121
    assert (2 * d * d + d) / product_clocks(d) > 0.979


def test_upper_bits_of_a_length_are_ignored():
    """There is room for 7 digits, so three bits say how many there are."""
    params = MULTIPLIER(width=16, word_width=8)
    component = params.create()
    vectors = [(200, 100, 251), (30000, 40000, 65535)]

    async def testbench(ctx):
        for upper, vector in zip((0b10110, 0b11111), vectors, strict=True):
            length, *key = params.encode_key(*key_of(params, *vector))
            await offer(ctx, component.k, [length | upper << 3, *key])
            await offer(ctx, component.i, params.encode(*vector))
            found = await receive(ctx, component.o, params.result_words)
            assert params.decode(found) == params.compute(*vector)

    run(component, testbench)


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
    assert EXPONENTIATOR(width=1024, window=6).window_bits == 6  # in several blocks
    with pytest.raises(ValueError, match=r"Window must be 5 or less where the numbers have 4096 "
                       r"bits, for which the memory has 16384 words, not 6; the nearest legal "
                       r"value is 5"):
        EXPONENTIATOR(width=4096, window=6)
    with pytest.raises(ValueError, match="Window must be 1 with method binary, not 2; the nearest "
                       "legal value is 1"):
        EXPONENTIATOR(width=64, method="binary", window=2)
    with pytest.raises(ValueError, match="Window must be 6 or less, not 7"):
        EXPONENTIATOR(width=64, window=7)


def test_an_exponent_without_a_one_above_it_is_0():
    params = EXPONENTIATOR(width=11, word_width=4)
    key = params.encode_key(0, 2039)
    key[-params.result_words:] = [0] * params.result_words
    component = params.create()

    async def testbench(ctx):
        await offer(ctx, component.k, key)
        await offer(ctx, component.i, params.encode(5))
        found = await receive(ctx, component.o, params.result_words)
        assert params.decode(found) == 1

    run(component, testbench)
