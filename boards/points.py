"""Multiples of points by a board. No message shows a number that depends on the scalar."""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from montgomery.core import Kind, kind_of
from montgomery.kinds.base_multiplication import KIND as BASE
from montgomery.kinds.scalar_multiplication import KIND
from montgomery.numbers.catalogue import EDWARDS
from montgomery.numbers.curves import EdwardsCurve, WeierstrassCurve

from .host import BoardError, Client

__all__ = ["multiple", "name_of_curve", "require_curve"]

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
        board.require((KIND if kind is BASE and curve not in EDWARDS else kind).name)
    if curve != core.domain.name:
        raise BoardError(f"The {kind_of(core).noun} on the board is for the curve "
                         f"{core.domain.name}, and the key is of {curve}; take a key of "
                         f"{core.domain.name}")
    return core.domain


def multiple(board: Client, curve: str, scalar: int,
             point: tuple[int, int] | None = None) -> tuple[tuple[int, int], int]:
    """Return the multiple of a point, of the base point if None, and the clocks that it took.

    Raises
    ------
    BoardError
        If the board gives no point of the curve; and as :func:`require_curve` and
        :meth:`boards.host.Client.operate` do.
    """
    domain = require_curve(board, curve, KIND if point else BASE)
    core: Any = board.info.parameters
    takes_point = kind_of(core).name == KIND.name
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
