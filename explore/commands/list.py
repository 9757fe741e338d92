"""``montgomery list``: the names that other commands take."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import click

from ..lookup import UnknownName, alike, meant
from ._catalogue import tell_rejected
from ._command import Answer, Command, answering
from ._listed import columns, lines_of, on_terminal, settings, terminal_width
from ._names import GROUPS
from ._types import named_cores

__all__ = ["command"]

_Entries = Mapping[str, Mapping[str, Any]]
#: Groups of the catalogue.
_Groups = Mapping[str, Callable[[], _Entries]]


@click.command(cls=Command, section="Cores",
               short_help="List cores, targets, boards, cores of others, presets, plots, columns.")
@click.argument("wanted", metavar="[GROUP|NAME]...", nargs=-1, type=GROUPS)
@answering
def command(wanted: tuple[str, ...]) -> Answer:
    """List cores, targets, boards, rivals, presets, plots, formats and columns that commands take.

    Without an argument, the list is short. A GROUP, such as architectures (the multipliers),
    exponentiators or targets, is listed in full: papers, parameters with their rules, tool options,
    limits of data sheets. A NAME, of a core, a target or anything else, is described
    alone, and so is the file of a core, such as my_core.py.

    'rivals' are cores of others: where they come from, under which licence, and how to fetch them.
    Nothing of theirs is in this package. 'montgomery new' describes those that are fetched.

    \b
    montgomery list
    montgomery list targets boards
    montgomery list mmm_mx_1d
    montgomery list exponentiation.single_dsp ecp5-85k
    """
    from ._catalogue import everything

    context = click.get_current_context()
    wanted = tuple(name for text in wanted for name in named_cores(text, context))
    groups = everything()
    chosen = _chosen(groups, wanted)
    # Where nothing had to be imported, nothing was rejected.
    if "montgomery" in sys.modules:
        tell_rejected(chosen or groups)
    return Answer(chosen or (lambda: {group: make() for group, make in groups.items()}),
                  _lines(groups, chosen))


def _lines(groups: _Groups, chosen: Mapping[str, _Entries]) -> Iterator[str]:
    """Yield the sections of what is chosen; of everything, a short list if that is nothing."""
    sections = ((_title(groups, group), lines_of(group, entries))
                for group, entries in chosen.items())
    yield "\n\n".join(_section(title, lines) for title, lines in
                      (sections if chosen else _overview(groups)))


def _chosen(groups: _Groups, wanted: tuple[str, ...]) -> Mapping[str, _Entries]:
    """Return the groups that are named, and of the others the entries that are."""
    places = {} if all(name in groups for name in wanted) else _places(groups)
    chosen: dict[str, dict[str, Mapping]] = {}
    for name in wanted:
        if name in groups:
            chosen.setdefault(name, {}).update(groups[name]())
            continue
        if name not in places:
            raise _unknown(name, groups, places)
        for group, entry in places[name]:
            chosen.setdefault(group, {})[entry] = groups[group]()[entry]
    return chosen


def _places(groups: _Groups) -> dict[str, list[tuple[str, str]]]:
    """Return group and name of all that each name stands for; cores have their full names too."""
    prefixes = {kind["group"]: kind["prefix"] for kind in groups["kinds"]().values()}
    places: dict[str, list[tuple[str, str]]] = {}
    for group, make in groups.items():
        for name in make():
            # A core of the first kind has the same name in full.
            for each in dict.fromkeys([_full(prefixes.get(group, ""), name), name]):
                places.setdefault(each, []).append((group, name))
    return places


def _unknown(name: str, groups: _Groups, names: Collection[str]) -> UnknownName:
    """Return the exception for what is neither a group nor one of ``names``."""
    from montgomery.registry import rejected

    for each in rejected():
        if each.name == name:
            error = UnknownName(f"'{name}' is no core: {each}")
            error.__cause__ = each.error
            return error
    devices = {key: target["summary"] for key, target in groups["targets"]().items()}
    # A core of another kind than the first is offered by its full name.
    bare = {each.rpartition(".")[2] for each in names if "." in each} - {*groups["architectures"]()}
    similar = alike(name, groups) or alike(
        name, [each for each in names if each not in bare], devices)
    fix = meant(similar) if similar else "'montgomery list' shows the names"
    return UnknownName(f"Unknown group or name '{name}'; {fix}")


def _full(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _title(groups: _Groups, group: str) -> str:
    nouns = next((kind["nouns"] for kind in groups["kinds"]().values() if kind["group"] == group),
                 group)
    return nouns[0].upper() + nouns[1:].replace("_", " ")


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([*(click.style(line, bold=True) for line in on_terminal([title])),
                      *on_terminal(lines)])


def _overview(groups: _Groups) -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the lines of each part of the short list."""
    for kind in groups["kinds"]().values():
        entries = groups[kind["group"]]()
        if entries or kind["has_model"]:
            yield (f"{_title(groups, kind['group'])} ({kind['summary']})",
                   columns([(_full(kind["prefix"], name), core["summary"])
                            for name, core in entries.items()]) or ["  none"])
    yield "Targets by family", _families(groups["targets"]())
    usable = [name for name, board in groups["boards"]().items() if not board["obstacle"]]
    yield f"Boards for which bitstreams can be built ({len(usable)})", _wrapped(usable)
    yield "Presets of 'montgomery sweep'", [
        line for name, spec in groups["presets"]().items()
        for line in _wrapped([f"{name}: {settings(spec)}"])]
    yield "Plots", _wrapped(groups["plots"]())
    yield "Formats", columns([(noun, " ".join(groups[group]())) for noun, group in (
        ("tables", "table_formats"), ("plots", "plot_formats"))])
    yield "More", [
        "  'montgomery list NAME' describes a core, a target or another name in full.",
        *_wrapped([f"'montgomery list GROUP' describes a whole group: {', '.join(groups)}."])]


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
