"""Figures 4 and 5 with keys from outside the project."""

import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from montgomery import rsa_crt

SEED = 2001
VECTORS = Path(__file__).parents[2] / "vectors"
#: Table 1.
CHIP = rsa_crt()["cox_rower"](width=4096, shortest=1024, keys="both", check="none")


def _key(bits):
    key = load_pem_private_key((VECTORS / f"rsa{bits}.pem").read_bytes(), None)
    return key.private_numbers()


@pytest.mark.parametrize("bits", [512, 1024])
def test_a_key_with_crt(bits):
    numbers = _key(bits)
    modulus = numbers.public_numbers.n
    message = random.Random(SEED).randrange(modulus)
    assert CHIP.compute(message, numbers.dmp1, numbers.dmq1, numbers.p, numbers.q) == pow(
        message, numbers.d, modulus)


@pytest.mark.parametrize("bits", [2048, 4096])
def test_the_public_exponent_of_a_long_key(bits):
    """With CRT too: exponents need not be secret ones."""
    numbers = _key(bits)
    modulus, e = numbers.public_numbers.n, numbers.public_numbers.e
    message = random.Random(SEED).randrange(modulus)
    expected = pow(message, e, modulus)
    assert CHIP.compute(message, e, e, numbers.p, numbers.q) == expected
    if bits <= CHIP.factor_width:
        assert CHIP.compute(message, e, 0, modulus, 1) == expected
