"""What several commands share: options, and the syntax of their values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.labels import core_names
from ..errors import Refusal
from ..lookup import unknown
from ._names import CORE, CORES, KINDS, PARAMETERS, TARGETS
from ._types import Existing, SchedulerAddress, StoreFolder

if TYPE_CHECKING:
    import pandas

    from ..points.point import Point

__all__ = ["assignments", "check_jobs", "core_options", "given", "json_option", "load_rows",
           "names", "one_point", "print_json", "rows_options", "scheduler_option", "selected_rows",
           "source_options", "store_option", "tell_notes", "widths"]

_MOST_WIDTHS = 1000

store_option = click.option(
    "--store", "store_path", metavar="DIR", envvar="MONTGOMERY_STORE", type=StoreFolder(),
    help="Folder of measurements, made when it is first needed; also MONTGOMERY_STORE.  "
         "[default: a folder in the user's cache]")

json_option = click.option("--json", "as_json", is_flag=True,
                           help="Print one JSON document on stdout, and all else on stderr.")


def scheduler_option(what: str) -> Callable[[Callable], Callable]:
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


def core_options(command: Callable) -> Callable:
    """Add the options that name one core."""
    for option in reversed((
            click.option("-a", "--arch", required=True, metavar="NAME", type=CORE,
                         help="The core: a multiplier such as mmm_mx_1d, or another core such as "
                              "exponentiation.single_dsp. 'montgomery list' names them."),
            click.option("-n", "--width", required=True, metavar="BITS",
                         help="Bits of the largest modulus, such as 256; of a hash core, of the "
                              "longest message."),
            click.option("-p", "--param", "params", metavar="KEY=VALUE", multiple=True,
                         type=PARAMETERS,
                         help="A parameter of the core, such as word_width=32; repeatable. "
                              "'montgomery list NAME' names those of a core, with defaults."))):
        command = option(command)
    return command


def source_options(command: Callable) -> Callable:
    """Add the options that say where measured rows come from."""
    source = click.option("--from", "sources", metavar="PATH", multiple=True, type=Existing(),
                          help="Read the rows from a saved file (.jsonl, .json or .csv), from "
                               "every rows.jsonl in a folder, or from a store, instead of the "
                               "usual store; repeatable. Of several rows of one point and seed the "
                               "last counts.")
    current = click.option("--current", is_flag=True,
                           help="Leave out rows whose core has changed since they were measured.")
    return store_option(source(current(command)))


def rows_options(command: Callable) -> Callable:
    """Add the options that choose measured rows: where they come from, and which of them."""
    for option in reversed((
            source_options,
            click.option("-a", "--arch", "archs", metavar="NAME,...", multiple=True, type=CORES,
                         help="Show only these cores, such as mmm_mx_1d or exponentiation.generic. "
                              "A name without a dot stands for the cores of that name of all "
                              "kinds.  [default: all that were measured]"),
            click.option("--kind", "kinds", metavar="NAME,...", multiple=True, type=KINDS,
                         help="Show only cores of these kinds: multiplier, exponentiator, "
                              "hash, or rsa_crt.  [default: all]"),
            click.option("-n", "--width", "widths_", metavar="BITS,...", multiple=True,
                         help="Show only these widths: 64,256, or a range: 32-1024 doubles from "
                              "32, and 32-128:16 goes in steps of 16.  [default: all]"),
            click.option("-t", "--target", "targets", metavar="NAME,...", multiple=True,
                         type=TARGETS,
                         help="Show only these targets, such as ecp5-85k.  [default: all]"))):
        command = option(command)
    return command


def names(option: str, values: Iterable[str]) -> list[str]:
    """Split values at commas: both ``-a x -a y`` and ``-a x,y`` name two things, each once.

    Raises
    ------
    ValueError
        If nothing stands between two commas, or in a value at all; ``option`` is named in the
        message.
    """
    found: dict[str, None] = {}
    for value in values:
        for part in value.split(","):
            if not part.strip():
                raise Refusal(f"{option} must have a value before and after each comma, unlike "
                              f"'{value}'; write A or A,B")
            found[part.strip()] = None
    return list(found)


def widths(values: Iterable[str]) -> list[int]:
    """Return the widths that the values of ``-n`` list.

    Each is a comma-separated list of numbers and ranges: ``32-1024`` doubles from 32 up to 1024,
    ``32-128:16`` counts in steps of 16, the last number included if a step meets it.

    Raises
    ------
    ValueError
        For what is neither a number nor a range, and for a range that is empty or too long.
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


def assignments(option: str, values: Iterable[str]) -> dict[str, list[str]]:
    """Return ``{key: [value, ...]}`` from ``KEY=V1,V2`` texts; a key may be given again.

    Raises
    ------
    ValueError
        For a text of another form; ``option`` is named in the message.
    """
    found: dict[str, list[str]] = {}
    for text in values:
        key, equals, listed = text.partition("=")
        key = key.strip()
        if not (key and equals and listed):
            raise Refusal(f"{option} takes KEY=VALUE or KEY=VALUE,VALUE, not '{text}'")
        found[key] = names(f"{option} {key}", [*found.get(key, ()), listed])
    return found


def one_point(command: str, arch: str, width: str, params: Iterable[str], target: str | None,
              options: Iterable[str]) -> Point:
    """Return the point that a command for one core is given; ``target`` is any one if None.

    Raises
    ------
    ValueError
        If it is more than one, or as :func:`explore.points.expand.expand` raises it.
    """
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
    check_possible(points[0])
    return points[0]


def print_json(document: Any) -> None:
    """Print ``document`` on stdout, as one line of strict JSON."""
    click.echo(json.dumps(document, allow_nan=False))


def load_rows(store_path: Path | None, sources: Sequence[Path], current: bool = False
              ) -> pandas.DataFrame:
    """Return the frame of all rows of what :func:`source_options` name."""
    from ..data.frame import load
    from ..store import default_path

    if sources and given("store_path"):
        raise click.UsageError("--from and --store exclude each other; name a store with --from to "
                               "read it as well")
    for source in sources:
        if not (source.is_file() or source.is_dir()):
            raise click.UsageError(f"--from must name a file or a folder, and {source} is a device "
                                   "or pipe; save what it says to a file first")
    rows = load(*(sources or [store_path or default_path()]))
    return rows[~rows["earlier"]] if current else rows


def given(parameter: str) -> bool:
    """Return whether a parameter of the running command stands on its command line."""
    return (click.get_current_context().get_parameter_source(parameter)
            == click.core.ParameterSource.COMMANDLINE)


def tell_notes(rows: pandas.DataFrame) -> None:
    """Say on stderr how many rows of which file are not as this program wrote them."""
    from ..data.frame import notes

    for note in notes(rows, logged=False):
        click.echo(f"note: {note}", err=True)


def selected_rows(store_path: Path | None, sources: tuple[Path, ...], archs: tuple[str, ...],
                  kinds: tuple[str, ...], widths_: tuple[str, ...], targets: tuple[str, ...],
                  current: bool = False) -> pandas.DataFrame:
    """Return the frame of what :func:`rows_options` choose.

    A line on stderr says how many rows of their file are not as this program wrote them.

    Raises
    ------
    ValueError
        If there is nothing of the kind; the message says what there is.
    """
    rows = load_rows(store_path, sources, current)
    if rows.empty:
        return rows
    named = rows.assign(core=core_names(rows))
    for columns, what, wanted in ((["arch", "core"], "architecture", names("-a", archs)),
                                  (["kind"], "kind", names("--kind", kinds)),
                                  (["width"], "width", widths(widths_)),
                                  (["target"], "target", names("-t", targets))):
        measured = sorted({value for column in columns for value in named[column]})
        for value in wanted:
            if value not in measured:
                _refuse_unmeasured(what, str(value), list(map(str, measured)))
        if wanted:
            named = named[named[columns].isin(wanted).any(axis=1)]
    tell_notes(rows)
    return named.drop(columns="core")


def _refuse_unmeasured(what: str, value: str, measured: list[str]) -> None:
    """Say that nothing was measured of what may well exist, and how to measure it.

    Raises
    ------
    UnknownName
        If there is nothing of the kind at all; the message offers the nearest that was measured.
    ValueError
        If there is.
    """
    from montgomery import KINDS

    from ..devices import targets, unknown_measured

    there = ", ".join(measured)
    if what == "width":
        raise Refusal(f"Nothing of {value} bits was measured, only {there}; "
                      f"'montgomery sweep -n {value}' measures it, and 'montgomery recommend "
                      f"-n {value}' estimates it")
    if what == "target" and value in targets():
        raise Refusal(f"Nothing was measured on {value}, only on {there}; "
                      f"'montgomery sweep -t {value}' measures it")
    if what == "architecture" and any(value in (name, kind.full_name(name))
                                      for kind in KINDS.values() for name in kind.cores()):
        raise Refusal(f"Nothing was measured of {value}, only of {there}; "
                      f"'montgomery sweep -a {value}' measures it")
    if what == "target":
        raise unknown_measured(value, measured)
    raise unknown(f"measured {what}", value, measured)
