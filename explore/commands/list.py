"""``montgomery list``: the names that other commands take."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import click

from ..data.collector import uncollected
from ..lookup import UnknownName, alike, meant
from ._answer import Answer, answering
from ._catalogue import tell_rejected
from ._command import Command
from ._listed import columns, lines_of, on_terminal, settings, terminal_width
from ._names import GROUPS

__all__ = ["command"]

#: Groups of the catalogue, each with the entries that are asked for.
_Document = Mapping[str, Mapping[str, Mapping[str, Any]]]


@click.command(cls=Command,
               short_help="List cores, targets, boards, presets, plots, formats and columns.")
@click.argument("wanted", metavar="[GROUP|NAME]...", nargs=-1, type=GROUPS)
@answering
@uncollected()
def command(wanted: tuple[str, ...]) -> Answer:
    """List the cores, targets, boards, presets, plots, formats and columns that commands take.

    Without an argument, the list is short. A GROUP, such as architectures (the multipliers),
    exponentiators or targets, is listed in full: papers, parameters with their rules, tool options,
    limits of data sheets. A NAME, of a core, a target or anything else, is described alone.

    \b
    montgomery list
    montgomery list targets boards
    montgomery list mmm_mx_1d
    montgomery list exponentiation.single_dsp ecp5-85k
    """
    from ._catalogue import everything

    document = everything()
    chosen = _chosen(document, wanted)
    tell_rejected(chosen)
    return Answer(chosen, _lines(document, chosen if wanted else None))


def _lines(document: _Document, chosen: _Document | None) -> Iterator[str]:
    """Yield the sections of what is chosen; of everything, a short list if that is None."""
    sections = _overview(document) if chosen is None else (
        (_title(group), lines_of(group, entries)) for group, entries in chosen.items())
    yield "\n\n".join(_section(title, lines) for title, lines in sections)


def _chosen(document: _Document, wanted: tuple[str, ...]) -> _Document:
    """Return the groups that are named, and of the others the entries that are."""
    if not wanted:
        return document
    places = {} if all(name in document for name in wanted) else _places(document)
    chosen: dict[str, dict[str, Mapping]] = {}
    for name in wanted:
        if name in document:
            chosen.setdefault(name, {}).update(document[name])
            continue
        if name not in places:
            raise _unknown(name, document, places)
        for group, entry in places[name]:
            chosen.setdefault(group, {})[entry] = document[group][entry]
    return chosen


def _places(document: _Document) -> dict[str, list[tuple[str, str]]]:
    """Return group and name of all that each name stands for; cores have their full names too."""
    from montgomery import KINDS

    full = {kind.group: kind for kind in KINDS.values()}
    places: dict[str, list[tuple[str, str]]] = {}
    for group, entries in document.items():
        for name in entries:
            # A core of the first kind has the same name in full.
            for each in dict.fromkeys([full[group].full_name(name) if group in full else name,
                                       name]):
                places.setdefault(each, []).append((group, name))
    return places


def _unknown(name: str, document: _Document, names: Collection[str]) -> UnknownName:
    """Return the exception for what is neither a group nor one of ``names``."""
    from montgomery.registry import rejected

    for each in rejected():
        if each.name == name:
            error = UnknownName(f"'{name}' is no core: {each}")
            error.__cause__ = each.error
            return error
    devices = {key: target["summary"] for key, target in document["targets"].items()}
    # A core of another kind than the first is offered by its full name.
    bare = {each.rpartition(".")[2] for each in names if "." in each} - {*document["architectures"]}
    similar = alike(name, document) or alike(
        name, [each for each in names if each not in bare], devices)
    fix = meant(similar) if similar else "'montgomery list' shows the names"
    return UnknownName(f"Unknown group or name '{name}'; {fix}")


def _title(group: str) -> str:
    from montgomery import KINDS

    nouns = next((kind.nouns for kind in KINDS.values() if kind.group == group), group)
    return nouns[0].upper() + nouns[1:].replace("_", " ")


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([*(click.style(line, bold=True) for line in on_terminal([title])),
                      *on_terminal(lines)])


def _overview(document: _Document) -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the lines of each part of the short list."""
    from boards.catalogue import boards
    from montgomery import KINDS

    for kind in KINDS.values():
        entries = document[kind.group]
        yield (f"{_title(kind.group)} ({kind.operation}: {kind.result})",
               columns([(kind.full_name(name), core["summary"])
                        for name, core in entries.items()]) or ["  none"])
    yield "Targets by family", _families(document["targets"])
    usable = {name: board for name, board in boards().items() if not board.obstacle}
    yield f"Boards for which bitstreams can be built ({len(usable)})", _wrapped(usable)
    yield "Presets of 'montgomery sweep'", [
        line for name, spec in document["presets"].items()
        for line in _wrapped([f"{name}: {settings(spec)}"])]
    yield "Plots", _wrapped(document["plots"])
    yield "Formats", columns([(noun, " ".join(document[group])) for noun, group in (
        ("tables", "table_formats"), ("plots", "plot_formats"))])
    yield "More", [
        "  'montgomery list NAME' describes a core, a target or another name in full.",
        *_wrapped([f"'montgomery list GROUP' describes a whole group: {', '.join(document)}."])]


def _families(targets: Mapping[str, Mapping]) -> list[str]:
    """Return a line with the names of each family's targets; one for all that are not placed."""
    families: dict[str, list[str]] = {}
    for name, target in targets.items():
        families.setdefault(target["family"] if target["placer"] else "area only", []).append(name)
    size = max(map(len, families))
    return [line for family, names in families.items()
            for line in _wrapped([family.ljust(size), *names], " " * (size + 3))]


def _wrapped(words: Iterable[str], indent: str = "  ") -> list[str]:
    return textwrap.wrap(" ".join(words), min(terminal_width(), 80), initial_indent="  ",
                         subsequent_indent=indent, break_on_hyphens=False)
