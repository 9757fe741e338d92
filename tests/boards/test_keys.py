"""Keys in files that cannot be used, and what is said of them."""

import subprocess

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa

from boards.keys import load_key, load_password

PEM, DER = serialization.Encoding.PEM, serialization.Encoding.DER
PKCS8 = serialization.PrivateFormat.PKCS8
TRADITIONAL = serialization.PrivateFormat.TraditionalOpenSSL
OPENSSH = serialization.PrivateFormat.OpenSSH
OPEN = serialization.NoEncryption()
LOCKED = serialization.BestAvailableEncryption(b"open sesame")


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(65537, 1024)


def refusal(path, password=None):
    """Return the one line that says why a key cannot be used; the file stays as it was."""
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as caught:
        load_key(path, password)
    assert path.read_bytes() == before
    message = str(caught.value)
    # Nobody is told to write to the file of a key.
    for option in ("-out", "-f"):
        assert f"{option} {path}" not in message
    return message.replace(str(path), "FILE")


@pytest.mark.parametrize("form", [PKCS8, TRADITIONAL])
@pytest.mark.parametrize(("protection", "password"), [(OPEN, None), (LOCKED, b"open sesame")])
def test_keys_that_can_be_used(key, tmp_path, form, protection, password):
    path = tmp_path / "key.pem"
    path.write_bytes(b"Bag Attributes\n" + key.private_bytes(PEM, form, protection))
    assert load_key(path, password).private_numbers() == key.private_numbers()


@pytest.mark.parametrize("form", [PKCS8, TRADITIONAL])
def test_passwords(key, tmp_path, form):
    locked, unlocked = tmp_path / "locked.pem", tmp_path / "open.pem"
    locked.write_bytes(key.private_bytes(PEM, form, LOCKED))
    unlocked.write_bytes(key.private_bytes(PEM, form, OPEN))
    assert refusal(locked) == (
        "The key in FILE is encrypted; give its password with --password-file")
    assert refusal(locked, b"sesame") == (
        "The password does not open FILE, or the key in it is damaged")
    assert refusal(unlocked, b"open sesame") == (
        "The key in FILE is not encrypted; leave --password-file out")


@pytest.mark.parametrize("text", [b"", b"\n", b"\nsesame\n"])
def test_a_password_file_whose_first_line_is_empty(tmp_path, text):
    path = tmp_path / "password"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"must be the password of the key, but it is empty"):
        load_password(path)


@pytest.mark.parametrize(("make", "kind"), [
    (lambda: ec.generate_private_key(ec.SECP256R1()), "an EC key"),
    (ed25519.Ed25519PrivateKey.generate, "an Ed25519 key"),
    (lambda: dsa.generate_private_key(1024), "a DSA key")])
def test_keys_of_other_kinds(tmp_path, make, kind):
    path = tmp_path / "key.pem"
    path.write_bytes(make().private_bytes(PEM, PKCS8, OPEN))
    assert refusal(path) == f"FILE holds {kind}; signing needs an RSA key"


def test_files_of_other_forms(key, tmp_path):
    path = tmp_path / "key"
    path.write_bytes(key.public_key().public_bytes(
        PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    assert refusal(path) == (
        "FILE holds a public key; give the private key that belongs to it")
    path.write_bytes(key.private_bytes(PEM, OPENSSH, OPEN))
    assert "in the format of OpenSSH; copy the file, and convert the copy" in refusal(path)
    path.write_bytes(key.private_bytes(DER, PKCS8, OPEN))
    assert refusal(path) == ("FILE is in DER form, and the key must be in PEM form; convert it "
                             "with: openssl rsa -inform DER -in FILE -out NEW.pem")
    for rubbish in (b"", b"rubbish", b"\xff\x00", b"-----BEGIN X-----"):
        path.write_bytes(rubbish)
        assert refusal(path).startswith("FILE holds no private key in PEM form; ")


def test_a_damaged_key(key, tmp_path):
    path = tmp_path / "key.pem"
    lines = key.private_bytes(PEM, PKCS8, OPEN).splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], *lines[5:]]))
    assert refusal(path).startswith("The key in FILE is damaged, too short, or of a kind")


def test_a_key_for_another_padding(tmp_path):
    path = tmp_path / "pss.pem"
    made = subprocess.run(["openssl", "genpkey", "-algorithm", "RSA-PSS", "-pkeyopt",
                           "rsa_keygen_bits:1024", "-out", path], capture_output=True)
    if made.returncode:
        pytest.skip("openssl does not make keys for RSASSA-PSS here")
    assert "may sign by RSASSA-PSS only" in refusal(path)
