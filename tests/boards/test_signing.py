"""Signatures by ECDSA and Ed25519 by a core on a board, beside those of OpenSSL."""

import contextlib
import json
import random
import shutil
import subprocess

import pytest
from click.testing import CliRunner
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)
from model_board import ModelBoard, private_pem, public_key_of, refusing
from standards import ED25519, NIST_KEY, NIST_SIGNATURES

from boards.ec import nonces
from boards.host import BoardError
from boards.keys import on_board
from boards.objects import hashed
from explore.cli import cli
from montgomery import KINDS, architectures
from montgomery.numbers.catalogue import WEIERSTRASS

OF_BASE = KINDS["base_multiplication"].cores()["wide"]
BASE, EDWARDS = OF_BASE(width=256), OF_BASE(width=256, curve="Ed25519")
ANY = KINDS["scalar_multiplication"].cores()["wide"](width=256)
GENERIC = KINDS["scalar_multiplication"].cores()["generic"]
VERIFIES = KINDS["ecdsa_verification"].cores()["wide"]
VERIFIER = VERIFIES(width=256)
OF_EDWARDS = KINDS["eddsa_verification"].cores()["wide"](width=255)
P256, ECDSA, ECDH = ec.SECP256R1(), ec.ECDSA(hashes.SHA256()), ec.ECDH()
SEED = 6979
KEY = ec.derive_private_key(NIST_KEY, P256)
SECRET = Ed25519PrivateKey.from_private_bytes(ED25519[0][0])
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")


@pytest.mark.parametrize("core", [BASE, ANY], ids=["base point", "any point"])
@pytest.mark.parametrize("message", NIST_SIGNATURES)
def test_ecdsa_signatures_of_the_rfc(core, message):
    nonce, *expected = NIST_SIGNATURES[message]
    digest = hashed(hashes.SHA256(), message)
    assert next(nonces(WEIERSTRASS["P-256"].n, NIST_KEY, digest, hashes.SHA256())) == nonce
    made = on_board(ModelBoard(core), KEY)
    assert [*decode_dss_signature(made.sign(message, ECDSA))] == expected
    assert made.clocks == 7


def test_ed25519_signatures_of_the_rfc():
    for secret, _, message, signature in ED25519:
        made = on_board(ModelBoard(EDWARDS), Ed25519PrivateKey.from_private_bytes(secret))
        assert (made.sign(message), made.clocks) == (signature, 7)


@pytest.mark.parametrize(("core", "width", "name", "curve"), [
    (GENERIC, 256, "secp256k1", ec.SECP256K1()), (GENERIC, 384, "", ec.SECP384R1()),
    (GENERIC, 521, "", ec.SECP521R1()), (GENERIC, 256, "brainpoolP256r1", ec.BrainpoolP256R1()),
    (OF_BASE, 256, "secp256k1", ec.SECP256K1()), (OF_BASE, 384, "P-384", ec.SECP384R1())])
def test_ecdsa_signatures_are_those_of_openssl(core, width, name, curve):
    print("seed", SEED)
    rng = random.Random(SEED)
    board = ModelBoard(core(width=width, curve=name))
    for hash_ in (hashes.SHA256(), hashes.SHA1(), hashes.SHA512(), hashes.SHA3_384()):
        deterministic = ec.ECDSA(hash_, deterministic_signing=True)
        key = ec.derive_private_key(rng.randrange(1, 1 << width - 1), curve)
        message, made = rng.randbytes(20), on_board(board, key)
        expected = key.sign(message, deterministic)
        assert made.sign(message, ec.ECDSA(hash_)) == expected
        assert made.sign(hashed(hash_, message), ec.ECDSA(Prehashed(hash_))) == expected


def test_ed25519_signatures_are_those_of_openssl():
    print("seed", SEED)
    rng, board = random.Random(SEED), ModelBoard(EDWARDS)
    for size in range(10):
        key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(size)
        assert on_board(board, key).sign(message) == key.sign(message)
        assert on_board(board, key).public_key() == key.public_key()


@pytest.mark.thorough
def test_a_simulated_board(connected):
    with connected(EDWARDS) as board:
        for secret, _, message, signature in ED25519:
            made = on_board(board, Ed25519PrivateKey.from_private_bytes(secret))
            assert (made.sign(message), made.clocks) == (signature, EDWARDS.cycles.compute)
        assert on_board(board, SECRET).public_key() == SECRET.public_key()


def test_nonces_go_on():
    """With an order just above a power of two, half of the numbers are no nonces."""
    found = nonces((1 << 16) + 1, 5, bytes(32), hashes.SHA256())
    several = [next(found) for _ in range(20)]
    assert len(set(several)) > 10
    assert all(0 < nonce <= 1 << 16 for nonce in several)


def _multiple(core, scalar):
    x, y = core.domain.multiply(scalar, core.domain.base)
    return x | y << 256


def _sign(board, key=KEY):
    return on_board(board, key).sign(b"sample", ECDSA)


def _sign_edwards(board):
    return on_board(board, SECRET).sign(b"message")


def _public(board):
    return on_board(board, SECRET).public_key()


@pytest.mark.parametrize(("use", "core", "operate", "message"), [
    (_sign, BASE, lambda scalar: _multiple(BASE, 3), r"\AThe signature that the board made does "
                                                     r"not verify; run its self-test\Z"),
    *((use, EDWARDS, operate, message) for operate, *messages in (
        (refusing(EDWARDS), "refused its operands or its result, and", "refused its operands"),
        (lambda scalar: 0, "gave no point of Ed25519 as the prod", "gave no point of Ed25519"),
        (lambda scalar: _multiple(EDWARDS, 5), "that the board made does not verify; run",
         "is not that of the private key; run its self-test"))
      for use, message in zip((_sign_edwards, _public), messages, strict=True))])
def test_a_wrong_product_is_not_released(use, core, operate, message):
    with pytest.raises(BoardError, match=message):
        use(ModelBoard(core, operate=operate))


@pytest.mark.thorough
def test_nothing_is_released_when_a_bit_flips():
    """A thousand flips: each bit of the nonce and of the product, and pairs of the latter."""
    print("seed", SEED)
    rng = random.Random(SEED)
    flips = [(1 << bit, 0) for bit in range(256)] + [(0, 1 << bit) for bit in range(512)]
    flips += [(0, sum(1 << bit for bit in rng.sample(range(512), 2))) for _ in range(232)]
    for nonce, product in flips:
        board = ModelBoard(BASE, operate=lambda scalar, nonce=nonce, product=product:
                           BASE.compute(scalar ^ nonce) ^ product)
        with pytest.raises(BoardError, match="does not verify" if nonce else "gave no point"):
            _sign(board)


@pytest.mark.parametrize(("core", "key", "message"), [
    (BASE, ec.generate_private_key(ec.SECP256K1()),
     r"\AThe core for multiples of the base point on the board is for the curve P-256, and the key "
     r"is of secp256k1; take a key of P-256\Z"),
    (BASE, SECRET, "is for the curve P-256, and the key is of Ed25519; take"),
    (EDWARDS, KEY, "is for the curve Ed25519, and the key is of P-256; take"),
    (architectures()["mmm_mx_1d"](width=8), KEY,
     "needs a core of the kind scalar_multiplication, but the board has the multiplier mmm_mx_1d")])
def test_other_curves_and_other_cores(core, key, message):
    with pytest.raises(BoardError, match=message):
        on_board(ModelBoard(core), key).sign(b"", *[ECDSA] * (key is not SECRET))


def test_what_is_for_the_base_point_alone_derives_no_secrets():
    key = on_board(ModelBoard(BASE), KEY)
    assert key.public_key() == KEY.public_key()
    with pytest.raises(BoardError, match="needs a core of the kind scalar_multiplication, but the "
                                         "board has the core for multiples of the base point wide"):
        key.exchange(ECDH, KEY.public_key())


@needs_openssl
@pytest.mark.parametrize(("core", "key", "arguments"), [
    (BASE, KEY, ("dgst", "-sha256", "-verify", "key.pem.pub", "-signature", "letter.sig",
                 "letter")),
    (EDWARDS, SECRET, ("pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "key.pem.pub",
                       "-sigfile", "letter.sig", "-in", "letter"))], ids=["ECDSA", "Ed25519"])
def test_openssl_verifies_what_the_command_signs(command, tmp_path, core, key, arguments):
    (tmp_path / "key.pem").write_bytes(private_pem(key))
    (tmp_path / "letter").write_bytes(b"sample")
    assert command(core, "sign", "letter", "--key", "key.pem") == {
        "signature": "letter.sig", "clocks": 7, "operations": 1, "clock_hz": 10**6}
    assert command(core, "public-key", "--key", "key.pem")["public_key"] == "key.pem.pub"
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
    if core is EDWARDS:
        assert "key agreement needs an EC, X25519" in command(
            core, "derive", "key.pem.pub", "--key", "key.pem", status=2)


def _accepts(key, *arguments):
    """Return whether a key, which may be on a board, verifies a signature."""
    with contextlib.suppress(InvalidSignature):
        return key.verify(*arguments) is None
    return False


@pytest.mark.parametrize(("width", "name", "curve"), [
    (256, "P-256", P256), (384, "P-384", ec.SECP384R1()), (256, "secp256k1", ec.SECP256K1())])
def test_ecdsa_signatures_are_verified(width, name, curve):
    print("seed", SEED)
    rng, core = random.Random(SEED), VERIFIES(width=width, curve=name)
    for hash_ in (hashes.SHA256(), hashes.SHA512()):
        key, message = ec.derive_private_key(rng.randrange(1, 1 << 255), curve), rng.randbytes(20)
        public, algorithm = key.public_key(), ec.ECDSA(hash_)
        made = on_board(ModelBoard(core), public)
        r, s = decode_dss_signature(signature := key.sign(message, algorithm))
        for data, given, right in (
                (message, signature, True), (message, bytearray(signature), True),
                (message + b"s", signature, False), (message, b"abc", False),
                (message, encode_dss_signature(r ^ 1, s), False),
                (message, encode_dss_signature(r, 0), False),
                (message, signature + b"0", False), (message, b"", False),
                (message, encode_dss_signature(1 << width, 1), False)):
            assert _accepts(public, given, data, algorithm) == right
            assert _accepts(made, given, data, algorithm) == right
        assert (made.clocks, made.operations) == (35, 5)
        digest, known = hashed(hash_, message), ec.ECDSA(Prehashed(hash_))
        assert _accepts(made, signature, digest, known)
    assert not _accepts(made, bytes.fromhex("3006020101020200ff"), message, algorithm)
    with pytest.raises(BoardError, match=f"the curve {core.domain.name}, and the key is of P-521"):
        on_board(ModelBoard(core), ec.derive_private_key(5, ec.SECP521R1()).public_key()).verify(
            signature, message, algorithm)
    with pytest.raises(BoardError, match="needs a core of the kind ecdsa_verification, but the "
                                         "board has the core for multiples of the base point wide"):
        on_board(ModelBoard(BASE), public).verify(signature, message, algorithm)


def test_ed25519_signatures_are_verified():
    for secret, _, message, signature in ED25519:
        public = Ed25519PrivateKey.from_private_bytes(secret).public_key()
        made = on_board(ModelBoard(OF_EDWARDS), public)
        for data, given, right in (
                (message, signature, True), (message, bytearray(signature), True),
                (message + b"s", signature, False), (message, signature[:-1], False),
                (message, signature + b"0", False), (message, b"", False),
                (message, signature[32:] + signature[:32], False)):
            assert _accepts(public, given, data) == _accepts(made, given, data) == right
    with pytest.raises(BoardError, match="eddsa_verification, but the board has"):
        on_board(ModelBoard(EDWARDS), public).verify(signature, b"")


def test_the_command_verifies(command, tmp_path, monkeypatch):
    monkeypatch.setattr("explore.commands.board.Client",
                        lambda port, baud: ModelBoard(VERIFIER))
    for name, key in (("public.pem", KEY), ("other.pem", ec.derive_private_key(7, P256))):
        (tmp_path / name).write_bytes(public_key_of(key))
    (tmp_path / "letter").write_bytes(b"sample")
    (tmp_path / "letter.sig").write_bytes(encode_dss_signature(*NIST_SIGNATURES[b"sample"][1:]))

    def run(*arguments, status=0):
        done = CliRunner().invoke(cli, ["board", "run", "--port", "model", *arguments])
        assert done.exit_code == status, done.stderr
        return done.stdout or done.stderr

    letter = ("verify", "letter")
    assert run(*letter, "--key", "public.pem") == (
        "letter.sig: the signature of letter by the key in public.pem\n"
        "  7 clocks, 7 µs at 1 MHz\n")
    assert run(*letter, "--key", "other.pem", status=1) == (
        "letter.sig: no signature of letter by the key in other.pem\n"
        "  7 clocks, 7 µs at 1 MHz\n")
    assert run(*letter, "--key", "public.pem", "--signature", "letter", status=1).startswith(
        "letter: no signature of letter by the key in public.pem")
    found = run(*letter, "--key", "public.pem", "--signature", "letter.sig", "--json")
    assert json.loads(found) == {"valid": True, "clocks": 7, "clock_hz": 10**6}
    for arguments, complaint in (
            (letter, "Missing option '--key'"),
            (("--signature", "letter.sig"), "One operation takes no --signature; leave it out"),
            ((*letter, "--key", "public.pem", "--output", "new"), "'verify' takes no --output"),
            ((*letter, "sign", "letter", "--key", "public.pem"), "Got unexpected extra arg"),
            (("verify", "public.pem", "--key", "public.pem"),
             "must be in public.pem.sig, but the file is not there; name it with --signature"),
            ((*letter, "--key", "letter.sig"), "letter.sig holds no public key in the form of"),
            ((*letter, "--key", "nothing"), "'nothing' does not exist")):
        assert complaint in run(*arguments, status=2)
