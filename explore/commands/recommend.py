"""``montgomery recommend``: the best cores for a width, a device and limits."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.collector import uncollected
from ..data.labels import core_name, present, time_text
from ._command import Command
from ._former import tell_renamed
from ._limits import given_limits, limit_options
from ._names import KIND, OBJECTIVE, TARGETS
from ._options import given as is_given
from ._options import json_option, load_rows, names, print_json, source_options, tell_notes
from ._types import Integer

if TYPE_CHECKING:
    import pandas

    from ..data.recommend import Recommendation
    from ..points.point import Point

__all__ = ["command"]

_SCHEMA = 1
_SHOWN = ("arch", "kind", "width", "target", "params", "options", "lut", "ff", "dsp", "bram",
          "fmax_usable_mhz", "cycles_compute", "cycles_interval", "latency_us", "interval_us",
          "lut_us", "useful_mbps", "throughput_pipelined_mbps", "signatures_per_s", "constant_time",
          "seeds_ok")
#: What is left out without breaking a limit, in words.
_REASONS = {"not constant time": "whose time depends on the operands",
            "wider than needed": "wider versions of the same cores",
            "not measured: no_fit": "that do not fit the device",
            "not measured: area_only": "of which only the area is known",
            "not measured: timeout": "whose placement took too long",
            "not measured: no_fmax": "without a clock frequency",
            "not measured: useful_mbps": "without a throughput"}

#: What limits are counted in.
_UNITS = {"max_lut": "LUT", "max_ff": "FF", "max_dsp": "DSP", "max_bram": "BRAM",
          "max_latency_us": "µs", "min_mhz": "MHz"}


@click.command(cls=Command, short_help="Name the best measured cores for a width and limits.")
@click.option("--bits", required=True, type=Integer(2), metavar="N",
              help="Bits of the largest modulus, such as 256.")
@click.option("-t", "--target", "targets", metavar="NAME,...", multiple=True, type=TARGETS,
              help="Consider only these targets, such as ecp5-85k.  [default: all that were "
                   "measured]")
@click.option("--objective", default="latency", show_default=True, metavar="NAME", type=OBJECTIVE,
              help="The quantity to compare by: latency (from the last operand word to the first "
                   "result word), interval (between dependent operations, words in and out "
                   "included), area, lut-us (LUTs times latency) or throughput (of the bits asked "
                   "for).")
@limit_options
@click.option("--kind", default="multiplier", show_default=True, metavar="NAME", type=KIND,
              help="Kind of core: multiplier, exponentiator, hash, or rsa_crt (RSA with "
                   "the factors of the modulus).")
@click.option("--exponentiator", is_flag=True,
              help="Recommend exponentiators, as --kind exponentiator does.")
@click.option("--rsa-crt", is_flag=True,
              help="Recommend cores for RSA with CRT, as --kind rsa_crt does.")
@click.option("--decryption", is_flag=True, hidden=True)
@click.option("--top", default=3, show_default=True, type=Integer(1), metavar="N",
              help="Number of cores to show.")
@source_options
@json_option
@uncollected()
def command(bits: int, targets: tuple[str, ...], objective: str, constant_time: bool,
            kind: str, exponentiator: bool, rsa_crt: bool, decryption: bool, top: int,
            store_path: Path | None, source: Path | None, as_json: bool,
            **limits: float | None) -> int:
    """Recommend cores among those that were measured.

    Points are compared by the medians of their seeds. A point is tied with the first one if the
    ranges of their seeds overlap: then no difference was measured. A core may have more bits than
    asked for, unless the same core was measured with fewer that suffice.

    \b
    montgomery recommend --bits 256 --target ice40-hx8k --max-lut 3000
    montgomery recommend --bits 1024 --objective lut-us --constant-time --from results/rows.jsonl

    The exit status is 1 if no core keeps all limits; the nearest miss is shown then.
    """
    from ..data.frame import medians
    from ..data.recommend import recommend

    if decryption:
        tell_renamed("--decryption", "--rsa-crt")
    rsa_crt = rsa_crt or decryption
    if exponentiator + rsa_crt + is_given("kind") > 1:
        raise click.UsageError("--kind, --exponentiator and --rsa-crt exclude each other; give one "
                               "of them")
    kind = "exponentiator" if exponentiator else "rsa_crt" if rsa_crt else kind
    given = given_limits(limits)
    rows = load_rows(store_path, source)
    found = recommend(medians(rows), bits=bits, objective=objective, kind=kind,
                      targets=tuple(names("-t", targets)), limits=given,
                      constant_time=constant_time)
    tell_notes(rows)
    if as_json:
        print_json(_document(found, top))
    else:
        click.echo(_text(found, objective, top))
    return 1 if found.best.empty else 0


def _record(point: pandas.Series) -> dict[str, Any]:
    record = {name: point[name] if present(point[name]) else None
              for name in _SHOWN if name in point}
    plain = {name: value.item() if hasattr(value, "item") else value
             for name, value in record.items()}
    return plain | {"command": _command(point)}


def _document(found: Recommendation, top: int) -> dict[str, Any]:
    best = [_record(point) | {"tied": bool(point["tied"])}
            for _, point in found.best.head(top).iterrows()]
    nearest = None
    if found.nearest is not None:
        nearest = _record(found.nearest) | {
            "excess": {name: {"value": value, "limit": limit}
                       for name, (value, limit) in found.excess.items()}}
    return {"schema": _SCHEMA, "best": best, "candidates": len(found.best),
            "ruled_out": found.ruled_out, "nearest": nearest}


def _command(point: pandas.Series) -> str:
    """Return the command that exports a point."""
    return shlex.join(_point(point).command("export"))


def _point(point: pandas.Series) -> Point:
    from ..points.point import Point

    return Point.from_row(point)


def _text(found: Recommendation, objective: str, top: int) -> str:
    lines = []
    for rank, (_, point) in enumerate(found.best.head(top).iterrows(), 1):
        tied = " (tied with 1 within the spread of seeds)" if rank > 1 and point["tied"] else ""
        lines += [f"{rank}. {_name(point)}{tied}", *_details(point)]
    count = len(found.best)
    if count:
        lines += [f"Best of {count} by {objective}" if count > 1 else
                  "The only one that was measured" if not found.ruled_out else
                  "The only one that is left"]
    else:
        lines += ["Nothing that was measured keeps all limits"]
        if found.nearest is not None:
            needs = ", ".join(f"{_number(value)} {_UNITS[name]} (limit {limit:g}, by "
                              f"--{_option(name)})"
                              for name, (value, limit) in found.excess.items())
            lines += [f"Nearest: {_name(found.nearest)}, which has {needs}",
                      *_details(found.nearest)]
    if found.ruled_out:
        lines += ["Left out: " + ", ".join(f"{number} {_reason(name)}"
                                           for name, number in found.ruled_out.items())]
    return "\n".join(lines)


def _details(point: pandas.Series) -> list[str]:
    """Return what a core needs, how fast it is, and the command that exports it."""
    return [f"   {_area(point)}", f"   {_speed(point)}", f"   {_command(point)}"]


def _option(name: str) -> str:
    return "max-us" if name == "max_latency_us" else name.replace("_", "-")


def _reason(name: str) -> str:
    if name in _REASONS:
        return _REASONS[name]
    status = name.removeprefix("not measured: ")
    return f"with status {status}" if status != name else f"by --{_option(name)}"


def _name(point: pandas.Series) -> str:
    made = _point(point)
    extra = "".join(f" {name}={value}" for name, value in made.unusual_params)
    options = "".join(f" -o {name}={value}" for name, value in made.unusual_options)
    return (f"{core_name(point)} of {point['width']} bits{extra} on {point['target']}"
            f"{' with' if options else ''}{options}")


def _area(point: pandas.Series) -> str:
    parts = [f"{point[name]:,.0f} {what}" for name, what in (
        ("lut", "LUT"), ("ff", "FF"), ("dsp", "DSP"), ("bram", "BRAM"))
        if present(point[name]) and (point[name] or name not in ("dsp", "bram"))]
    if present(point["fmax_usable_mhz"]):
        parts += [f"{point['fmax_usable_mhz']:,.0f} MHz"]
    if present(point["lut_us"]):
        parts += [f"{_number(point['lut_us'])} LUT·µs"]
    seeds = int(point["seeds_ok"])
    return ", ".join([*parts, f"median of {seeds} seeds" if seeds > 1 else "one seed"])


def _speed(point: pandas.Series) -> str:
    parts = [f"{what} {point[clocks]:,.0f} clocks = {time_text(point[time])}"
             for what, clocks, time in (("latency", "cycles_compute", "latency_us"),
                                        ("interval", "cycles_interval", "interval_us"))
             if present(point[clocks]) and present(point[time])]
    if present(point["useful_mbps"]):
        parts += [f"{_number(point['useful_mbps'])} Mbit/s"]
    if present(point.get("signatures_per_s")):
        parts += [f"{_number(point['signatures_per_s'])} signatures/s with keys of "
                  f"{point['width']} bits"]
    return ", ".join(parts) or "no clocks are known"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
