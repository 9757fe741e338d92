"""X25519 and X448 by Python's own integers: known answers, and OpenSSL."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey, X448PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from montgomery import KINDS
from montgomery.numbers.catalogue import MONTGOMERY

SEED = 25519
CURVE = MONTGOMERY["Curve25519"]
LONG = MONTGOMERY["Curve448"]
CORES = KINDS["key_agreement"].cores()


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
#: RFC 7748, 6.1.
ALICE = _number("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
BOB = _number("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
PUBLIC = (_number("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"),
          _number("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
SHARED = _number("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")


@pytest.mark.parametrize(("scalar", "u", "result"), VECTORS)
def test_known_answers(scalar, u, result):
    assert CURVE.agree(scalar, u) == result


def test_iterated():
    scalar = u = CURVE.u
    for turn in range(1, 1001):
        scalar, u = CURVE.agree(scalar, u), scalar
        assert scalar == ITERATED.get(turn, scalar)


def test_both_sides_agree():
    assert (CURVE.agree(ALICE, CURVE.u), CURVE.agree(BOB, CURVE.u)) == PUBLIC
    assert CURVE.agree(ALICE, PUBLIC[1]) == CURVE.agree(BOB, PUBLIC[0]) == SHARED


@pytest.mark.parametrize("core", CORES.values(), ids=CORES)
def test_models_of_cores(core):
    """Which verification compares with the hardware."""
    params = core(width=255)
    assert [params.compute(scalar, u) for scalar, u, _ in VECTORS] == [
        result for *_, result in VECTORS]
    assert params.compute(CURVE.u, CURVE.u) == ITERATED[1]
    assert params.compute(BOB, PUBLIC[0]) == SHARED


def test_openssl():
    print("seed", SEED)
    rng = random.Random(SEED)
    for curve, private, public in ((CURVE, X25519PrivateKey, X25519PublicKey),
                                   (LONG, X448PrivateKey, X448PublicKey)):
        bits = 8 * curve.octets
        for u in [curve.u, curve.p + 2, (1 << bits) - 1, *(rng.getrandbits(bits) for _ in "abcd")]:
            scalar = rng.getrandbits(bits)
            own = private.from_private_bytes(scalar.to_bytes(curve.octets, "little"))
            found = own.exchange(public.from_public_bytes(u.to_bytes(curve.octets, "little")))
            assert curve.agree(scalar, u) == int.from_bytes(found, "little")


@pytest.mark.parametrize("curve", MONTGOMERY.values(), ids=MONTGOMERY)
def test_multiples(curve):
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


@pytest.mark.parametrize(("operands", "message"), [
    ((1 << 256, 9), r"Operand scalar must be from 0 to 2\*\*256 - 1, not a number of 257 bits; "
                    r"give 32 octets"),
    ((1, -1), r"Operand u must be from 0 to 2\*\*256 - 1, not -1; give 32 octets"),
    ((1, CURVE.p + 1), "Operand u must be the coordinate of a point of large order, not a number "
                       "of 255 bits; give a public key"),
])
@pytest.mark.parametrize("method", ["compute", "encode"])
def test_what_is_refused(method, operands, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        getattr(CORES["wide"](width=255), method)(*operands)


def test_a_result_of_ones_is_a_refusal():
    with pytest.raises(ValueError, match=r"^Operand u must be the coordinate of a point of large "
                                         r"order, but was not, and the core gave nothing; send a "
                                         r"public key$"):
        CORES["wide"](width=255).decode([0xFFFF] * 16)
