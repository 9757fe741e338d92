"""Keys in files: which are taken, which cannot be used, and what is said of these."""

import base64
import codecs
import datetime
import json
import re
import shutil
import subprocess

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x448, x25519
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID
from model_board import RSA as KEY

from boards.keys import OF_POINTS, PEER, SIGNING, VERIFYING, load_key, load_password

PEM, DER = serialization.Encoding.PEM, serialization.Encoding.DER
PKCS8 = serialization.PrivateFormat.PKCS8
TRADITIONAL = serialization.PrivateFormat.TraditionalOpenSSL
OPENSSH = serialization.PrivateFormat.OpenSSH
OPEN = serialization.NoEncryption()
LOCKED = serialization.BestAvailableEncryption(b"open sesame")
OPENSSL = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")


NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ENCRYPTED")])
DAY = datetime.datetime(2026, 1, 1)
CERTIFICATE = x509.CertificateBuilder(
    issuer_name=NAME, subject_name=NAME, public_key=KEY.public_key(), serial_number=1,
    not_valid_before=DAY, not_valid_after=DAY).sign(KEY, hashes.SHA256())
CERTIFICATE_PEM = CERTIFICATE.public_bytes(PEM)


def refusal(path, password=None):
    """Return the one line that says why a key cannot be used; the file stays as it was."""
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as caught:
        load_key(path, SIGNING, password)
    assert path.read_bytes() == before
    message = str(caught.value)
    # Nobody is told to write to the file of a key.
    for option in ("-out", "-f"):
        assert f"{option} {path}" not in message
    return message.replace(str(path), "FILE")


#: What may stand around a key in PEM form: nothing but its own block tells what it is.
AROUND = {
    "nothing": lambda key: key,
    "comment": lambda key: b"friendlyName: NOT ENCRYPTED\n# Proc-Type: 4,ENCRYPTED\n" + key,
    "certificate": lambda key: CERTIFICATE_PEM + key,
    "bags": lambda key: b"Bag Attributes\n    friendlyName: ENCRYPTED\nsubject=\n\n".join(
        (b"", CERTIFICATE_PEM, key)),
    "encrypted key after": lambda key: key + KEY.private_bytes(PEM, PKCS8, LOCKED),
    "key of OpenSSH": lambda key: KEY.private_bytes(PEM, OPENSSH, OPEN) + key,
    "byte order mark": lambda key: b"\xef\xbb\xbf" + key,
    "Windows": lambda key: (CERTIFICATE_PEM + key).replace(b"\n", b"\r\n"),
    "Latin-1": lambda key: b"Schl\xfcssel\n" + key + b"\xff",
}
FILES = [pytest.param(KEY.private_bytes(encoding, form, protection), password, id=name)
         for name, encoding, form, protection, password in (
             ("PKCS #8, encrypted", PEM, PKCS8, LOCKED, b"open sesame"),
             ("traditional, encrypted", PEM, TRADITIONAL, LOCKED, b"open sesame"),
             ("PKCS #8, DER", DER, PKCS8, OPEN, None),
             ("traditional, DER", DER, TRADITIONAL, OPEN, None),
             ("PKCS #8, DER, encrypted", DER, PKCS8, LOCKED, b"open sesame"))]
FILES += [pytest.param(around(KEY.private_bytes(PEM, form, OPEN)), None, id=f"{of}, {name}")
          for of, form in (("PKCS #8", PKCS8), ("traditional", TRADITIONAL))
          for name, around in AROUND.items()]


@pytest.mark.parametrize(("content", "password"), FILES)
def test_keys_that_can_be_used(tmp_path, content, password):
    path = tmp_path / "key"
    path.write_bytes(content)
    assert load_key(path, SIGNING, password).private_numbers() == KEY.private_numbers()
    if password:
        assert "is encrypted; give its password" in refusal(path)
        assert "holds no private key that this password opens" in refusal(path, b"sesame")
    else:
        assert "is not encrypted; leave --password-file out" in refusal(path, b"sesame")


@OPENSSL
@pytest.mark.parametrize("arguments", [
    ("pkey", "-traditional", "-des3"),
    ("pkcs8", "-topk8", "-scrypt"), ("pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES"),
    ("pkcs8", "-topk8", "-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"), ("pkey", "-text"),
    ("pkcs8", "-topk8", "-v2", "camellia-256-cbc"),
    ("pkcs12", "-export", "-nocerts"), ("pkey", "-traditional", "-aria128")], ids=" ".join)
def test_what_openssl_writes_is_read(tmp_path, arguments):
    """Or the advice of the refusal makes it readable, in a file whose name has to be quoted."""
    source, path = tmp_path / "source", tmp_path / "my 'key'; $HOME.pem"
    source.write_bytes(KEY.private_bytes(PEM, PKCS8, OPEN))
    subprocess.run(["openssl", *arguments, "-in", source, "-out", path, "-passin",
                    "pass:open sesame", "-passout", "pass:open sesame"], check=True,
                   capture_output=True)
    password = None if "-text" in arguments else b"open sesame"
    try:
        found = load_key(path, SIGNING, password)
    except ValueError as error:
        what, _, advice = str(error).partition(" with: ")
        assert what.endswith(("holds no private key that this password opens; if it is the right "
                              "one, make a copy in another form", "take the private key out of it"))
        subprocess.run(["sh", "-c", f"{advice} -passin 'pass:open sesame' -passout 'pass:open "
                        "sesame'"], check=True, cwd=tmp_path, capture_output=True)
        found = load_key(tmp_path / "NEW.pem", SIGNING, password)
    assert found.private_numbers() == KEY.private_numbers()


@pytest.mark.parametrize("text", [b"", b"\n", b"\nsesame\n"])
def test_a_password_file_whose_first_line_is_empty(tmp_path, text):
    path = tmp_path / "password"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"must be the password of the key, but it is empty"):
        load_password(path)


def _tagged(tag, *contents):
    content = b"".join(contents)
    return bytes([tag, *([0x81] if len(content) > 0x7F else []), len(content)]) + content


def _of_8410(kind, octets, version=0, *more):
    """Return a private key of RFC 8410, in PKCS #8."""
    return _tagged(0x30, bytes([2, 1, version]), b"\x30\x05\x06\x03\x2b\x65" + kind,
                   _tagged(4, _tagged(4, octets)), *more)


def _public(key, encoding=PEM, form=serialization.PublicFormat.SubjectPublicKeyInfo):
    return key.public_key().public_bytes(encoding, form)


def _off_curve(key, *form):
    *before, last = _public(key, *form).rsplit(b" ", 1) if form[1:] else [_public(key, *form)]
    coded = bytearray(base64.b64decode(last) if before else last)
    coded[-1] ^= 1
    return b" ".join([*before, base64.b64encode(coded)]) if before else bytes(coded)


P256, BRAINPOOL = map(ec.generate_private_key, (ec.SECP256R1(), ec.BrainpoolP256R1()))
ED25519, X25519, X448 = (kind.generate() for kind in (
    ed25519.Ed25519PrivateKey, x25519.X25519PrivateKey, x448.X448PrivateKey))
P256_PEM = P256.private_bytes(PEM, PKCS8, OPEN)
#: Kind, key, and the last octet of its algorithm.
OF_8410 = (("Ed25519", ED25519, b"p"), ("X25519", X25519, b"n"), ("X448", X448, b"o"))
ATTRIBUTES = _tagged(0xA0, _tagged(0x30, b"\x06\x03\x55\x04\x03", _tagged(0x31, b"\x0c\1x")))
OPENSSH_LINE = (serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)


@pytest.mark.parametrize(("content", "key"), [
    pytest.param(content, key, id=name) for name, content, key in (
        ("date before", b"08/12/2024 08:15\n" + P256_PEM, P256),
        ("chain before", b"0 s:/CN=board\n" + P256_PEM, P256),
        ("UTF-16", P256_PEM.decode().encode("utf-16"), P256),
        ("UTF-16, big-endian", codecs.BOM_UTF16_BE + P256_PEM.decode().encode("utf-16-be"), P256),
        ("line ends written out", P256_PEM.replace(b"\n", rb"\n"), P256),
        ("in JSON", json.dumps({"private_key": P256_PEM.decode()}).encode(), P256),
        ("one line", P256_PEM.replace(b"\n", b" "), P256),
        ("base64", base64.encodebytes(P256.private_bytes(DER, PKCS8, OPEN)), P256),
        ("OpenSSH, P-256", P256.private_bytes(PEM, OPENSSH, OPEN), P256),
        ("OpenSSH, Ed25519", ED25519.private_bytes(PEM, OPENSSH, OPEN), ED25519),
        ("PKCS #8 with attributes", _of_8410(b"p", ED25519.private_bytes_raw(), 0, ATTRIBUTES),
         ED25519),
        *((f"PKCS #8, version 2, {name}{' with attributes' * bool(more)}", _of_8410(
            kind, key.private_bytes_raw(), 1, *more,
            _tagged(0x81, b"\0" + key.public_key().public_bytes_raw())), key)
          for name, key, kind in OF_8410 for more in ((), (ATTRIBUTES,))))])
def test_private_keys_that_others_write(tmp_path, content, key):
    path = tmp_path / "key"
    path.write_bytes(content)
    assert load_key(path, OF_POINTS).public_key() == key.public_key()
    assert "is not encrypted; leave --password-file out" in refusal(path, b"sesame")


@pytest.mark.parametrize(("content", "key"), [
    pytest.param(content, key, id=name) for name, content, key in (
        ("OpenSSH", _public(P256, *OPENSSH_LINE) + b" me@board\n", P256),
        ("OpenSSH with options", b'no-pty,from="a b" ' + _public(P256, *OPENSSH_LINE), P256),
        ("UTF-16", _public(X25519).decode().encode("utf-16"), X25519),
        ("base64", base64.b64encode(_public(X448, DER)), X448),
        ("text before", b"0 s:/CN=board\n" + _public(BRAINPOOL), BRAINPOOL),
        ("private key before", P256_PEM + _public(X25519), X25519))])
def test_public_keys_that_others_write(tmp_path, content, key):
    path = tmp_path / "key"
    path.write_bytes(content)
    found = load_key(path, PEER)
    assert found.public_bytes(DER, serialization.PublicFormat.SubjectPublicKeyInfo) == _public(
        key, DER)


JWK = {"kty": "OKP", "crv": "X25519", "x": "A" * 43, "d": "A" * 43}
NO_POINT = "holds a public key that is no point of its curve; "
#: What a file holds, and what is said of it where a private and a public key are wanted.
TOLD = {
    "nothing": (b"", "holds nothing; ", "holds nothing; "),
    "JWK": (json.dumps(JWK).encode(), *2 * ["holds a key in JSON (JWK); give a key in PEM form"]),
    "JWKS": (json.dumps({"keys": [JWK]}, indent=1).encode(), *2 * ["holds a key in JSON (JWK)"]),
    "PuTTY": (b"PuTTY-User-Key-File-3: ssh-ed25519\n",
              "holds a key of PuTTY; take the private key out of it with: puttygen FILE -O "
              "private-openssh -o NEW", "take the public key out of it with: puttygen FILE -O "),
    "PGP": (b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlFgE\n-----END PGP PRIVATE KEY BLOCK-----",
            *2 * ["holds a block of PGP; give a key in PEM form"]),
    "no end": (P256_PEM[:99], *2 * ["holds the beginning of a block without its end; "]),
    "octets": (bytes(range(32)), "holds no private key in the form of PEM, DER or OpenSSH; ",
               "holds no public key in the form of PEM, DER or OpenSSH; "),
    "no point": (_off_curve(P256, DER), NO_POINT, NO_POINT),
    "no point, OpenSSH": (_off_curve(P256, *OPENSSH_LINE), NO_POINT, NO_POINT),
    "security key": (b"sk-ssh-ed25519@openssh.com " + base64.b64encode(bytes(80)),
                     *2 * ["holds a public key that is damaged, or of a kind that is not "]),
    "public key": (_public(P256), "holds a public key; give the private key that belongs to it",
                   None),
    "private key": (P256_PEM, None, "holds a private key; take the public key out of it with: "
                                    "openssl pkey -in FILE -pubout -out NEW.pem"),
    "encrypted": (P256.private_bytes(PEM, PKCS8, LOCKED), None, "holds a private key; take the "),
    **{f"{name} of {count} octets": (
        _of_8410(kind, bytes(count), version), *2 * [
            f"holds a private key of {name} that has {count} octets; give one of {right} octets"])
        for version, (name, key, kind) in enumerate(OF_8410[:2])
        for right in [len(key.private_bytes_raw())] for count in (right - 1, right + 1)},
    "public X25519 of 33 octets": (
        _tagged(0x30, b"\x30\x05\x06\x03\x2b\x65n", _tagged(3, bytes(34))),
        *2 * ["holds a public key of X25519 that has 33 octets; give one of 32 octets"]),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_holds_no_key_that_is_wanted(tmp_path, name):
    content, *expected = TOLD[name]
    path = tmp_path / "key"
    path.write_bytes(content)
    for use, said in zip((OF_POINTS, PEER), expected, strict=True):
        if said is None:
            continue
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as caught:
            load_key(path, use)
        assert str(caught.value).replace(str(path), "FILE").startswith("FILE ")
        assert said in str(caught.value).replace(str(path), "FILE")
        # Nobody gave one, and nothing that is wanted is encrypted.
        assert "password" not in str(caught.value)


def test_a_damaged_key(tmp_path):
    path = tmp_path / "key.pem"
    lines = KEY.private_bytes(PEM, PKCS8, OPEN).splitlines(keepends=True)
    path.write_bytes(b"".join([CERTIFICATE_PEM, *lines[:3], *lines[5:]]))
    assert refusal(path).startswith("FILE holds a private key that is damaged")
    path.write_bytes(CERTIFICATE_PEM)
    assert refusal(path) == "FILE holds a certificate; give the private key that belongs to it"
    locked = KEY.private_bytes(PEM, TRADITIONAL, LOCKED)
    # The library panics where two digits are missing.
    path.write_bytes(re.sub(rb"(DEK-Info: .*)..", rb"\1", locked))
    assert refusal(path, b"open sesame").startswith("FILE holds no private key that this password")


def _tool(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options)


SSH_KEYGEN = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")


@OPENSSL
@pytest.mark.parametrize("arguments", [
    ("-text",), ("-ec_conv_form", "compressed"), ("-outform", "DER"),
    ("-ec_param_enc", "explicit")], ids=" ".join)
def test_curve_keys_that_openssl_writes(tmp_path, arguments):
    source, path = tmp_path / "source", tmp_path / "public"
    _tool("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-out", source)
    _tool("openssl", "pkey", "-in", source, "-pubout", *arguments, "-out", path)
    assert source.read_text().startswith("-----BEGIN EC PARAMETERS-----")
    assert load_key(path, PEER) == load_key(source, OF_POINTS).public_key()


@OPENSSL
@pytest.mark.parametrize("form", ["PEM", "DER"])
@pytest.mark.parametrize("name", ["sect233r1", "secp112r1", "brainpoolP256t1", "SM2"])
def test_curves_that_are_not_supported_are_named(tmp_path, name, form):
    source, path = tmp_path / "source", tmp_path / "public"
    _tool("openssl", "ecparam", "-name", name, "-genkey", "-noout", "-outform", form, "-out",
          source)
    _tool("openssl", "pkey", "-in", source, "-pubout", "-outform", form, "-out", path)
    for use in (OF_POINTS, PEER, VERIFYING):
        with pytest.raises(ValueError, match=f"key of the curve {name}, which is not supported; "
                                             "supported are P-256, ") as caught:
            load_key(source if use.half == "private" else path, use)
        assert "toy" not in str(caught.value)


@OPENSSL
def test_commands_that_take_a_key_out_of_other_files(tmp_path):
    """Those that a refusal names work, on files whose names have to be quoted."""
    path, pem = tmp_path / "my 'file'.x", tmp_path / "key.pem"
    pem.write_bytes(KEY.private_bytes(PEM, PKCS8, OPEN))
    (tmp_path / "cert").write_bytes(CERTIFICATE_PEM)
    request = x509.CertificateSigningRequestBuilder().subject_name(CERTIFICATE.subject).sign(
        KEY, hashes.SHA256())
    store = pkcs12.serialize_key_and_certificates(b"x", KEY, CERTIFICATE, None, LOCKED)
    chain = _tool("openssl", "crl2pkcs7", "-nocrl", "-certfile", tmp_path / "cert").stdout
    for content, uses in (
            *((CERTIFICATE.public_bytes(form), [VERIFYING]) for form in (PEM, DER)),
            *((request.public_bytes(form), [VERIFYING]) for form in (PEM, DER)),
            (chain, [VERIFYING]), (KEY.private_bytes(DER, PKCS8, OPEN), [VERIFYING]),
            (store, [VERIFYING, SIGNING])):
        path.write_bytes(content)
        for use in uses:
            with pytest.raises(ValueError, match=" out of it with: ") as caught:
                load_key(path, use)
            command = str(caught.value).partition(" with: ")[2].replace(
                "pkcs12 ", "pkcs12 -passin 'pass:open sesame' -passout 'pass:open sesame' ")
            _tool("sh", "-c", command, cwd=tmp_path)
            new = load_key(tmp_path / "NEW.pem", use._replace(types=object),
                           b"open sesame" if use is SIGNING else None)
            assert (new.public_key() if use is SIGNING else new) == KEY.public_key()
            if use.half == "public":
                with pytest.raises(ValueError, match="kind RSA; verification needs an EC or"):
                    load_key(tmp_path / "NEW.pem", use)
    path.write_bytes(CERTIFICATE_PEM)


@SSH_KEYGEN
@pytest.mark.parametrize("kind", ["rsa", "ecdsa", "ed25519"])
def test_keys_that_ssh_keygen_writes(tmp_path, kind):
    path, public = tmp_path / "key", tmp_path / "key.pub"
    _tool("ssh-keygen", "-q", "-t", kind, *["-b", "1024"] * (kind == "rsa"), "-N", "", "-f", path)
    key = load_key(path, SIGNING)
    peer = PEER._replace(types=object)
    assert load_key(public, peer) == key.public_key()
    assert refusal(public).startswith("FILE holds a public key; give the private key")
    with pytest.raises(ValueError, match="private key; take the public key out of it") as caught:
        load_key(path, peer)
    for command in (str(caught.value).partition(" with: ")[2], f"ssh-keygen -e -f {public}"):
        told = tmp_path / "told"
        told.write_bytes(_tool("sh", "-c", command.partition(" > ")[0], cwd=tmp_path).stdout)
        if command.startswith("ssh-keygen -e"):
            with pytest.raises(ValueError, match="RFC 4716; take the public key out") as caught:
                load_key(told, peer)
            _tool("sh", "-c", str(caught.value).partition(" with: ")[2], cwd=tmp_path)
            told = tmp_path / "NEW.pub"
        assert load_key(told, peer) == key.public_key()
    _tool("ssh-keygen", "-q", "-p", "-N", "open sesame", "-f", path)
    assert refusal(path) == "FILE is encrypted; give its password with --password-file"
    try:
        import bcrypt  # noqa: F401
    except ImportError:
        assert refusal(path, b"open sesame").endswith("can be read after: pip install bcrypt")
    else:
        assert load_key(path, SIGNING, b"open sesame").public_key() == key.public_key()
