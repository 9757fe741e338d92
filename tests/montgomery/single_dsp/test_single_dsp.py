"""Lengths as data, and the use of the multiplier."""

from collections import Counter

import pytest
from compiled_cores import netlist, netlist_library
from counting import count

from explore.devices import targets
from explore.netlist.harness import HARNESS
from explore.simulation import CompiledEngine, random_vectors, simulate
from explore.store import Store
from explore.tools.compiler import find_compiler
from montgomery import architectures, exponentiators
from montgomery.core import cycles_of, traits
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
