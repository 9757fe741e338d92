"""``montgomery list``: the names that other commands take."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..lookup import UnknownName, alike, meant
from . import _catalogue
from ._answer import Answer
from ._types import named_cores

if TYPE_CHECKING:
    from boards.catalogue import Board

__all__ = ["listed"]

_Entries = Mapping[str, Mapping[str, Any]]
#: Groups of the catalogue.
_Groups = Mapping[str, Callable[[], _Entries]]


def listed(wanted: tuple[str, ...]) -> Answer:
    """List what commands take: cores, targets, boards, rivals, presets, plots, columns."""
    context = click.get_current_context()
    wanted = tuple(name for text in wanted for name in named_cores(text, context))
    groups = _catalogue.everything()
    chosen = _chosen(groups, wanted)
    # Where nothing had to be imported, nothing was rejected.
    if "montgomery" in sys.modules:
        _catalogue.tell_rejected(chosen or groups)
    return Answer(chosen or (lambda: {group: make() for group, make in groups.items()}),
                  _lines(groups, chosen))


def _lines(groups: _Groups, chosen: Mapping[str, _Entries]) -> Iterator[str]:
    """Yield the sections of what is chosen; of everything, a short list if that is nothing."""
    sections = ((_title(groups, group), _lines_of(group, entries))
                for group, entries in chosen.items())
    yield "\n\n".join("\n".join([click.style(title, bold=True), *lines]) for title, lines in
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


def _overview(groups: _Groups) -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the lines of each part of the short list."""
    for kind in groups["kinds"]().values():
        entries = groups[kind["group"]]()
        if entries or kind["has_model"]:
            yield (f"{_title(groups, kind['group'])} ({kind['summary']})",
                   _columns([(_full(kind["prefix"], name), core["summary"])
                            for name, core in entries.items()]) or ["  none"])
    yield "Targets by family", _families(groups["targets"]())
    usable = [name for name, board in groups["boards"]().items() if not board["obstacle"]]
    yield f"Boards for which bitstreams can be built ({len(usable)})", _wrapped(usable)
    yield "Presets of 'montgomery sweep'", [
        line for name, spec in groups["presets"]().items()
        for line in _wrapped([f"{name}: {_settings(spec)}"])]
    yield "Plots", _wrapped(groups["plots"]())
    yield "Formats", _columns([(noun, " ".join(groups[group]())) for noun, group in (
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
    return textwrap.wrap(" ".join(words), 80, initial_indent="  ", subsequent_indent=indent,
                         break_on_hyphens=False)


# What is listed of a group

def _columns(rows: Iterable[tuple[str, ...]], indent: int = 2) -> list[str]:
    """Return the rows as lines, with the cells of each column below each other."""
    rows = list(rows)
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [" " * indent + "  ".join(
        cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip() for row in rows]


def _boards(entries: _Entries) -> list[str]:
    """Return a line for each board: those that a bitstream can be built for, and why not others."""
    from boards.catalogue import boards

    chosen = {name: boards()[name] for name in entries}
    lines = _columns([
        (name, board.target, board.package, f"{board.clock_mhz:g} MHz", _serial(board))
        for name, board in chosen.items() if not board.obstacle])
    others = [(f"{name}:", board.obstacle) for name, board in chosen.items() if board.obstacle]
    return [*lines, *(["  No bitstream can be built for"] if others else []), *_columns(others, 4)]


def _serial(board: Board) -> str:
    if board.uart:
        return "UART"
    if board.adapter:
        return (board.adapter.note or
                f"serial adapter on RX,TX = {board.adapter.rx},{board.adapter.tx}")
    return "serial adapter on the pins of --uart-pins"


def _lines_of(group: str, entries: _Entries) -> list[str]:
    """Return lines that say all of the entries of a group of the catalogue."""
    writers: dict[str, Callable[[_Entries], list[str]]] = {
        "targets": _targets, "boards": _boards, "columns": _quantities,
        "rivals": _rivals,
        "kinds": lambda entries: _columns([(name, kind["nouns"], kind["summary"])
                                          for name, kind in entries.items()]),
        "presets": lambda entries: [f"  {name}: {_settings(spec)}"
                                    for name, spec in entries.items()]}
    are_cores = any("parameters" in entry for entry in entries.values())
    return writers.get(group, _cores if are_cores else _plain)(entries) or ["  none"]


def _settings(values: Mapping[str, Any]) -> str:
    """Return the settings of a preset as one line."""
    from ..points.expand import QUICK_WIDTH

    def text(value: Any) -> str:
        if isinstance(value, list | tuple):
            return " ".join(map(text, value))
        if isinstance(value, Mapping):
            return " ".join(f"{key}={','.join(map(str, each))}" for key, each in value.items())
        return str(value)

    if QUICK_WIDTH in values["widths"]:
        values = {**values, "widths": "of each core's own"}
    return ", ".join(f"{key} {text(value)}" for key, value in values.items()
                     if key != "preset" and value not in (None, (), [], {}, ""))


def _rule(parameter: Mapping[str, Any]) -> str:
    low, high = parameter["minimum"], parameter["maximum"]
    if parameter["choices"] is not None:
        return _choices(parameter)
    if parameter["type"] == "bool":
        return "yes | no"
    if low is None:
        return parameter["type"] if high is None else f"{high} or less"
    return f"{low} or more" if high is None else f"{low} to {high}"


def _choices(option: Mapping[str, Any]) -> str:
    return " | ".join(map(str, option["choices"]))


def _cores(entries: _Entries) -> list[str]:
    lines = []
    for name, core in entries.items():
        lines += [f"  {name}: {core['summary']}", f"      {' '.join(core['source'].split())}"]
        lines += _columns([(key, "required" if parameter["required"] else
                           f"default {parameter['default']}", _rule(parameter), parameter["help"])
                          for key, parameter in core["parameters"].items()], 6)
        if core["operands"]:
            lines += ["      --operands of one operation:",
                      *_columns([*core["operands"].items()], 8)]
    return lines


def _room(target: Mapping[str, Any]) -> str:
    room = target["capacity"]
    if room is None:
        return target["lut_name"]
    return f"{room['lut']} {target['lut_name']}, {room['dsp']} DSP, {room['bram']} RAM"


def _targets(entries: _Entries) -> list[str]:
    lines = _columns([(name, _room(target), f"clock network {target['clock_limit_mhz']:g} MHz"
                      if target["placer"] else "not placed", target["summary"])
                     for name, target in entries.items()])
    limits: dict[tuple[str, ...], list[str]] = {}
    #: What an option is and its choices; for each of its defaults the families that have it.
    options: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for name, target in entries.items():
        for limit in target["limits"]:
            limits.setdefault((limit["what"], f"{limit['mhz']:g} MHz",
                               "" if limit["verified"] else "?", limit["source"]), []).append(name)
        for key, option in target["options"].items():
            options.setdefault((f"{key}: {option['help']}", _choices(option)), {}).setdefault(
                str(option["default"]), {})[target["family"]] = None
    if limits:
        lines += ["  Limits of hard blocks and clock networks (? if nobody compared the figure "
                  "with the data sheet):"]
        lines += _columns([(*what, f"{', '.join(names)}: {source}" if len(entries) > 1 else source)
                          for (*what, source), names in limits.items()], 6)
    lines += ["  Tool options, for 'sweep -o':"]
    for (purpose, choices), defaults in sorted(options.items()):
        lines += [f"      {purpose}", f"          {choices}"]
        lines += [f"          default {default} on {', '.join(on)}"
                  for default, on in defaults.items()]
    return lines


def _rivals(entries: _Entries) -> list[str]:
    return [line for name, rival in entries.items() for line in (
        f"  {name}: {rival['summary']}",
        f"      {rival['repository']}, commit {rival['commit'][:7]}; licence: {rival['licence']}",
        *filter(None, [rival["note"] and f"      {rival['note']}"]), f"      {rival['fetch']}")]


def _plain(entries: _Entries) -> list[str]:
    return _columns([(name, " ".join(filter(None, entry.values())))
                    for name, entry in entries.items()])


def _quantities(entries: _Entries) -> list[str]:
    shown, others = ([(name, column["unit"] or column["type"], column["meaning"])
                      for name, column in entries.items() if column["table"] is in_table]
                     for in_table in (True, False))
    more = ["  Columns of rows that 'table --columns' does not take:"] if others else []
    return [*_columns(shown), *more, *_columns(others, 4)]
