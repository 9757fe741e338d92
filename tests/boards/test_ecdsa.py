"""ECDSA signatures by a core on a board, beside those of OpenSSL."""

import json
import random
import shutil
import subprocess

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from model_board import ModelBoard, private_pem, public_key_of

from boards import ecdh
from boards.ecdsa import nonces, sign, verify
from boards.host import BoardError, Result
from explore.cli import cli
from montgomery import KINDS, architectures
from montgomery.numbers.catalogue import WEIERSTRASS

OF_BASE = KINDS["base_multiplication"].cores()["wide"]
BASE = OF_BASE(width=256)
ANY = KINDS["scalar_multiplication"].cores()["wide"](width=256)
GENERIC = KINDS["scalar_multiplication"].cores()["generic"]
VERIFIES = KINDS["ecdsa_verification"].cores()["wide"]
VERIFIER = VERIFIES(width=256)
P256 = ec.SECP256R1()
SEED = 6979
#: RFC 6979, A.2.5: the key, and for each message the nonce and the signature with SHA-256.
KEY = ec.derive_private_key(
    0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721, P256)
MESSAGES = {
    b"sample": (0xA6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60,
                0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716,
                0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8),
    b"test": (0xD16B6AE827F17175E040871A1C7EC3500192C4C92677336EC2537ACAEE0008E0,
              0xF1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367,
              0x019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083)}


@pytest.mark.parametrize("core", [BASE, ANY], ids=["base point", "any point"])
@pytest.mark.parametrize("message", MESSAGES)
def test_signatures_of_the_rfc(core, message):
    nonce, *expected = MESSAGES[message]
    digest = hashes.Hash(hashes.SHA256())
    digest.update(message)
    number = KEY.private_numbers().private_value
    assert next(nonces(WEIERSTRASS["P-256"].n, number, digest.finalize())) == nonce
    made = sign(ModelBoard(core), KEY, message)
    assert [*decode_dss_signature(made.signature)] == expected
    assert made.clocks == 7


@pytest.mark.parametrize(("core", "width", "name", "curve"), [
    (GENERIC, 256, "secp256k1", ec.SECP256K1()), (GENERIC, 384, "", ec.SECP384R1()),
    (GENERIC, 521, "", ec.SECP521R1()), (GENERIC, 256, "brainpoolP256r1", ec.BrainpoolP256R1()),
    (OF_BASE, 256, "secp256k1", ec.SECP256K1()), (OF_BASE, 384, "P-384", ec.SECP384R1())])
def test_signatures_are_those_of_openssl(core, width, name, curve):
    print("seed", SEED)
    rng = random.Random(SEED)
    board = ModelBoard(core(width=width, curve=name))
    deterministic = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
    for _ in range(3):
        key = ec.derive_private_key(rng.randrange(1, 1 << width - 1), curve)
        message = rng.randbytes(20)
        assert sign(board, key, message).signature == key.sign(message, deterministic)


def test_nonces_go_on():
    """With an order just above a power of two, half of the numbers are no nonces."""
    found = nonces((1 << 16) + 1, 5, bytes(32))
    several = [next(found) for _ in range(20)]
    assert len(set(several)) > 10
    assert all(0 < nonce <= 1 << 16 for nonce in several)


def test_a_wrong_product_is_not_released():
    curve = WEIERSTRASS["P-256"]
    wrong = curve.multiply(3, curve.base)
    board = ModelBoard(BASE, operate=lambda scalar: wrong[0] | wrong[1] << 256)
    with pytest.raises(BoardError, match=r"\AThe signature that the board made does not verify; "
                                         r"run its self-test\Z"):
        sign(board, KEY, b"sample")


@pytest.mark.thorough
def test_nothing_is_released_when_a_bit_flips():
    """A thousand flips: all bits of the nonce and of the product, and random pairs of the latter.
    """
    print("seed", SEED)
    rng = random.Random(SEED)
    flips = [(1 << bit, 0) for bit in range(256)] + [(0, 1 << bit) for bit in range(512)]
    flips += [(0, sum(1 << bit for bit in rng.sample(range(512), 2))) for _ in range(232)]
    for nonce, product in flips:
        board = ModelBoard(BASE, operate=lambda scalar, nonce=nonce, product=product:
                           BASE.compute(scalar ^ nonce) ^ product)
        with pytest.raises(BoardError, match="does not verify" if nonce else "gave no point"):
            sign(board, KEY, b"sample")


def test_other_curves_and_other_cores():
    with pytest.raises(BoardError, match=r"\AThe core for multiples of the base point on the board "
                                         r"is for the curve P-256, and the key is of secp256k1; "
                                         r"take a key of P-256\Z"):
        sign(ModelBoard(BASE), ec.generate_private_key(ec.SECP256K1()), b"")
    with pytest.raises(BoardError, match="needs a core of the kind scalar_multiplication, but the "
                                         "board has the multiplier mmm_mx_1d"):
        sign(ModelBoard(architectures()["mmm_mx_1d"](width=8)), KEY, b"")
    # What is for the base point alone derives no secrets.
    assert ecdh.public_key(ModelBoard(BASE), KEY).key == KEY.public_key()
    with pytest.raises(BoardError, match="needs a core of the kind scalar_multiplication, but the "
                                         "board has the core for multiples of the base point wide"):
        ecdh.exchange(ModelBoard(BASE), KEY, KEY.public_key())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
def test_openssl_verifies_what_the_command_signs(command, tmp_path):
    (tmp_path / "key.pem").write_bytes(private_pem(KEY))
    (tmp_path / "letter").write_bytes(b"sample")
    assert command(BASE, "sign", "letter", "--key", "key.pem") == {
        "signature": "letter.sig", "clocks": 7, "operations": 1, "clock_hz": 10**6}
    assert command(BASE, "public-key", "--key", "key.pem")["public_key"] == "key.pem.pub"
    assert subprocess.run(["openssl", "dgst", "-sha256", "-verify", "key.pem.pub", "-signature",
                           "letter.sig", "letter"], check=True, capture_output=True
                          ).stdout == b"Verified OK\n"


def test_signatures_are_verified():
    board, public = ModelBoard(VERIFIER), KEY.public_key()
    signature = encode_dss_signature(*MESSAGES[b"sample"][1:])
    assert verify(board, public, b"sample", signature) == Result(value=1, clocks=7)
    assert not verify(board, public, b"sampl", signature).value
    large = encode_dss_signature(1 << 256, 1)
    assert verify(board, public, b"sample", large) == Result(value=0, clocks=0)
    with pytest.raises(ValueError, match=r"must have the DER form, as openssl writes it, unlike "
                                         r"this one of 3 bytes$"):
        verify(board, public, b"sample", b"abc")
    with pytest.raises(BoardError, match="needs a core of the kind ecdsa_verification, but the "
                                         "board has the core for multiples of the base point wide"):
        verify(ModelBoard(BASE), public, b"sample", signature)
    with pytest.raises(BoardError, match="is for the curve P-256, and the key is of P-384"):
        verify(board, ec.generate_private_key(ec.SECP384R1()).public_key(), b"", signature)


@pytest.mark.parametrize(("width", "name", "curve"), [
    (384, "P-384", ec.SECP384R1()), (256, "secp256k1", ec.SECP256K1())])
def test_signatures_of_openssl_are_verified_on_other_curves(width, name, curve):
    print("seed", SEED)
    rng = random.Random(SEED)
    board = ModelBoard(VERIFIES(width=width, curve=name))
    for _ in range(3):
        key, message = ec.derive_private_key(rng.randrange(1, 1 << 255), curve), rng.randbytes(20)
        signature = key.sign(message, ec.ECDSA(hashes.SHA256()))
        assert verify(board, key.public_key(), message, signature).value
        assert not verify(board, key.public_key(), message + b"s", signature).value
        r, s = decode_dss_signature(signature)
        assert not verify(board, key.public_key(), message, encode_dss_signature(r ^ 1, s)).value
    with pytest.raises(BoardError, match=f"is for the curve {name}, and the key is of P-256"):
        verify(board, KEY.public_key(), b"", signature)


def test_the_command_verifies(command, tmp_path, monkeypatch):
    monkeypatch.setattr("boards.host.Client", lambda port, baud: ModelBoard(VERIFIER))
    for name, key in (("public.pem", KEY), ("other.pem", ec.derive_private_key(7, P256))):
        (tmp_path / name).write_bytes(public_key_of(key))
    (tmp_path / "letter").write_bytes(b"sample")
    (tmp_path / "letter.sig").write_bytes(encode_dss_signature(*MESSAGES[b"sample"][1:]))

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
