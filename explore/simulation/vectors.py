"""Operands that compare a core with its model."""

from __future__ import annotations

import random

from montgomery import CoreParameters

__all__ = ["Vector", "edge_vectors", "random_vectors"]

#: The inputs of an operation, as its core names them: two operands and the modulus, or base,
#: exponent and modulus, or a message, two exponents and the factors of a modulus.
Vector = tuple[int, ...]


def edge_vectors(params: CoreParameters) -> list[Vector]:
    """Return the operands most likely to go wrong, or to take another number of clocks.

    The kind of the core knows them: :meth:`montgomery.CoreParameters.edge_operands`.
    """
    return params.edge_operands()


def random_vectors(params: CoreParameters, count: int, seed: int) -> list[Vector]:
    """Return ``count`` random operands; most moduli have full length, some are shorter.

    Exponents are short.
    """
    rng = random.Random(f"{params!r} {seed}")
    return [params.random_operands(rng, shorter=index % 4 == 3) for index in range(count)]
