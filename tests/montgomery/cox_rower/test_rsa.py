"""Figures 4 and 5 with keys from outside the project."""

import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from montgomery.cox_rower.bases import find_bases
from montgomery.cox_rower.key import prepare
from montgomery.cox_rower.rns import Rns
from montgomery.cox_rower.rsa import correct, decrypt, decrypt_crt, prepare_crt
from montgomery.cox_rower.sets import BaseSets

SEED = 2001
VECTORS = Path(__file__).parents[2] / "vectors"
PAPER = BaseSets(32, 11, (512, 1024, 2048))


def _key(bits):
    key = load_pem_private_key((VECTORS / f"rsa{bits}.pem").read_bytes(), None)
    return key.private_numbers()


@pytest.mark.parametrize("bits", [512, 1024])
def test_a_key_with_crt(bits):
    numbers = _key(bits)
    modulus = numbers.public_numbers.n
    rns = PAPER.for_bits(bits // 2)
    key = prepare_crt(rns, numbers.p, numbers.q)
    message = random.Random(SEED).randrange(modulus)
    assert key.modulus == modulus
    assert decrypt_crt(rns, key, message, numbers.dmp1, numbers.dmq1) == pow(
        message, numbers.d, modulus)


@pytest.mark.parametrize("bits", [2048, 4096])
def test_the_public_exponent_of_a_long_key(bits):
    """With CRT too: exponents need not be secret ones."""
    numbers = _key(bits)
    modulus, e = numbers.public_numbers.n, numbers.public_numbers.e
    message = random.Random(SEED).randrange(modulus)
    expected = pow(message, e, modulus)
    rns = PAPER.for_bits(bits // 2)
    assert decrypt_crt(rns, prepare_crt(rns, numbers.p, numbers.q), message, e, e,
                       exponent_bits=17) == expected
    if bits <= PAPER.all[-1].bases.bits:
        rns = PAPER.for_bits(bits)
        assert decrypt(rns, prepare(rns, modulus), message, e, exponent_bits=17) == expected


def test_corrections():
    for modulus in (1, 5, 8):
        for multiples in (2, 4):
            for value in range(multiples * modulus):
                assert correct(value, modulus, multiples) == value % modulus


def test_what_is_refused():
    rns = Rns(find_bases(8, 3))
    shared = rns.bases.b[-1]
    with pytest.raises(ValueError, match=f"coprime to base b, but shares the factor {shared} with"):
        prepare(rns, 3 * shared)
    with pytest.raises(ValueError, match="below an eighth of the products of the bases"):
        prepare_crt(rns, 19, rns.bases.capacity + 2 | 1)
    with pytest.raises(ValueError, match="p and q must be coprime, but have the common factor 19"):
        prepare_crt(rns, 19, 57)
    key = prepare(rns, 551)
    with pytest.raises(ValueError, match="Operand message must be from 0 to"):
        decrypt(rns, key, 551, 3)
    with pytest.raises(ValueError, match="Operand exponent must be from 0 to"):
        decrypt(rns, key, 5, 1 << 10)
    with pytest.raises(ValueError, match="Operand exponent must be from 0 to"):
        decrypt_crt(rns, prepare_crt(rns, 19, 29), 5, 32, 3)
