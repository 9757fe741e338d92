"""A testbench in Python for a core on a bus, by models of buses that others made for cocotb."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from montgomery.bus.registers import BITS
from montgomery.core import cycles_of, expected_words, key_of, traits

from .verilog import render

if TYPE_CHECKING:
    from montgomery.bus import RegisterMap

__all__ = ["cocotb_bench"]

#: Columns of the lines of registers.
_LINE = 92
_MODELS = {"axi-lite": "cocotbext-axi", "wishbone": "cocotbext-wishbone", "apb": "cocotbext-apb"}


def cocotb_bench(registers: RegisterMap, context: Mapping[str, Any],
                 vectors: Sequence[tuple[int, ...]]) -> str:
    """Return a testbench that does operations on some inputs, amid other accesses.

    ``context`` is what templates of cores on buses ask for.
    """
    p = registers.params

    def listed(name: str, words: Sequence[int]) -> str:
        parts = registers.window(name).slots_per_word if words else 0
        numbers = [f"{word >> BITS * part & 0xFFFFFFFF:#x}"
                   for word in words for part in range(parts)]
        return textwrap.indent(textwrap.fill(f"[{', '.join(numbers)}]", _LINE), " " * 6).lstrip()

    operations = []
    for vector in vectors:
        key = p.encode_key(*key_of(p, *vector)) if p.k_words else []
        sent, received = p.encode(*vector), expected_words(p, *vector)
        refused = traits(p).checks and all(
            word == (1 << registers.window("RESULT").width) - 1 for word in received)
        operations.append({
            "key": listed("KEY", key), "key_words": len(key),
            "operands": listed("OPERANDS", sent), "words": len(sent),
            "result": listed("RESULT", received), "refused": refused,
            "clocks": cycles_of(p, *vector).compute})
    return render("test_bus.py", {**context, "operations": operations,
                                  "model": _MODELS[context["bus"]], "has_key": bool(p.k_words)})
