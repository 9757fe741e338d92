"""Keys in files and on boards. Messages tell the kind and the length of a key, nothing else."""

from __future__ import annotations

import base64
import codecs
import os
import re
import shlex
import ssl
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey, X448PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    load_der_private_key,
    load_der_public_key,
    load_pem_private_key,
    load_ssh_private_key,
    load_ssh_public_key,
)

from montgomery.numbers.catalogue import EDWARDS, MONTGOMERY, WEIERSTRASS

from . import ec as points
from . import ed25519 as edwards
from . import x25519 as ladders
from .host import Client
from .rsa import RSAPrivateKey

__all__ = ["AGREEING", "OF_POINTS", "PEER", "SIGNING", "VERIFYING", "Use", "load_key",
           "load_password", "on_board"]

_AGREES = ec.EllipticCurvePrivateKey | X25519PrivateKey | X448PrivateKey
#: What a board does operations for.
_ON_BOARD: Any = (
    RSAPrivateKey, points.EllipticCurvePrivateKey, points.EllipticCurvePublicKey,
    edwards.Ed25519PrivateKey, edwards.Ed25519PublicKey, ladders.X25519PrivateKey,
    ladders.X448PrivateKey)
_Key = TypeVar("_Key")


class Use(NamedTuple):
    """What a key is for: ``private`` or ``public``, the types it may have, and how to say so."""

    half: str
    types: Any
    need: str


SIGNING = Use("private", rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | Ed25519PrivateKey,
              "signing needs an RSA, EC or Ed25519 key")
AGREEING = Use("private", _AGREES, "key agreement needs an EC, X25519 or X448 key")
PEER = Use("public", ec.EllipticCurvePublicKey | X25519PublicKey | X448PublicKey, AGREEING.need)
#: A multiple of a point is the public key.
OF_POINTS = Use("private", _AGREES | Ed25519PrivateKey,
                "computing a public key needs an EC, X25519, X448 or Ed25519 key")
VERIFYING = Use("public", ec.EllipticCurvePublicKey | Ed25519PublicKey,
                "verification needs an EC or Ed25519 key")

#: A block of PEM, or of RFC 4716, which has other dashes; and a line of OpenSSH.
_BLOCK = re.compile(rb"-{4,5} ?BEGIN ([A-Z0-9 ]+?) ?-{4,5}(.*?)-{4,5} ?END \1 ?-{4,5}", re.DOTALL)
_LINE = re.compile(rb"(?:^|\s)((?:ssh|ecdsa|sk-ssh|sk-ecdsa)-\S+ AAAA\S+)")
#: A sequence of DER, and labels for what is in that form, by what it begins with.
_SEQUENCE = rb"\x30(?:[\0-\x7f]|\x81.|\x82..)"
_DER = (
    (rb"\x02\x01[\0\1]", "PRIVATE KEY"), (rb"\x02\x01\x03\x30", "PKCS12"),
    (rb"\x02[\x81\x82]", "RSA PUBLIC KEY"),
    (_SEQUENCE + rb"\x06.\x2a\x86\x48\x86\xf7\x0d\x01[\x05\x0c]", "ENCRYPTED PRIVATE KEY"),
    (_SEQUENCE + rb"\x06", "PUBLIC KEY"), (_SEQUENCE + rb"\xa0", "CERTIFICATE"),
    (_SEQUENCE + rb"\x02\x01\0\x30", "CERTIFICATE REQUEST, DER"))
#: A key of RFC 8410: the last octet of the algorithm, and how many octets a private one has, or one
#: less than a public one.
_8410 = re.compile(rb"\A\x30.{1,2}(?:\x02\x01[\0\1])?(\x30\x05\x06\x03\x2b\x65([n-q])"
                   rb"(?:\x04.\x04(.)|\x03(.)\0))", re.DOTALL)
_KINDS_8410 = {"n": ("X25519", 32), "o": ("X448", 56), "p": ("Ed25519", 32), "q": ("Ed448", 57)}
_SUPPORTED = "supported are " + ", ".join(name for name in (*WEIERSTRASS, *EDWARDS, *(
    curve.function for curve in MONTGOMERY.values())) if "toy" not in name)

_OWNER, _OTHER = "give the private key that belongs to it", "give a key in PEM form"
#: What is told of a file without a key that can be read, by the first of these that is found in a
#: label, or else in the file: what it holds, and how to get a private and a public key.
_OTHERS = (
    (rb"CERTIFICATE REQUEST, DER$", "a certificate request",
     _OWNER, "openssl req -inform DER -in {path} -noout -pubkey -out NEW.pem"),
    (rb"CERTIFICATE REQUEST$", "a certificate request",
     _OWNER, "openssl req -in {path} -noout -pubkey -out NEW.pem"),
    (rb"CERTIFICATE$", "a certificate", _OWNER, "openssl x509 -in {path} -noout -pubkey > NEW.pem"),
    (rb"^PKCS7|^CMS", "certificates in PKCS #7 form", _OWNER, "openssl pkcs7 -in {path} "
     "-print_certs | openssl x509 -noout -pubkey > NEW.pem"),
    (rb"^PKCS12", "a keystore in PKCS #12 form", "openssl pkcs12 -in {path} -nocerts -out NEW.pem",
     "openssl pkcs12 -in {path} -nokeys | openssl x509 -noout -pubkey > NEW.pem"),
    (rb"\APuTTY-User-Key-File-", "a key of PuTTY",
     "puttygen {path} -O private-openssh -o NEW", "puttygen {path} -O public-openssh -o NEW"),
    (rb"^SSH2", "a public key in the form of RFC 4716",
     _OWNER, "ssh-keygen -i -f {path} > NEW.pub"),
    *((pattern, what, _OTHER, _OTHER) for pattern, what in (
        (rb"^PGP", "a block of PGP"), (rb"PARAMETERS$", "parameters without a key"),
        (rb'\A\s*[\[{].*"kty"', "a key in JSON (JWK)"), (rb"\A\s*\Z", "nothing"),
        (rb"BEGIN [A-Z0-9 ]+-----", "the beginning of a block without its end"))),
)


def on_board(board: Client, key: _Key) -> _Key:
    """Return a key of ``cryptography`` whose operations a board does; see :mod:`boards.objects`.

    These are ``sign``, ``exchange`` and ``verify``, and ``public_key`` unless the key is of RSA.
    They take and return what those of the key do, and raise what these raise, or
    :exc:`.BoardError`. :exc:`TypeError` says that a board does nothing for such a key.
    """
    for kind in _ON_BOARD:
        if isinstance(key, kind.of):
            return kind(board, key)
    raise TypeError(f"A key on a board must be one of {', '.join(k.of.__name__ for k in _ON_BOARD)}"
                    f", not {type(key).__name__}; use the key without the board")


def load_password(path: str | os.PathLike) -> bytes:
    """Return the password in the first line of a file; it must not be empty."""
    lines = Path(path).read_bytes().splitlines()
    if not lines or not lines[0]:
        raise ValueError(f"The first line of {path} must be the password of the key, but it is "
                         "empty")
    return lines[0]


def load_key(path: str | os.PathLike, use: Use, password: bytes | None = None) -> Any:
    """Return the first key in a file that is private or public, as its use needs it.

    It may be in PEM or DER form, or in that of OpenSSH. A public key of a curve is a point of it.
    :exc:`ValueError` says what else the file holds, or that the password is wrong, missing, or not
    needed.
    """
    label, content = _found(Path(path).read_bytes(), use.half)
    half, said = use.half, ""
    try:
        key = _loaded(label, content, password)
        half = "private" if hasattr(key, "private_bytes") else "public"
    except TypeError:
        half = "private"
        said = ("is encrypted; give its password with --password-file" if password is None else
                "is not encrypted; leave --password-file out")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # of which cryptography has many, and panics of Rust
        said = _reason(label, content, use.half, password, error)
    if half != use.half:
        said = f"holds a {half} key; " + (
            _OWNER if half == "public" else "take the public key out of it with: " + (
                "ssh-keygen -y -f {path} > NEW.pub" if label.startswith("OPENSSH") else
                "openssl pkey -in {path} -pubout -out NEW.pem"))
    elif not said and not isinstance(key, use.types):
        kind = type(key).__name__.removesuffix("PrivateKey").removesuffix("PublicKey")
        said = f"holds a key of the kind {kind}; {use.need}"
    if said:
        raise ValueError(f"{path} {said.replace('{path}', shlex.quote(os.fspath(path)))}")
    return key


def _found(data: bytes, half: str) -> tuple[str, bytes]:
    """Return the label, if any, and the content of the first key that is wanted, or of another
    block.

    The content is in DER form, unless OpenSSH or a password of PEM made it.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data.decode("utf-16", "replace").encode()
    if b"BEGIN" in data:
        data = data.replace(rb"\r", b"").replace(rb"\n", b"\n")
    blocks = [(label.decode(), block if b":" in body or b"SSH" in label else _decoded(body))
              for block, label, body in ((each[0], *each.groups()) for each in
                                         _BLOCK.finditer(data))]
    if not blocks and (line := _LINE.search(data)):
        blocks = [("OPENSSH PUBLIC KEY", line[1])]
    if re.fullmatch(rb"[A-Za-z0-9+/\s]+=*\s*", data):
        data = _decoded(data) or data
    label = next((label for begin, label in _DER if re.match(
        _SEQUENCE + begin, data, re.DOTALL)), "")
    return min(blocks, default=(label, data), key=lambda block: (
        not block[0].endswith(f"{half.upper()} KEY"), not block[0].endswith("KEY")))


def _decoded(text: bytes) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:
        return b""


def _loaded(label: str, content: bytes, password: bytes | None) -> Any:
    if "PRIVATE" not in label:
        return (load_ssh_public_key if "SSH" in label else load_der_public_key)(content)
    if "SSH" in label:
        return load_ssh_private_key(content, password)
    if content.startswith(b"-"):
        return load_pem_private_key(content, password)
    if (found := _8410.match(content)) and found[3]:
        # What follows, such as the public key of version 2, is left out.
        rest = b"\x02\x01\0" + found[1] + content[found.end():][:found[3][0]]
        content = b"\x30" + bytes([len(rest)]) + rest
    return load_der_private_key(content, password)


def _reason(label: str, content: bytes, half: str, password: bytes | None,
            error: BaseException) -> str:
    """Return what a file holds of which no key can be read, and what would do."""
    for pattern, what, *ways in _OTHERS:
        if re.search(pattern, label.encode() or content, re.DOTALL):
            way = ways[half == "public"]
            return f"holds {what}; " + (
                f"take the {half} key out of it with: {way}" if " -" in way else way)
    if not label:
        return f"holds no {half} key in the form of PEM, DER or OpenSSH; name the file of one"
    half, said = "private" if "PRIVATE" in label else "public", str(error)
    key = f"holds a {half} key"
    if curve := re.match(r"Curve ([\d.]+) is not supported", said):
        return f"{key} of the curve {_name_of(curve[1])}, which is not supported; {_SUPPORTED}"
    if "explicit parameters are only" in said:
        return f"{key} of a curve that has no name; {_SUPPORTED}"
    if found := _8410.match(content):
        name, octets = _KINDS_8410[found[2].decode()]
        has = found[3][0] if found[3] else found[4][0] - 1
        if has != octets:
            return f"{key} of {name} that has {has} octets; give one of {octets} octets"
    if "bcrypt" in said:
        return "is encrypted as OpenSSH does it; it can be read after: pip install bcrypt"
    if password is not None:
        return ("holds no private key that this password opens; if it is the right one, make a "
                "copy in another form with: openssl pkey -aes256 -in {path} -out NEW.pem")
    if half == "public" and said in ("Invalid key", "Invalid EC key."):
        return f"{key} that is no point of its curve; ask for it again"
    return f"{key} that is damaged, or of a kind that is not supported; give another one"


def _name_of(identifier: str) -> str:
    """Return the name of an object identifier, or itself if OpenSSL does not know it."""
    try:
        return ssl._ASN1Object(identifier).shortname
    except ValueError:
        return identifier
