"""``montgomery list``: everything that can be named elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from ..lookup import known
from ._options import json_option, print_json
from ._rejected import tell_rejected

__all__ = ["command"]


@click.command(short_help="Name everything that can be named elsewhere.")
@click.argument("groups", metavar="[GROUP]...", nargs=-1)
@json_option
def command(groups: tuple[str, ...], as_json: bool) -> None:
    """Name everything that can be named elsewhere: architectures with their papers, parameters
    and rules, exponentiators, decryptions, targets with their tool options and data-sheet limits,
    boards, presets, plots, formats, columns of tables.

    Without GROUP, all of it, boards shortened to those with open tools; with GROUP, these alone.

    \b
    montgomery list
    montgomery list targets boards
    """
    from montgomery import KINDS

    from ._catalogue import everything

    document = everything()
    chosen = {group: document[known("group", group, document)] for group in groups or document}
    if as_json:
        print_json(chosen)
        tell_rejected(chosen)
        return
    lines_of = dict.fromkeys((kind.registry for kind in KINDS.values()), _cores) | _LINES
    parts = []
    for group, entries in chosen.items():
        lines = lines_of.get(group, _plain)(entries)
        parts.append("\n".join([click.style(group.replace("_", " ").capitalize(), bold=True),
                                *lines]))
    click.echo("\n\n".join(parts))
    tell_rejected(chosen)


def _columns(rows: Iterable[tuple[str, ...]], indent: int = 2) -> list[str]:
    rows = list(rows)
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [" " * indent + "  ".join(
        cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip() for row in rows]


def _rule(parameter: Mapping[str, Any]) -> str:
    if parameter["choices"] is not None:
        return " | ".join(map(str, parameter["choices"]))
    if parameter["type"] == "bool":
        return "yes | no"
    low, high = parameter["minimum"], parameter["maximum"]
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"{low} or more"
    return f"{high} or less" if high is not None else parameter["type"]


def _cores(entries: Mapping[str, Mapping]) -> list[str]:
    lines = []
    for name, core in entries.items():
        lines += [f"  {name}: {core['summary']}", f"      {' '.join(core['source'].split())}"]
        lines += _columns([(key, "required" if parameter["required"] else
                            f"default {parameter['default']}", _rule(parameter), parameter["help"])
                           for key, parameter in core["parameters"].items()], indent=6)
    return lines or ["  none"]


def _room(target: Mapping[str, Any]) -> str:
    room = target["capacity"]
    if room is None:
        return target["lut_name"]
    return f"{room['lut']} {target['lut_name']}, {room['dsp']} DSP, {room['bram']} RAM"


def _targets(entries: Mapping[str, Mapping]) -> list[str]:
    lines = _columns([(name, target["summary"],
                       _room(target), f"clock network {target['clock_limit_mhz']:g} MHz"
                       if target["placer"] else "not placed, so without Fmax")
                      for name, target in entries.items()])
    lines += ["  Limits of hard blocks and clock networks (? where the data sheet was not read):"]
    lines += _columns({(limit["what"], f"{limit['mhz']:g} MHz", "" if limit["verified"] else "?",
                        limit["source"]): None
                       for target in entries.values() for limit in target["limits"]}, indent=6)
    families = {target["family"]: target["options"] for target in entries.values()}
    for family, options in families.items():
        lines.append(f"  Tool options of {family}, for 'sweep -o':")
        lines += _columns([(key, f"default {option['default']}",
                            " | ".join(map(str, option["choices"])), option["help"])
                           for key, option in options.items()], indent=6)
    return lines


def _boards(entries: Mapping[str, Mapping]) -> list[str]:
    usable = {name: board for name, board in entries.items()
              if board["open"] and not board["problem"]}
    lines = _columns([(name, board["family"], board["device"], board["package"],
                       "UART" if board["uart"] else "",
                       f"{board['clock_mhz']:g} MHz" if board["clock_mhz"] else "no clock")
                      for name, board in usable.items()])
    broken = [f"  {name} cannot be used: {board['problem']}" for name, board in entries.items()
              if board["problem"]]
    others = len(entries) - len(usable) - len(broken)
    return [*lines, *broken, f"  and {others} boards that need a vendor's tools; see --json"]


def _presets(entries: Mapping[str, Mapping]) -> list[str]:
    return [f"  {name}: " + ", ".join(f"{key} {_text(value)}" for key, value in spec.items()
                                      if value not in (None, (), [], {}, ""))
            for name, spec in entries.items()]


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_text, value))
    if isinstance(value, Mapping):
        return " ".join(f"{key}={','.join(map(str, values))}" for key, values in value.items())
    return str(value)


def _plain(entries: Mapping[str, Mapping]) -> list[str]:
    return _columns([(name, " ".join(filter(None, entry.values())))
                     for name, entry in entries.items()])


def _quantities(entries: Mapping[str, Mapping]) -> list[str]:
    shown = [(name, column["unit"] or column["type"], column["meaning"])
             for name, column in entries.items() if column["table"]]
    others = [(name, column["unit"] or column["type"], column["meaning"])
              for name, column in entries.items() if not column["table"]]
    return [*_columns(shown), "  In rows, and not for 'table --columns':",
            *_columns(others, indent=4)]


_LINES = {"columns": _quantities, "targets": _targets, "boards": _boards, "presets": _presets}
