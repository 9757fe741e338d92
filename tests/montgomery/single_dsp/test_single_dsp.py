"""Lengths as data, the use of the multiplier, keys, and the windows of exponents."""

from collections import Counter

import pytest
from bench import transfer
from compiled_cores import netlist, netlist_library
from counting import count

from explore.devices import targets
from explore.netlist.harness import HARNESS
from explore.simulation import CompiledEngine, random_vectors, simulate
from explore.store import Store
from explore.tools.compiler import find_compiler
from montgomery import architectures, exponentiators
from montgomery.core import key_of
from montgomery.single_dsp.micro_ops import product_clocks

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


def test_upper_bits_of_a_length_are_ignored():
    """There is room for 7 digits, so three bits say how many there are."""
    params, keys, words = MULTIPLIER(width=16, word_width=8), {}, []
    vectors = [(200, 100, 251), (30000, 40000, 65535)]
    for upper, vector in zip((0b10110, 0b11111), vectors, strict=True):
        length, *key = params.encode_key(*key_of(params, *vector))
        keys[len(words)] = [length | upper << 3, *key]
        words += params.encode(*vector)
    size = params.result_words
    done = transfer(params.create(), words, 2 * size, keys=keys)
    assert [params.decode(done.words[at:at + size]) for at in (0, size)] == [
        params.compute(*vector) for vector in vectors]


def test_an_exponent_without_a_one_above_it_is_0():
    params = EXPONENTIATOR(width=11, word_width=4)
    key = params.encode_key(0, 2039)
    key[-params.result_words:] = [0] * params.result_words
    done = transfer(params.create(), params.encode(5), params.result_words, keys={0: key})
    assert params.decode(done.words) == 1
