"""X25519 and X448 by a core on a board, beside those of OpenSSL."""

import random
import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey, X448PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from model_board import ModelBoard, private_pem, public_key_of, refusing

from boards.ecdh import exchange, public_key
from boards.host import BoardError
from montgomery import KINDS

CORE = KINDS["key_agreement"].cores()["wide"](width=255)
LONG = KINDS["key_agreement"].cores()["generic"](
    width=448, multiplier="dsp_systolic digit_width=18", word_width=36, parts=2)
SEED = 7748
#: RFC 7748, 6.1: the private keys of both sides, and the shared secret.
ALICE, BOB = (X25519PrivateKey.from_private_bytes(bytes.fromhex(octets)) for octets in (
    "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
    "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
SHARED = bytes.fromhex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")


def _pairs():
    """Return private keys and public keys of others, whose coordinates count modulo the prime."""
    rng = random.Random(SEED)
    private = [X25519PrivateKey.from_private_bytes(octets) for octets in (
        bytes(32), b"\xff" * 32, *(rng.randbytes(32) for _ in "abc"))]
    public = [X25519PublicKey.from_public_bytes(octets) for octets in (
        b"\x09" + bytes(31), CORE.domain.p.to_bytes(32, "little").replace(b"\xed", b"\xef", 1),
        b"\xff" * 32, *(rng.randbytes(32) for _ in "ab"))]
    return list(zip(private, public, strict=True))


def test_secrets_and_public_keys():
    board = ModelBoard(CORE)
    assert exchange(board, ALICE, BOB.public_key()).secret == SHARED
    assert exchange(board, BOB, ALICE.public_key()).secret == SHARED
    for key, peer in _pairs():
        made = exchange(board, key, peer)
        assert (made.secret, made.clocks) == (key.exchange(peer), 7)
        assert "secret" not in repr(made)
        assert public_key(board, key).key == key.public_key()


@pytest.mark.thorough
def test_secrets_of_a_simulated_board(connected):
    with connected(CORE) as board:
        for key, peer, secret in ((ALICE, BOB.public_key(), SHARED),
                                  *((key, peer, key.exchange(peer)) for key, peer in _pairs())):
            made = exchange(board, key, peer)
            assert (made.secret, made.clocks) == (secret, CORE.cycles.compute)
        assert public_key(board, ALICE).key == ALICE.public_key()


def test_x448():
    # RFC 7748, 6.2.
    alice, bob = (X448PrivateKey.from_private_bytes(bytes.fromhex(octets)) for octets in (
        "9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28dd9c9baf574a9419744897391006382a6f1"
        "27ab1d9ac2d8c0a598726b",
        "1c306a7ac2a0e2e0990b294470cba339e6453772b075811d8fad0d1d6927c120bb5ee8972b0d3e21374c9c921b"
        "09d1b0366f10b65173992d"))
    shared = bytes.fromhex(
        "07fff4181ac6cc95ec1c16a94a0f74d12da232ce40a77552281d282bb60c0b56fd2464c335543936521c24403085"
        "d59a449a5037514a879d")
    board = ModelBoard(LONG)
    assert exchange(board, alice, bob.public_key()).secret == shared
    assert exchange(board, bob, alice.public_key()).secret == shared
    assert public_key(board, alice).key == alice.public_key()
    small = X448PublicKey.from_public_bytes(bytes(56))
    with pytest.raises(ValueError, match=r"\AA public key for X448 must have large order[^\n]*"):
        exchange(board, alice, small)
    with pytest.raises(ValueError, match=r"\ABoth keys must be of one curve, [^\n]*Curve448"):
        exchange(board, alice, BOB.public_key())
    with pytest.raises(BoardError, match="is for the curve Curve25519, and the key is of Curve448"):
        exchange(ModelBoard(CORE), alice, bob.public_key())


@pytest.mark.parametrize("u", [0, 1, CORE.domain.p - 1, CORE.domain.p, 1 << 255])
def test_public_keys_of_small_order(u):
    """OpenSSL refuses them as well."""
    peer = X25519PublicKey.from_public_bytes(u.to_bytes(32, "little"))
    with pytest.raises(ValueError, match=r"\AA public key for X25519 must have large order[^\n]*"):
        exchange(ModelBoard(CORE), ALICE, peer)


def test_what_is_refused_or_wrong():
    for operate, message in ((refusing(CORE), "board found the public key to have small order, "),
                             (lambda *operands: 9, "is not that of the private key; run its self")):
        with pytest.raises(BoardError, match=message):
            public_key(ModelBoard(CORE, operate=operate), ALICE)
    other = KINDS["scalar_multiplication"].cores()["wide"](width=256)
    with pytest.raises(BoardError, match="needs a core of the kind key_agreement, but the board"):
        exchange(ModelBoard(other), ALICE, BOB.public_key())


def test_the_command(command, tmp_path):
    (tmp_path / "alice.pem").write_bytes(private_pem(ALICE))
    (tmp_path / "bob.pub").write_bytes(public_key_of(BOB, serialization.Encoding.DER))
    made = command(CORE, "derive", "bob.pub", "--key", "alice.pem")
    assert made["secret"] == "bob.pub.secret"
    assert (tmp_path / "bob.pub.secret").read_bytes() == SHARED
    made = command(CORE, "public-key", "--key", "alice.pem")["public_key"]
    assert serialization.load_pem_public_key((tmp_path / made).read_bytes()) == ALICE.public_key()
    if shutil.which("openssl"):
        subprocess.run(["openssl", "pkey", "-pubin", "-in", made, "-noout"], check=True)
