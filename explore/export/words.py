"""The words of a core's ports, in sentences and as Python that makes and reads them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from montgomery.core import input_names, key_names, option_names, plural, results_of, traits

if TYPE_CHECKING:
    from montgomery import CoreParameters
    from montgomery.core import Field, Message, Number

__all__ = ["words"]


def words(params: CoreParameters) -> dict[str, Any]:
    """Return what the templates of the documentation ask for about words."""
    from ..simulation.kinds import adapter

    operation = adapter(params).kind.operation
    inputs, options, key = input_names(params), option_names(params), key_names(params)
    messages = {"operands": params.operands, "key_operands": params.key_operands,
                "results": results_of(params)}
    fixed, changing = _sorted_out(messages.values(), (*inputs, *options))
    own = inputs[:len(inputs) - len(key)]
    given = [f"{name}=None" for name in options]
    return {
        "definitions": fixed, "i_width": params.operands.width, "o_width": results_of(params).width,
        "k_width": params.key_operands.width,
        **{name: _fields(message) for name, message in messages.items()},
        **{f"{name}_numbers": [number for number in message.numbers if number in changing
                               and _needed(number, message)]
           for name, message in messages.items()},
        "arguments": ", ".join([*own, *([] if key else given)]),
        "key_arguments": ", ".join([*key, *given]),
        "side_by_side": params.operands.beside, "keeps": traits(params).keeps_results,
        "key_sent": _sent("key", "port k", params.key_operands),
        "sent": _sent(operation, "port i", params.operands),
        "received": f"A result comes in {plural(params.result_words, 'word')} of "
                    f"{results_of(params).width} bits: {results_of(params).fields[0].meaning}.",
        "decoded": results_of(params).value}


def _names(formula: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(formula, mode="eval"))
            if isinstance(node, ast.Name)}


def _sorted_out(messages: Collection[Message], inputs: Sequence[str]
                ) -> tuple[list[Number], list[Number]]:
    """Return the numbers that are the same for all operations, and the others."""
    fixed, changing, varies = [], [], {*inputs, "words"}
    for number in dict.fromkeys(number for message in messages for number in message.numbers):
        if _names(number.formula) & varies:
            varies.add(number.name)
            changing.append(number)
        else:
            fixed.append(number)
    return fixed, changing


def _needed(number: Number, message: Message) -> bool:
    """Return whether a formula of a message names a number."""
    formulas = [*(field.formula or field.name for field in message.fields),
                *(other.formula for other in message.numbers)]
    return any(number.name in _names(formula) for formula in formulas)


def _fields(message: Message) -> list[dict[str, Any]]:
    """Return each field, with the number of bits before it where fields are side by side."""
    found, offset = [], 0
    for field in message.fields:
        found.append({"name": field.name, "meaning": field.meaning, "offset": offset,
                      "size": field.bits if message.beside else field.words,
                      "python": _python(field, message)})
        offset += field.bits
    return found


def _python(field: Field, message: Message) -> str:
    """Return an expression that gives the list of the words of a field."""
    formula = field.formula or field.name
    if field.listed:
        return formula
    listed = f"split({formula}, {field.words}, {field.bits or message.width})"
    return f"{listed}[::-1]" if field.highest_first else listed


def _sent(noun: str, port: str, message: Message) -> str:
    article = "An" if noun[0] in "aeiou" else "A"
    count = f"{plural(message.words, 'word')} of {message.width} bits"
    if message.beside:
        return (f"{article} {noun} is sent to {port} in {count}, the lowest ones first: the "
                "operands side by side, the first one in the lowest bits.")
    return (f"{article} {noun} is sent to {port} in {count}, its parts in this order. Where "
            "nothing else is said, the lowest word of a part is sent first.")
