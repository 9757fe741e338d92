"""Shared secrets and public keys by a core on a board, beside those of OpenSSL."""

import random
import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey, X448PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from model_board import ModelBoard, private_pem, public_key_of, refusing
from standards import AGREEMENTS
from wire import BAUD

from boards.host import BoardError, Client
from boards.keys import PEER, load_key, on_board
from boards.protocol import Decoder, Request
from montgomery import KINDS, architectures
from montgomery.bus.registers import Command

POINTS, LADDERS = (KINDS[name].cores() for name in ("scalar_multiplication", "key_agreement"))
CORE, LADDER = POINTS["wide"](width=256), LADDERS["wide"](width=255)
P256 = ec.SECP256R1()
N = CORE.domain.n
SEED = 5903
#: What makes a private key of octets, by curves.
_MAKE = {"P-256": lambda octets: ec.derive_private_key(int.from_bytes(octets, "big"), P256),
         "P-384": lambda octets: ec.derive_private_key(int.from_bytes(octets, "big"),
                                                       ec.SECP384R1()),
         "Curve25519": X25519PrivateKey.from_private_bytes,
         "Curve448": X448PrivateKey.from_private_bytes}
#: The private keys of both sides, by curves.
SIDES = {name: [_MAKE[name](octets) for octets in octets[:2]]
         for name, octets in AGREEMENTS.items()}
INITIATOR, RESPONDER = SIDES["P-256"]
ALICE, BOB = SIDES["Curve25519"]
SHARED = AGREEMENTS["P-256"][2]
BOARDS = {"P-256": CORE, "P-384": POINTS["wide"](width=384, curve="P-384"), "Curve25519": LADDER,
          "Curve448": LADDERS["generic"](width=448, multiplier="dsp_systolic digit_width=18",
                                         word_width=36, parts=2)}


def _shared(key, peer):
    """Return the secret of a private key, maybe on a board, and the public key of another side."""
    return key.exchange(*[ec.ECDH()] * isinstance(key, ec.EllipticCurvePrivateKey), peer)


def _with_x(x):
    """Return a public key with a first coordinate; None if there is none."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(P256, b"\3" + x.to_bytes(32, "big"))
    except ValueError:
        return None


def _points():
    """Return private keys and public keys of others; some have secrets that begin with zeros."""
    rng = random.Random(SEED)
    one, other, *keys = (ec.derive_private_key(rng.randrange(1, N), P256) for _ in range(8))
    least, *extremes = (ec.derive_private_key(number, P256) for number in (1, 2, N - 2, N - 1))
    small = [peer for x in range(6) if (peer := _with_x(x))]
    return [*((key, other.public_key()) for key in (least, *extremes)),
            *((key, peer) for peer in small for key in (least, one)),
            *((key, peer.public_key()) for key, peer in zip(keys[::2], keys[1::2], strict=True))]


def _ladders():
    """Return private keys and public keys of others, whose coordinates count modulo the prime."""
    rng = random.Random(SEED)
    private = [X25519PrivateKey.from_private_bytes(octets) for octets in (
        bytes(32), b"\xff" * 32, *(rng.randbytes(32) for _ in "abc"))]
    public = [X25519PublicKey.from_public_bytes(octets) for octets in (
        b"\x09" + bytes(31), LADDER.domain.p.to_bytes(32, "little").replace(b"\xed", b"\xef", 1),
        b"\xff" * 32, *(rng.randbytes(32) for _ in "ab"))]
    return list(zip(private, public, strict=True))


MANY = pytest.mark.parametrize(("core", "sides", "shared", "pairs"), [
    (CORE, SIDES["P-256"], SHARED, _points),
    (LADDER, SIDES["Curve25519"], AGREEMENTS["Curve25519"][2], _ladders)], ids=["ECDH", "X25519"])


@pytest.mark.parametrize("curve", BOARDS)
def test_secrets_of_standards(curve):
    board, (one, other) = ModelBoard(BOARDS[curve]), SIDES[curve]
    for key, peer in ((one, other), (other, one)):
        made = on_board(board, key)
        assert _shared(made, peer.public_key()) == AGREEMENTS[curve][2]
        assert made.public_key() == key.public_key()


@pytest.mark.parametrize(("width", "name", "curve"), [
    (256, "", ec.SECP256R1()), (256, "secp256k1", ec.SECP256K1()), (384, "", ec.SECP384R1()),
    (521, "P-521", ec.SECP521R1()), (256, "brainpoolP256r1", ec.BrainpoolP256R1())])
def test_secrets_of_each_curve(width, name, curve):
    board, rng = ModelBoard(POINTS["generic"](width=width, curve=name)), random.Random(SEED)
    key, other = (ec.derive_private_key(rng.randrange(1, 1 << width - 1), curve) for _ in range(2))
    made, peer = on_board(board, key), other.public_key()
    assert _shared(made, peer) == _shared(key, peer)
    assert made.public_key() == key.public_key()


@MANY
def test_secrets_and_public_keys(core, sides, shared, pairs):
    board = ModelBoard(core)
    for key, peer in pairs():
        made = on_board(board, key)
        assert (_shared(made, peer), made.clocks) == (_shared(key, peer), 7)
        assert made.public_key() == key.public_key() == made.public_key()
        assert (made.clocks, made.operations) == (14, 2)


@MANY
@pytest.mark.thorough
def test_secrets_of_a_simulated_board(core, sides, shared, pairs, wired, monkeypatch):
    """It is reset at the end, as it was sent a private key."""
    wire, sent, (one, other) = wired(core), [], sides
    write = wire.write
    monkeypatch.setattr(wire, "write", lambda data: (
        sent.extend(Request.decode(frame).command for frame in Decoder().feed(data)), write(data)))
    with Client(wire, baud=BAUD) as board:
        for key, peer, secret in ((one, other.public_key(), shared),
                                  (other, one.public_key(), shared),
                                  *((key, peer, _shared(key, peer)) for key, peer in pairs())):
            made = on_board(board, key)
            assert (_shared(made, peer), made.clocks) == (secret, core.cycles.compute)
        assert on_board(board, one).public_key() == one.public_key()
    assert sent[-1] == Command.CLEAR


@pytest.mark.parametrize(("operate", "message"), [
    (refusing(CORE), "The board refused its operands or its result, and gave nothing; run its "
                     "self-test"),
    (lambda *operands: 0, "The board gave no point of P-256 as the product; run its self-test"),
    (lambda scalar, x, y: x | y + 1 << 256, "The board gave no point of P-256 .*")])
@pytest.mark.parametrize("use", [lambda key: key.public_key(), lambda key: _shared(
    key, RESPONDER.public_key())], ids=["public key", "secret"])
def test_what_is_no_point_is_not_released(use, operate, message):
    with pytest.raises(BoardError, match=rf"\A{message}\Z"):
        use(on_board(ModelBoard(CORE, operate=operate), INITIATOR))


@pytest.mark.parametrize(("core", "key", "operate", "message"), [
    (CORE, INITIATOR, lambda scalar, x, y: x | y << 256, "is not that of the private key; run its "
                                                         "self-test"),
    (LADDER, ALICE, lambda *operands: 9, "is not that of the private key; run its self"),
    (LADDER, ALICE, refusing(LADDER), "board refused its operands or its result, and gave")])
def test_a_wrong_result_is_no_public_key(core, key, operate, message):
    with pytest.raises(BoardError, match=message):
        on_board(ModelBoard(core, operate=operate), key).public_key()


@pytest.mark.parametrize(("name", "u"), [
    *(("X25519", u) for u in (0, 1, LADDER.domain.p - 1, LADDER.domain.p, 1 << 255)), ("X448", 0)])
def test_public_keys_of_small_order(name, u):
    """OpenSSL refuses them as well."""
    key, peer, core = (ALICE, X25519PublicKey, LADDER) if name == "X25519" else (
        SIDES["Curve448"][0], X448PublicKey, BOARDS["Curve448"])
    with pytest.raises(ValueError, match=rf"\AA public key for {name} must have large order[^\n]*"):
        on_board(ModelBoard(core), key).exchange(peer.from_public_bytes(u.to_bytes(
            32 if name == "X25519" else 56, "little")))


@pytest.mark.parametrize(("core", "key", "peer", "message"), [
    ("P-256", "P-256", "P-384", r"\ABoth keys must be of one curve, but the private key is of "
                                r"P-256 and the public key of P-384; give a public key of P-256\Z"),
    ("Curve448", "Curve448", "Curve25519", r"\AThe public key must be of the kind X448PublicKey, "
                                           r"like the private key, not X25519PublicKey; give one of"
                                           r" that kind\Z"),
    ("P-256", "P-384", "P-384", r"\AThe core for scalar multiplication on the board is for the "
                                r"curve P-256, and the key is of P-384; take a key of P-256\Z"),
    ("Curve25519", "Curve448", "Curve448", "is for the curve Curve25519, and the key is of Curve4"),
    ("P-256", "Curve25519", "Curve25519", "needs a core of the kind key_agreement, but the board"),
    ("mmm_mx_1d", "P-256", "P-256", "needs a core of the kind scalar_multiplication, but the board "
                                    "has the multiplier mmm_mx_1d")])
def test_other_curves_and_other_cores(core, key, peer, message):
    board = ModelBoard(BOARDS.get(core) or architectures()[core](width=8))
    with pytest.raises((BoardError, ValueError, TypeError), match=message):
        _shared(on_board(board, SIDES[key][0]), SIDES[peer][1].public_key())


def test_a_public_key_of_another_curve():
    with pytest.raises(BoardError, match=r"curve P-256, and the key is of secp256k1; "):
        on_board(ModelBoard(CORE), ec.generate_private_key(ec.SECP256K1())).public_key()


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


def test_the_command_with_a_ladder(command, tmp_path):
    (tmp_path / "alice.pem").write_bytes(private_pem(ALICE))
    (tmp_path / "bob.pub").write_bytes(public_key_of(BOB, serialization.Encoding.DER))
    made = command(LADDER, "derive", "bob.pub", "--key", "alice.pem")
    assert made["secret"] == "bob.pub.secret"
    assert (tmp_path / "bob.pub.secret").read_bytes() == AGREEMENTS["Curve25519"][2]
    made = command(LADDER, "public-key", "--key", "alice.pem")["public_key"]
    assert serialization.load_pem_public_key((tmp_path / made).read_bytes()) == ALICE.public_key()
    if shutil.which("openssl"):
        subprocess.run(["openssl", "pkey", "-pubin", "-in", made, "-noout"], check=True)


def test_what_the_command_refuses(run, tmp_path):
    of_rsa = rsa.generate_private_key(65537, 1024)
    for name, content in (
            ("locked", private_pem(INITIATOR, b"open sesame")),
            ("rsa", private_pem(of_rsa)), ("rsa.pub", public_key_of(of_rsa)),
            ("x", private_pem(ALICE)), ("x.pub", public_key_of(BOB)),
            ("ed", private_pem(ed25519.Ed25519PrivateKey.generate())),
            ("p384.pub", public_key_of(SIDES["P-384"][0])), ("rubbish", b"?")):
        (tmp_path / name).write_bytes(content)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for peer, key, complaint in (
            ("peer.pem", "locked", "is encrypted; give its password with --password-file"),
            ("peer.pem", "rsa", "rsa holds a key of the kind RSA; key agreement needs an EC"),
            ("peer.pem", "ed", "ed holds a key of the kind Ed25519; key agreement needs an EC, "),
            ("peer.pem", "x", "must be of the kind X25519PublicKey, like the private key, not EC"),
            ("x.pub", "key.pem", "of the kind EllipticCurvePublicKey, like the private key, not X"),
            ("x.pub", "x", "needs a core of the kind key_agreement, but the board has the core"),
            ("peer.pem", "peer.pem", "peer.pem holds a public key; give the private key"),
            ("peer.pem", "rubbish", "rubbish holds no private key in the form of PEM, DER or "),
            ("rsa.pub", "key.pem", "rsa.pub holds a key of the kind RSA; key agreement needs"),
            ("key.pem", "key.pem", "key.pem holds a private key; take the public key out of it"),
            ("rubbish", "key.pem", "rubbish holds no public key in the form of PEM, DER or "),
            ("p384.pub", "key.pem", "private key is of P-256 and the public key of P-384")):
        assert complaint in run("derive", peer, "--key", key, status=2)
    for arguments, complaint in (
            (("derive", "peer.pem", "--key", "key.pem", "--output", "peer.pem"),
             "The output would overwrite peer.pem, which is read"),
            (("derive", "peer.pem"), "Missing option '--key'"),
            (("derive", "--key", "key.pem"), "Missing argument '[FILE]'"),
            (("--key", "key.pem"), "One operation takes no --key; leave it out")):
        assert complaint in run(*arguments, status=2)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
