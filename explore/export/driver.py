"""The C driver of an exported core: the core as data, which one program for all cores reads.

No formula is written a second time in C: each becomes :mod:`~explore.export.steps`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from montgomery.core import input_names, key_names, kind_of, option_names, results_of, traits
from montgomery.kinds.exponentiator import BLINDING_BITS

from .steps import Program, Untranslated, named
from .verilog import render

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["files"]

#: Polls of STATUS for a clock of the core, which may be so much slower than the bus, and at least.
_PATIENCE, _LEAST_POLLS = 16, 16_000
#: Bits of a limb; limbs and words by which montgomery.c has more than a number, and numbers by
#: which it has more than names and the stack.
_LIMB, _MORE_WORDS, _SCRATCH = 32, 4, 8
#: Bits by which a product is longer than two numbers of a message.
_MARGIN = 128

# What the driver computes beside messages: numbers, and what has to be true, or else is the error.
# The modulus _n is that of an RSA key, or 0 if only words of the key are known; the public exponent
# _e and the order of the group are 0 if the user of the driver tells none.
_RSA = "_n", "_e", "_order"
_BEFORE_MESSAGE = """
assert _n or _e == 0, NO_KEY
_m = _n or 2**{width}
assert {x} < _m
_r = random((0 < _e) * (_n.bit_length() + 32)) % _m or 1
_inverse = pow(_r, -1, _m)
_message = {x}
{x} = {x} * pow(_r, _e, _m) % _m
"""
_AFTER_RESULT = """
_result = join(words) * _inverse % _m
assert _e == 0 or pow(_result, _e, _m) == _message, REFUSED
"""
_BEFORE_EXPONENT = """
assert {factor} % 2
assert {factor} < 2**{bits}
_of_{factor} = random({blinding} * (0 < ({order})))
{exponent} = {exponent} + _of_{factor} * ({order})
"""
_BEFORE_KEY = """
exponent_bits = exponent_bits + {blinding} * (0 < _of_{factor})
assert max({exponents}).bit_length() < exponent_bits + 1
assert exponent_bits < {bits} + {blinding} + 1
_n = {modulus}
assert 1 < _n
assert _n < 2**{width}
"""
_BEFORE_MODULUS = """
assert modulus % 2
assert 1 < modulus
assert modulus < 2**{width}
"""


def files(params: CoreParameters, registers: Any, name: str) -> dict[str, str]:
    """Return the texts of the driver's files, by their names: two that all cores share, and data.

    ``registers`` is the core's ``montgomery.bus.registers.RegisterMap``. The data are the ``struct
    mont_core NAME_core`` in ``NAME.h``. Where a formula cannot be translated, as of hash cores,
    they have the lengths of messages alone. Else ``NAME_uio.c`` is a program for Linux.
    """
    folder = Path(__file__).with_name("templates")
    shared = {file: (folder / file).read_text() for file in ("montgomery.h", "montgomery.c")}
    context = {"name": name, "size": registers.size, **_core(params, registers)}
    program = {f"{name}_uio.c": render("uio.c", context)} if context["limbs"] else {}
    return {**shared, f"{name}.h": render("core.h", context), **program}


def _core(params: CoreParameters, registers: Any) -> dict[str, Any]:
    """Return what the template of the data asks for."""
    kind, own, results = kind_of(params), key_names(params), results_of(params)
    first = list(_RSA) if kind.does_rsa else []
    operands = [name for name in input_names(params)
                if name not in own and name in named(params.operands)]
    key = [*own, *option_names(params)] if own else []
    outputs = _outputs(params)
    pool: list[int] = []
    sent = Program(pool, params.operands, [*first, *operands], len(first))
    keys = Program(pool, params.key_operands, [*first, *key], len(first))
    received = Program(pool, results, sent.names, len(first))
    try:
        sent.message(_before_operands(params, operands))
        keys.message(_before_key(params, key))
        received.numbers(_AFTER_RESULT if first else "", outputs.values())
    except Untranslated:
        sent.steps = keys.steps = received.steps = []
        first = []
        pool.clear()
    programs = (("OPERANDS", sent, operands), ("KEY", keys, key), ("RESULT", received, outputs))
    windows = {window.name: window for window in registers.windows}
    words = [_limbs(number) for number in pool]
    limbs = slots = buffer = 0
    if received.steps:
        longest = max([params.width, *(number.bit_length() for number in pool), *(
            (field.bits or message.width) * field.words
            for message in (params.operands, params.key_operands, results)
            for field in message.fields)])
        limbs = -(-(2 * longest + _MARGIN) // _LIMB)
        slots = _SCRATCH + max(len(each.names) for _, each, _ in programs) + max(
            each.highest for _, each, _ in programs)
        buffer = max(window.slots for window in registers.windows)
    constants = {register.name: register.value for register in registers.registers}
    cycles, domain = params.cycles, getattr(params, "domain", None)
    clocks = cycles.load_key + cycles.load + cycles.compute + cycles.unload
    return {
        "kind": kind, "width": params.width, "kept": len(first),
        "number": constants["CAPABILITIES"] & 0xFF, "crc": constants["CORE"],
        "polls": min(_PATIENCE * clocks + _LEAST_POLLS, 2**32 - 1),
        "digest_bits": domain.n.bit_length() if domain else 0,
        "messages": [
            {"name": name.lower(), "message": program.source, "inputs": list(names),
             "window": windows[name].offset if name in windows else 0,
             "optional": program.optional(names), "length": sum(map(len, program.steps)),
             "code": _wrapped(word for step in program.steps for word in step)}
            for name, program, names in programs],
        "buffer": buffer, "limbs": limbs, "slots": slots,
        "work": buffer + slots * (limbs + _MORE_WORDS) or 1,
        "starts": _wrapped(sum(map(len, words[:index])) for index in range(len(words) + 1)),
        "pool": _wrapped(f"0x{limb:x}" for number in words for limb in number)}


def _limbs(number: int) -> list[int]:
    return [number >> index & (1 << _LIMB) - 1 for index in range(0, number.bit_length(), _LIMB)]


def _wrapped(items: Iterable[object]) -> str:
    return textwrap.fill(", ".join(map(str, items)) or "0", 96, initial_indent="    ",
                         subsequent_indent="    ")


def _outputs(params: CoreParameters) -> dict[str, str]:
    """Return formulas of what a result holds, by name: of two numbers, if it is a point."""
    value, words = results_of(params).value, getattr(params, "field_words", 0)
    if not words or params.result_words != 2 * words:
        return {"result": "_result" if kind_of(params).does_rsa else value}
    bits = words * params.word_width
    return {"x": f"{value} % 2**{bits}", "y": f"{value} >> {bits}"}


def _before_operands(params: CoreParameters, operands: Sequence[str]) -> str:
    if kind_of(params).does_rsa:
        return _BEFORE_MESSAGE.format(x=operands[0], width=params.width)
    return _BEFORE_MODULUS.format(width=params.width) if "modulus" in operands else ""


def _before_key(params: CoreParameters, key: Sequence[str]) -> str:
    if not kind_of(params).does_rsa:
        return _BEFORE_MODULUS.format(width=params.width) if "modulus" in key else ""
    count = len(key) // 2
    exponents, factors = key[:count], key[count:2 * count]
    # Of a modulus without factors, also of p with q = 1, the driver must be told the order.
    orders = ["_order"] if count == 1 else [
        "(1 < q) * (p - 1) or _order" if traits(params).single_factor else "p - 1", "q - 1"]
    common = {"bits": -(-params.width // count), "blinding": BLINDING_BITS, "width": params.width}
    lengths = ", ".join(f"{name}.bit_length()" for name in key[:2 * count])
    return "".join([
        f"exponent_bits = exponent_bits or max({lengths})",
        *(_BEFORE_EXPONENT.format(exponent=exponent, factor=factor, order=order, **common)
          for exponent, factor, order in zip(exponents, factors, orders, strict=True)),
        _BEFORE_KEY.format(exponents=", ".join([*exponents, "0"]), factor=factors[0],
                           modulus=" * ".join(factors), **common)])
