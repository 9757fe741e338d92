"""Key agreement by a board: ECDH, and X25519. No message shows a number that depends on the key."""

from __future__ import annotations

import dataclasses

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from montgomery.kinds.key_agreement import KIND
from montgomery.montgomery_curves import MONTGOMERY_CURVES

from .host import BoardError, Client
from .points import multiple, name_of_curve

__all__ = ["AnyPrivateKey", "AnyPublicKey", "PublicKey", "SharedSecret", "checked", "exchange",
           "public_key"]

_CURVE = MONTGOMERY_CURVES["Curve25519"]
#: First coordinate of the base point.
_BASE = _CURVE.u.to_bytes(_CURVE.octets, "little")

AnyPrivateKey = ec.EllipticCurvePrivateKey | X25519PrivateKey
AnyPublicKey = ec.EllipticCurvePublicKey | X25519PublicKey


@dataclasses.dataclass(frozen=True, kw_only=True)
class SharedSecret:
    """What two sides have in common, each from its private key and the public key of the other.

    Attributes
    ----------
    secret : bytes
        First coordinate of the shared point, as long as the prime of the curve; of X25519 the
        lowest octet comes first. A key is derived from it by a hash.
    clocks : int
        Clocks of the operation, counted on the board.
    """

    secret: bytes = dataclasses.field(repr=False)
    clocks: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class PublicKey:
    """A public key, the same that belongs to the private key by its file.

    Attributes
    ----------
    clocks : int
        Clocks of the operation, counted on the board.
    """

    key: AnyPublicKey | Ed25519PublicKey
    clocks: int


def exchange(board: Client, key: AnyPrivateKey, peer: AnyPublicKey) -> SharedSecret:
    """Return the secret that is shared with the owner of a public key.

    It is what ``key.exchange`` returns, and ``openssl pkeyutl -derive`` writes.

    Raises
    ------
    BoardError
        If the board has no core for the curve, or gives no point of it; and as
        :meth:`boards.host.Client.operate` does.
    ValueError
        If the keys are of different curves, or a public key for X25519 has small order.
    """
    if isinstance(key, X25519PrivateKey) and isinstance(peer, X25519PublicKey):
        secret, clocks = _x25519(board, key, peer.public_bytes_raw())
    elif (isinstance(key, ec.EllipticCurvePrivateKey)
          and isinstance(peer, ec.EllipticCurvePublicKey) and key.curve.name == peer.curve.name):
        numbers = peer.public_numbers()
        (x, _), clocks = multiple(board, name_of_curve(key.curve),
                                  key.private_numbers().private_value, (numbers.x, numbers.y))
        secret = x.to_bytes(-(-key.key_size // 8), "big")
    else:
        own, other = _curve_of(key.public_key()), _curve_of(peer)
        raise ValueError(f"Both keys must be of one curve, but the private key is of {own} and the "
                         f"public key of {other}; give a public key of {own}")
    return SharedSecret(secret=secret, clocks=clocks)


def public_key(board: Client, key: AnyPrivateKey) -> PublicKey:
    """Return the public key of a private key; raises as :func:`exchange` does.

    A core for the base point does as well.
    """
    found: AnyPublicKey
    if isinstance(key, X25519PrivateKey):
        found = key.public_key()
        made, clocks = _x25519(board, key, _BASE)
        agrees = made == found.public_bytes_raw()
    else:
        found = key.public_key()
        (x, y), clocks = multiple(board, name_of_curve(key.curve),
                                  key.private_numbers().private_value)
        numbers = found.public_numbers()
        agrees = (x, y) == (numbers.x, numbers.y)
    return checked(found, agrees, clocks)


def checked(found: AnyPublicKey | Ed25519PublicKey, agrees: bool, clocks: int) -> PublicKey:
    """Return a public key with which the board agrees; :exc:`BoardError` says that it does not."""
    if not agrees:
        raise BoardError("The public key that the board computed is not that of the private key; "
                         "run its self-test")
    return PublicKey(key=found, clocks=clocks)


def _curve_of(key: AnyPublicKey) -> str:
    return _CURVE.name if isinstance(key, X25519PublicKey) else name_of_curve(key.curve)


def _x25519(board: Client, key: X25519PrivateKey, u: bytes) -> tuple[bytes, int]:
    """Return the octets of X25519 for those of a coordinate, and the clocks that it took."""
    board.require(KIND.name)
    scalar, coordinate = (int.from_bytes(octets, "little")
                          for octets in (key.private_bytes_raw(), u))
    if _CURVE.is_small(coordinate):
        raise ValueError("A public key for X25519 must have large order, but this one has small "
                         "order, and would give a secret of zeros; ask for another public key")
    try:
        result = board.operate(scalar, coordinate)
    except ValueError:
        # What the core refuses comes back as ones.
        raise BoardError("The board found the public key to have small order, and gave nothing; "
                         "run its self-test") from None
    return result.value.to_bytes(_CURVE.octets, "little"), result.clocks
