"""Elliptic-curve Diffie-Hellman by a board. No message shows a number that depends on the key."""

from __future__ import annotations

import dataclasses

from cryptography.hazmat.primitives.asymmetric import ec

from .host import BoardError, Client
from .points import multiple, name_of_curve

__all__ = ["PublicKey", "SharedSecret", "exchange", "public_key"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class SharedSecret:
    """What two sides have in common, each from its private key and the public key of the other.

    Attributes
    ----------
    secret : bytes
        First coordinate of the shared point, as long as the prime of the curve. A key is derived
        from it by a hash.
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

    key: ec.EllipticCurvePublicKey
    clocks: int


def exchange(board: Client, key: ec.EllipticCurvePrivateKey,
             peer: ec.EllipticCurvePublicKey) -> SharedSecret:
    """Return the secret that is shared with the owner of a public key.

    It is what ``key.exchange(ec.ECDH(), peer)`` returns, and ``openssl pkeyutl -derive`` writes.

    Raises
    ------
    BoardError
        If the board has no core for the curve, or gives no point of it; and as
        :meth:`boards.host.Client.operate` does.
    ValueError
        If the keys are of different curves.
    """
    own, other = (name_of_curve(each.curve) for each in (key, peer))
    if own != other:
        raise ValueError(f"Both keys must be of one curve, but the private key is of {own} and the "
                         f"public key of {other}; give a public key of {own}")
    numbers = peer.public_numbers()
    (x, _), clocks = multiple(board, key.curve, key.private_numbers().private_value,
                              (numbers.x, numbers.y))
    return SharedSecret(secret=x.to_bytes(-(-key.key_size // 8), "big"), clocks=clocks)


def public_key(board: Client, key: ec.EllipticCurvePrivateKey) -> PublicKey:
    """Return the public key of a private key; raises as :func:`exchange` does.

    A core for the base point does as well.
    """
    point, clocks = multiple(board, key.curve, key.private_numbers().private_value)
    found = key.public_key()
    if point != (found.public_numbers().x, found.public_numbers().y):
        raise BoardError("The public key that the board computed is not that of the private key; "
                         "run its self-test")
    return PublicKey(key=found, clocks=clocks)
