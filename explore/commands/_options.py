"""The syntax of the values of options, and which options go together."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import click

from montgomery import KINDS, CoreParameters
from montgomery.core import input_names, kind_of

from ..devices import targets
from ..errors import Refusal
from ..lookup import known
from ..points.expand import check_possible, expand
from ..points.point import Point

__all__ = ["assignments", "check_jobs", "given", "limit_text", "limits", "names", "needed",
           "one_point", "operation", "refuse_others", "settings", "widths"]

#: What a limit is called, and the attribute of a question that it becomes.
LIMITS = {"lut": "max_lut", "ff": "max_ff", "dsp": "max_dsp", "bram": "max_bram",
          "us": "max_latency_us", "mhz": "min_mhz"}
_MOST_WIDTHS = 1000
#: Texts KEY=VALUE, or what they say.
_Values = Iterable[str] | Mapping[str, list[str]]


def check_jobs(jobs: int | None, scheduler: str | None) -> None:
    """Refuse a number of jobs for the workers of a scheduler."""
    if scheduler and jobs is not None:
        raise click.UsageError(f"-j is for this machine, but {scheduler} computes, whose workers "
                               "say how many tools run at one time; leave out -j, or --scheduler "
                               "and MONTGOMERY_SCHEDULER")


def settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings of a :class:`SweepSpec` that are given."""
    check_jobs(given["jobs"], given["scheduler"])
    found = {"archs": tuple(names("-a", given["archs"])), "widths": tuple(widths(given["widths_"])),
             "params": assignments("-p", given["params"]),
             "options": assignments("-o", given["options"]),
             "targets": tuple(names("-t", given["targets"])), "seeds": given["seeds"],
             "jobs": given["jobs"], "timeout_minutes": given["timeout"]}
    return {name: value for name, value in found.items() if value not in (None, (), {})}


def limits(values: Iterable[str]) -> dict[str, float]:
    """Return the limits that the values of ``--limit`` set."""
    found = {}
    for key, texts in assignments("--limit", values).items():
        name = LIMITS[known("limit", key, LIMITS)]
        try:
            found[name] = float(texts[-1])
        except ValueError:
            found[name] = math.nan
        if not found[name] >= 0:
            raise Refusal(f"--limit {key} must be a number of 0 or more, not '{texts[-1]}'")
    return found


def limit_text(name: str) -> str:
    """Return how an attribute of a question is written as an option."""
    keys = {attribute: key for key, attribute in LIMITS.items()}
    return f"--limit {keys[name]}" if name in keys else f"--{name.replace('_', '-')}"


def names(option: str, values: Iterable[str]) -> list[str]:
    """Split values at commas: both ``-a x -a y`` and ``-a x,y`` name two things, each once."""
    found: dict[str, None] = {}
    for value in values:
        for part in value.split(","):
            if not part.strip():
                raise Refusal(f"{option} must have a value before and after each comma, unlike "
                              f"'{value}'; write A or A,B")
            found[part.strip()] = None
    return list(found)


def widths(values: Iterable[str]) -> list[int]:
    """Return the widths that the values of ``-n`` list: numbers and ranges, with commas between.

    ``32-1024`` doubles from 32 up to 1024, ``32-128:16`` counts in steps of 16, the last number
    included if a step meets it.
    """
    found: dict[int, None] = {}
    for text in names("-n", values):
        if re.fullmatch(r"[+-]?\d+", text):
            found[int(text)] = None
            continue
        match = re.fullmatch(r"(\d+)-(\d+)(?::(\d+))?", text)
        if match is None:
            raise Refusal(f"Width must be a number or a range such as 32-1024 or 32-128:16, not "
                          f"'{text}'")
        found |= dict.fromkeys(_range(text, *match.groups()))
    return list(found)


def _range(text: str, first_text: str, last_text: str, step_text: str | None) -> list[int]:
    first, last = int(first_text), int(last_text)
    if not 0 < first <= last:
        raise Refusal(f"A range of widths must start at 1 or more and not end before it starts, "
                      f"unlike '{text}'; write the smaller number first")
    if step_text is None:
        return [first << doubling for doubling in range((last // first).bit_length())]
    step = int(step_text)
    if step == 0 or (last - first) // step >= _MOST_WIDTHS:
        raise Refusal(f"A range must hold {_MOST_WIDTHS} widths or fewer, unlike '{text}'; "
                      "take a larger step")
    return list(range(first, last + 1, step))


def assignments(option: str, values: _Values) -> Mapping[str, list[str]]:
    """Return ``{key: [value, ...]}`` from ``KEY=V1,V2`` texts; a key may be given again."""
    if isinstance(values, Mapping):
        return values
    found: dict[str, list[str]] = {}
    for text in values:
        key, equals, listed = text.partition("=")
        key = key.strip()
        if not (key and equals and listed):
            raise Refusal(f"{option} takes KEY=VALUE or KEY=VALUE,VALUE, not '{text}'")
        found[key] = names(f"{option} {key}", [*found.get(key, ()), listed])
    return found


def operation(core: CoreParameters, values: Iterable[str]) -> dict[str, int]:
    """Return the numbers of one operation of a core, in its order, that ``--operands`` gives."""
    found = {}
    for each in names("--operands", values):
        name, _, text = each.partition("=")
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        try:
            found[name] = int(text, 0)
        except ValueError:
            raise Refusal(f"--operands takes NAME=N with an integer N in decimal, or in "
                          f"hexadecimal after 0x, not {name}={shown}") from None
        if found[name] < 0:
            raise Refusal(f"--operands {name} must be 0 or more, not {shown}")
    wanted = input_names(core)
    if {*found} != {*wanted}:
        raise Refusal(f"One {kind_of(core).operation} ({kind_of(core).formula}) takes --operands "
                      f"{','.join(f'{name}=N' for name in wanted)}, and no other number")
    return {name: found[name] for name in wanted}


def one_point(command: str, arch: str, width: str, params: _Values, target: str | None,
              options: _Values) -> Point:
    """Return the point that a command for one core is given; ``target`` is any one if None."""
    if len(cores := names("-a", [arch])) > 1:
        raise Refusal(f"{command} takes one core, not {len(cores)}; give one name to -a")
    # A target plays no part in what a core computes, but a point has one.
    points = expand([arch], widths([width]), assignments("-p", params),
                    [next(iter(targets())) if target is None else target],
                    assignments("-o", options))
    if len(points) != 1:
        raise Refusal(f"{command} takes one point, not {len(points)}; give one value each to "
                      "-n, -p and -o")
    if command != "compare" and not KINDS[points[0].kind].formula:
        raise Refusal(f"{command} takes a core with a model, and {points[0].name} is a design, "
                      "which has none; 'montgomery sweep' measures it")
    check_possible(points[0])
    return points[0]


def given(parameter: str) -> bool:
    """Return whether a parameter of the running command stands on its command line."""
    return (click.get_current_context().get_parameter_source(parameter)
            == click.core.ParameterSource.COMMANDLINE)


def needed(parameter: str) -> str:
    """Return the value of an option that the running command needs for what it does."""
    context = click.get_current_context()
    if context.params[parameter] is None:
        raise click.MissingParameter(ctx=context, param=next(
            each for each in context.command.params if each.name == parameter))
    return context.params[parameter]


def refuse_others(what: str, taken: Collection[str], some: Collection[str]) -> None:
    """Refuse options that are given, but play no part in what is done.

    ``taken`` are the parameters of the running command that play a part in it, and ``some`` those
    that play a part in some of what the command does, but not in all of it.
    """
    for param in click.get_current_context().command.params:
        name = str(param.name)
        if name in some and name not in taken and given(name):
            raise click.UsageError(f"{what} takes no {param.opts[-1]}; leave it out")
