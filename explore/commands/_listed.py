"""Lines of text: what is listed of groups of names, in columns that fit the terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boards.catalogue import Board

__all__ = ["columns", "lines_of", "on_terminal", "settings", "terminal_width"]

_ENDLESS = 10**6
_Entries = Mapping[str, Mapping[str, Any]]


def columns(rows: Iterable[tuple[str, ...]], indent: int = 2) -> list[str]:
    """Return the rows as lines, with the cells of each column below each other."""
    rows = list(rows)
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [" " * indent + "  ".join(
        cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip() for row in rows]


def on_terminal(lines: Iterable[str]) -> list[str]:
    """Return lines that fit the terminal, if there is one; commands stay as they are, to be copied.

    What does not fit goes on in the next line, which begins further to the right.
    """
    return [part for line in lines for part in _parts(line, terminal_width())]


def terminal_width() -> int:
    """Return the width of the terminal; where there is none, lines have no end."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _ENDLESS


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width or line.lstrip().startswith(("montgomery ", "git ")):
        return [line]
    begin = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, width, subsequent_indent=begin, break_on_hyphens=False,
                         break_long_words=False)


def _boards(entries: _Entries) -> list[str]:
    """Return a line for each board: those that a bitstream can be built for, and why not others."""
    from boards.catalogue import boards

    chosen = {name: boards()[name] for name in entries}
    lines = columns([(name, board.target, board.package, f"{board.clock_mhz:g} MHz", _serial(board))
                     for name, board in chosen.items() if not board.obstacle])
    others = [(f"{name}:", board.obstacle) for name, board in chosen.items() if board.obstacle]
    return [*lines, *(["  No bitstream can be built for"] if others else []), *columns(others, 4)]


def _serial(board: Board) -> str:
    if board.uart:
        return "UART"
    if board.adapter:
        return (board.adapter.note or
                f"serial adapter on RX,TX = {board.adapter.rx},{board.adapter.tx}")
    return "serial adapter on the pins of --uart-pins"


def lines_of(group: str, entries: _Entries) -> list[str]:
    """Return lines that say all of the entries of a group of the catalogue."""
    writers: dict[str, Callable[[_Entries], list[str]]] = {
        "targets": _targets, "boards": _boards, "columns": _quantities,
        "rivals": _rivals,
        "kinds": lambda entries: columns([(name, kind["nouns"], kind["summary"])
                                          for name, kind in entries.items()]),
        "presets": lambda entries: [f"  {name}: {settings(spec)}"
                                    for name, spec in entries.items()]}
    are_cores = any("parameters" in entry for entry in entries.values())
    return writers.get(group, _cores if are_cores else _plain)(entries) or ["  none"]


def settings(values: Mapping[str, Any]) -> str:
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
        lines += columns([(key, "required" if parameter["required"] else
                           f"default {parameter['default']}", _rule(parameter), parameter["help"])
                          for key, parameter in core["parameters"].items()], 6)
    return lines


def _room(target: Mapping[str, Any]) -> str:
    room = target["capacity"]
    if room is None:
        return target["lut_name"]
    return f"{room['lut']} {target['lut_name']}, {room['dsp']} DSP, {room['bram']} RAM"


def _targets(entries: _Entries) -> list[str]:
    lines = columns([(name, _room(target), f"clock network {target['clock_limit_mhz']:g} MHz"
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
        lines += columns([(*what, f"{', '.join(names)}: {source}" if len(entries) > 1 else source)
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
    return columns([(name, " ".join(filter(None, entry.values())))
                    for name, entry in entries.items()])


def _quantities(entries: _Entries) -> list[str]:
    shown, others = ([(name, column["unit"] or column["type"], column["meaning"])
                      for name, column in entries.items() if column["table"] is in_table]
                     for in_table in (True, False))
    more = ["  Columns of rows that 'table --columns' does not take:"] if others else []
    return [*columns(shown), *more, *columns(others, 4)]
