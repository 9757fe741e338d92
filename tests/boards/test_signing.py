"""Signatures by ECDSA and Ed25519 by a core on a board, beside those of OpenSSL."""

import functools
import json
import random
import shutil
import subprocess

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from model_board import ModelBoard, private_pem, public_key_of, refusing
from standards import ED25519, NIST_KEY, NIST_SIGNATURES

from boards import ecdh, ecdsa, eddsa
from boards.ecdsa import nonces
from boards.host import BoardError, Result
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
P256 = ec.SECP256R1()
SEED = 6979
KEY = ec.derive_private_key(NIST_KEY, P256)
SECRET = Ed25519PrivateKey.from_private_bytes(ED25519[0][0])
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")


@pytest.mark.parametrize("core", [BASE, ANY], ids=["base point", "any point"])
@pytest.mark.parametrize("message", NIST_SIGNATURES)
def test_ecdsa_signatures_of_the_rfc(core, message):
    nonce, *expected = NIST_SIGNATURES[message]
    digest = hashes.Hash(hashes.SHA256())
    digest.update(message)
    assert next(nonces(WEIERSTRASS["P-256"].n, NIST_KEY, digest.finalize())) == nonce
    made = ecdsa.sign(ModelBoard(core), KEY, message)
    assert [*decode_dss_signature(made.signature)] == expected
    assert made.clocks == 7


def test_ed25519_signatures_of_the_rfc():
    for secret, _, message, signature in ED25519:
        key = Ed25519PrivateKey.from_private_bytes(secret)
        made = eddsa.sign(ModelBoard(EDWARDS), key, message)
        assert (made.signature, made.clocks) == (signature, 7)


@pytest.mark.parametrize(("core", "width", "name", "curve"), [
    (GENERIC, 256, "secp256k1", ec.SECP256K1()), (GENERIC, 384, "", ec.SECP384R1()),
    (GENERIC, 521, "", ec.SECP521R1()), (GENERIC, 256, "brainpoolP256r1", ec.BrainpoolP256R1()),
    (OF_BASE, 256, "secp256k1", ec.SECP256K1()), (OF_BASE, 384, "P-384", ec.SECP384R1())])
def test_ecdsa_signatures_are_those_of_openssl(core, width, name, curve):
    print("seed", SEED)
    rng = random.Random(SEED)
    board = ModelBoard(core(width=width, curve=name))
    deterministic = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
    for _ in range(3):
        key = ec.derive_private_key(rng.randrange(1, 1 << width - 1), curve)
        message = rng.randbytes(20)
        assert ecdsa.sign(board, key, message).signature == key.sign(message, deterministic)


def test_ed25519_signatures_are_those_of_openssl():
    print("seed", SEED)
    rng, board = random.Random(SEED), ModelBoard(EDWARDS)
    for size in range(10):
        key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(size)
        assert eddsa.sign(board, key, message).signature == key.sign(message)
        assert eddsa.public_key(board, key).key == key.public_key()


@pytest.mark.thorough
def test_a_simulated_board(connected):
    with connected(EDWARDS) as board:
        for secret, _, message, signature in ED25519:
            made = eddsa.sign(board, Ed25519PrivateKey.from_private_bytes(secret), message)
            assert (made.signature, made.clocks) == (signature, EDWARDS.cycles.compute)
        assert eddsa.public_key(board, SECRET).key == SECRET.public_key()


def test_nonces_go_on():
    """With an order just above a power of two, half of the numbers are no nonces."""
    found = nonces((1 << 16) + 1, 5, bytes(32))
    several = [next(found) for _ in range(20)]
    assert len(set(several)) > 10
    assert all(0 < nonce <= 1 << 16 for nonce in several)


def _multiple(core, scalar):
    x, y = core.domain.multiply(scalar, core.domain.base)
    return x | y << 256


SIGN, SIGN_EDWARDS, PUBLIC = (
    functools.partial(function, **given) for function, given in (
        (ecdsa.sign, {"key": KEY, "message": b"sample"}),
        (eddsa.sign, {"key": SECRET, "message": b"message"}), (eddsa.public_key, {"key": SECRET})))


@pytest.mark.parametrize(("use", "core", "operate", "message"), [
    (SIGN, BASE, lambda scalar: _multiple(BASE, 3), r"\AThe signature that the board made does not "
                                                    r"verify; run its self-test\Z"),
    *((use, EDWARDS, operate, message) for operate, *messages in (
        (refusing(EDWARDS), "result to be no point of Ed25519, and", "no point of Ed25519, and"),
        (lambda scalar: 0, "gave no point of Ed25519 as the prod", "gave no point of Ed25519"),
        (lambda scalar: _multiple(EDWARDS, 5), "that the board made does not verify; run",
         "is not that of the private key; run its self-test"))
      for use, message in zip((SIGN_EDWARDS, PUBLIC), messages, strict=True))])
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
            SIGN(board)


@pytest.mark.parametrize(("sign", "core", "key", "message"), [
    (ecdsa.sign, BASE, ec.generate_private_key(ec.SECP256K1()),
     r"\AThe core for multiples of the base point on the board is for the curve P-256, and the key "
     r"is of secp256k1; take a key of P-256\Z"),
    (eddsa.sign, BASE, SECRET, "is for the curve P-256, and the key is of Ed25519; take"),
    (ecdsa.sign, EDWARDS, KEY, "is for the curve Ed25519, and the key is of P-256; take"),
    (ecdsa.sign, architectures()["mmm_mx_1d"](width=8), KEY,
     "needs a core of the kind scalar_multiplication, but the board has the multiplier mmm_mx_1d")])
def test_other_curves_and_other_cores(sign, core, key, message):
    with pytest.raises(BoardError, match=message):
        sign(ModelBoard(core), key, b"")


def test_what_is_for_the_base_point_alone_derives_no_secrets():
    assert ecdh.public_key(ModelBoard(BASE), KEY).key == KEY.public_key()
    with pytest.raises(BoardError, match="needs a core of the kind scalar_multiplication, but the "
                                         "board has the core for multiples of the base point wide"):
        ecdh.exchange(ModelBoard(BASE), KEY, KEY.public_key())


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


def test_ecdsa_signatures_are_verified():
    board, public = ModelBoard(VERIFIER), KEY.public_key()
    signature = encode_dss_signature(*NIST_SIGNATURES[b"sample"][1:])
    assert ecdsa.verify(board, public, b"sample", signature) == Result(value=1, clocks=7)
    assert not ecdsa.verify(board, public, b"sampl", signature).value
    large = encode_dss_signature(1 << 256, 1)
    assert ecdsa.verify(board, public, b"sample", large) == Result(value=0, clocks=0)
    with pytest.raises(ValueError, match=r"must have the DER form, as openssl writes it, unlike "
                                         r"this one of 3 bytes$"):
        ecdsa.verify(board, public, b"sample", b"abc")
    with pytest.raises(BoardError, match="needs a core of the kind ecdsa_verification, but the "
                                         "board has the core for multiples of the base point wide"):
        ecdsa.verify(ModelBoard(BASE), public, b"sample", signature)


def test_ed25519_signatures_are_verified():
    board = ModelBoard(OF_EDWARDS)
    for secret, _, message, signature in ED25519:
        public = Ed25519PrivateKey.from_private_bytes(secret).public_key()
        assert eddsa.verify(board, public, message, signature) == Result(value=1, clocks=7)
        assert not eddsa.verify(board, public, message + b"s", signature).value
        assert not eddsa.verify(board, public, message, signature[32:] + signature[:32]).value
    with pytest.raises(ValueError, match="must have 64 octets, not 63"):
        eddsa.verify(board, public, b"", signature[:-1])
    with pytest.raises(BoardError, match="eddsa_verification, but the board has"):
        eddsa.verify(ModelBoard(EDWARDS), public, b"", signature)


@pytest.mark.parametrize(("width", "name", "curve"), [
    (384, "P-384", ec.SECP384R1()), (256, "secp256k1", ec.SECP256K1())])
def test_signatures_of_openssl_are_verified_on_other_curves(width, name, curve):
    print("seed", SEED)
    rng = random.Random(SEED)
    board = ModelBoard(VERIFIES(width=width, curve=name))
    for _ in range(3):
        key, message = ec.derive_private_key(rng.randrange(1, 1 << 255), curve), rng.randbytes(20)
        signature = key.sign(message, ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(signature)
        for said, given, right in ((message, signature, 1), (message + b"s", signature, 0),
                                   (message, encode_dss_signature(r ^ 1, s), 0)):
            assert ecdsa.verify(board, key.public_key(), said, given).value == right
    with pytest.raises(BoardError, match=f"is for the curve {name}, and the key is of P-256"):
        ecdsa.verify(board, KEY.public_key(), b"", signature)


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
    found = run(*letter, "--key", "public.pem", "--signature", "letter.sig", "--json")
    assert json.loads(found) == {"valid": True, "clocks": 7, "clock_hz": 10**6}
    for arguments, complaint in (
            (letter, "Missing option '--key'"),
            (("--signature", "letter.sig"), "One operation takes no --signature; leave it out"),
            ((*letter, "--key", "public.pem", "--output", "new"), "'verify' takes no --output"),
            ((*letter, "sign", "letter", "--key", "public.pem"), "Got unexpected extra arg"),
            (("verify", "public.pem", "--key", "public.pem"),
             "must be in public.pem.sig, but the file is not there; name it with --signature"),
            ((*letter, "--key", "public.pem", "--signature", "letter"),
             "letter: A signature must have the DER form"),
            ((*letter, "--key", "letter.sig"), "letter.sig holds no public key in the form of"),
            ((*letter, "--key", "nothing"), "'nothing' does not exist")):
        assert complaint in run(*arguments, status=2)
