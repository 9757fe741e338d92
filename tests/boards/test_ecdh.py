"""Shared secrets and public keys by a core on a board, beside those of OpenSSL."""

import random
import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519
from model_board import ModelBoard, private_pem, public_key_of, refusing
from wire import BAUD

from boards.ecdh import exchange, public_key
from boards.host import BoardError, Client
from boards.keys import PEER, load_key
from boards.protocol import Decoder, Type
from montgomery import KINDS, architectures

CORE = KINDS["scalar_multiplication"].cores()["wide"](width=256)
P256 = ec.SECP256R1()
N = CORE.domain.n
SEED = 5903
#: RFC 5903, 8.1: the private keys of both sides, and the shared secret.
INITIATOR, RESPONDER = (ec.derive_private_key(number, P256) for number in (
    0xC88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433,
    0xC6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53))
SHARED = bytes.fromhex("D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE")
#: 8.2: the same on P-384.
WIDER = [ec.derive_private_key(int(number, 16), ec.SECP384R1()) for number in (
    "099F3C7034D4A2C699884D73A375A67F7624EF7C6B3C0F160647B67414DCE655"
    "E35B538041E649EE3FAEF896783AB194",
    "41CB0779B4BDB85D47846725FBEC3C9430FAB46CC8DC5060855CC9BDA0AA2942"
    "E0308312916B8ED2960E4BD55A7448FC")]
WIDER_SHARED = bytes.fromhex("11187331C279962D93D604243FD592CB9D0A926F422E47187521287E7156C5C4"
                             "D603135569B9E9D09CF5D4A270F59746")


def _with_x(x):
    """Return a public key with a first coordinate; None if there is none."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(P256, b"\3" + x.to_bytes(32, "big"))
    except ValueError:
        return None


def _keys(count):
    rng = random.Random(SEED)
    return [ec.derive_private_key(rng.randrange(1, N), P256) for _ in range(count)]


def _pairs():
    """Return private keys and public keys of others; some have secrets that begin with zeros."""
    one, other, *keys = _keys(8)
    least, *extremes = (ec.derive_private_key(number, P256) for number in (1, 2, N - 2, N - 1))
    small = [peer for x in range(6) if (peer := _with_x(x))]
    return [*((key, other.public_key()) for key in (least, *extremes)),
            *((key, peer) for peer in small for key in (least, one)),
            *((key, peer.public_key()) for key, peer in zip(keys[::2], keys[1::2], strict=True))]


@pytest.mark.parametrize(("width", "name", "curve"), [
    (256, "", ec.SECP256R1()), (256, "secp256k1", ec.SECP256K1()), (384, "", ec.SECP384R1()),
    (521, "P-521", ec.SECP521R1()), (256, "brainpoolP256r1", ec.BrainpoolP256R1())])
def test_secrets_of_each_curve(width, name, curve):
    generic = KINDS["scalar_multiplication"].cores()["generic"]
    board = ModelBoard(generic(width=width, curve=name))
    rng = random.Random(SEED)
    key, other = (ec.derive_private_key(rng.randrange(1, 1 << width - 1), curve) for _ in range(2))
    assert exchange(board, key, other.public_key()).secret == key.exchange(
        ec.ECDH(), other.public_key())
    assert public_key(board, key).key == key.public_key()


def test_secrets_of_p384():
    board = ModelBoard(KINDS["scalar_multiplication"].cores()["wide"](width=384, curve="P-384"))
    for key, peer in (WIDER, reversed(WIDER)):
        assert exchange(board, key, peer.public_key()).secret == WIDER_SHARED
        assert public_key(board, key).key == key.public_key()


def test_secrets_and_public_keys():
    board = ModelBoard(CORE)
    assert exchange(board, INITIATOR, RESPONDER.public_key()).secret == SHARED
    assert exchange(board, RESPONDER, INITIATOR.public_key()).secret == SHARED
    for key, peer in _pairs():
        made = exchange(board, key, peer)
        assert (made.secret, made.clocks) == (key.exchange(ec.ECDH(), peer), 7)
        assert "secret" not in repr(made)
        assert public_key(board, key).key == key.public_key()


@pytest.mark.thorough
def test_secrets_of_a_simulated_board(wired, monkeypatch):
    """It is reset at the end, as it was sent a private key."""
    wire, sent = wired(CORE), []
    write = wire.write
    monkeypatch.setattr(wire, "write", lambda data: (
        sent.extend(frame.type for frame in Decoder().feed(data)), write(data)))
    with Client(wire, baud=BAUD) as board:
        made = exchange(board, INITIATOR, RESPONDER.public_key())
        assert (made.secret, made.clocks) == (SHARED, CORE.cycles.compute)
        assert exchange(board, RESPONDER, INITIATOR.public_key()).secret == SHARED
        for key, peer in _pairs():
            made = exchange(board, key, peer)
            assert (made.secret, made.clocks) == (
                key.exchange(ec.ECDH(), peer), CORE.cycles.compute)
        assert public_key(board, INITIATOR).key == INITIATOR.public_key()
    assert sent[-1] == Type.RESET


@pytest.mark.parametrize(("operate", "message"), [
    (refusing(CORE), "The board found its operands or its result to be no point of P-256, and gave "
               "nothing; run its self-test"),
    (lambda *operands: 0, "The board gave no point of P-256 as the product; run its self-test"),
    (lambda scalar, x, y: x | y + 1 << 256, "The board gave no point of P-256 .*")])
@pytest.mark.parametrize("use", [public_key, lambda board, key: exchange(
    board, key, RESPONDER.public_key())], ids=["public key", "secret"])
def test_what_is_no_point_is_not_released(use, operate, message):
    with pytest.raises(BoardError, match=rf"\A{message}\Z"):
        use(ModelBoard(CORE, operate=operate), INITIATOR)


def test_a_wrong_point_is_no_public_key():
    with pytest.raises(BoardError, match="is not that of the private key; run its self-test"):
        public_key(ModelBoard(CORE, operate=lambda scalar, x, y: x | y << 256), INITIATOR)


def test_other_curves_and_other_cores():
    other, own = ec.generate_private_key(ec.SECP384R1()), INITIATOR
    with pytest.raises(ValueError, match=r"\ABoth keys must be of one curve, but the private key "
                                         r"is of P-256 and the public key of P-384; give a public "
                                         r"key of P-256\Z"):
        exchange(ModelBoard(CORE), own, other.public_key())
    with pytest.raises(BoardError, match=r"\AThe core for scalar multiplication on the board is "
                                         r"for the curve P-256, and the key is of P-384; take a "
                                         r"key of P-256\Z"):
        exchange(ModelBoard(CORE), other, other.public_key())
    with pytest.raises(BoardError, match=r"curve P-256, and the key is of secp256k1; "):
        public_key(ModelBoard(CORE), ec.generate_private_key(ec.SECP256K1()))
    with pytest.raises(BoardError, match="needs a core of the kind scalar_multiplication, but the "
                                         "board has the multiplier mmm_mx_1d"):
        exchange(ModelBoard(architectures()["mmm_mx_1d"](width=8)), own, own.public_key())


@pytest.fixture
def run(command, tmp_path):
    """Return a function that runs a command in a folder with keys."""
    (tmp_path / "key.pem").write_bytes(private_pem(INITIATOR))
    (tmp_path / "peer.pem").write_bytes(public_key_of(RESPONDER))
    return lambda *arguments, **options: command(CORE, *arguments, **options)


def test_the_command_derives_what_openssl_derives(run, tmp_path):
    # Whoever could read the file could read the secret.
    (tmp_path / "peer.pem.secret").touch(0o644)
    made = run("derive", "peer.pem", "--key", "key.pem")
    assert made == {"secret": "peer.pem.secret", "clocks": 7, "clock_hz": 10**6}
    assert (tmp_path / "peer.pem.secret").read_bytes() == SHARED
    assert (tmp_path / "peer.pem.secret").stat().st_mode & 0o777 == 0o600
    if shutil.which("openssl"):
        assert subprocess.run(["openssl", "pkeyutl", "-derive", "-inkey", "key.pem", "-peerkey",
                               "peer.pem"], check=True, capture_output=True).stdout == SHARED
    (tmp_path / "word").write_text("open sesame\n")
    (tmp_path / "locked.pem").write_bytes(private_pem(RESPONDER, b"open sesame"))
    assert run("public-key", "--key", "locked.pem", "--password-file", "word")[
        "public_key"] == "locked.pem.pub"
    assert load_key("locked.pem.pub", PEER) == RESPONDER.public_key()
    assert run("derive", "locked.pem.pub", "--key", "key.pem", "--output", "it")["secret"] == "it"
    assert (tmp_path / "it").read_bytes() == SHARED


def test_what_the_command_refuses(run, tmp_path):
    for name, content in (
            ("locked", private_pem(INITIATOR, b"open sesame")),
            ("rsa", private_pem(rsa.generate_private_key(65537, 1024))),
            ("rsa.pub", public_key_of(rsa.generate_private_key(65537, 1024))),
            ("x", private_pem(x25519.X25519PrivateKey.generate())),
            ("ed", private_pem(ed25519.Ed25519PrivateKey.generate())),
            ("x.pub", public_key_of(x25519.X25519PrivateKey.generate())),
            ("p384.pub", public_key_of(ec.generate_private_key(ec.SECP384R1()))),
            ("rubbish", b"?")):
        (tmp_path / name).write_bytes(content)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for peer, key, complaint in (
            ("peer.pem", "locked", "is encrypted; give its password with --password-file"),
            ("peer.pem", "rsa", "rsa holds a key of the kind RSA; key agreement needs an EC"),
            ("peer.pem", "ed", "ed holds a key of the kind Ed25519; key agreement needs an EC, "),
            ("peer.pem", "x", "the private key is of Curve25519 and the public key of P-256; give"),
            ("x.pub", "key.pem", "the private key is of P-256 and the public key of Curve25519"),
            ("x.pub", "x", "needs a core of the kind key_agreement, but the board has the core"),
            ("peer.pem", "peer.pem", "peer.pem holds a public key; give the private key"),
            ("peer.pem", "rubbish", "rubbish holds no private key in the form of PEM, DER or "),
            ("rsa.pub", "key.pem", "rsa.pub holds a key of the kind RSA; key agreement needs"),
            ("key.pem", "key.pem", "key.pem holds a private key; take the public key out of it"),
            ("rubbish", "key.pem", "rubbish holds no public key in the form of PEM, DER or "),
            ("p384.pub", "key.pem", "private key is of P-256 and the public key of P-384")):
        assert complaint in run("derive", peer, "--key", key, status=2)
    assert "The output would overwrite peer.pem, which is read" in run(
        "derive", "peer.pem", "--key", "key.pem", "--output", "peer.pem", status=2)
    assert "Missing option '--key'" in run("derive", "peer.pem", status=2)
    assert "Missing argument '[FILE]'" in run("derive", "--key", "key.pem", status=2)
    assert "One operation takes no --key; leave it out" in run("--key", "key.pem", status=2)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
