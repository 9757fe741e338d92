"""What ``montgomery list`` says of the groups of names, in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._boards import board_lines
from ._columns import columns

__all__ = ["lines_of", "settings"]


def lines_of(group: str, entries: Mapping[str, Mapping]) -> list[str]:
    """Return lines that say all of the entries of a group of the catalogue."""
    from montgomery import KINDS

    writers: dict[str, Callable[[Mapping[str, Mapping]], list[str]]] = {
        **dict.fromkeys((kind.group for kind in KINDS.values()), _cores), "targets": _targets,
        "boards": _boards, "presets": _presets, "columns": _quantities}
    return writers.get(group, _plain)(entries) or ["  none"]


def settings(values: Mapping[str, Any]) -> str:
    """Return the settings of a preset as one line."""
    from ..points.expand import QUICK_WIDTH

    if QUICK_WIDTH in values["widths"]:
        values = {**values, "widths": "of each core's own"}
    return ", ".join(f"{key} {_text(value)}" for key, value in values.items()
                     if key != "preset" and value not in (None, (), [], {}, ""))


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_text, value))
    if isinstance(value, Mapping):
        return " ".join(f"{key}={','.join(map(str, values))}" for key, values in value.items())
    return str(value)


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
        lines += columns([(key, "required" if parameter["required"] else
                           f"default {parameter['default']}", _rule(parameter), parameter["help"])
                          for key, parameter in core["parameters"].items()], 6)
    return lines


def _room(target: Mapping[str, Any]) -> str:
    room = target["capacity"]
    if room is None:
        return target["lut_name"]
    return f"{room['lut']} {target['lut_name']}, {room['dsp']} DSP, {room['bram']} RAM"


def _targets(entries: Mapping[str, Mapping]) -> list[str]:
    lines = columns([(name, _room(target), f"clock network {target['clock_limit_mhz']:g} MHz"
                      if target["placer"] else "not placed", target["summary"])
                     for name, target in entries.items()])
    limits: dict[tuple[str, ...], list[str]] = {}
    for name, target in entries.items():
        for limit in target["limits"]:
            limits.setdefault((limit["what"], f"{limit['mhz']:g} MHz",
                               "" if limit["verified"] else "?", limit["source"]), []).append(name)
    if limits:
        lines += ["  Limits of hard blocks and clock networks (? if nobody compared the figure "
                  "with the data sheet):"]
        lines += columns([(what, mhz, mark, f"{', '.join(names)}: {source}" if len(entries) > 1
                           else source) for (what, mhz, mark, source), names in limits.items()], 6)
    families = {target["family"]: target["options"] for target in entries.values()}
    if len(families) > 1:
        return [*lines, "  Tool options, for 'sweep -o':", *_shared_options(families)]
    for family, options in families.items():
        lines += [f"  Tool options of {family}, for 'sweep -o':", *_options(options)]
    return lines


def _shared_options(families: Mapping[str, Mapping[str, Mapping]]) -> list[str]:
    """Return lines on the options of several families: what each is, and its defaults."""
    found: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for family, options in families.items():
        for key, option in options.items():
            defaults = found.setdefault((key, option["help"], _choices(option)), {})
            defaults.setdefault(str(option["default"]), []).append(family)
    lines = []
    for (key, purpose, choices), defaults in sorted(found.items()):
        lines += [f"      {key}: {purpose}", f"          {choices}"]
        lines += [f"          default {default} on {', '.join(on)}"
                  for default, on in defaults.items()]
    return lines


def _choices(option: Mapping[str, Any]) -> str:
    return " | ".join(map(str, option["choices"]))


def _options(options: Mapping[str, Mapping]) -> Iterable[str]:
    return columns([(key, f"default {option['default']}", _choices(option),
                     option["help"]) for key, option in options.items()], 6)


def _boards(entries: Mapping[str, Mapping]) -> list[str]:
    from boards.catalogue import boards

    return board_lines({name: boards()[name] for name in entries}, everything=len(entries) == 1)


def _presets(entries: Mapping[str, Mapping]) -> list[str]:
    return [f"  {name}: {settings(spec)}" for name, spec in entries.items()]


def _plain(entries: Mapping[str, Mapping]) -> list[str]:
    return columns([(name, " ".join(filter(None, entry.values())))
                    for name, entry in entries.items()])


def _quantities(entries: Mapping[str, Mapping]) -> list[str]:
    rows = {shown: [(name, column["unit"] or column["type"], column["meaning"])
                    for name, column in entries.items() if column["table"] is shown]
            for shown in (True, False)}
    lines = columns(rows[True])
    if rows[False]:
        lines += ["  Columns of rows that 'table --columns' does not take:",
                  *columns(rows[False], 4)]
    return lines
