"""Curves of all three forms: their numbers, answers of standards, and the ``cryptography`` package.
"""

import hashlib
import random

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey, X448PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from standards import AGREEMENTS, ED25519, NIST_KEY, NIST_PUBLIC

from montgomery.arithmetic import is_prime
from montgomery.numbers.catalogue import EDWARDS, MONTGOMERY, WEIERSTRASS

SEED = 5903
#: How ``cryptography`` calls each curve.
NAMES = {"P-256": ec.SECP256R1, "P-384": ec.SECP384R1, "P-521": ec.SECP521R1,
         "secp256k1": ec.SECP256K1, "brainpoolP256r1": ec.BrainpoolP256R1}
P256, EDWARDS25519 = WEIERSTRASS["P-256"], EDWARDS["Ed25519"]
X25519, X448 = MONTGOMERY["Curve25519"], MONTGOMERY["Curve448"]
EACH = pytest.mark.parametrize("curve", WEIERSTRASS.values(), ids=WEIERSTRASS)


def _rng():
    print("seed", SEED)
    return random.Random(SEED)


@EACH
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


@pytest.mark.parametrize("name", ["P-256", "P-384"])
def test_secrets_and_keys_of_standards(name):
    curve = WEIERSTRASS[name]
    one, other, shared = (int.from_bytes(octets, "big") for octets in AGREEMENTS[name])
    for scalar, peer in ((one, other), (other, one)):
        assert curve.multiply(scalar, curve.multiply(peer, curve.base))[0] == shared
    assert P256.multiply(NIST_KEY, P256.base) == NIST_PUBLIC


@pytest.mark.parametrize("name", NAMES)
def test_multiples_agree_with_others(name):
    curve, rng = WEIERSTRASS[name], _rng()
    for _ in range(20):
        scalars = [rng.randrange(1, curve.n) for _ in range(2)]
        own, other = (ec.derive_private_key(scalar, NAMES[name]()) for scalar in scalars)
        public = own.public_key().public_numbers()
        point = curve.multiply(scalars[0], curve.base)
        assert point == (public.x, public.y)
        shared = curve.multiply(scalars[1], point)[0]
        assert shared.to_bytes(-(-curve.width // 8), "big") == other.exchange(
            ec.ECDH(), own.public_key())


def test_public_keys_of_edwards_form():
    """Of RFC 8032, and of OpenSSL; 5.1.5 makes a scalar of a key, and 5.1.2 octets of a point."""
    rng, curve = _rng(), EDWARDS25519
    secrets = [rng.randbytes(32) for _ in range(20)]
    for secret, public in [
            *((secret, public) for secret, public, *_ in ED25519),
            *((secret, Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw())
              for secret in secrets)]:
        number = int.from_bytes(hashlib.sha512(secret).digest()[:32], "little")
        x, y = curve.multiply(number & (1 << 254) - 8 | 1 << 254, curve.base)
        assert (y | (x & 1) << 255).to_bytes(32, "little") == public


def test_points_of_edwards_form():
    curve = EDWARDS25519
    assert curve.width == 255
    assert curve.multiply(0, curve.base) == curve.multiply(curve.n, curve.base) == (0, 1)
    one, minus = (curve.multiply(scalar, curve.base) for scalar in (1, curve.n - 1))
    assert one == curve.base
    assert minus == (curve.p - one[0], one[1])
    for point in (one, minus, (0, 1), (0, curve.p - 1)):
        assert curve.contains(*point)
    for x, y in ((0, 0), (1, 1), (one[0], one[1] + 1), (one[0] + curve.p, one[1])):
        assert not curve.contains(x, y)


def _number(octets):
    return int.from_bytes(bytes.fromhex(octets), "little")


#: RFC 7748, 5.2: a scalar, a coordinate and the result. Bit 255 of the second coordinate is set.
VECTORS = [tuple(map(_number, octets)) for octets in (
    ("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
     "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
     "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
    ("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
     "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
     "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"))]
#: The same, where the result is the next scalar, and the scalar the next coordinate: after 1 and
#: 1,000 times.
ITERATED = {1: _number("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"),
            1000: _number("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")}


def test_ladders_of_the_standard():
    for scalar, u, result in VECTORS:
        assert X25519.agree(scalar, u) == result
    scalar = u = X25519.u
    for turn in range(1, 1001):
        scalar, u = X25519.agree(scalar, u), scalar
        assert scalar == ITERATED.get(turn, scalar)


def test_openssl_agrees_with_ladders():
    rng = _rng()
    for curve, private, public in ((X25519, X25519PrivateKey, X25519PublicKey),
                                   (X448, X448PrivateKey, X448PublicKey)):
        bits = 8 * curve.octets
        for u in [curve.u, curve.p + 2, (1 << bits) - 1, *(rng.getrandbits(bits) for _ in "abcd")]:
            scalar = rng.getrandbits(bits)
            own = private.from_private_bytes(scalar.to_bytes(curve.octets, "little"))
            found = own.exchange(public.from_public_bytes(u.to_bytes(curve.octets, "little")))
            assert curve.agree(scalar, u) == int.from_bytes(found, "little")


@pytest.mark.parametrize("curve", MONTGOMERY.values(), ids=MONTGOMERY)
def test_multiples_on_a_ladder(curve):
    assert curve.multiply(curve.n, curve.u) == 0
    assert curve.multiply(curve.n + 1, curve.u) == curve.u
    assert not curve.is_small(curve.u)
    for u in (0, 1, curve.p - 1, curve.p, curve.p + 1, 1 << curve.width):
        assert curve.is_small(u)


def test_no_key_gives_0_on_the_small_curve():
    curve = MONTGOMERY["toy-15"]
    twisted = (curve.p + 1 - 4 * curve.n) // 2  # a quarter of the points of the twist
    for u in range(curve.p):
        assert curve.multiply(8 * curve.n, u) == 0 or curve.multiply(4 * twisted, u) == 0
    for scalar in range(0, 1 << curve.width, 8):
        assert all(curve.clamped(scalar) % order for order in (curve.n, twisted))
