"""Elliptic-curve Diffie-Hellman by a board. No message shows a number that depends on the key."""

from __future__ import annotations

import dataclasses
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from montgomery.kinds.scalar_multiplication import KIND

from .host import BoardError, Client

__all__ = ["PublicKey", "SharedSecret", "exchange", "public_key"]

#: From names of curves in SEC 2 to those in FIPS 186-4, where they have one.
_NAMES = {f"secp{bits}r1": f"P-{bits}" for bits in (192, 224, 256, 384, 521)}


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
    own, other = (_name(each.curve) for each in (key, peer))
    if own != other:
        raise ValueError(f"Both keys must be of one curve, but the private key is of {own} and the "
                         f"public key of {other}; give a public key of {own}")
    numbers = peer.public_numbers()
    (x, _), clocks = _multiple(board, key, (numbers.x, numbers.y))
    return SharedSecret(secret=x.to_bytes(-(-key.key_size // 8), "big"), clocks=clocks)


def public_key(board: Client, key: ec.EllipticCurvePrivateKey) -> PublicKey:
    """Return the public key of a private key; raises as :func:`exchange` does."""
    point, clocks = _multiple(board, key, None)
    found = key.public_key()
    if point != (found.public_numbers().x, found.public_numbers().y):
        raise BoardError("The public key that the board computed is not that of the private key; "
                         "run its self-test")
    return PublicKey(key=found, clocks=clocks)


def _multiple(board: Client, key: ec.EllipticCurvePrivateKey,
              point: tuple[int, int] | None) -> tuple[tuple[int, int], int]:
    """Return the multiple of a point, of the base point if None, by a key, and its clocks."""
    board.require(KIND.name)
    core: Any = board.info.parameters
    curve = core.domain
    if (name := _name(key.curve)) != curve.name:
        raise BoardError(f"The {KIND.noun} on the board is for the curve {curve.name}, and the "
                         f"key is of {name}; take a key of {curve.name}")
    try:
        result = board.operate(key.private_numbers().private_value, *(point or curve.base))
    except ValueError:
        # What the core refuses comes back as ones, for which there is no product.
        raise BoardError(f"The board found its operands or its result to be no point of "
                         f"{curve.name}, and gave nothing; run its self-test") from None
    bits = core.word_width * core.field_words
    x, y = result.value % (1 << bits), result.value >> bits
    # A wrong point would tell of the key. Infinity, which is (0, 0), is no multiple by a key.
    if not curve.contains(x, y):
        raise BoardError(f"The board gave no point of {curve.name} as the product; run its "
                         "self-test")
    return (x, y), result.clocks


def _name(curve: ec.EllipticCurve) -> str:
    return _NAMES.get(curve.name, curve.name)
