"""Ed25519 signatures and public keys by a core on a board, beside those of OpenSSL."""

import random
import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from model_board import ModelBoard, private_pem, refusing

from boards import ecdsa
from boards.eddsa import public_key, sign, verify
from boards.host import BoardError, Result
from montgomery import KINDS

BASE = KINDS["base_multiplication"].cores()["wide"]
CORE = BASE(width=256, curve="Ed25519")
SEED = 8032
#: RFC 8032, 7.1: the secret keys of tests 1 to 3, the messages, and the signatures.
VECTORS = [tuple(map(bytes.fromhex, octets)) for octets in (
    ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b4"
     "6bd25bf5f0595bbe24655141438e7a100b"),
    ("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d"
     "8c387b2eaeb4302aeeb00d291612bb0c00"),
    ("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6"
     "594a7c15e9716ed28dc027beceea1ec40a"))]
KEY = Ed25519PrivateKey.from_private_bytes(VECTORS[0][0])


def test_known_answers():
    for secret, message, signature in VECTORS:
        made = sign(ModelBoard(CORE), Ed25519PrivateKey.from_private_bytes(secret), message)
        assert (made.signature, made.clocks) == (signature, 7)


def test_verification():
    board = ModelBoard(KINDS["eddsa_verification"].cores()["wide"](width=255))
    for secret, message, signature in VECTORS:
        public = Ed25519PrivateKey.from_private_bytes(secret).public_key()
        assert verify(board, public, message, signature) == Result(value=1, clocks=7)
        assert not verify(board, public, message + b"s", signature).value
        assert not verify(board, public, message, signature[32:] + signature[:32]).value
    with pytest.raises(ValueError, match="must have 64 octets, not 63"):
        verify(board, public, b"", signature[:-1])
    with pytest.raises(BoardError, match="eddsa_verification, but the board has"):
        verify(ModelBoard(CORE), public, b"", signature)


def test_openssl():
    print("seed", SEED)
    rng, board = random.Random(SEED), ModelBoard(CORE)
    for size in range(10):
        key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(size)
        assert sign(board, key, message).signature == key.sign(message)
        assert public_key(board, key).key == key.public_key()


@pytest.mark.thorough
def test_a_simulated_board(connected):
    with connected(CORE) as board:
        for secret, message, signature in VECTORS:
            made = sign(board, Ed25519PrivateKey.from_private_bytes(secret), message)
            assert (made.signature, made.clocks) == (signature, CORE.cycles.compute)
        assert public_key(board, KEY).key == KEY.public_key()


def test_what_is_refused_or_wrong():
    other = CORE.domain.multiply(5, CORE.domain.base)
    for operate, of_signature, of_key in (
            (refusing(CORE), "result to be no point of Ed25519, and", "no point of Ed25519, and"),
            (lambda scalar: 0, "gave no point of Ed25519 as the prod", "gave no point of Ed25519"),
            (lambda scalar: other[0] | other[1] << 256, "that the board made does not verify; run",
             "is not that of the private key; run its self-test")):
        board = ModelBoard(CORE, operate=operate)
        with pytest.raises(BoardError, match=of_signature):
            sign(board, KEY, b"message")
        with pytest.raises(BoardError, match=of_key):
            public_key(board, KEY)


def test_other_curves():
    with pytest.raises(BoardError, match="is for the curve P-256, and the key is of Ed25519; take"):
        sign(ModelBoard(BASE(width=256)), KEY, b"message")
    with pytest.raises(BoardError, match="is for the curve Ed25519, and the key is of P-256; take"):
        ecdsa.sign(ModelBoard(CORE), ec.generate_private_key(ec.SECP256R1()), b"message")


def test_the_command(command, tmp_path):
    (tmp_path / "key.pem").write_bytes(private_pem(KEY))
    (tmp_path / "letter").write_bytes(b"Dear Bob")
    made = command(CORE, "sign", "letter", "--key", "key.pem")
    assert made["signature"] == "letter.sig"
    assert (tmp_path / "letter.sig").read_bytes() == KEY.sign(b"Dear Bob")
    public = command(CORE, "public-key", "--key", "key.pem")["public_key"]
    if shutil.which("openssl"):
        subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", public,
                        "-sigfile", "letter.sig", "-in", "letter"], check=True,
                       capture_output=True)
    assert "key agreement needs an EC, X25519" in command(
        CORE, "derive", public, "--key", "key.pem", status=2)
