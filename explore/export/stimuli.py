"""What the testbench sends, and what must come back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from ..simulation import edge_vectors, random_vectors, stimulus

if TYPE_CHECKING:
    from montgomery.core import CoreParameters

__all__ = ["stimuli"]

#: In the testbench a receiver or sender that stalls does so in about half of the clocks.
_PATIENCE = 8


def stimuli(params: CoreParameters, count: int, seed: int) -> dict[str, Any]:
    """Return what the template of the testbench asks for.

    Operations are the edge cases and ``count`` random ones, each with the words of all streams and
    its clocks from the last word sent to the first one received.
    """
    vectors = [*edge_vectors(params), *random_vectors(params, count, seed)]
    operations, i_words, k_words, o_words = [], [], [], []
    for vector, key in zip(vectors, stimulus(params, vectors).keys or repeat([]), strict=False):
        i_words += params.encode(*vector)
        k_words += key
        o_words += params.result(*vector)
        operations.append({
            "text": ", ".join(f"{name} {value:#x}"
                              for name, value in zip(params.inputs, vector, strict=True)),
            "i_end": len(i_words), "k_end": len(k_words), "o_end": len(o_words),
            "compute": params.cycles_of(*vector).compute})
    longest = max(cycles.interval + cycles.load_key
                  for cycles in (params.cycles_of(*vector) for vector in vectors))
    return {"operations": operations, "i_words": _literals(i_words, params.i_width),
            "k_words": _literals(k_words, params.k_width),
            "o_words": _literals(o_words, params.o_width),
            "limit": _PATIENCE * longest + 1000}


def _literals(words: Sequence[int], width: int) -> list[str]:
    return [f"{width}'h{word:x}" for word in words]
