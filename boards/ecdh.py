"""Multiples of points by a board, and key agreement: ECDH, X25519, X448.

No message shows a number that depends on a scalar or a key.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from montgomery.core import Kind, kind_of
from montgomery.kinds.base_multiplication import KIND as BASE
from montgomery.kinds.key_agreement import KIND as AGREEMENT
from montgomery.kinds.scalar_multiplication import KIND as SCALAR
from montgomery.numbers.catalogue import EDWARDS, MONTGOMERY
from montgomery.numbers.curves import EdwardsCurve, MontgomeryCurve, WeierstrassCurve

from .host import BoardError, Client
from .keys import AnyPrivateKey, AnyPublicKey, MontgomeryPrivateKey, MontgomeryPublicKey

__all__ = ["PublicKey", "SharedSecret", "checked", "exchange", "multiple", "name_of_curve",
           "public_key", "require_curve"]

#: From names of curves in SEC 2 to those in FIPS 186-4, where they have one.
_NAMES = {f"secp{bits}r1": f"P-{bits}" for bits in (192, 224, 256, 384, 521)}


def name_of_curve(curve: ec.EllipticCurve) -> str:
    """Return the name of a curve in the catalogue of curves, if it is there."""
    return _NAMES.get(curve.name, curve.name)


def require_curve(board: Client, curve: str, kind: Kind = BASE) -> WeierstrassCurve | EdwardsCurve:
    """Return the curve of the core on a board, which must be that of a key, by name.

    Multiples of the base point, of kind :data:`BASE`, are made by cores for any point, too.
    :exc:`BoardError` says that the core is of another kind or curve.
    """
    core: Any = board.info.parameters
    if kind_of(core).name != kind.name:
        board.require((SCALAR if kind is BASE and curve not in EDWARDS else kind).name)
    if curve != core.domain.name:
        raise BoardError(f"The {kind_of(core).noun} on the board is for the curve "
                         f"{core.domain.name}, and the key is of {curve}; take a key of "
                         f"{core.domain.name}")
    return core.domain


def multiple(board: Client, curve: str, scalar: int,
             point: tuple[int, int] | None = None) -> tuple[tuple[int, int], int]:
    """Return the multiple of a point, of the base point if None, and the clocks that it took.

    :exc:`.BoardError` says that the board gives no point of the curve, and what
    :func:`require_curve` and :meth:`boards.host.Client.operate` say.
    """
    domain = require_curve(board, curve, SCALAR if point else BASE)
    core: Any = board.info.parameters
    takes_point = kind_of(core).name == SCALAR.name
    try:
        result = board.operate(scalar, *(point or domain.base if takes_point else ()))
    except ValueError:
        # What the core refuses comes back as ones, for which there is no product.
        raise BoardError(f"The board found its operands or its result to be no point of "
                         f"{domain.name}, and gave nothing; run its self-test") from None
    bits = core.word_width * core.field_words
    x, y = result.value % (1 << bits), result.value >> bits
    # A wrong point would tell of the scalar. Infinity, which is (0, 0), is no multiple by a key.
    if not domain.contains(x, y):
        raise BoardError(f"The board gave no point of {domain.name} as the product; run its "
                         "self-test")
    return (x, y), result.clocks


@dataclasses.dataclass(frozen=True, kw_only=True)
class SharedSecret:
    """What two sides have in common, each from its private key and the public key of the other.

    Attributes
    ----------
    secret : bytes
        First coordinate of the shared point, as long as the prime of the curve; of X25519 and
        X448 the lowest octet comes first. A key is derived from it by a hash.
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

    It is what ``key.exchange`` returns, and ``openssl pkeyutl -derive`` writes. :exc:`.BoardError`
    says that the board has no core for the curve, or gives no point of it, and what
    :meth:`boards.host.Client.operate` says; :exc:`ValueError` that the keys are of different
    curves, or that a public key for X25519 or X448 has small order.
    """
    own, other = _curve_of(key.public_key()), _curve_of(peer)
    if own != other:
        raise ValueError(f"Both keys must be of one curve, but the private key is of {own} and the "
                         f"public key of {other}; give a public key of {own}")
    public: Any = peer
    if isinstance(key, MontgomeryPrivateKey):
        secret, clocks = _by_first(board, key, public.public_bytes_raw())
    else:
        numbers = public.public_numbers()
        (x, _), clocks = multiple(board, own, key.private_numbers().private_value,
                                  (numbers.x, numbers.y))
        secret = x.to_bytes(-(-key.key_size // 8), "big")
    return SharedSecret(secret=secret, clocks=clocks)


def public_key(board: Client, key: AnyPrivateKey) -> PublicKey:
    """Return the public key of a private key; raises as :func:`exchange` does.

    A core for the base point does as well.
    """
    found: AnyPublicKey
    if isinstance(key, MontgomeryPrivateKey):
        found, curve = key.public_key(), _montgomery(key)
        made, clocks = _by_first(board, key, curve.u.to_bytes(curve.octets, "little"))
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
    if isinstance(key, MontgomeryPublicKey):
        return _montgomery(key).name
    return name_of_curve(key.curve)


def _montgomery(key: MontgomeryPrivateKey | MontgomeryPublicKey) -> MontgomeryCurve:
    is_short = isinstance(key, X25519PrivateKey | X25519PublicKey)
    return MONTGOMERY["Curve25519" if is_short else "Curve448"]


def _by_first(board: Client, key: MontgomeryPrivateKey, u: bytes) -> tuple[bytes, int]:
    """Return the octets of X25519 or X448 for those of a coordinate, and the clocks it took."""
    curve = _montgomery(key)
    require_curve(board, curve.name, AGREEMENT)
    scalar, coordinate = (int.from_bytes(octets, "little")
                          for octets in (key.private_bytes_raw(), u))
    if curve.is_small(coordinate):
        raise ValueError(f"A public key for {curve.function} must have large order, but this one "
                         "has small order, and would give a secret of zeros; ask for another "
                         "public key")
    try:
        result = board.operate(scalar, coordinate)
    except ValueError:
        # What the core refuses comes back as ones.
        raise BoardError("The board found the public key to have small order, and gave nothing; "
                         "run its self-test") from None
    return result.value.to_bytes(curve.octets, "little"), result.clocks
