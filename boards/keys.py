"""Private RSA keys in files. Messages tell the kind and the length of a key, nothing else."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from .host import with_article

__all__ = ["load_key", "load_password"]

#: What the first line of a PEM file calls that which cannot sign here, and what to say of it.
_OTHERS = {
    "PUBLIC KEY": "holds a public key; give the private key that belongs to it",
    "CERTIFICATE": "holds a certificate; give the private key that belongs to it",
    "OPENSSH PRIVATE KEY": "holds a key in the format of OpenSSH; copy the file, and convert the "
                           "copy with: ssh-keygen -p -m PEM -f COPY",
}
#: The object identifier id-RSASSA-PSS (RFC 8017, appendix C) in DER.
_PSS = bytes.fromhex("06092a864886f70d01010a")
_DER_SEQUENCE = 0x30


def load_password(path: str | os.PathLike) -> bytes:
    """Return the password in the first line of a file.

    Raises
    ------
    ValueError
        If that line is empty.
    OSError
        If the file cannot be read.
    """
    lines = Path(path).read_bytes().splitlines()
    if not lines or not lines[0]:
        raise ValueError(f"The first line of {path} must be the password of the key, but it is "
                         "empty")
    return lines[0]


def load_key(path: str | os.PathLike, password: bytes | None = None) -> rsa.RSAPrivateKey:
    """Return the private RSA key in a PEM file.

    Raises
    ------
    ValueError
        If the file holds no such key, or the password is wrong, missing, or not needed.
    OSError
        If the file cannot be read.
    """
    data = Path(path).read_bytes()
    name = _name(data)
    for ending, complaint in _OTHERS.items():
        if name.endswith(ending):
            raise ValueError(f"{path} {complaint}")
    if not name.endswith("PRIVATE KEY"):
        if data[:1] == bytes([_DER_SEQUENCE]):
            raise ValueError(f"{path} is in DER form, and the key must be in PEM form; convert it "
                             f"with: openssl rsa -inform DER -in {path} -out NEW.pem")
        raise ValueError(f"{path} holds no private key in PEM form; 'openssl genrsa -out NEW.pem "
                         "2048' makes a key in another file")
    encrypted = b"ENCRYPTED" in data
    if encrypted and password is None:
        raise ValueError(f"The key in {path} is encrypted; give its password with --password-file")
    if password is not None and not encrypted:
        raise ValueError(f"The key in {path} is not encrypted; leave --password-file out")
    try:
        key = serialization.load_pem_private_key(data, password)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        if encrypted:
            raise ValueError(f"The password does not open {path}, or the key in it is "
                             "damaged") from None
        raise ValueError(f"The key in {path} is damaged, too short, or of a kind that is not known "
                         "here; signing needs an RSA key of two primes") from None
    if not isinstance(key, rsa.RSAPrivateKey):
        kind = type(key).__name__.removesuffix("PrivateKey")
        raise ValueError(f"{path} holds {with_article(kind)} key; signing needs an RSA key")
    if _PSS in _decoded(data):
        raise ValueError(f"The key in {path} may sign by RSASSA-PSS only, and this signs by "
                         "PKCS #1 v1.5; give another RSA key")
    return key


def _name(data: bytes) -> str:
    """Return the name that the first line of a PEM file gives its contents; empty if none."""
    for line in data.splitlines():
        if line.startswith(b"-----BEGIN ") and line.rstrip().endswith(b"-----"):
            return line.rstrip()[len(b"-----BEGIN "):-len(b"-----")].decode(errors="replace")
    return ""


def _decoded(data: bytes) -> bytes:
    """Return the first object in a PEM file, decoded as far as it is not encrypted."""
    lines = data.split(b"-----", 4)[2].splitlines()
    with_no_headers = b"".join(line for line in lines if b":" not in line)
    try:
        return base64.b64decode(with_no_headers)
    except binascii.Error:
        return b""
