"""What the documentation of an exported core says, from its parameters and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

    from montgomery import CoreParameters
    from montgomery.operations import Description

__all__ = ["description", "markdown"]

_MEANING = {
    "load": "from the first word of the operands accepted to the last, both counted",
    "compute": "from the last word of the operands accepted to the first word of the result ready",
    "unload": "from the first word of the result ready to the last handed over, both counted",
    "interval": "from a result to the next one that depends on it",
    "initiation": "from a result to the next one of independent operations sent back to back"}


def description(params: CoreParameters, component: Component) -> dict[str, Any]:
    """Return what the template of the documentation asks for; ``component`` is the core itself."""
    said = params.describe()
    return {
        "title": f"{params.summary[0].upper()}{params.summary[1:]}; for odd moduli of up to "
                 f"{params.width} bits.",
        "source": params.source.rstrip("."), "i_width": params.i_width, "o_width": params.o_width,
        "parameters": [{"name": field.name, "value": getattr(params, field.name),
                        "help": field.metadata["help"]} for field in dataclasses.fields(params)],
        # What it is made with, and its ports, stand above.
        "docstring": markdown((inspect.getdoc(component) or "").partition("\nParameters\n")[0]),
        "result": said.result, "constants": said.rules, "words": _words(params, said),
        "timed": said.timed, "cycles": _cycles(params)}


def _words(params: CoreParameters, said: Description) -> str:
    """Return what words an operation and its result consist of."""
    paragraphs = [said.sent]
    if said.operands:
        paragraphs.append(_table(("operand", said.unit), [(f"`{name}`", count)
                                                          for name, count in said.operands]))
    if said.encoded:
        paragraphs.append(markdown(inspect.getdoc(params.encode) or ""))
    return "\n\n".join(filter(None, [*paragraphs, said.received]))


def _cycles(params: CoreParameters) -> list[tuple[str, int, str]]:
    cycles = dataclasses.asdict(params.cycles_of(*params.longest))
    if params.initiation is not None:
        cycles["initiation"] = params.initiation
    return [(name, count, _MEANING[name]) for name, count in cycles.items()]


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
