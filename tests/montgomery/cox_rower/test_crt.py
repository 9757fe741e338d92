"""RSA with the Chinese remainder theorem and without: the paper's clocks, refusals."""

import random

import pytest
from amaranth.back import rtlil
from bench import transfer

from explore.simulation.kinds import adapter
from montgomery import exponentiators
from montgomery.core import check_operands, cycles_of, traits
from montgomery.cox_rower.rsa_crt import Parameters
from montgomery.technology import technologies

SEED = 2001


def _primes(params, rng, lengths):
    """Return p and q that the core takes, of some lengths, which need not be primes."""
    while True:
        p, q = (rng.getrandbits(bits) | 1 << bits - 1 | 1 for bits in lengths)
        try:
            check_operands(params, 0, 0, 0, p, q)
        except ValueError:
            continue
        return p, q


def test_sizes_of_the_paper():
    params = Parameters(width=4096, shortest=1024, window=4, check="none")
    assert [bases.n for bases in params.bases] == [22, 33, 66]
    assert params.latency == 11
    words = [bases.bits // 32 for bases in params.bases]
    assert words == [21, 32, 65]  # 672, 1024 and 2080 bits
    # The memories of all Rowers; Table 3 has 209 and 24 Kbytes. For the upper digits of a message
    # there are constants that the paper, which divides it, does not need.
    upper_digits = 2 * (22 * 2 + 33 * 3 + 66 * 6)
    assert (params.programs[0][0].layout.constants - upper_digits) * 11 * 4 == 192280
    assert params.programs[0][0].layout.variables * 11 * 4 == 16632
    p, q = _primes(params, random.Random(SEED), (512, 512))
    assert cycles_of(params, 0, 1, 1, p, q, exponent_bits=512).compute <= 192000


@pytest.mark.parametrize(("bits", "clocks", "paper"), [
    (1024, (303_853, 295_628), 336_000), (2048, (2_168_778, 2_097_123), 2_336_000)])
def test_clocks_of_the_paper_without_crt(bits, clocks, paper):
    """With the paper's window of four bits, and with ours; the paper's are times at 80 MHz."""
    core = exponentiators()["cox_rower"]
    found = tuple(cycles_of(params, 1, 0, 3, exponent_bits=bits).compute
                  for params in (core(width=bits, window=4), core(width=bits)))
    assert found == clocks
    assert max(found) <= paper


@pytest.mark.parametrize(("bits", "clocks", "paper"), [
    (1024, (150_624, 149_014), 192_000), (2048, (608_452, 592_002), 712_000),
    (4096, (4_340_202, 4_196_892), 4_832_000)])
def test_clocks_of_the_paper(bits, clocks, paper):
    p, q = _primes(Parameters(width=bits, check="none"), random.Random(SEED), [bits // 2] * 2)
    found = tuple(cycles_of(params, 0, 1, 1, p, q, exponent_bits=bits // 2).compute
                  for params in (Parameters(width=bits, window=4, check="none"),
                                Parameters(width=bits, check="none")))
    assert found == clocks
    assert max(found) <= paper


def test_multiplier_blocks():
    params = Parameters(width=2048)
    ecp5 = technologies()["ecp5"]
    text = rtlil.convert(params.create(), platform=ecp5, emit_src=False)
    assert text.count("cell \\MULT18X18D ") == traits(params).blocks(ecp5) == 88


def test_refusals():
    params = Parameters(width=24, word_width=8, rowers=2, check="none")
    shared = params.bases[-1].b[-1]
    good = (5, 3, 3, 1019, 1021)
    assert params.compute(*good) == pow(5, 3, 1019 * 1021)
    for place, value, message in (
            (0, 1019 * 1021, "Operand message must be from 0 to"),
            (1, -1, "Operand exponent_p must be 0 or more"),
            (2, 1 << 76, "Operand exponent_q must have 76 bits"), (3, 1020, "Factor p must be odd"),
            (4, 1 << 12 | 1, "Factor q must have 12 bits or fewer, .* choose width 26"),
            (3, shared, "coprime to a constant of the core"),
            (3, 1021, "p and q must be coprime, but have the common factor")):
        wrong = (*good[:place], value, *good[place + 1:])
        for method in (params.compute, params.encode):
            with pytest.raises(ValueError, match=message):
                method(*wrong)
    for bits in (1, 77):
        with pytest.raises(ValueError, match=f"exponent_bits, must be from 2 to 76, not {bits};"):
            params.encode(*good, exponent_bits=bits)
    with pytest.raises(ValueError, match="Width must be 8 or more"):
        Parameters(width=7)


def test_a_wrong_result_does_not_leave():
    """The core takes a key whose exponent is wrong, and gives a result where it is right."""
    params = Parameters(width=24, word_width=12, window=2)
    _, exponent_p, exponent_q, p, q = inputs = adapter(params).longest()
    inputs = (1234, *inputs[1:])
    key = {"exponent_p": exponent_p, "exponent_q": exponent_q, "p": p, "q": q,
           "exponent_bits": None}
    wrong = params.key_operands.encode(key, exponent_p=exponent_p - 1)
    words = params.encode(*inputs)
    done = transfer(params.create(), 2 * words, 2 * params.result_words, patience=20_000,
                    keys={0: wrong, len(words): params.key_operands.encode(key)})
    first, second = done.words[:params.result_words], done.words[params.result_words:]
    with pytest.raises(ValueError, match="raised to the public exponent must be the message"):
        params.decode(first)
    assert params.decode(second) == pow(1234, exponent_p, p) + p * (
        (pow(1234, exponent_q, q) - pow(1234, exponent_p, p)) * pow(p, -1, q) % q)


def test_what_cannot_be_checked():
    with pytest.raises(ValueError, match="Check must be none with keys=both, "):
        Parameters(width=24, word_width=8, keys="both")
