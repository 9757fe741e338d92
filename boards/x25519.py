"""Key agreement by a board: X25519 and X448.

No message shows a number that depends on a private key.
"""

from __future__ import annotations

from typing import Any, ClassVar

from cryptography.hazmat.primitives.asymmetric import x448, x25519

from montgomery.kinds.key_agreement import KIND
from montgomery.numbers.catalogue import MONTGOMERY
from montgomery.numbers.curves import MontgomeryCurve

from .ec import require_curve
from .objects import OfPoints

__all__ = ["X448PrivateKey", "X25519PrivateKey"]


class _Ladder(OfPoints):
    _curve: ClassVar[MontgomeryCurve]
    _peer: ClassVar[type]

    def exchange(self, peer_public_key: Any) -> bytes:
        """Return the shared secret; :exc:`ValueError` says that the public key has small order."""
        self._check_peer(peer_public_key, self._peer)
        return self._by_first(peer_public_key.public_bytes_raw())

    def _agrees(self, public: Any) -> bool:
        base = self._curve.u.to_bytes(self._curve.octets, "little")
        return self._by_first(base) == public.public_bytes_raw()

    def _by_first(self, u: bytes) -> bytes:
        """Return the octets of the function for those of a coordinate."""
        curve = self._curve
        require_curve(self._board, curve.name, KIND)
        scalar, coordinate = (int.from_bytes(octets, "little")
                              for octets in (self._key.private_bytes_raw(), u))
        if curve.is_small(coordinate):
            raise ValueError(f"A public key for {curve.function} must have large order, but this "
                             "one has small order, and would give a secret of zeros; ask for "
                             "another public key")
        return self._operate(scalar, coordinate).to_bytes(curve.octets, "little")


class X25519PrivateKey(_Ladder, of=x25519.X25519PrivateKey):
    """A key for X25519."""

    _curve, _peer = MONTGOMERY["Curve25519"], x25519.X25519PublicKey


class X448PrivateKey(_Ladder, of=x448.X448PrivateKey):
    """A key for X448."""

    _curve, _peer = MONTGOMERY["Curve448"], x448.X448PublicKey
