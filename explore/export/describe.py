"""What the documentation and the testbench of an exported core say."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import random
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from amaranth.lib.wiring import Component

from montgomery import CoreParameters
from montgomery.blocks.clearable import Clearable
from montgomery.core import (
    Field,
    Message,
    Number,
    about,
    ceil_div,
    cycles_of,
    expected_words,
    input_names,
    key_names,
    key_of,
    option_names,
    plural,
    results_of,
    traits,
)

from ..data.labels import duration
from ..simulation import edge_vectors, random_vectors, stimulus
from ..simulation.kinds import adapter
from .steps import named, names_in
from .verilog import ports

__all__ = ["description", "markdown", "simulation", "stimuli", "words"]


_MEANING = {
    "load_key": "from the first word of a key accepted to the first clock that may accept a word "
                "of the operands",
    "load": "from the first word of the operands accepted to the last, both counted",
    "compute": "from the last word of the operands accepted to the first word of the result ready",
    "unload": "from the first word of the result ready to the last handed over, both counted",
    "interval": "from a result to the next one that depends on it",
    "initiation": "from a result to the next one of independent operations sent back to back"}

#: What most kinds of cores do with operands that are illegal.
_ILLEGAL = ("The hardware does not check its operands: those out of range give a result that means "
            "nothing.")
#: Columns of the lines of words.
_LINE = 92
#: In the testbench a receiver or sender that stalls does so in about half of the clocks.
_PATIENCE = 8


#: Clocks a second that Icarus Verilog and Verilator do of a core of one line of Verilog, of larger
#: ones in proportion; and seconds in which Verilator builds its runtime, and each line.
_ICARUS, _VERILATOR = 3e7, 3e9
_BUILD_S, _BUILD_LINE_S = 8, 0.002


def description(params: CoreParameters, component: Component, seed: int) -> dict[str, Any]:
    """Return what the template of the documentation asks for.

    The component is the core itself, or with what clears it; the seed that of the example.
    """
    cleared = component if isinstance(component, Clearable) else None
    core = component.core if cleared else component
    helps = {field.name: field.metadata["help"] for field in dataclasses.fields(params)}
    return {
        "usage": "", "illegal": _ILLEGAL, **adapter(params).document(), **words(params),
        "title": _sentence(about(params).summary) + " " + _sentence(
            f"{helps['width']}: {params.width}"),
        "source": about(params).source.rstrip("."), "advice": traits(params).advice,
        "more_ports": _more_ports(params, component),
        "clear": cleared and cleared.clocks,
        "clearing": markdown(_above_sections(cleared)) if cleared else "",
        "parameters": [{"name": name, "value": getattr(params, name), "help": text}
                       for name, text in helps.items()],
        # What it is made with, and its ports, stand above.
        "docstring": markdown(_above_sections(core)),
        "example": _example(params, seed), "cycles": _cycles(params),
        "last": False}  # whether the last word of a result is marked


def _above_sections(component: Component) -> str:
    return re.split(r"\n(?:Parameters|Members)\n", inspect.getdoc(component) or "")[0]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _more_ports(params: CoreParameters, component: Component) -> list[dict[str, Any]]:
    """Return the ports that not every core has; the component's docstring says what they mean."""
    members = (inspect.getdoc(component) or "").partition("\nMembers\n")[2]
    meanings = {name: markdown(" ".join(text.split()))
                for name, text in re.findall(r"(?m)^(\w+) : .*\n((?: +.*\n?)+)", members)}
    common = params.signature.members
    return [{"name": name, "direction": direction.value.removesuffix("put"), "bits": len(value),
             "meaning": meanings.get(name, "")}
            for name, (value, direction) in ports(component).items()
            if name.partition("_")[0] not in common]


def _example(params: CoreParameters, seed: int) -> dict[str, Any]:
    example = adapter(params).example(random.Random(seed))
    operations, key = [], None
    for text, inputs in example.operations:
        sent, received = params.encode(*inputs), expected_words(params, *inputs)
        values = zip(input_names(params), inputs, strict=True)
        lines = [line for name, value in values for line in _wrapped(f"{name} =", [f"{value:#x}"])]
        if params.k_words and key != key_of(params, *inputs):
            key = key_of(params, *inputs)
            words = _digits(params.encode_key(*key), params.key_operands.width)
            lines += ["", "sent to port k:", *_by_field(params.key_operands, words)]
        lines += ["", "sent to port i:" if params.k_words else "sent:"]
        words = _digits(sent, params.operands.width)
        lines += _by_field(params.operands, words)
        lines += ["", "received:", *_wrapped("", _digits(received, results_of(params).width))]
        lines += ["", *_wrapped("result =", [f"{params.compute(*inputs):#x}"])]
        operations.append({"text": text, "lines": textwrap.indent("\n".join(lines), " " * 7)})
    return {"inputs": [(name, f"{value:#x}") for name, value in example.inputs.items()],
            "operations": operations, "result": f"{example.result:#x}",
            "formula": example.formula,
            "taking": plural(len(operations), adapter(params).kind.operation)}


def _by_field(message: Message, words: list[str]) -> list[str]:
    """Return lines with the words of each field."""
    if message.beside:
        return _wrapped("", words)
    margin = max(len(field.name) for field in message.fields)
    lines, rest = [], iter(words)
    for field in message.fields:
        lines += _wrapped(field.name.ljust(margin), [*itertools.islice(rest, field.words)])
    return lines


def _digits(words: Iterable[int], width: int) -> list[str]:
    return [f"{word:0{-(-width // 4)}x}" for word in words]


def _wrapped(label: str, words: Sequence[str]) -> list[str]:
    """Return words behind a label, in lines that are set in by its length."""
    lead = f"{label} " if label else ""
    return textwrap.wrap(" ".join(words), _LINE, initial_indent=lead, break_long_words=False,
                         subsequent_indent=" " * len(lead), break_on_hyphens=False)


def _cycles(params: CoreParameters) -> list[tuple[str, int, str]]:
    cycles = dataclasses.asdict(params.cycles)
    if traits(params).initiation is not None:
        cycles["initiation"] = traits(params).initiation
    return [(name, count, _MEANING[name]) for name, count in cycles.items()]


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


def stimuli(params: CoreParameters, count: int, seed: int, *, whole_bytes: bool = False
            ) -> dict[str, Any]:
    """Return what the template of the testbench asks for: what is sent, and must come back.

    Operations are the edge cases and ``count`` random ones, each with the words of all streams and
    its clocks from the last word sent to the first one received.
    """
    vectors = [*edge_vectors(params), *random_vectors(params, count, seed)]
    operations, i_words, k_words, o_words = [], [], [], []
    keys = stimulus(params, vectors).keys or itertools.repeat([])
    for vector, key in zip(vectors, keys, strict=False):
        i_words += params.encode(*vector)
        k_words += key
        o_words += expected_words(params, *vector)
        cycles = cycles_of(params, *vector)
        operations.append({
            "text": ", ".join(f"{name} {value:#x}"
                              for name, value in zip(input_names(params), vector, strict=True)),
            "i_end": len(i_words), "k_end": len(k_words), "o_end": len(o_words),
            "compute": cycles.compute,
            "clocks": (cycles.load_key if key else 0) + cycles.load + cycles.compute
            + cycles.unload})
    longest = max(cycles.interval + cycles.load_key
                  for cycles in (cycles_of(params, *vector) for vector in vectors))
    found: dict[str, Any] = {}
    for port, sent, message in (("i", i_words, params.operands),
                                ("k", k_words, params.key_operands),
                                ("o", o_words, results_of(params))):
        width = 8 * ceil_div(message.width, 8) if whole_bytes else message.width
        found |= {f"{port}_width": width, f"{port}_words": _literals(sent, width)}
    return {"operations": operations, **found,
            "limit": _PATIENCE * longest + 1000}


def simulation(name: str, sources: str, lines: int, operations: list[dict[str, Any]]
               ) -> dict[str, Any]:
    """Return the commands that simulate files, and how long it takes for lines of Verilog."""
    one = operations[0]["clocks"]
    # One by one, in one stream, and one or two times once more.
    clocks = 2 * sum(each["clocks"] for each in operations) + 2 * one
    build = _BUILD_S + lines * _BUILD_LINE_S
    quick, whole, compiled = (duration(max(1, seconds)) for seconds in (
        one * lines / _ICARUS, clocks * lines / _ICARUS, build + clocks * lines / _VERILATOR))
    return {"commands": [
        f"iverilog -g2012 -o {name}_tb {sources} && ./{name}_tb",
        "verilator --binary --timing -CFLAGS -std=c++20 -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include "
        f"--top-module {name}_tb {sources} && ./obj_dir/V{name}_tb"],
        "clocks": clocks, "one": one, "quick": quick, "whole": whole, "compiled": compiled}


def _literals(words: Sequence[int], width: int) -> list[str]:
    return [f"{width}'h{word:x}" for word in words]


def words(params: CoreParameters) -> dict[str, Any]:
    """Return what the templates of the documentation ask for about words."""
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
                               and number.name in named(message)]
           for name, message in messages.items()},
        "arguments": ", ".join([*own, *([] if key else given)]),
        "key_arguments": ", ".join([*key, *given]),
        "side_by_side": params.operands.beside, "keeps": traits(params).keeps_results,
        "key_sent": _sent("key", "port k", params.key_operands),
        "sent": _sent(operation, "port i", params.operands),
        "received": f"A result comes in {plural(params.result_words, 'word')} of "
                    f"{results_of(params).width} bits: {results_of(params).fields[0].meaning}.",
        "decoded": results_of(params).value}


def _sorted_out(messages: Collection[Message], inputs: Sequence[str]
                ) -> tuple[list[Number], list[Number]]:
    """Return the numbers that are the same for all operations, and the others."""
    fixed, changing, varies = [], [], {*inputs, "words"}
    for number in dict.fromkeys(number for message in messages for number in message.numbers):
        if names_in(number.formula) & varies:
            varies.add(number.name)
            changing.append(number)
        else:
            fixed.append(number)
    return fixed, changing


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
