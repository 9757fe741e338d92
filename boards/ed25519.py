"""EdDSA on Ed25519 by a board. No message shows a number that depends on a private key."""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ed25519

from montgomery.kinds.eddsa_verification import KIND
from montgomery.numbers.catalogue import EDWARDS

from .ec import Multiplier, require_curve
from .objects import OnBoard

__all__ = ["Ed25519PrivateKey", "Ed25519PublicKey"]

_CURVE = EDWARDS["Ed25519"]
#: Octets of a point, and of a number modulo its order.
_OCTETS = 32


class Ed25519PrivateKey(Multiplier, of=ed25519.Ed25519PrivateKey):
    """A key that signs; numbers modulo its order are Python's, whose time depends on them."""

    def sign(self, data: bytes) -> bytes:
        """Return the signature of data (Ed25519 of RFC 8032), 64 octets."""
        scalar, prefix = self._secrets()
        nonce = _number(prefix, data) % _CURVE.n
        point = self._octets(nonce)
        challenge = _number(point, self._key.public_key().public_bytes_raw(), data)
        response = (nonce + challenge * scalar) % _CURVE.n
        return self._released(point + response.to_bytes(_OCTETS, "little"), data)

    def _agrees(self, public: ed25519.Ed25519PublicKey) -> bool:
        return self._octets(self._secrets()[0]) == public.public_bytes_raw()

    def _secrets(self) -> tuple[int, bytes]:
        """Return the scalar of the key, and what nonces are made of; RFC 8032, 5.1.5."""
        digest = hashlib.sha512(self._key.private_bytes_raw()).digest()
        number = int.from_bytes(digest[:_OCTETS], "little")
        return number & (1 << 254) - 8 | 1 << 254, digest[_OCTETS:]

    def _octets(self, scalar: int) -> bytes:
        """Return the octets of a multiple of the base point."""
        x, y = self._multiple(_CURVE.name, scalar)
        return (y | (x & 1) << 8 * _OCTETS - 1).to_bytes(_OCTETS, "little")


class Ed25519PublicKey(OnBoard, of=ed25519.Ed25519PublicKey):
    """A key that verifies; all is computed on the board, but for the hash."""

    def verify(self, signature: bytes, data: bytes) -> None:
        """Raise :exc:`InvalidSignature` if octets are not the signature of data (RFC 8032)."""
        require_curve(self._board, _CURVE.name, KIND)
        public, first, second = (self._key.public_bytes_raw(), bytes(signature[:_OCTETS]),
                                 signature[_OCTETS:])
        challenge = _number(first, public, data) % _CURVE.n
        if len(second) != _OCTETS or not self._operate(challenge, *(
                int.from_bytes(octets, "little") for octets in (second, public, first))):
            raise InvalidSignature


def _number(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")
