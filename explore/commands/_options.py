"""What several commands share: options, and the syntax of their values."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..errors import Refusal
from ..lookup import known
from ._catalogue import CORE, CORES, OPTIONS, PARAMETERS, PROVABLE, TARGETS
from ._command import Decorator, together
from ._types import Assignment, Integer, Name, Number, SchedulerAddress, StoreFolder

if TYPE_CHECKING:

    from ..points.point import Point

__all__ = ["any_core_options", "assignments", "check_jobs", "core_options",
           "given", "grid_options", "jobs_option", "limit_options", "limit_text",
           "limits", "names", "needed",
           "one_point", "provable_options", "refuse_others", "scheduler_option", "settings",
           "store_option", "timeout_option", "widths"]

_MOST_WIDTHS = 1000
#: Texts KEY=VALUE, or what they say.
_Values = Iterable[str] | Mapping[str, list[str]]

store_option = click.option(
    "--store", "store_path", metavar="DIR", envvar="MONTGOMERY_STORE", type=StoreFolder(),
    help="Folder of measurements, made when it is first needed; also MONTGOMERY_STORE.  "
         "[default: a folder in the user's cache]")

jobs_option = click.option(
    "-j", "--jobs", type=Integer(1), metavar="N",
    help="Number of tools that run at one time.  [default: number of processors]")

timeout_option = click.option(
    "--timeout", default=60.0, show_default=True, type=Number(0.01), metavar="MIN",
    help="Time limit of each run of a tool, in minutes.")


def scheduler_option(what: str) -> Decorator:
    """Return the option that names a scheduler, given what its workers do."""
    return click.option(
        "--scheduler", metavar="ADDRESS", envvar="MONTGOMERY_SCHEDULER", type=SchedulerAddress(),
        help=f"{what} on the workers of this Dask scheduler, such as tcp://host:8786, or on N "
             "worker processes here with local:N; also MONTGOMERY_SCHEDULER.  [default: on this "
             "machine, without Dask]")


def check_jobs(jobs: int | None, scheduler: str | None) -> None:
    """Refuse a number of jobs for the workers of a scheduler."""
    if scheduler and jobs is not None:
        raise click.UsageError(f"-j is for this machine, but {scheduler} computes, whose workers "
                               "say how many tools run at one time; leave out -j, or --scheduler "
                               "and MONTGOMERY_SCHEDULER")


def _core(required: bool, type: Name = CORE) -> Decorator:
    return together(
        click.option("-a", "--arch", required=required, metavar="NAME", type=type,
                     help="The core: a multiplier such as mmm_mx_1d, or another core such as "
                          "exponentiation.single_dsp; 'montgomery list' names them. Or the file of "
                          "a core of your own: my_core.py, or my_core.toml, which describes one in "
                          "Verilog or VHDL."),
        click.option("-n", "--width", required=required, metavar="BITS",
                     help="Bits of the largest modulus, such as 256; of a hash core, of the "
                          "longest message."),
        click.option("-p", "--param", "params", metavar="KEY=VALUE", multiple=True,
                     type=PARAMETERS,
                     help="A parameter of the core, such as word_width=32; repeatable. "
                          "'montgomery list NAME' names those of a core, with defaults."))


#: The options that name one core, and those that may.
core_options, any_core_options = _core(True), _core(False)
#: The same, for what can be proved.
provable_options = _core(False, PROVABLE)

#: What a sweep or a search computes, and how.
grid_options = together(
    click.option("-a", "--arch", "archs", metavar="NAME,...", multiple=True, type=CORES,
                 help="The cores, such as mmm_mx_1d or exponentiation.generic, which 'montgomery "
                      "list' names, or files of your own such as my_core.py.  [default: all "
                      "multipliers]"),
    click.option("-n", "--width", "widths_", metavar="BITS,...", multiple=True,
                 help="Bits of the largest modulus: 64,256, or a range. The range 32-1024 doubles: "
                      "32, 64, 128 … 1024. The range 32-128:16 goes in steps of 16.  [default: "
                      "those of the preset]"),
    click.option("-p", "--param", "params", metavar="KEY=V1,V2", multiple=True, type=PARAMETERS,
                 help="Values of a parameter of the cores, such as word_width=16,32; repeatable. "
                      "'montgomery list NAME' names the parameters of a core.  [default: the "
                      "core's]"),
    click.option("-o", "--option", "options", metavar="KEY=V1,V2", multiple=True, type=OPTIONS,
                 help="Values of an option of yosys and nextpnr, such as placer_weight=10,30; "
                      "repeatable. 'montgomery list NAME' names the options of a target.  "
                      "[default: the target's]"),
    click.option("-t", "--target", "targets", metavar="NAME,...", multiple=True, type=TARGETS,
                 help="The FPGAs, such as ecp5-85k; 'montgomery list targets' names them.  "
                      "[default: those of the preset]"),
    click.option("--seeds", type=Integer(1), metavar="N",
                 help="Number of placements of a point, with the seeds 1 to N.  [default: that of "
                      "FILE.toml or the preset]"),
    jobs_option, scheduler_option("Compute"),
    click.option("--timeout", type=Number(), metavar="MIN",
                 help="Time limit of each run of a tool and of each verification, in minutes.  "
                      "[default: that of FILE.toml or the preset]"))


def settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings of a :class:`SweepSpec` that :data:`grid_options` give."""
    check_jobs(given["jobs"], given["scheduler"])
    found = {"archs": tuple(names("-a", given["archs"])), "widths": tuple(widths(given["widths_"])),
             "params": assignments("-p", given["params"]),
             "options": assignments("-o", given["options"]),
             "targets": tuple(names("-t", given["targets"])), "seeds": given["seeds"],
             "jobs": given["jobs"], "timeout_minutes": given["timeout"]}
    return {name: value for name, value in found.items() if value not in (None, (), {})}


#: What a limit is called, and the attribute of a question that it becomes.
_LIMITS = {"lut": "max_lut", "ff": "max_ff", "dsp": "max_dsp", "bram": "max_bram",
           "us": "max_latency_us", "mhz": "min_mhz"}

limit_options = together(
    click.option("--limit", "limits_", metavar="KEY=N", multiple=True,
                 type=Assignment(lambda line: dict.fromkeys(_LIMITS, ())),
                 help="Use at most N of lut (LUTs), ff (registers), dsp or bram (blocks), have a "
                      "latency of at most us=N µs, or reach a usable clock of at least mhz=N MHz, "
                      "if the core shares its clock with other logic; repeatable."),
    click.option("--constant-time", is_flag=True,
                 help="Take a time that does not depend on the operands."))


def limits(values: Iterable[str]) -> dict[str, float]:
    """Return the limits that the values of ``--limit`` set."""
    found = {}
    for key, texts in assignments("--limit", values).items():
        name = _LIMITS[known("limit", key, _LIMITS)]
        try:
            found[name] = float(texts[-1])
        except ValueError:
            found[name] = math.nan
        if not found[name] >= 0:
            raise Refusal(f"--limit {key} must be a number of 0 or more, not '{texts[-1]}'")
    return found


def limit_text(name: str) -> str:
    """Return how an attribute of a question is written as an option."""
    keys = {attribute: key for key, attribute in _LIMITS.items()}
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


def one_point(command: str, arch: str, width: str, params: _Values, target: str | None,
              options: _Values) -> Point:
    """Return the point that a command for one core is given; ``target`` is any one if None."""
    from montgomery import KINDS

    from ..devices import targets
    from ..points.expand import check_possible, expand

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
