"""Decryption with the Chinese remainder theorem in hardware, against the integer model."""

import dataclasses
import random

import cox_rower_clocks as clocks
import pytest
from amaranth.back import rtlil
from bench import multiply, run

from explore.simulation import simulate
from montgomery.cox_rower.rsa_crt import Parameters
from montgomery.technology import technologies

SEED = 2001


def _primes(params, rng, lengths):
    """Return p and q that the core takes, of some lengths, which need not be primes."""
    while True:
        p, q = (rng.getrandbits(bits) | 1 << bits - 1 | 1 for bits in lengths)
        try:
            params.check_operands(0, 0, 0, p, q)
        except ValueError:
            continue
        return p, q


def _vectors(params, rng, bits):
    """Yield vectors: factors of the same and of different lengths, and exponents of all weights."""
    longest = params.factor_width
    for lengths, weight in (((longest, longest), 0), ((longest, params.word_width // 2), 1),
                            ((params.word_width // 2, longest), 2)):
        p, q = _primes(params, rng, lengths)
        exponents = [(0, 0), ((1 << bits) - 1,) * 2, (rng.getrandbits(bits), 1)][weight]
        yield rng.choice((p * q - 1, rng.randrange(p * q))), *exponents, p, q


@pytest.mark.sample(2)
@pytest.mark.parametrize(("width", "r", "u", "window", "bits"), [
    (16, 8, 1, 4, 4), (24, 8, 2, 1, 5), (50, 18, 3, 5, 1), (24, 8, 3, 2, 7)])
def test_results_and_cycles(width, r, u, window, bits):
    params = Parameters(width=width, word_width=r, rowers=u, window=window)
    _check(params, list(_vectors(params, random.Random(f"{SEED} {width} {u}"), bits)), bits)


@pytest.mark.thorough
def test_several_sizes():
    """Keys of each in turn, so that nothing of a longer one is left."""
    rng = random.Random(SEED)
    params = Parameters(width=60, word_width=12, rowers=2, shortest=20)
    assert params.sets.sizes == (2, 4)
    vectors, sizes = [], []
    for lengths in ((30, 30), (10, 10), (10, 30), (12, 11)):
        p, q = _primes(params, rng, lengths)
        vectors.append((rng.randrange(p * q), rng.getrandbits(3), rng.getrandbits(3), p, q))
        sizes.append(params.rns(p, q).bases.n)
    assert sizes == [4, 2, 4, 2]
    _check(params, vectors, 3)


def test_sizes_of_the_paper():
    params = Parameters(width=4096, shortest=1024, window=4)
    assert params.sets.sizes == (22, 33, 66)
    assert params.latency == 11
    words = [bases.bits // 32 for bases in params.bases]
    assert words == [21, 32, 65]  # 672, 1024 and 2080 bits
    # The memories of all Rowers; Table 3 has 209 and 24 Kbytes. For the upper digits of a message
    # there are constants that the paper, which divides it, does not need.
    upper_digits = 2 * (22 * 2 + 33 * 3 + 66 * 6)
    assert (params.layouts[0].constants - upper_digits) * 11 * 4 == 192280
    assert params.layouts[0].variables * 11 * 4 == 16632
    bits = 512
    rng = random.Random(SEED)
    p, q = _primes(params, rng, (bits, bits))
    assert params.cycles(0, 1, 1, p, q, exponent_bits=bits).compute <= 192000


def _check(params, vectors, bits):
    component = params.create()

    async def testbench(ctx):
        for vector in vectors:
            words, cycles = await multiply(
                ctx, component, params.encode(*vector, exponent_bits=bits), params.result_words,
                patience=20000, key=params.encode_key(*vector[1:], exponent_bits=bits))
            found = params.decode(words)
            assert found == params.compute(*vector, exponent_bits=bits), f"{vector} seed {SEED}"
            expected = params.cycles(*vector, exponent_bits=bits)
            assert dataclasses.replace(cycles, interval=expected.interval) == expected, (
                f"{vector} seed {SEED}")
            *_, exponent_p, exponent_q, p, q = vector
            assert found % p == pow(vector[0], exponent_p, p)
            assert found % q == pow(vector[0], exponent_q, q)

    run(component, testbench)


def test_stalls_and_a_reset():
    """With several elements a Rower, whose multiplications overlap."""
    rng = random.Random(SEED)
    params = Parameters(width=16, word_width=8, rowers=1)
    assert params.multiplier.slots > 1
    vectors = list(_vectors(params, rng, 1))[:2]
    cycles = params.cycles_of(*vectors[0])
    prelude = rng.randrange(cycles.load, cycles.load + cycles.compute)
    result = simulate(params, vectors, chained=False, seed=SEED, i_gap=0.3, o_gap=0.3,
                      prelude=prelude)
    assert result.products == [params.compute(*vector) for vector in vectors], f"{prelude=}"


@pytest.mark.parametrize(("bits", "paper"), [(1024, 192000), (2048, 712000), (4096, 4832000)])
def test_clocks_of_the_paper(bits, paper):
    """Those of the hardware, which the formula has exactly: with the paper's window, and ours."""
    rng = random.Random(SEED)
    p, q = _primes(Parameters(width=bits), rng, (bits // 2, bits // 2))
    for params in (Parameters(width=bits, window=4), Parameters(width=bits)):
        cycles = params.cycles(0, 1, 1, p, q, exponent_bits=bits // 2)
        assert f"{cycles.compute:,}" in clocks.__doc__
        assert cycles.compute <= paper


def test_multiplier_blocks():
    params = Parameters(width=2048)
    ecp5 = technologies()["ecp5"]
    text = rtlil.convert(params.create(), platform=ecp5, emit_src=False)
    assert text.count("cell \\MULT18X18D ") == params.multipliers(ecp5) == 88


def test_refusals():
    params = Parameters(width=24, word_width=8, rowers=2)
    shared = params.multiplier.rns.bases.b[-1]
    good = (5, 3, 3, 1019, 1021)
    assert params.compute(*good) == pow(5, 3, 1019 * 1021)
    for place, value, message in (
            (0, 1019 * 1021, "Operand message must be from 0 to"),
            (1, -1, "Operand exponent_p must be from 0 to"),
            (2, 1 << 12, "Operand exponent_q must be from 0 to"), (3, 1020, "Factor p must be odd"),
            (4, 1 << 12 | 1, "Factor q must have 12 bits or fewer, .* choose width 26"),
            (3, shared, "coprime to base b, but shares"),
            (3, 1021, "p and q must be coprime, but have the common factor")):
        wrong = (*good[:place], value, *good[place + 1:])
        for method in (params.compute, params.encode, params.cycles):
            with pytest.raises(ValueError, match=message):
                method(*wrong)
    for bits in (1, 13):
        with pytest.raises(ValueError, match=f"exponent_bits, must be from 2 to 12, not {bits};"):
            params.encode(*good, exponent_bits=bits)
    with pytest.raises(ValueError, match="Width must be 8 or more"):
        Parameters(width=7)
