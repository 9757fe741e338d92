"""``montgomery recommend``: the best cores for a width, a device and limits."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.collector import uncollected
from ..data.labels import core_name, present
from ..lookup import known
from ._options import json_option, load_rows, names, print_json, source_options, tell_notes

if TYPE_CHECKING:
    import pandas

    from ..data.recommend import Recommendation
    from ..points.point import Point

__all__ = ["command"]

_SCHEMA = 1
_SHOWN = ("arch", "kind", "width", "target", "params", "options", "lut", "ff", "dsp", "bram",
          "fmax_usable_mhz", "cycles_compute", "latency_us", "lut_us", "throughput_pipelined_mbps",
          "constant_time", "seeds_ok")


@click.command(short_help="The best cores for a width, a device and limits.")
@click.option("--bits", required=True, type=click.IntRange(min=2), metavar="N",
              help="Bits of the largest modulus.")
@click.option("-t", "--target", "targets", metavar="NAME", multiple=True,
              help="Devices.  [default: all that something was measured on]")
@click.option("--objective", default="latency", show_default=True, metavar="NAME",
              help="latency, area, lut-us (LUTs times latency) or throughput.")
@click.option("--max-lut", type=click.FloatRange(min=0), metavar="N", help="Most LUTs.")
@click.option("--max-ff", type=click.FloatRange(min=0), metavar="N", help="Most registers.")
@click.option("--max-dsp", type=click.FloatRange(min=0), metavar="N", help="Most DSP blocks.")
@click.option("--max-bram", type=click.FloatRange(min=0), metavar="N", help="Most block RAMs.")
@click.option("--max-us", "max_latency_us", type=click.FloatRange(min=0), metavar="US",
              help="Longest latency, in microseconds.")
@click.option("--min-mhz", type=click.FloatRange(min=0), metavar="MHZ",
              help="Lowest usable clock, for a core that shares its clock with others.")
@click.option("--constant-time", is_flag=True,
              help="Only cores whose time does not depend on what they compute.")
@click.option("--exponentiator", "kind", flag_value="exponentiator", default="multiplier",
              help="Exponentiators in place of multipliers.")
@click.option("--decryption", "kind", flag_value="decryption",
              help="Cores for RSA with the factors of the modulus.")
@click.option("--top", default=3, show_default=True, type=click.IntRange(min=1), metavar="N",
              help="How many to show.")
@source_options
@json_option
@uncollected()
def command(bits: int, targets: tuple[str, ...], objective: str, constant_time: bool,
            kind: str, top: int, store_path: Path | None, source: Path | None, as_json: bool,
            **limits: float | None) -> int:
    """Recommend cores among those that were measured.

    Points are compared by their medians; where the range of a point's seeds meets that of the best
    one, it says so, since no difference was measured then. A core that is wider than asked for
    will do.

    \b
    montgomery recommend --bits 256 --target ice40-hx8k --max-lut 3000
    montgomery recommend --bits 1024 --objective lut-us --constant-time --from results/rows.jsonl

    Exit status 1 if nothing keeps all limits; the nearest miss is shown then.
    """
    from ..data.frame import medians
    from ..data.recommend import OBJECTIVES, recommend

    known("objective", objective, OBJECTIVES)
    given = {name: value for name, value in limits.items() if value is not None}
    rows = load_rows(store_path, source)
    found = recommend(medians(rows), bits=bits, objective=objective, kind=kind,
                      targets=tuple(names(targets)), limits=given, constant_time=constant_time)
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
        tied = " (no difference to the first was measured)" if rank > 1 and point["tied"] else ""
        lines += [f"{rank}. {_name(point)}{tied}", f"   {_figures(point)}", f"   {_command(point)}"]
    count = len(found.best)
    if count:
        lines += [f"Best of {count} by {objective}" if count > 1 else
                  "The only one that keeps all limits"]
    else:
        lines += ["Nothing that was measured keeps all limits"]
        if found.nearest is not None:
            misses = ", ".join(f"--{_option(name)} {limit:g} by having {value:,.4g}"
                               for name, (value, limit) in found.excess.items())
            lines += [f"Nearest: {_name(found.nearest)}, which misses {misses}",
                      f"   {_figures(found.nearest)}", f"   {_command(found.nearest)}"]
    if found.ruled_out:
        lines += ["Ruled out: " + ", ".join(f"{number} {_reason(name)}"
                                            for name, number in found.ruled_out.items())]
    return "\n".join(lines)


def _option(name: str) -> str:
    return "max-us" if name == "max_latency_us" else name.replace("_", "-")


def _reason(name: str) -> str:
    return name if name.startswith("not ") else f"by --{_option(name)}"


def _name(point: pandas.Series) -> str:
    extra = "".join(f" {name}={value}" for name, value in _point(point).unusual_params)
    return f"{core_name(point)} of {point['width']} bits{extra} on {point['target']}"


def _figures(point: pandas.Series) -> str:
    seeds = int(point["seeds_ok"])
    parts = [f"{point[name]:{form}} {what}" for name, form, what in (
        ("lut", ",.0f", "LUT"), ("ff", ",.0f", "FF"), ("dsp", ",.0f", "DSP"),
        ("bram", ",.0f", "BRAM"), ("fmax_usable_mhz", ",.0f", "MHz"),
        ("cycles_compute", ",.0f", "clocks"), ("latency_us", ",.4g", "µs"))
        if present(point[name]) and (point[name] or name not in ("dsp", "bram"))]
    return ", ".join([*parts, f"median of {seeds} seeds" if seeds > 1 else "one seed"])
