"""Private RSA keys in files. Messages tell the kind and the length of a key, nothing else."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_der_private_key, load_pem_private_key

__all__ = ["load_key", "load_password"]

#: How a file in DER form begins.
_SEQUENCE = b"\x30"
_UNREADABLE = ("holds no private RSA key of two primes that can be read, or the password is wrong; "
               "make a copy of a key in another form with: openssl pkey -aes256 -in {path} -out "
               "NEW.pem")
#: What is said of a file that cannot be read, by the first of these that is in it.
_REFUSALS = {
    b"BEGIN OPENSSH PRIVATE KEY": "holds a key in the format of OpenSSH; copy the file, and "
    "convert the copy with: cp -- {path} NEW.pem && ssh-keygen -p -m PEM -f NEW.pem",
    b" PRIVATE KEY-----": _UNREADABLE,
    b"PUBLIC KEY-----": "holds a public key; give the private key that belongs to it",
    b"BEGIN CERTIFICATE": "holds a certificate; give the private key that belongs to it",
    b"": _UNREADABLE,
}


def load_password(path: str | os.PathLike) -> bytes:
    """Return the password in the first line of a file; it must not be empty."""
    lines = Path(path).read_bytes().splitlines()
    if not lines or not lines[0]:
        raise ValueError(f"The first line of {path} must be the password of the key, but it is "
                         "empty")
    return lines[0]


def load_key(path: str | os.PathLike, password: bytes | None = None) -> rsa.RSAPrivateKey:
    """Return the first private key in a file, an RSA key in PEM or DER form.

    :exc:`ValueError` says that there is no such key, or that the password is wrong, missing, or not
    needed.
    """
    data = Path(path).read_bytes()
    load = load_der_private_key if data.startswith(_SEQUENCE) else load_pem_private_key
    try:
        key = load(data, password)
    except TypeError:
        raise ValueError(
            f"The key in {path} is encrypted; give its password with --password-file"
            if password is None else
            f"The key in {path} is not encrypted; leave --password-file out") from None
    except (ValueError, UnsupportedAlgorithm):
        said = next(said for label, said in _REFUSALS.items() if label in data)
        raise ValueError(f"{path} {said.format(path=shlex.quote(os.fspath(path)))}") from None
    if not isinstance(key, rsa.RSAPrivateKey):
        kind = type(key).__name__.removesuffix("PrivateKey")
        raise ValueError(f"{path} holds a key of the kind {kind}; signing needs an RSA key")
    return key
