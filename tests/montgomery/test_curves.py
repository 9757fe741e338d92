"""Elliptic curves: their numbers, answers of standards, and the ``cryptography`` package."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from montgomery.arithmetic import is_prime
from montgomery.numbers.catalogue import WEIERSTRASS

SEED = 5903
#: How ``cryptography`` calls each curve.
NAMES = {"P-256": ec.SECP256R1, "P-384": ec.SECP384R1, "P-521": ec.SECP521R1,
         "secp256k1": ec.SECP256K1, "brainpoolP256r1": ec.BrainpoolP256R1}
P256 = WEIERSTRASS["P-256"]
#: RFC 5903, 8.1: the private key and the public key of each side, and the shared point.
INITIATOR = (0xC88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433, (
    0xDAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180,
    0x5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3))
RESPONDER = (0xC6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53, (
    0xD12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63,
    0x56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB))
SHARED = (0xD6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE,
          0x522BDE0AF0D8585B8DEF9C183B5AE38F50235206A8674ECB5D98EDB20EB153A2)
#: RFC 6979, A.2.5.
KEY = (0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721, (
    0x60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6,
    0x7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299))


@pytest.mark.parametrize("curve", WEIERSTRASS.values(), ids=WEIERSTRASS)
def test_numbers(curve):
    assert curve is WEIERSTRASS[curve.name]
    assert is_prime(curve.p)
    assert is_prime(curve.n)
    assert 0 < curve.b < curve.p
    assert 0 <= curve.a < curve.p
    assert (4 * curve.a**3 + 27 * curve.b**2) % curve.p
    assert curve.contains(*curve.base)
    assert not curve.contains(0, 0)
    # The number of points is n, since by Hasse no other multiple of it is near enough.
    opposite = curve.gx, curve.p - curve.gy
    assert curve.multiply(curve.n - 1, curve.base) == opposite
    assert (curve.p + 1 - curve.n)**2 <= 4 * curve.p


def test_coordinates_must_be_below_the_prime():
    x, y = P256.base
    for wrong in ((x, y + 1), (x + P256.p, y), (x, y - P256.p), (y, x)):
        assert not P256.contains(*wrong)
    assert P256.contains(x, P256.p - y)


@pytest.mark.parametrize("curve", WEIERSTRASS.values(), ids=WEIERSTRASS)
def test_smallest_multiples(curve):
    x, y = curve.base
    opposite = x, curve.p - y
    assert curve.multiply(0, curve.base) is None
    assert curve.multiply(7, None) is None
    for one, same in ((1, curve.n + 1), (curve.n - 1, 2 * curve.n - 1)):
        assert curve.multiply(one, curve.base) == curve.multiply(same, curve.base)
    assert curve.multiply(1, curve.base) == curve.multiply(curve.n - 1, opposite) == curve.base
    # By the chord and tangent rule.
    twice, thrice = (curve.multiply(scalar, curve.base) for scalar in (2, 3))
    slope = (3 * x * x + curve.a) * pow(2 * y, -1, curve.p)
    assert twice == ((slope**2 - 2 * x) % curve.p,
                     (slope * (x - slope**2 + 2 * x) - y) % curve.p)
    slope = (twice[1] - y) * pow(twice[0] - x, -1, curve.p)
    assert thrice[0] == (slope**2 - x - twice[0]) % curve.p


@pytest.mark.parametrize(("scalar", "point"), [INITIATOR, RESPONDER, KEY])
def test_public_keys_of_standards(scalar, point):
    assert P256.multiply(scalar, P256.base) == point


def test_the_shared_point_of_the_standard():
    for (scalar, _), (_, point) in ((INITIATOR, RESPONDER), (RESPONDER, INITIATOR)):
        assert P256.multiply(scalar, point) == SHARED


@pytest.mark.parametrize("name", NAMES)
def test_multiples_agree_with_others(name):
    curve, rng = WEIERSTRASS[name], random.Random(SEED)
    for _ in range(20):
        scalars = [rng.randrange(1, curve.n) for _ in range(2)]
        own, other = (ec.derive_private_key(scalar, NAMES[name]()) for scalar in scalars)
        public = own.public_key().public_numbers()
        point = curve.multiply(scalars[0], curve.base)
        assert point == (public.x, public.y)
        shared = curve.multiply(scalars[1], point)[0]
        assert shared.to_bytes(-(-curve.width // 8), "big") == other.exchange(
            ec.ECDH(), own.public_key())
