"""Curves of Edwards's form by Python's own integers, and cores for them: known answers, OpenSSL."""

import hashlib
import random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from montgomery import KINDS
from montgomery.numbers.catalogue import EDWARDS

SEED = 8032
CURVE = EDWARDS["Ed25519"]
CORE = KINDS["base_multiplication"].cores()["wide"]
#: RFC 8032, 7.1: secret and public keys of tests 1 to 3.
VECTORS = [tuple(map(bytes.fromhex, octets)) for octets in (
    ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"),
    ("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
    ("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"))]


def _scalar(seed):
    """Return the scalar of a secret key; RFC 8032, 5.1.5."""
    number = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return number & (1 << 254) - 8 | 1 << 254


def _octets(x, y):
    """Return a point as RFC 8032, 5.1.2, writes it."""
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _scalars():
    print("seed", SEED)
    rng = random.Random(SEED)
    return [0, 1, 2, CURVE.n - 1, CURVE.n, CURVE.n + 1, (1 << 256) - 1, 8 * CURVE.n,
            *(rng.getrandbits(256) for _ in range(8))]


def test_known_answers():
    for seed, public in VECTORS:
        assert _octets(*CURVE.multiply(_scalar(seed), CURVE.base)) == public


def test_openssl():
    print("seed", SEED)
    rng = random.Random(SEED)
    for _ in range(20):
        seed = rng.randbytes(32)
        public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
        assert _octets(*CURVE.multiply(_scalar(seed), CURVE.base)) == public


def test_points():
    assert CURVE.width == 255
    assert CURVE.multiply(0, CURVE.base) == CURVE.multiply(CURVE.n, CURVE.base) == (0, 1)
    one, minus = (CURVE.multiply(scalar, CURVE.base) for scalar in (1, CURVE.n - 1))
    assert one == CURVE.base
    assert minus == (CURVE.p - one[0], one[1])
    for point in (one, minus, (0, 1), (0, CURVE.p - 1)):
        assert CURVE.contains(*point)
    for x, y in ((0, 0), (1, 1), (one[0], one[1] + 1), (one[0] + CURVE.p, one[1])):
        assert not CURVE.contains(x, y)


@pytest.mark.parametrize("digits_per_clock", [2, 4])
def test_a_core(digits_per_clock):
    """By its model, with which verification compares the hardware."""
    params = CORE(width=256, curve="Ed25519", digits_per_clock=digits_per_clock)
    for scalar in _scalars():
        x, y = CURVE.multiply(scalar, CURVE.base)
        assert params.compute(scalar) == x | y << 256
    assert params.domain is CURVE
    names = [segment.name for segment, _, _ in params._program(1).walk()]
    assert names.count("upper") == names.count("lower") == 16
