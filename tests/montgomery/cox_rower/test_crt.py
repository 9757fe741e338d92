"""RSA with the Chinese remainder theorem, without, and with keys of both kinds.

The paper's clocks and sizes, keys that no host sends, and refusals.
"""

import dataclasses
import random
from pathlib import Path

import pytest
from amaranth.back import rtlil
from bench import transfer
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from explore.simulation.kinds import adapter
from explore.simulation.kinds.rsa_crt import without_crt
from montgomery import exponentiators, rsa_crt
from montgomery.arithmetic import coprime_below
from montgomery.core import check_operands, cycles_of, key_of, traits
from montgomery.cox_rower.rsa_crt import Parameters
from montgomery.technology import technologies

SEED = 2001
VECTORS = Path(__file__).parents[2] / "vectors"
EXPONENTIATOR = exponentiators()["cox_rower"]
#: Table 1: 2048 bits without CRT where 4096 bits are the most with it.
CHIP = Parameters(width=4096, shortest=1024, keys="both", check="none")
BOTH = Parameters(width=16, word_width=8, keys="both", check="none")


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
    found = tuple(cycles_of(params, 1, 0, 3, exponent_bits=bits).compute
                  for params in (EXPONENTIATOR(width=bits, window=4), EXPONENTIATOR(width=bits)))
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


def test_models_of_all_messages_without_crt():
    for modulus in (3, 21, 249):
        for message in range(modulus):
            vector = without_crt(message, 53, modulus)
            assert BOTH.compute(*vector) == pow(message, 53, modulus)


@pytest.mark.parametrize("bits", [2048, 4096])
def test_the_public_exponent_of_a_long_key(bits):
    """With CRT too: exponents need not be secret ones."""
    numbers = load_pem_private_key((VECTORS / f"rsa{bits}.pem").read_bytes(), None
                                   ).private_numbers()
    modulus, e = numbers.public_numbers.n, numbers.public_numbers.e
    message = random.Random(SEED).randrange(modulus)
    expected = pow(message, e, modulus)
    assert CHIP.compute(message, e, e, numbers.p, numbers.q) == expected
    if bits <= CHIP.factor_width:
        assert CHIP.compute(message, e, 0, modulus, 1) == expected


@pytest.mark.parametrize(("bits", "paper"), [(1024, 336000), (2048, 2336000)])
def test_clocks_of_the_chip_without_crt(bits, paper):
    modulus = coprime_below((1 << bits) - 1, traits(CHIP).coprime_to)
    for window in (4, 5):
        cycles = cycles_of(dataclasses.replace(CHIP, window=window),
                           *without_crt(0, 1, modulus), exponent_bits=bits)
        assert cycles.compute <= paper
        own = cycles_of(EXPONENTIATOR(width=bits, window=window), 0, 1, modulus,
                        exponent_bits=bits)
        assert own.compute < cycles.compute < 1.02 * own.compute


def test_refusals_of_keys_of_both_kinds():
    good = without_crt(5, 3, 249)
    for place, value, error, message in (
            (0, 249, ValueError, "Operand message must be from 0 to 248"),
            (2, 3, ValueError, "Operand exponent_q must be 0 with q = 1, which is a key without "
             "CRT, not 3; give the exponent as exponent_p"),
            (3, 257, ValueError, "Factor p must have 8 bits or fewer, .*; choose width 18"),
            (3, BOTH.bases[-1].b[-1], ValueError, "coprime to a constant of the core"),
            (4, 2, ValueError, r"Factor q must be 3 or larger, not 2; .* 3, or 1 as q without"),
            (4, True, TypeError, "Factor q must be an integer, not True")):
        wrong = (*good[:place], value, *good[place + 1:])
        for method in (BOTH.compute, BOTH.encode):
            with pytest.raises(error, match=message):
                method(*wrong)
    with pytest.raises(ValueError, match=r"Factor q must be 3 or larger, not 1; .* factor is 3$"):
        Parameters(width=16, word_width=8).compute(*good)
    with pytest.raises(ValueError, match="Keys must be one of crt, both, not 'any'"):
        dataclasses.replace(BOTH, keys="any")


@pytest.mark.parametrize("count", [0, 255])
@pytest.mark.parametrize("params", [
    EXPONENTIATOR(width=8, word_width=8, window=4),
    rsa_crt()["cox_rower"](width=16, word_width=8, window=4)], ids=["exponentiation", "rsa_crt"])
def test_no_number_of_digits_makes_the_core_hang(params, count):
    """The word that says how many digits an exponent has: none, and more than there are."""
    inputs = adapter(params).longest()
    key = params.encode_key(*key_of(params, *inputs))
    words = params.encode(*inputs)
    bits = params.exponent_limit
    longest = cycles_of(params, *inputs, exponent_bits=bits)
    done = transfer(params.create(), 2 * words, 2 * params.result_words,
                    keys={0: [count, *key[1:]], len(words): key},
                    patience=longest.load_key + 2 * longest.interval)
    assert params.decode(done.words[params.result_words:]) == params.compute(*inputs)
