"""Keys in files. Messages tell the kind and the length of a key, nothing else."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey, X448PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    load_der_private_key,
    load_der_public_key,
    load_pem_private_key,
    load_pem_public_key,
)

__all__ = ["AnyPrivateKey", "AnyPublicKey", "MontgomeryPrivateKey", "MontgomeryPublicKey",
           "load_agreement_key", "load_curve_key", "load_password", "load_peer_key",
           "load_signing_key", "load_verifying_key"]

MontgomeryPrivateKey = X25519PrivateKey | X448PrivateKey
MontgomeryPublicKey = X25519PublicKey | X448PublicKey
AnyPrivateKey = ec.EllipticCurvePrivateKey | MontgomeryPrivateKey
AnyPublicKey = ec.EllipticCurvePublicKey | MontgomeryPublicKey

#: How a file in DER form begins.
_SEQUENCE = b"\x30"
_SIGNING = "RSA key of two primes, EC key or Ed25519 key"
_CURVE, _AGREEING, _OF_POINTS = ("EC key of a common curve", *(
    f"EC key of a common curve, or {more} key," for more in (
        "X25519 or X448", "X25519, X448 or Ed25519")))
_UNREADABLE = ("holds no private {wanted} that can be read, or the password is wrong; make a copy "
               "of a key in another form with: openssl pkey -aes256 -in {path} -out NEW.pem")
#: What is said of a file that cannot be read, by the first of these that is in it.
_REFUSALS = {
    b"BEGIN OPENSSH PRIVATE KEY": "holds a key in the format of OpenSSH; copy the file, and "
    "convert the copy with: cp -- {path} NEW.pem && ssh-keygen -p -m PEM -f NEW.pem",
    b" PRIVATE KEY-----": _UNREADABLE,
    b"PUBLIC KEY-----": "holds a public key; give the private key that belongs to it",
    b"BEGIN CERTIFICATE": "holds a certificate; give the private key that belongs to it",
    b"": _UNREADABLE,
}
#: The same where a public key is wanted.
_PUBLIC_REFUSALS = {
    b" PRIVATE KEY-----": "holds a private key; give the public key of the other side",
    b"BEGIN CERTIFICATE": "holds a certificate; take the public key out of it with: openssl x509 "
    "-noout -pubkey -in {path} > NEW.pem",
    b"": "holds no public {wanted} that can be read; take it out of the private key with: openssl "
    "pkey -pubout -in PRIVATE.pem -out NEW.pem",
}


def load_password(path: str | os.PathLike) -> bytes:
    """Return the password in the first line of a file; it must not be empty."""
    lines = Path(path).read_bytes().splitlines()
    if not lines or not lines[0]:
        raise ValueError(f"The first line of {path} must be the password of the key, but it is "
                         "empty")
    return lines[0]


def load_signing_key(path: str | os.PathLike, password: bytes | None = None
                     ) -> rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | Ed25519PrivateKey:
    """Return the first private key in a file, of RSA, a curve or Ed25519, in PEM or DER form.

    :exc:`ValueError` says that there is no such key, or that the password is wrong, missing, or not
    needed.
    """
    key = _private_key(path, password, _SIGNING)
    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | Ed25519PrivateKey):
        raise _other_kind(path, key, "signing needs an RSA, EC or Ed25519 key")
    return key


def load_agreement_key(path: str | os.PathLike, password: bytes | None = None
                       ) -> AnyPrivateKey:
    """Return the first private key in a file, a key of an elliptic curve, X25519 or X448.

    Raises as :func:`load_signing_key` does.
    """
    key = _private_key(path, password, _AGREEING)
    if not isinstance(key, AnyPrivateKey):
        raise _other_kind(path, key, "key agreement needs an EC, X25519 or X448 key")
    return key


def load_curve_key(path: str | os.PathLike, password: bytes | None = None
                   ) -> AnyPrivateKey | Ed25519PrivateKey:
    """Return the first private key in a file, of which a multiple of a point is the public key.

    Raises as :func:`load_signing_key` does.
    """
    key = _private_key(path, password, _OF_POINTS)
    if not isinstance(key, AnyPrivateKey | Ed25519PrivateKey):
        raise _other_kind(path, key, "computing a public key needs an EC, X25519, X448 or Ed25519 "
                                     "key")
    return key


def load_peer_key(path: str | os.PathLike) -> AnyPublicKey:
    """Return the first public key in a file, of a curve, X25519 or X448, in PEM or DER form.

    A key of an elliptic curve is a point of it. :exc:`ValueError` says that there is no such key.
    """
    key = _public_key(path, _AGREEING)
    if not isinstance(key, AnyPublicKey):
        raise _other_kind(path, key, "key agreement needs an EC, X25519 or X448 key")
    return key


def load_verifying_key(path: str | os.PathLike) -> ec.EllipticCurvePublicKey:
    """Return the first public key in a file, a key of an elliptic curve in PEM or DER form.

    It is a point of its curve. :exc:`ValueError` says that there is no such key.
    """
    key = _public_key(path, _CURVE)
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise _other_kind(path, key, "ECDSA needs an EC key")
    return key


def _public_key(path: str | os.PathLike, wanted: str) -> object:
    data = Path(path).read_bytes()
    load = load_der_public_key if data.startswith(_SEQUENCE) else load_pem_public_key
    try:
        return load(data)
    except (ValueError, UnsupportedAlgorithm):
        raise _unreadable(path, data, _PUBLIC_REFUSALS, wanted) from None


def _private_key(path: str | os.PathLike, password: bytes | None, wanted: str) -> object:
    data = Path(path).read_bytes()
    load = load_der_private_key if data.startswith(_SEQUENCE) else load_pem_private_key
    try:
        return load(data, password)
    except TypeError:
        raise ValueError(
            f"The key in {path} is encrypted; give its password with --password-file"
            if password is None else
            f"The key in {path} is not encrypted; leave --password-file out") from None
    except (ValueError, UnsupportedAlgorithm):
        raise _unreadable(path, data, _REFUSALS, wanted) from None


def _unreadable(path: str | os.PathLike, data: bytes, refusals: Mapping[bytes, str],
                wanted: str) -> ValueError:
    said = next(said for label, said in refusals.items() if label in data)
    return ValueError(f"{path} {said.format(path=shlex.quote(os.fspath(path)), wanted=wanted)}")


def _other_kind(path: str | os.PathLike, key: object, need: str) -> ValueError:
    kind = type(key).__name__.removesuffix("PrivateKey").removesuffix("PublicKey")
    return ValueError(f"{path} holds a key of the kind {kind}; {need}")
