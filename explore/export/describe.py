"""What the documentation of an exported core says, from its parameters and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

    from montgomery import Parameters
    from montgomery.core import CoreParameters

__all__ = ["description", "markdown"]

_MEANING = {
    "load": "from the first word of the operands accepted to the last, both counted",
    "compute": "from the last word of the operands accepted to the first word of the result ready",
    "unload": "from the first word of the result ready to the last handed over, both counted",
    "interval": "from a result to the next one that depends on it",
    "initiation": "from a result to the next one of independent operations sent back to back"}


def description(params: CoreParameters, component: Component) -> dict[str, Any]:
    """Return what the template of the documentation asks for; ``component`` is the core itself."""
    describe = {"multiplier": _multiplier, "exponentiator": _exponentiator,
                "decryption": _decryption}[params.kind]
    return {
        "title": f"{params.summary[0].upper()}{params.summary[1:]}; for odd moduli of up to "
                 f"{params.width} bits.",
        "source": params.source.rstrip("."), "i_width": params.i_width, "o_width": params.o_width,
        "parameters": [{"name": field.name, "value": getattr(params, field.name),
                        "help": field.metadata["help"]} for field in dataclasses.fields(params)],
        # What it is made with, and its ports, stand above.
        "docstring": markdown((inspect.getdoc(component) or "").partition("\nParameters\n")[0]),
        **describe(params)}


def _multiplier(params: Parameters) -> dict[str, Any]:
    bound = _bound(params)
    rows = params.operands
    side_by_side = params.i_width != params.o_width
    power = params.r & (params.r - 1) == 0
    r = f"2^{params.r.bit_length() - 1}" if power else str(params.r)
    lines = [_table(("operand", "bits" if side_by_side else "words"),
                    [(f"`{operand}`", words * params.o_width if side_by_side else words)
                     for operand, words in rows])]
    if side_by_side:
        how = ("A word of port `i` is a whole multiplication: the operands side by side, the first "
               "one in the lowest bits.")
    else:
        order = ", each with its least significant word first" if params.positional else ""
        how = (f"A multiplication is sent in {sum(words for _, words in rows)} words of "
               f"{params.i_width} bits, the operands in this order{order}.")
    order = ", the least significant one first" if params.positional else ""
    received = (f"A result comes in {params.result_words} words of {params.o_width} bits{order}."
                if params.result_words > 1 else f"A result is one word of {params.o_width} bits.")
    if not params.positional:
        received = f"{markdown(inspect.getdoc(params.encode) or '')}\n\n{received}"
    return {
        "result": f"x y R⁻¹ mod m, as a number below {bound}. x and y must be below {bound} too, "
                  "so that results may be operands.",
        "constants": [("R", r), ("operands and results are below", bound),
                      ("modulus m", _moduli(params) + ("" if power else ", coprime to R"))],
        "words": "\n\n".join([how, *lines, received]),
        "timed": "every multiplication",
        "cycles": [*_cycles(params.cycles), ("initiation", params.initiation,
                                             _MEANING["initiation"])]}


def _exponentiator(params: CoreParameters) -> dict[str, Any]:
    return {
        "result": "base^exponent mod m, below m.",
        "constants": [("base", "below m"), ("modulus m", _moduli(params)),
                      ("exponent", f"of up to {params.longest_exponent} bits")],
        "timed": f"an exponent of {params.longest_exponent} ones", **_exponentiation(params)}


def _decryption(params: CoreParameters) -> dict[str, Any]:
    bits = params.longest_exponent
    return {
        "result": "A number below m = p q, which is message^exponent_p modulo p, and "
                  "message^exponent_q modulo q. With a private exponent d modulo p - 1 and q - 1, "
                  "it is message^d mod m.",
        "constants": [("message", "below m"), ("modulus m", f"of up to {params.width} bits"),
                      ("factors p and q", f"odd and coprime, from 3 to 2^{bits} - 1"),
                      ("exponents", f"of up to {bits} bits")],
        "timed": f"exponents of {bits} ones", **_exponentiation(params)}


def _exponentiation(params: CoreParameters) -> dict[str, Any]:
    received = f"A result comes in {params.result_words} words, the least significant one first."
    return {"words": f"{markdown(inspect.getdoc(params.encode) or '')}\n\n{received}",
            "cycles": _cycles(params.cycles_of(*params.longest))}


def _cycles(cycles: Any) -> list[tuple[str, int, str]]:
    return [(name, count, _MEANING[name]) for name, count in dataclasses.asdict(cycles).items()]


def _moduli(params: CoreParameters) -> str:
    return f"odd, from 3 to 2^{params.width} - 1"


def _bound(params: Parameters) -> str:
    moduli = (3, 5, 7, (1 << params.width) - 1)
    factors = {divmod(params.bound(modulus), modulus) for modulus in moduli}
    if len(factors) == 1 and (found := factors.pop())[1] == 0:
        return "m" if found[0] == 1 else f"{found[0]} m"
    return "a bound that depends on the modulus (`bound` of its `Parameters`)"


def _table(head: Sequence[Any], rows: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def markdown(docstring: str) -> str:
    """Return a docstring, which is reStructuredText after numpydoc, as Markdown.

    Its sections become headings, and roles the text they stand for. Paragraphs that end in two
    colons end in one; what is set in by four columns after them is code in both.
    """
    text = re.sub(r"(?m)^(\w[\w ]*)\n-{3,}$", r"### \1\n", docstring)
    text = re.sub(r":(?:py|[a-z]+):(?:[a-z]+:)?`([^`]+)`", lambda match: _target(match[1]), text)
    text = text.replace("``", "`")
    return re.sub(r"(?m)::$", ":", text)


def _target(text: str) -> str:
    # text <package.Name> stands for text, ~.package.Name for Name, and !Name for Name.
    text, bracket, _ = text.partition(" <")
    if bracket:
        return text
    name = text.lstrip("!")
    if name.startswith("~"):
        name = name.rpartition(".")[2]
    return f"`{name.lstrip('.')}`"
