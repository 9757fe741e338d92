"""The kinds of cores that verify signatures, by ECDSA and EdDSA, beside ``cryptography``."""

import hashlib
import itertools
import random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)
from standards import ED25519, NIST_PUBLIC, NIST_SIGNATURES

from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.core import cycles_of, expected_words, input_names, kind_of, traits
from montgomery.numbers.catalogue import EDWARDS, WEIERSTRASS
from montgomery.technology import technologies

SEED = 6979
#: What the package cryptography calls the curves, with a hash of as many bits.
OTHERS = {"P-256": (ec.SECP256R1(), hashes.SHA256()), "P-384": (ec.SECP384R1(), hashes.SHA384()),
          "secp256k1": (ec.SECP256K1(), hashes.SHA256())}
P256, EDWARDS25519 = WEIERSTRASS["P-256"], EDWARDS["Ed25519"]
ECDSA, EDDSA = (KINDS[f"{name}_verification"].cores()["wide"] for name in ("ecdsa", "eddsa"))
CORE, OF_EDWARDS = ECDSA(width=256), EDDSA(width=255)
#: What a second operation in flight changes is how signatures take turns.
DOUBLE = ECDSA(width=256, digits_per_clock=4, in_flight=2)
OF_ECDSA = [ECDSA(width=WEIERSTRASS[name].width, curve=name, digits_per_clock=per_clock)
            for name, per_clock in (("P-256", 2), ("P-256", 4), ("P-384", 2), ("secp256k1", 2),
                                    ("secp256k1", 4))]
OF_EDDSA = [EDDSA(width=255, digits_per_clock=per_clock) for per_clock in (2, 4)]


def _named(cores):
    return pytest.mark.parametrize(
        "core", cores, ids=lambda core: f"{core.curve}, {core.digits_per_clock}")


def _rng():
    print("seed", SEED)
    return random.Random(SEED)


def _judged(core, z, r, s, x, y):
    """Return whether the package cryptography takes a signature; a key must be a point there."""
    curve, digest = OTHERS[core.curve]
    try:
        key = ec.EllipticCurvePublicNumbers(x, y, curve).public_key()
        key.verify(encode_dss_signature(r, s), z.to_bytes(core.width // 8, "big"),
                   ec.ECDSA(Prehashed(digest)))
    except (InvalidSignature, ValueError):
        return 0
    return 1


def _number(octets):
    return int.from_bytes(octets, "little")


def _operands(public, message, signature):
    k = _number(hashlib.sha512(signature[:32] + public + message).digest()) % EDWARDS25519.n
    return k, _number(signature[32:]), _number(public), _number(signature[:32])


def _judged_edwards(public, message, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return 0
    return 1


@_named([*OF_ECDSA[:2], DOUBLE])
@pytest.mark.parametrize("message", NIST_SIGNATURES)
def test_ecdsa_signatures_of_the_rfc(core, message):
    z = int.from_bytes(hashlib.sha256(message).digest(), "big")
    _, r, s = NIST_SIGNATURES[message]
    x, y = NIST_PUBLIC
    assert core.compute(z, r, s, x, y) == 1
    assert core.compute(z ^ 1, r, s, x, y) == 0
    # The opposite s is a signature too, and the opposite key has none of its own.
    assert core.compute(z, r, P256.n - s, x, y) == 1
    assert core.compute(z, r, s, x, P256.p - y) == 0


@_named(OF_EDDSA)
def test_eddsa_signatures_of_the_rfc(core):
    for _, *vector in ED25519:
        k, s, a, r = _operands(*vector)
        assert core.compute(k, s, a, r) == 1
        assert core.compute(k ^ 1, s, a, r) == core.compute(k, s ^ 1, a, r) == 0
        # The opposite key, the opposite R, and another s for the same multiple.
        top = 1 << 255
        assert core.compute(k, s, a ^ top, r) == core.compute(k, s, a, r ^ top) == 0
        assert core.compute(k, s + EDWARDS25519.n, a, r) == 0


@_named(OF_ECDSA)
def test_random_ecdsa_signatures_and_single_bits(core):
    rng, (curve, hashed) = _rng(), OTHERS[core.curve]
    for _ in range(8):
        key = ec.derive_private_key(rng.randrange(1, core.domain.n), curve)
        public, digest = key.public_key().public_numbers(), rng.randbytes(core.width // 8)
        r, s = decode_dss_signature(key.sign(digest, ec.ECDSA(Prehashed(hashed))))
        numbers = [int.from_bytes(digest, "big"), r, s, public.x, public.y]
        assert core.compute(*numbers) == _judged(core, *numbers) == 1
        numbers[rng.randrange(5)] ^= 1 << rng.randrange(core.width)
        assert core.compute(*numbers) == _judged(core, *numbers) == 0


@_named(OF_EDDSA)
def test_random_eddsa_signatures_and_single_bits(core):
    rng = _rng()
    for _ in range(8):
        key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(40)
        public, signature = key.public_key().public_bytes_raw(), key.sign(message)
        assert core.compute(*_operands(public, message, signature)) == 1
        wrong = bytearray(signature)
        wrong[rng.randrange(64)] ^= 1 << rng.randrange(8)
        assert core.compute(*_operands(public, message, bytes(wrong))) == _judged_edwards(
            public, message, bytes(wrong)) == 0


@_named([*OF_ECDSA, *OF_EDDSA])
def test_edges(core):
    """Those of cryptography for ECDSA. For EdDSA, what is no shortest encoding of a point, and s
    from the order on, is no signature.
    """
    given = adapter(core)
    vectors = [*given.edges(), *given.solved()]
    found = [core.compute(*vector) for vector in vectors]
    assert found == [_judged(core, *vector) if core in OF_ECDSA else given.golden(*vector)
                     for vector in vectors]
    assert 20 < sum(found) < len(found) - 20


def test_keys_of_small_order_are_those_of_cryptography():
    """The equation is without the cofactor: k modulo 8 counts, and R is the sum itself."""
    given, found = adapter(OF_EDWARDS), []
    keys = {vector[2] for vector in given.edges()
            if vector[0] in (1, 8, 9) and given.golden(*vector)}
    for a, factor in itertools.product(sorted(keys)[:6], (3, 5)):
        r = given._of(factor, 7, given._decoded(a))
        public, signature = a.to_bytes(32, "little"), b"".join(
            each.to_bytes(32, "little") for each in (r, 7))
        for message in map(str.encode, map(str, range(40))):
            vector = _operands(public, message, signature)
            found.append(OF_EDDSA[1].compute(*vector))
            assert found[-1] == given.golden(*vector) == _judged_edwards(
                public, message, signature)
    assert 0 < sum(found) < len(found)


@pytest.mark.parametrize(("cls", "given", "fix"), [
    (ECDSA, {"width": 256, "curve": "P-384"}, "Width must be 384 for P-384, not 256"),
    (ECDSA, {"width": 384, "curve": "secp256k1"}, "Width must be 256 for secp256k1, not 384"),
    (ECDSA, {"width": 384, "curve": "P-384", "digits_per_clock": 4}, "Digits per clock must be 2"),
    (ECDSA, {"width": 256, "curve": "secp256k1", "digits_per_clock": 4, "in_flight": 2},
     "in_flight must be 1 for secp256k1; two signatures"),
    (EDDSA, {"width": 256}, "Width must be 255 or less, not 256")])
def test_what_a_curve_does_not_have_is_refused(cls, given, fix):
    with pytest.raises(ValueError, match=fix):
        cls(**given)


@pytest.mark.parametrize(("core", "numbers", "first", "last"), [
    (CORE, (1, 2, 3, *P256.base), "z", "s"), (OF_EDWARDS, (1, 2, 3, 4), "k", "a")])
def test_words(core, numbers, first, last):
    assert input_names(core) == tuple(kind_of(core).inputs)
    words = core.encode(*numbers)
    assert len(words) == 16 * len(numbers)
    assert [words.index(number) for number in (1, 2, 3)] == [0, 16, 32]
    assert words[48] == numbers[3] & 0xFFFF
    assert expected_words(core, *numbers) == [0]
    assert [core.decode([word]) for word in (0, 1)] == [0, 1]
    ones = [1] * (len(numbers) - 1)
    for inputs, name in (((-1, *ones), first), ((1, 1, 1 << 256, *ones[2:]), last)):
        with pytest.raises(ValueError, match=rf"^Operand {name} must be from 0 to 2\*\*256 - 1"):
            core.compute(*inputs)
    with pytest.raises(TypeError, match=f"Operand {input_names(core)[3]} must be an integer"):
        core.compute(1, 1, 1, 1.5, *ones[3:])


def test_clocks_and_blocks():
    for core, blocks in zip([*OF_ECDSA[:2], DOUBLE, *OF_ECDSA[2:4], *OF_EDDSA],
                            (33, 65, 65, 49, 34, 32, 64), strict=True):
        assert cycles_of(core, *[0] * len(input_names(core))) == core.cycles
        assert traits(core).blocks(technologies()["ecp5"]) == blocks
        # The next signature is inverted meanwhile.
        assert core in OF_EDDSA or traits(core).initiation < 0.75 * core.cycles.interval
    assert traits(DOUBLE).initiation < 0.77 * traits(OF_ECDSA[1]).initiation
