"""Keys in files: which are taken, which cannot be used, and what is said of these."""

import datetime
import shutil
import subprocess

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, rsa, x25519
from cryptography.x509.oid import NameOID

from boards.keys import (
    load_curve_key,
    load_password,
    load_peer_key,
    load_signing_key,
    load_verifying_key,
)

PEM, DER = serialization.Encoding.PEM, serialization.Encoding.DER
PKCS8 = serialization.PrivateFormat.PKCS8
TRADITIONAL = serialization.PrivateFormat.TraditionalOpenSSL
OPENSSH = serialization.PrivateFormat.OpenSSH
OPEN = serialization.NoEncryption()
LOCKED = serialization.BestAvailableEncryption(b"open sesame")


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(65537, 1024)


@pytest.fixture(scope="module")
def certificate(key):
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ENCRYPTED")])
    day = datetime.datetime(2026, 1, 1)
    return x509.CertificateBuilder(
        issuer_name=name, subject_name=name, public_key=key.public_key(), serial_number=1,
        not_valid_before=day, not_valid_after=day).sign(key, hashes.SHA256())


def refusal(path, password=None):
    """Return the one line that says why a key cannot be used; the file stays as it was."""
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as caught:
        load_signing_key(path, password)
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
    assert load_signing_key(path, password).private_numbers() == key.private_numbers()


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("form", [PKCS8, TRADITIONAL])
@pytest.mark.parametrize("around", {
    "comment": lambda key, other: b"friendlyName: NOT ENCRYPTED\n# Proc-Type: 4,ENCRYPTED\n" + key,
    "certificate": lambda key, other: other["certificate"] + key,
    "bags": lambda key, other: b"Bag Attributes\n    friendlyName: ENCRYPTED\nsubject=\n\n".join(
        (b"", other["certificate"], key)),
    "encrypted key after": lambda key, other: key + other["encrypted"],
    "key of OpenSSH": lambda key, other: other["openssh"] + key,
    "byte order mark": lambda key, other: BOM + key,
    "Windows": lambda key, other: (other["certificate"] + key).replace(b"\n", b"\r\n"),
    "Latin-1": lambda key, other: b"Schl\xfcssel\n" + key + b"\xff",
}.items(), ids=lambda item: item[0])
def test_a_key_anywhere_in_a_file(key, certificate, tmp_path, form, around):
    """Nothing but its own block tells what a key is."""
    path = tmp_path / "key.pem"
    path.write_bytes(around[1](key.private_bytes(PEM, form, OPEN), {
        "certificate": certificate.public_bytes(PEM),
        "encrypted": key.private_bytes(PEM, PKCS8, LOCKED),
        "openssh": key.private_bytes(PEM, OPENSSH, OPEN)}))
    assert load_signing_key(path).private_numbers() == key.private_numbers()


@pytest.mark.parametrize(("form", "protection", "password"), [
    (PKCS8, OPEN, None), (TRADITIONAL, OPEN, None), (PKCS8, LOCKED, b"open sesame")])
def test_a_key_in_der_form(key, tmp_path, form, protection, password):
    path = tmp_path / "key.der"
    path.write_bytes(key.private_bytes(DER, form, protection))
    assert load_signing_key(path, password).private_numbers() == key.private_numbers()
    if password:
        assert "is encrypted; give its password" in refusal(path)
        assert "or the password is wrong" in refusal(path, b"sesame")
    else:
        assert "is not encrypted; leave --password-file out" in refusal(path, b"sesame")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
@pytest.mark.parametrize("arguments", [
    ("pkey", "-traditional", "-des3"),
    ("pkcs8", "-topk8", "-scrypt"), ("pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES"),
    ("pkcs8", "-topk8", "-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"), ("pkey", "-text"),
    ("pkcs8", "-topk8", "-v2", "camellia-256-cbc"),
    ("pkcs12", "-export", "-nocerts"), ("pkey", "-traditional", "-aria128")], ids=" ".join)
def test_what_openssl_writes_is_read(key, tmp_path, arguments):
    """Or the advice of the refusal makes it readable, in a file whose name has to be quoted."""
    source, path = tmp_path / "source", tmp_path / "my 'key'; $HOME.pem"
    source.write_bytes(key.private_bytes(PEM, PKCS8, OPEN))
    subprocess.run(["openssl", *arguments, "-in", source, "-out", path, "-passin",
                    "pass:open sesame", "-passout", "pass:open sesame"], check=True,
                   capture_output=True)
    password = None if "-text" in arguments else b"open sesame"
    try:
        found = load_signing_key(path, password)
    except ValueError as error:
        what, _, advice = str(error).partition(" with: ")
        assert "holds no private RSA key of two primes, EC key or Ed25519 key that can" in what
        subprocess.run(["sh", "-c", f"{advice} -passin 'pass:open sesame' -passout 'pass:open "
                        "sesame'"], check=True, cwd=tmp_path, capture_output=True)
        found = load_signing_key(tmp_path / "NEW.pem", password)
    assert found.private_numbers() == key.private_numbers()


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")
def test_a_key_of_openssh(key, tmp_path):
    path = tmp_path / "my 'key'; $HOME"
    path.write_bytes(key.private_bytes(PEM, OPENSSH, OPEN))
    path.chmod(0o600)
    with pytest.raises(ValueError, match="in the format of OpenSSH") as caught:
        load_signing_key(path)
    advice = str(caught.value).partition(" with: ")[2]
    subprocess.run(["sh", "-c", f"{advice} -N ''"], check=True, cwd=tmp_path, capture_output=True)
    assert load_signing_key(tmp_path / "NEW.pem").private_numbers() == key.private_numbers()


@pytest.mark.parametrize("text", [b"", b"\n", b"\nsesame\n"])
def test_a_password_file_whose_first_line_is_empty(tmp_path, text):
    path = tmp_path / "password"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"must be the password of the key, but it is empty"):
        load_password(path)


@pytest.mark.parametrize(("make", "kind"), [
    (x25519.X25519PrivateKey.generate, "X25519"),
    (lambda: dsa.generate_private_key(1024), "DSA")])
def test_keys_of_other_kinds(tmp_path, make, kind):
    path = tmp_path / "key.pem"
    path.write_bytes(make().private_bytes(PEM, PKCS8, OPEN))
    assert refusal(path) == (f"FILE holds a key of the kind {kind}; signing needs an RSA, EC or "
                             "Ed25519 key")


def test_files_of_other_forms(key, tmp_path):
    path = tmp_path / "key"
    path.write_bytes(key.public_key().public_bytes(
        PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    assert refusal(path) == (
        "FILE holds a public key; give the private key that belongs to it")
    path.write_bytes(key.private_bytes(PEM, OPENSSH, OPEN))
    assert "in the format of OpenSSH; copy the file, and convert the copy" in refusal(path)
    public = key.public_key().public_bytes(DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    for unreadable in (b"\x30\x03\x02\x01\x00", public, b"", b"rubbish", b"\xff\x00",
                       b"-----BEGIN X-----"):
        path.write_bytes(unreadable)
        for password in (None, b"open sesame"):
            assert refusal(path, password).startswith("FILE holds no private RSA key")


def test_a_damaged_key(key, certificate, tmp_path):
    path = tmp_path / "key.pem"
    lines = key.private_bytes(PEM, PKCS8, OPEN).splitlines(keepends=True)
    path.write_bytes(b"".join([certificate.public_bytes(PEM), *lines[:3], *lines[5:]]))
    assert refusal(path).startswith("FILE holds no private RSA key")
    path.write_bytes(certificate.public_bytes(PEM))
    assert refusal(path) == "FILE holds a certificate; give the private key that belongs to it"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
@pytest.mark.parametrize("arguments", [
    ("-text",), ("-ec_conv_form", "compressed"), ("-outform", "DER"),
    ("-ec_param_enc", "explicit")], ids=" ".join)
def test_curve_keys_that_openssl_writes(tmp_path, arguments):
    source, path = tmp_path / "source", tmp_path / "public"
    for command in (("ecparam", "-name", "prime256v1", "-genkey", "-out", source),
                    ("pkey", "-in", source, "-pubout", *arguments, "-out", path)):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    assert source.read_text().startswith("-----BEGIN EC PARAMETERS-----")
    assert load_peer_key(path) == load_curve_key(source).public_key()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
@pytest.mark.parametrize("name", ["sect233r1", "secp112r1"])
def test_curves_that_are_not_common(tmp_path, name):
    source, path = tmp_path / "source", tmp_path / "public"
    for command in (("ecparam", "-name", name, "-genkey", "-noout", "-out", source),
                    ("pkey", "-in", source, "-pubout", "-out", path)):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    for load, kind in ((load_curve_key, "private"), (load_peer_key, "public"),
                       (load_verifying_key, "public")):
        with pytest.raises(ValueError, match=f"holds no {kind} EC key of a common curve"):
            load(source if kind == "private" else path)


def test_a_public_key_is_taken_from_no_certificate_and_is_on_its_curve(certificate, tmp_path):
    path = tmp_path / "my 'cert'.pem"
    path.write_bytes(certificate.public_bytes(PEM))
    with pytest.raises(ValueError, match="holds a certificate; take the public key") as caught:
        load_peer_key(path)
    if shutil.which("openssl") is not None:
        subprocess.run(["sh", "-c", str(caught.value).partition(" with: ")[2]], check=True,
                       cwd=tmp_path)
        with pytest.raises(ValueError, match="holds a key of the kind RSA; ECDSA needs an EC"):
            load_verifying_key(tmp_path / "NEW.pem")
    damaged = bytearray(ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(
        DER, serialization.PublicFormat.SubjectPublicKeyInfo))
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"\A[^\n]*holds no public EC key [^\n]*\Z"):
        load_peer_key(path)
