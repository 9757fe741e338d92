"""Signatures, verdicts, secrets and public keys by cores for curves, beside those of OpenSSL."""

import random

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from curve_keys import (
    ANY,
    BASE,
    CORES,
    ECDSA,
    EDWARDS,
    KEY,
    P256,
    SECRET,
    SHARED,
    SIDES,
    accepts,
    core,
    shared,
)
from model_board import ModelBoard, refusing
from standards import ED25519, NIST_KEY, NIST_SIGNATURES

from boards.ec import nonces
from boards.host import BoardError
from boards.keys import on_board
from boards.objects import hashed
from montgomery.numbers.catalogue import WEIERSTRASS

SEED = 5903
LADDER, N = CORES["Curve25519"], ANY.domain.n
MULTIPLIER = core("multiplier", "mmm_mx_1d", width=8)
DIGEST = hashed(hashes.SHA256(), b"sample")
INITIATOR, RESPONDER = SIDES["P-256"]


def _sign(message):
    return lambda key: key.sign(message, *[ECDSA] * isinstance(key, ec.EllipticCurvePrivateKey))


def _secret(peer):
    return lambda key: shared(key, peer.public_key())


def _public(key):
    return key.public_key()


#: The core, the key, what is done by it, and what comes of that.
STANDARDS = [
    *((CORES[curve], key, _secret(peer), SHARED[curve])
      for curve, (one, other) in SIDES.items() for key, peer in ((one, other), (other, one))),
    *((core, KEY, _sign(message), encode_dss_signature(*NIST_SIGNATURES[message][1:]))
      for message in NIST_SIGNATURES for core in (BASE, ANY)),
    *((EDWARDS, Ed25519PrivateKey.from_private_bytes(secret), _sign(message), signature)
      for secret, _, message, signature in ED25519)]


@pytest.mark.parametrize(("core", "key", "use", "expected"), STANDARDS)
def test_answers_of_standards(core, key, use, expected):
    made = on_board(ModelBoard(core), key)
    assert (use(made), made.clocks) == (expected, 7)
    assert made.public_key() == key.public_key() == made.public_key()
    assert (made.clocks, made.operations) == (14, 2)


@pytest.mark.parametrize(("kind", "name", "width", "curve", "called"), [
    ("base_multiplication", "wide", 256, "secp256k1", ec.SECP256K1()),
    ("base_multiplication", "wide", 384, "P-384", ec.SECP384R1()),
    *(("scalar_multiplication", "generic", *each) for each in (
        (256, "", P256), (256, "secp256k1", ec.SECP256K1()), (384, "", ec.SECP384R1()),
        (521, "P-521", ec.SECP521R1()), (256, "brainpoolP256r1", ec.BrainpoolP256R1())))])
def test_keys_of_each_curve(kind, name, width, curve, called):
    rng, board = random.Random(SEED), ModelBoard(core(kind, name, width=width, curve=curve))
    key, other = (ec.derive_private_key(rng.randrange(1, 1 << width - 1), called) for _ in range(2))
    message, made = rng.randbytes(20), on_board(board, key)
    for hash_ in (hashes.SHA1(), hashes.SHA3_512()):  # shorter and longer than most orders
        expected = key.sign(message, ec.ECDSA(hash_, deterministic_signing=True))
        assert made.sign(message, ec.ECDSA(hash_)) == expected
    assert made.sign(hashed(hash_, message), ec.ECDSA(Prehashed(hash_))) == expected
    if kind == "scalar_multiplication":
        assert _secret(other)(made) == _secret(other)(key)
    assert made.public_key() == key.public_key()


def _with_x(x):
    """Return a public key with a first coordinate; None if there is none."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(P256, b"\3" + x.to_bytes(32, "big"))
    except ValueError:
        return None


def _of_points():
    """Return private keys and public keys of others; some have secrets that begin with zeros."""
    rng = random.Random(SEED)
    one, other, *keys = (ec.derive_private_key(rng.randrange(1, N), P256) for _ in range(8))
    least, *extremes = (ec.derive_private_key(number, P256) for number in (1, 2, N - 2, N - 1))
    small = [peer for x in range(6) if (peer := _with_x(x))]
    return [*((key, other.public_key()) for key in (least, *extremes)),
            *((key, peer) for peer in small for key in (least, one)),
            *((key, peer.public_key()) for key, peer in zip(keys[::2], keys[1::2], strict=True))]


def _of_ladders():
    """Return private keys and public keys of others, whose coordinates count modulo the prime."""
    rng = random.Random(SEED)
    private = [X25519PrivateKey.from_private_bytes(octets) for octets in (
        bytes(32), b"\xff" * 32, *(rng.randbytes(32) for _ in "abc"))]
    public = [X25519PublicKey.from_public_bytes(octets) for octets in (
        b"\x09" + bytes(31), LADDER.domain.p.to_bytes(32, "little").replace(b"\xed", b"\xef", 1),
        b"\xff" * 32, *(rng.randbytes(32) for _ in "ab"))]
    return list(zip(private, public, strict=True))


@pytest.mark.parametrize(("core", "pairs"), [(ANY, _of_points), (LADDER, _of_ladders)],
                         ids=["ECDH", "X25519"])
def test_secrets_of_keys_at_the_ends(core, pairs):
    board = ModelBoard(core)
    for key, peer in pairs():
        made = on_board(board, key)
        assert shared(made, peer) == shared(key, peer)
        assert made.public_key() == key.public_key()


def test_nonces():
    order = WEIERSTRASS["P-256"].n
    assert next(nonces(order, NIST_KEY, DIGEST, hashes.SHA256())) == NIST_SIGNATURES[b"sample"][0]
    # With an order just above a power of two, half of the numbers are no nonces.
    found = nonces((1 << 16) + 1, 5, bytes(32), hashes.SHA256())
    several = [next(found) for _ in range(20)]
    assert len(set(several)) > 10
    assert all(0 < nonce <= 1 << 16 for nonce in several)


def _multiple(core, scalar):
    x, y = core.domain.multiply(scalar, core.domain.base)
    return x | y << 256


REFUSED = r"\AThe board refused its operands or its result, and gave nothing; run its self-test\Z"
NOT_ITS_OWN = "The public key that the board .* is not that of the private key; run its self-test"
NOT_VALID = r"\AThe signature that the board made does not verify; run its self-test\Z"


@pytest.mark.parametrize(("core", "key", "use", "operate", "message"), [
    *((core, key, use, operate, f"{message} of {core.domain.name} as the product; run its self-")
      for core, key, uses in ((ANY, INITIATOR, (_secret(RESPONDER), _public)),
                              (EDWARDS, SECRET, (_sign(b""), _public)))
      for use in uses for operate, message in (
          (lambda *operands: 0, "The board gave no point"),
          (lambda *operands: 5 | 1 << 256, "The board gave no point"))),
    *((core, key, use, refusing(core), REFUSED) for core, key, use in (
        (ANY, INITIATOR, _secret(RESPONDER)), (ANY, INITIATOR, _public), (LADDER,
         SIDES["Curve25519"][0], _public), (EDWARDS, SECRET, _sign(b"")))),
    (ANY, INITIATOR, _public, lambda scalar, x, y: x | y << 256, NOT_ITS_OWN),
    (LADDER, SIDES["Curve25519"][0], _public, lambda *operands: 9, NOT_ITS_OWN),
    (EDWARDS, SECRET, _public, lambda scalar: _multiple(EDWARDS, 5), NOT_ITS_OWN),
    (EDWARDS, SECRET, _sign(b""), lambda scalar: _multiple(EDWARDS, 5), NOT_VALID),
    (BASE, KEY, _sign(b"sample"), lambda scalar: _multiple(BASE, 3), NOT_VALID)])
def test_a_wrong_product_is_not_released(core, key, use, operate, message):
    with pytest.raises(BoardError, match=message):
        use(on_board(ModelBoard(core, operate=operate), key))


OTHERS = SIDES["P-384"], SIDES["Curve448"], SIDES["Curve25519"]


@pytest.mark.parametrize(("core", "key", "use", "message"), [
    (ANY, INITIATOR, _secret(OTHERS[0][1]),
     r"\ABoth keys must be of one curve, but the private key is of P-256 and the public key of "
     r"P-384; give a public key of P-256\Z"),
    (CORES["Curve448"], OTHERS[1][0], _secret(OTHERS[2][0]),
     r"\AThe public key must be of the kind X448PublicKey, like the private key, not "
     r"X25519PublicKey; give one of that kind\Z"),
    (ANY, OTHERS[0][0], _secret(OTHERS[0][1]),
     r"\AThe core for scalar multiplication on the board is for the curve P-256, and the key is of "
     r"P-384; take a key of P-256\Z"),
    (ANY, ec.derive_private_key(5, ec.SECP256K1()), _public, "P-256, and the key is of secp256k1;"),
    (LADDER, OTHERS[1][0], _secret(OTHERS[1][1]), "the curve Curve25519, and the key is of Curve4"),
    (ANY, OTHERS[2][0], _secret(OTHERS[2][1]), "needs a core of the kind key_agreement, but the "),
    (BASE, ec.derive_private_key(5, ec.SECP256K1()), _sign(b""),
     r"\AThe core for multiples of the base point on the board is for the curve P-256, and the key "
     r"is of secp256k1; take a key of P-256\Z"),
    (BASE, SECRET, _sign(b""), "is for the curve P-256, and the key is of Ed25519; take"),
    (EDWARDS, KEY, _sign(b""), "is for the curve Ed25519, and the key is of P-256; take"),
    (BASE, KEY, _secret(INITIATOR), "needs a core of the kind scalar_multiplication, but the board "
                                    "has the core for multiples of the base point wide"),
    *((MULTIPLIER, KEY, use, "needs a core of the kind scalar_multiplication, but the board has "
       "the multiplier mmm_mx_1d") for use in (_sign(b""), _secret(INITIATOR)))])
def test_other_curves_and_other_cores(core, key, use, message):
    with pytest.raises((BoardError, ValueError, TypeError), match=message):
        use(on_board(ModelBoard(core), key))


@pytest.mark.parametrize(("width", "name", "curve"), [
    (256, "P-256", P256), (384, "P-384", ec.SECP384R1()), (256, "secp256k1", ec.SECP256K1())])
def test_ecdsa_signatures_are_verified(width, name, curve):
    print("seed", SEED)
    rng, verifier = random.Random(SEED), core("ecdsa_verification", width=width, curve=name)
    for hash_ in (hashes.SHA256(), hashes.SHA512()):
        key, message = ec.derive_private_key(rng.randrange(1, 1 << 255), curve), rng.randbytes(20)
        public, algorithm = key.public_key(), ec.ECDSA(hash_)
        made = on_board(ModelBoard(verifier), public)
        r, s = decode_dss_signature(signature := key.sign(message, algorithm))
        for data, given, right in (
                (message, signature, True), (message, bytearray(signature), True),
                (message + b"s", signature, False), (message, b"abc", False),
                (message, encode_dss_signature(r ^ 1, s), False),
                (message, encode_dss_signature(r, 0), False),
                (message, signature + b"0", False), (message, b"", False),
                (message, encode_dss_signature(1 << width, 1), False)):
            assert accepts(public, given, data, algorithm) == right
            assert accepts(made, given, data, algorithm) == right
        assert (made.clocks, made.operations) == (35, 5)
        digest, known = hashed(hash_, message), ec.ECDSA(Prehashed(hash_))
        assert accepts(made, signature, digest, known)
    assert not accepts(made, bytes.fromhex("3006020101020200ff"), message, algorithm)
    with pytest.raises(BoardError, match=f"the curve {name}, and the key is of P-521"):
        on_board(ModelBoard(verifier), ec.derive_private_key(5, ec.SECP521R1()).public_key(
            )).verify(signature, message, algorithm)
    with pytest.raises(BoardError, match="needs a core of the kind ecdsa_verification, but the "
                                         "board has the core for multiples of the base point wide"):
        on_board(ModelBoard(BASE), public).verify(signature, message, algorithm)


def test_ed25519_signatures_are_verified():
    verifier = core("eddsa_verification", width=255)
    for secret, _, message, signature in ED25519:
        public = Ed25519PrivateKey.from_private_bytes(secret).public_key()
        made = on_board(ModelBoard(verifier), public)
        for data, given, right in (
                (message, signature, True), (message, bytearray(signature), True),
                (message + b"s", signature, False), (message, signature[:-1], False),
                (message, signature + b"0", False), (message, b"", False),
                (message, signature[32:] + signature[:32], False)):
            assert accepts(public, given, data) == accepts(made, given, data) == right
    with pytest.raises(BoardError, match="eddsa_verification, but the board has"):
        on_board(ModelBoard(EDWARDS), public).verify(signature, b"")
