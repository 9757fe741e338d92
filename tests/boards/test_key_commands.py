"""``board run`` with keys of curves in files, on models of cores, beside OpenSSL."""

import functools
import json
import shutil
import subprocess

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from curve_keys import ANY, BASE, CORES, EDWARDS, KEY, P256, SECRET, SHARED, SIDES, core
from model_board import RSA, ModelBoard, private_pem, public_key_of
from standards import NIST_SIGNATURES

from boards.keys import PEER, load_key
from explore.cli import cli

INITIATOR, RESPONDER = SIDES["P-256"]
ALICE, BOB = SIDES["Curve25519"]


def openssl(*arguments):
    """Return what OpenSSL prints, or None if there is none."""
    if shutil.which("openssl"):
        return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout
    return None


@pytest.fixture
def run(command, tmp_path):
    """Return a function that runs a command in a folder with keys."""
    (tmp_path / "key.pem").write_bytes(private_pem(INITIATOR))
    (tmp_path / "peer.pem").write_bytes(public_key_of(RESPONDER))
    return functools.partial(command, ANY)


def test_the_command_derives_what_openssl_derives(run, tmp_path):
    # Whoever could read the file could read the secret.
    (tmp_path / "peer.pem.secret").touch(0o644)
    made = run("derive", "peer.pem", "--key", "key.pem")
    assert made == {"secret": "peer.pem.secret", "clocks": 7, "clock_hz": 10**6}
    shared = (tmp_path / "peer.pem.secret").read_bytes()
    assert (tmp_path / "peer.pem.secret").stat().st_mode & 0o777 == 0o600
    assert openssl("pkeyutl", "-derive", "-inkey", "key.pem", "-peerkey", "peer.pem") in (
        None, shared)
    (tmp_path / "word").write_text("open sesame\n")
    (tmp_path / "locked.pem").write_bytes(private_pem(RESPONDER, b"open sesame"))
    assert run("public-key", "--key", "locked.pem", "--password-file", "word")[
        "public_key"] == "locked.pem.pub"
    assert load_key("locked.pem.pub", PEER) == RESPONDER.public_key()
    assert run("derive", "locked.pem.pub", "--key", "key.pem", "--output", "it")["secret"] == "it"
    assert (tmp_path / "it").read_bytes() == shared == SHARED["P-256"]


def test_the_command_with_a_ladder(command, tmp_path):
    (tmp_path / "alice.pem").write_bytes(private_pem(ALICE))
    (tmp_path / "bob.pub").write_bytes(public_key_of(BOB, serialization.Encoding.DER))
    made = command(CORES["Curve25519"], "derive", "bob.pub", "--key", "alice.pem")
    assert (tmp_path / made["secret"]).read_bytes() == SHARED["Curve25519"]
    made = command(CORES["Curve25519"], "public-key", "--key", "alice.pem")["public_key"]
    assert load_key(made, PEER) == ALICE.public_key()
    openssl("pkey", "-pubin", "-in", made, "-noout")


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
    openssl(*arguments)


def test_what_the_command_refuses(run, tmp_path):
    for name, content in (
            ("locked", private_pem(INITIATOR, b"open sesame")),
            ("rsa", private_pem(RSA)), ("rsa.pub", public_key_of(RSA)),
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
            ("x.pub", "x", "needs a core of the kind key_agreement, but the board has the core"),
            ("peer.pem", "rubbish", "rubbish holds no private key in the form of PEM, DER or "),
            ("rsa.pub", "key.pem", "rsa.pub holds a key of the kind RSA; key agreement needs"),
            ("key.pem", "key.pem", "key.pem holds a private key; take the public key out of it"),
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


def test_the_command_verifies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    verifier = core("ecdsa_verification", width=256)
    monkeypatch.setattr("explore.commands.board.Client", lambda port, baud: ModelBoard(verifier))
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
