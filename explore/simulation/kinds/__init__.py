"""What verification and documents know of each kind of core, a module for each kind."""

from __future__ import annotations

import functools
import importlib
import random

from montgomery import CoreParameters
from montgomery.core import kind_of

from .base import Adapter, Example, Vector

__all__ = ["Adapter", "Example", "Vector", "adapter", "edge_vectors", "random_vectors"]


@functools.lru_cache(maxsize=64)
def adapter(params: CoreParameters) -> Adapter:
    """Return the :class:`Adapter` of a core."""
    module = kind_of(params).adapter or f"{__name__}.{kind_of(params).name}"
    return importlib.import_module(module).Adapter(params)


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
