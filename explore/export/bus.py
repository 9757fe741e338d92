"""What is exported with a core on a bus: its registers in several languages, and a testbench."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from montgomery.bus import BUSES
from montgomery.bus.registers import BITS, CONTROL, STATUS
from montgomery.core import cycles_of, expected_words, key_of, traits

from ..simulation import edge_vectors, random_vectors
from . import driver
from .verilog import document, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from montgomery.bus import BusCore, RegisterMap
    from montgomery.bus.buses import Bus

__all__ = ["files", "interface", "renamed", "transactions"]

_START, _LOAD, _CLEAR = 1, 2, 4
_DONE, _HAS_KEY, _ERROR_KEY, _ERROR_WORDS = 2, 8, 1 << 9, 1 << 10
#: All bits of STATUS that writing 1 clears.
_ALL = 0x706
#: Models of buses that others made for cocotb, and columns of the lines of words.
_MODELS = {"axi-lite": "cocotbext-axi", "wishbone": "cocotbext-wishbone", "apb": "cocotbext-apb"}
_LINE = 92


def interface(registers: RegisterMap, bus: Bus) -> dict[str, Any]:
    """Return what the templates ask for about a bus and the registers on it."""
    members = bus.members(registers.address_bits)
    clock = ("bus_clk", "bus_rst") if registers.own_clock else ("clk", "rst")
    ports = [{"name": f"{bus.prefix}_{name}", "bits": member.shape,
              "direction": member.flow.name.lower()} for name, member in members.items()]
    return {"bus": next(name for name, each in BUSES.items() if each is bus),
            "bus_title": bus.title, "bus_ports": ports,
            "clocks": bus.clocks(registers), "limit": max(registers.params.cycles.interval, 1000),
            "registers": registers.registers, "windows": registers.windows,
            "size": registers.size, "address_bits": registers.address_bits,
            "bus_clk": clock[0], "bus_rst": clock[1], "own_clock": registers.own_clock,
            "clear": registers.clear}


def transactions(registers: RegisterMap, vectors: list[tuple[int, ...]]
                 ) -> Iterator[tuple[str, int, int]]:
    """Yield what software does to have a core do operations: kind of access, offset and data.

    The data of a ``read`` are what must come back, those of an ``end`` the STATUS when the core is
    no longer busy.
    """
    p = registers.params
    control, status = 4 * CONTROL, 4 * STATUS

    def put(name, words):
        window = registers.window(name)
        for index, word in enumerate(words):
            for part in range(window.slots_per_word):
                yield ("write", window.offset + 4 * (index * window.slots_per_word + part),
                       word >> 32 * part & 0xFFFFFFFF)

    def command(bits, words, ends):
        yield "write", control, bits | words << 16
        yield "end", status, ends
        yield "write", status, _ALL

    for register in registers.registers:
        yield "read", register.offset, register.value
    before, has_key = None, 0
    yield from command(_START, 0, _ERROR_WORDS)
    if p.k_words:
        yield from command(_START, p.i_words, _ERROR_KEY)
    for vector in vectors:
        if p.k_words and key_of(p, *vector) != before:
            before, has_key = key_of(p, *vector), _HAS_KEY
            words = p.encode_key(*before)
            yield from put("KEY", words)
            yield from command(_LOAD, len(words), _DONE | _HAS_KEY)
        words = p.encode(*vector)
        yield from put("OPERANDS", words)
        yield from command(_START, len(words), _DONE | has_key)
        for (_, offset, data) in put("RESULT", expected_words(p, *vector)):
            yield "read", offset, data
    # Clear it while it computes: no key stays, and after it all is as before.
    yield "write", control, _START | p.i_words << 16
    yield from command(_CLEAR, 0, _DONE)
    if p.k_words:
        yield from command(_START, p.i_words, _ERROR_KEY)


def _for_cocotb(registers: RegisterMap, vectors: Sequence[tuple[int, ...]]) -> list[dict[str, Any]]:
    """Return operations as the testbench in Python, for cocotb, does them amid other accesses."""
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
    return operations


def files(core: BusCore, name: str, context: dict[str, Any], count: int, seed: int
          ) -> dict[str, tuple[str, str]]:
    """Return the names and texts of the files that belong to a core with registers.

    ``context`` is what templates of all exports ask for; the testbench has the edge cases and
    ``count`` random operations.
    """
    registers = core.registers
    params = registers.params
    vectors = [*edge_vectors(params), *random_vectors(params, count, seed)]
    codes = {"write": 0, "read": 1, "end": 2}
    drivers = driver.files(params, registers, name)
    context = {
        **context, **interface(registers, core.bus), "operations": len(vectors),
        "accesses": [(codes[kind], offset, data)
                     for kind, offset, data in transactions(registers, vectors)],
        "core_sources": [f"{name}.v"], "driver_files": [*drivers],
        "class_name": "".join(part.capitalize() for part in name.split("_"))}
    found = {"testbench": (f"{name}_tb.sv", render("bus_testbench.sv", context)),
             "documentation": (f"{name}.md", document(context, "bus.md")),
             "cocotb": (f"test_{name}.py", render("test_bus.py", {
                 **context, "operations": _for_cocotb(registers, vectors),
                 "model": _MODELS[context["bus"]], "has_key": bool(params.k_words)})),
             "registers": (f"{name}.rdl", render("registers.rdl", context)),
             **{file: (file, text) for file, text in drivers.items()}}
    if core.bus is BUSES["wishbone"]:
        found["litex"] = f"{name}_litex.py", render("litex.py", context)
    return found


#: Names of the ports of a core, and those of AXI4-Stream.
_STREAMS = {"i": "s_axis", "k": "s_axis_key", "o": "m_axis"}
_SIGNALS = {"payload": "tdata", "valid": "tvalid", "ready": "tready"}
_PORT = re.compile(r"(?<![A-Za-z_])([iko])_(payload|valid|ready)\b")


def renamed(texts: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return texts that have the names of AXI4-Stream for the ports of a core."""
    return {kind: (file, _PORT.sub(
        lambda match: f"{_STREAMS[match[1]]}_{_SIGNALS[match[2]]}", text))
        for kind, (file, text) in texts.items()}
