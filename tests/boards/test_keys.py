"""Keys in files: which are taken, which cannot be used, and what is said of these."""

import datetime
import math
import shutil
import subprocess

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID

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


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("form", [PKCS8, TRADITIONAL])
@pytest.mark.parametrize("around", {
    "comment": lambda key, other: b"friendlyName: NOT ENCRYPTED\n# Proc-Type: 4,ENCRYPTED\n" + key,
    "certificate": lambda key, other: other["certificate"] + key,
    "bags": lambda key, other: b"Bag Attributes\n    friendlyName: ENCRYPTED\nsubject=\n\n".join(
        (b"", other["certificate"], key)),
    "encrypted key after": lambda key, other: key + other["encrypted"],
    "key of OpenSSH": lambda key, other: other["openssh"] + key,
    "rubbish": lambda key, other: key.replace(b"\n", b"\nAAAA\n", 1) + key,
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
    assert load_key(path).private_numbers() == key.private_numbers()


@pytest.mark.parametrize(("form", "protection", "password"), [
    (PKCS8, OPEN, None), (TRADITIONAL, OPEN, None), (PKCS8, LOCKED, b"open sesame")])
def test_a_key_in_der_form(key, tmp_path, form, protection, password):
    path = tmp_path / "key.der"
    path.write_bytes(key.private_bytes(DER, form, protection))
    assert load_key(path, password).private_numbers() == key.private_numbers()
    if password:
        assert "is encrypted; give its password" in refusal(path)
        assert "The password does not open FILE" in refusal(path, b"sesame")
    else:
        assert "is not encrypted; leave --password-file out" in refusal(path, b"sesame")


def test_a_key_in_a_pkcs12_file(key, certificate, tmp_path):
    path = tmp_path / "key.p12"
    path.write_bytes(pkcs12.serialize_key_and_certificates(b"mine", key, certificate, None, LOCKED))
    assert load_key(path, b"open sesame").private_numbers() == key.private_numbers()
    assert "is encrypted; give its password" in refusal(path)
    assert "The password does not open FILE" in refusal(path, b"sesame")
    path.write_bytes(pkcs12.serialize_key_and_certificates(b"", None, certificate, None, LOCKED))
    assert refusal(path, b"open sesame").startswith("FILE holds a certificate")


def _der(*numbers):
    """Return a sequence of integers in DER."""
    def tagged(tag, content):
        size = len(content).to_bytes(-(-len(content).bit_length() // 8), "big")
        return bytes([tag, *([0x80 | len(size)] if len(content) > 127 else []), *size]) + content

    return tagged(0x30, b"".join(tagged(2, number.to_bytes(number.bit_length() // 8 + 1, "big"))
                                 for number in numbers))


@pytest.mark.parametrize("make", {
    "no factors": lambda n, e, d, p, q: (d, 0, 0, 0, 0, 0),
    "long d": lambda n, e, d, p, q: (d + math.lcm(p - 1, q - 1), p, q, 0, 0, 0),
    "d longer than n": lambda n, e, d, p, q: (d + (p - 1) * (q - 1) * 2**70, p, q, 0, 0, 0),
    "wrong": lambda n, e, d, p, q: (d, p, q, 1, 2, 3),
}.items(), ids=lambda item: item[0])
def test_keys_whose_other_numbers_are_missing_or_wrong(key, tmp_path, make):
    numbers = key.private_numbers()
    n, e = numbers.public_numbers.n, numbers.public_numbers.e
    path = tmp_path / "key.der"
    path.write_bytes(_der(0, n, e, *make[1](n, e, numbers.d, numbers.p, numbers.q)))
    signature = load_key(path).sign(b"text", padding.PKCS1v15(), hashes.SHA256())
    key.public_key().verify(signature, b"text", padding.PKCS1v15(), hashes.SHA256())


def test_keys_whose_numbers_do_not_belong_together(key, tmp_path):
    numbers = key.private_numbers()
    n, e, d = numbers.public_numbers.n, numbers.public_numbers.e, numbers.d
    p, q = numbers.p, numbers.q
    path = tmp_path / "key.der"
    for wrong in ((n, e, d + 2, p, q), (n, e, d, p, q + 2), (n + 2, e, d, p, q),
                  (n, e + 2, d, p, q), (n, e, d + 2, 0, 0), (n, e, d, n, 1), (n, e, d, 1, n)):
        path.write_bytes(_der(0, *wrong, 0, 0, 0))
        assert "holds no private RSA key of two primes, or a damaged one" in refusal(path)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
@pytest.mark.parametrize("arguments", [
    ("pkey", "-traditional", "-des3"),
    ("pkcs8", "-topk8", "-scrypt"), ("pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES"),
    ("pkcs8", "-topk8", "-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"), ("pkey", "-text"),
    ("pkcs12", "-nodes"), ("pkcs8", "-topk8", "-v2", "camellia-256-cbc"),
    ("pkey", "-traditional", "-aria128")], ids=" ".join)
def test_what_openssl_writes_is_read(key, certificate, tmp_path, arguments):
    """Or the advice of the refusal makes it readable, in a file whose name has to be quoted."""
    source, path = tmp_path / "source", tmp_path / "my 'key'; $HOME.pem"
    source.write_bytes(
        key.private_bytes(PEM, PKCS8, OPEN) if arguments[0] != "pkcs12" else
        pkcs12.serialize_key_and_certificates(b"mine", key, certificate, None, LOCKED))
    subprocess.run(["openssl", *arguments, "-in", source, "-out", path, "-passin",
                    "pass:open sesame", "-passout", "pass:open sesame"], check=True,
                   capture_output=True)
    password = None if {"-text", "-nodes"} & {*arguments} else b"open sesame"
    try:
        found = load_key(path, password)
    except ValueError as error:
        what, _, advice = str(error).partition(" with: ")
        assert "by a cipher that is not known here" in what
        subprocess.run(["sh", "-c", f"{advice} -passin 'pass:open sesame' -passout 'pass:open "
                        "sesame'"], check=True, cwd=tmp_path, capture_output=True)
        found = load_key(tmp_path / "NEW.pem", password)
    assert found.private_numbers() == key.private_numbers()


@pytest.mark.skipif(shutil.which("iconv") is None, reason="there is no iconv")
@pytest.mark.parametrize("code", ["utf-16-le"])
def test_a_key_in_utf_16(key, tmp_path, code):
    path = tmp_path / "my 'key'; $HOME.pem"
    path.write_bytes(key.private_bytes(PEM, PKCS8, OPEN).decode().encode(code))
    with pytest.raises(ValueError, match="is text in UTF-16") as caught:
        load_key(path)
    subprocess.run(["sh", "-c", str(caught.value).partition(" with: ")[2]], check=True,
                   cwd=tmp_path)
    assert load_key(tmp_path / "NEW.pem").private_numbers() == key.private_numbers()


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")
def test_a_key_of_openssh(key, tmp_path):
    path = tmp_path / "my 'key'; $HOME"
    path.write_bytes(key.private_bytes(PEM, OPENSSH, OPEN))
    path.chmod(0o600)
    with pytest.raises(ValueError, match="in the format of OpenSSH") as caught:
        load_key(path)
    advice = str(caught.value).partition(" with: ")[2]
    subprocess.run(["sh", "-c", f"{advice} -N ''"], check=True, cwd=tmp_path, capture_output=True)
    assert load_key(tmp_path / "NEW.pem").private_numbers() == key.private_numbers()


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
    for der in (b"\x30\x03\x02\x01\x00", key.public_key().public_bytes(
            DER, serialization.PublicFormat.SubjectPublicKeyInfo)):
        path.write_bytes(der)
        for password in (None, b"open sesame"):
            assert "is in DER form, and holds no private RSA key" in refusal(path, password)
    for rubbish in (b"", b"rubbish", b"\xff\x00", b"-----BEGIN X-----"):
        path.write_bytes(rubbish)
        assert refusal(path).startswith("FILE holds no private key in PEM form; ")


def test_a_damaged_key(key, tmp_path):
    path = tmp_path / "key.pem"
    lines = key.private_bytes(PEM, PKCS8, OPEN).splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], *lines[5:]]))
    assert refusal(path).startswith("The key in FILE is damaged, too short, or of a kind")
