"""EdDSA on Ed25519 by a board. No message shows a number that depends on a private key."""

from __future__ import annotations

import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from montgomery.kinds.eddsa_verification import KIND
from montgomery.numbers.catalogue import EDWARDS

from .ecdh import PublicKey, checked, multiple, require_curve
from .ecdsa import released
from .host import Client, Result, Signature

__all__ = ["public_key", "sign", "verify"]

_CURVE = EDWARDS["Ed25519"]
#: Octets of a point, and of a number modulo its order.
_OCTETS = 32


def sign(board: Client, key: Ed25519PrivateKey, message: bytes) -> Signature:
    """Return the signature of a message (Ed25519 of RFC 8032), 64 octets.

    The board multiplies the base point. Numbers modulo its order are Python's, whose time depends
    on them. :exc:`.BoardError` says that the board does not have the curve, or that its result does
    not verify, and what :func:`boards.ecdh.multiple` says.
    """
    scalar, prefix = _secrets(key)
    public = key.public_key()
    nonce = _number(prefix, message) % _CURVE.n
    point, clocks = _multiple(board, nonce)
    challenge = _number(point, public.public_bytes_raw(), message)
    response = (nonce + challenge * scalar) % _CURVE.n
    signature = point + response.to_bytes(_OCTETS, "little")
    return released(public.verify, signature, clocks, message)


def public_key(board: Client, key: Ed25519PrivateKey) -> PublicKey:
    """Return the public key of a private key; raises as :func:`sign` does."""
    octets, clocks = _multiple(board, _secrets(key)[0])
    found = key.public_key()
    return checked(found, octets == found.public_bytes_raw(), clocks)


def verify(board: Client, key: Ed25519PublicKey, message: bytes, signature: bytes) -> Result:
    """Return 1 if 64 octets are the signature of a message (Ed25519 of RFC 8032), or else 0.

    All is computed on the board, but for the hash. :exc:`ValueError` says that the signature has
    another length, and :exc:`.BoardError` that the board has no core that verifies Ed25519.
    """
    require_curve(board, _CURVE.name, KIND)
    if len(signature) != 2 * _OCTETS:
        raise ValueError(f"A signature of Ed25519 must have {2 * _OCTETS} octets, not "
                         f"{len(signature)}")
    public, (first, second) = key.public_bytes_raw(), (signature[:_OCTETS], signature[_OCTETS:])
    challenge = _number(first, public, message) % _CURVE.n
    return board.operate(challenge, *(int.from_bytes(octets, "little")
                                      for octets in (second, public, first)))


def _secrets(key: Ed25519PrivateKey) -> tuple[int, bytes]:
    """Return the scalar of a key, and what nonces are made of; RFC 8032, 5.1.5."""
    digest = hashlib.sha512(key.private_bytes_raw()).digest()
    number = int.from_bytes(digest[:_OCTETS], "little")
    return number & (1 << 254) - 8 | 1 << 254, digest[_OCTETS:]


def _number(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def _multiple(board: Client, scalar: int) -> tuple[bytes, int]:
    """Return the octets of a multiple of the base point, and the clocks that it took."""
    (x, y), clocks = multiple(board, _CURVE.name, scalar)
    return (y | (x & 1) << 8 * _OCTETS - 1).to_bytes(_OCTETS, "little"), clocks
