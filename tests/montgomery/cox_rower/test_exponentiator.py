"""Exponentiation in hardware, against the integer model and ``pow``."""

import dataclasses
import random

import pytest
from bench import multiply, run, transfer

from explore.simulation import simulate
from montgomery.cox_rower.exponentiator import Parameters

SEED = 2001


def _vectors(params, rng, lengths):
    """Yield base, exponent, modulus and length of the exponent; moduli of one word, and of many."""
    for bits in lengths:
        for exponent, longest in ((0, min(params.word_width - 1, params.width)),
                                  ((1 << bits) - 1, params.width),
                                  (rng.getrandbits(bits), params.width)):
            modulus = params.usable_modulus(rng.getrandbits(longest) | 3)
            yield rng.randrange(modulus), exponent, modulus, bits


@pytest.mark.sample(4)
@pytest.mark.parametrize(("width", "r", "u", "window", "lengths"), [
    (5, 8, 1, 2, (3,)), (8, 8, 1, 4, (1, 8)), (8, 8, 2, 1, (4, 5)), (16, 8, 3, 4, (12,)),
    (20, 10, 1, 5, (5,)), (60, 12, 3, 3, (5,)), (50, 18, 3, 2, (9,)), (48, 12, 1, 4, (1,)),
    (16, 8, 3, 6, (13,))])
def test_powers_and_cycles(width, r, u, window, lengths):
    """Each exponent of a length, whatever its weight, takes the same clocks."""
    params = Parameters(width=width, word_width=r, rowers=u, window=window)
    vectors = list(_vectors(params, random.Random(f"{SEED} {width} {u}"), lengths))
    component = params.create()

    async def testbench(ctx):
        for base, exponent, modulus, bits in vectors:
            words, cycles = await multiply(
                ctx, component, params.encode(base, exponent, modulus, exponent_bits=bits),
                params.result_words, patience=20000,
                key=params.encode_key(exponent, modulus, exponent_bits=bits))
            found = params.decode(words)
            what = f"{base} ** {exponent} % {modulus}, {bits} bits, seed {SEED}"
            assert found == pow(base, exponent, modulus), what
            expected = params.cycles(base, exponent, modulus, exponent_bits=bits)
            assert dataclasses.replace(cycles, interval=expected.interval) == expected, what

    run(component, testbench)


def test_a_reset_with_several_elements_a_rower():
    rng = random.Random(SEED)
    params = Parameters(width=16, word_width=8, rowers=1)
    assert params.multiplier.slots > 1
    (*longest, bits), *_ = vectors = list(_vectors(params, rng, (3,)))
    cycles = params.cycles(*longest, exponent_bits=bits)
    prelude = rng.randrange(cycles.load, cycles.load + cycles.compute)
    result = simulate(params, [vector[:3] for vector in vectors[:2]], prelude=prelude)
    assert result.products == [pow(*vector[:3]) for vector in vectors[:2]], f"{prelude=}"


def test_streams_that_pause():
    rng = random.Random(SEED)
    params = Parameters(width=16, word_width=8, rowers=3)
    vectors = list(_vectors(params, rng, (5,)))
    words, keys = [], {}
    for base, *key, bits in vectors:
        keys[len(words)] = params.encode_key(*key, exponent_bits=bits)
        words += params.encode(base)
    count = params.result_words
    done = transfer(params.create(), words, count * len(vectors), keys=keys, patience=5000,
                    put_after=lambda index: rng.randrange(3) * (rng.random() < 0.3),
                    get_after=lambda index: rng.randrange(4))
    for index, (base, exponent, modulus, _) in enumerate(vectors):
        found = params.decode(done.words[index * count:(index + 1) * count])
        assert found == pow(base, exponent, modulus), f"seed {SEED}"
