"""What the documentation and the testbench of an exported core say."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import random
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from montgomery.core import (
    about,
    cycles_of,
    expected_words,
    input_names,
    key_of,
    plural,
    results_of,
    traits,
)

from ..simulation import edge_vectors, random_vectors, stimulus
from ..simulation.kinds import adapter
from .words import words

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

    from montgomery import CoreParameters
    from montgomery.core import Message

__all__ = ["description", "markdown", "stimuli"]

_MEANING = {
    "load_key": "from the first word of a key accepted to the first clock that may accept a word "
                "of the operands",
    "load": "from the first word of the operands accepted to the last, both counted",
    "compute": "from the last word of the operands accepted to the first word of the result ready",
    "unload": "from the first word of the result ready to the last handed over, both counted",
    "interval": "from a result to the next one that depends on it",
    "initiation": "from a result to the next one of independent operations sent back to back"}

#: Columns of the lines of words.
_LINE = 92
#: In the testbench a receiver or sender that stalls does so in about half of the clocks.
_PATIENCE = 8


def description(params: CoreParameters, component: Component, seed: int) -> dict[str, Any]:
    """Return what the template of the documentation asks for.

    Parameters
    ----------
    component : Component
        The core itself.
    seed : int
        Of the numbers in the example.
    """
    helps = {field.name: field.metadata["help"] for field in dataclasses.fields(params)}
    return {
        **vars(adapter(params).document()), **words(params),
        "title": _sentence(about(params).summary) + " " + _sentence(
            f"{helps['width']}: {params.width}"),
        "source": about(params).source.rstrip("."), "advice": traits(params).advice,
        "more_ports": _more_ports(params, component),
        "parameters": [{"name": name, "value": getattr(params, name), "help": text}
                       for name, text in helps.items()],
        # What it is made with, and its ports, stand above.
        "docstring": markdown(re.split(r"\n(?:Parameters|Members)\n",
                                       inspect.getdoc(component) or "")[0]),
        "example": _example(params, seed), "cycles": _cycles(params)}


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _more_ports(params: CoreParameters, component: Component) -> list[dict[str, Any]]:
    """Return the ports that not every core has; the component's docstring says what they mean."""
    from amaranth.hdl import Shape
    from amaranth.lib.wiring import Out

    members = (inspect.getdoc(component) or "").partition("\nMembers\n")[2]
    meanings = {name: markdown(" ".join(text.split()))
                for name, text in re.findall(r"(?m)^(\w+) : .*\n((?: +.*\n?)+)", members)}
    common = params.signature.members
    return [{"name": "__".join(map(str, path)), "direction": "out" if member.flow == Out else "in",
             "bits": Shape.cast(member.shape).width, "meaning": meanings.get(path[0], "")}
            for path, member, _ in component.signature.flatten(component)
            if path[0] not in common]


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


def stimuli(params: CoreParameters, count: int, seed: int) -> dict[str, Any]:
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
        operations.append({
            "text": ", ".join(f"{name} {value:#x}"
                              for name, value in zip(input_names(params), vector, strict=True)),
            "i_end": len(i_words), "k_end": len(k_words), "o_end": len(o_words),
            "compute": cycles_of(params, *vector).compute})
    longest = max(cycles.interval + cycles.load_key
                  for cycles in (cycles_of(params, *vector) for vector in vectors))
    return {"operations": operations, "i_words": _literals(i_words, params.operands.width),
            "k_words": _literals(k_words, params.key_operands.width),
            "o_words": _literals(o_words, results_of(params).width),
            "limit": _PATIENCE * longest + 1000}


def _literals(words: Sequence[int], width: int) -> list[str]:
    return [f"{width}'h{word:x}" for word in words]
