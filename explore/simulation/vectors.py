"""Operands for the comparison of a core with its model."""

from __future__ import annotations

import random

from montgomery import CoreParameters

from .kinds import adapter

__all__ = ["Vector", "edge_vectors", "random_vectors"]

#: The inputs of an operation, as its core names them: two operands and the modulus, or base,
#: exponent and modulus, or a message, two exponents and the factors of a modulus.
Vector = tuple[int, ...]


def edge_vectors(params: CoreParameters) -> list[Vector]:
    """Return the operands that most likely give a wrong result or another number of clocks.

    They are those of :meth:`explore.simulation.kinds.base.Adapter.edges`.
    """
    return adapter(params).edges()


def random_vectors(params: CoreParameters, count: int, seed: int) -> list[Vector]:
    """Return the random operands of ``count`` operations.

    Three of four moduli have full length; the others may be shorter. Exponents are short.
    """
    rng = random.Random(f"{params!r} {seed}")
    return [adapter(params).sample(rng, shorter=index % 4 == 3) for index in range(count)]
