"""``montgomery recommend``: the best cores for a width, a device and limits."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.captions import doubts
from ..data.collector import uncollected
from ..data.labels import present, time_text
from ..data.remainders import reduced_forms, result_of, result_of_row
from ._answer import SCHEMA, Answer, answering
from ._command import Command, grouped
from ._listed import on_terminal
from ._names import KIND, OBJECTIVE, TARGETS
from ._options import limit_options, limits, names
from ._rows import load_rows, source_options, tell_notes
from ._types import Integer

if TYPE_CHECKING:
    import pandas

    from ..data.estimates import Estimate, Trial, Unmeasured
    from ..data.recommend import Recommendation
    from ..points.point import Point

__all__ = ["command"]

_SHOWN = ("arch", "kind", "width", "target", "params", "options", "lut", "ff", "dsp", "bram",
          "fmax_usable_mhz", "cycles_compute", "cycles_interval", "latency_us", "interval_us",
          "lut_us", "useful_mbps", "throughput_pipelined_mbps", "signatures_per_s", "constant_time",
          "seeds_ok")
#: What is left out without breaking a limit, in words.
_REASONS = {"not constant time": "whose time depends on the operands",
            "not reduced": "whose results are not reduced",
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
@click.option("-n", "--width", "--bits", "bits", required=True, type=Integer(2), metavar="BITS",
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
@grouped("Limits", (["--reduced"], {
    "is_flag": True,
    "help": "Have results below the modulus m, instead of below 2 m or another multiple."}))
@click.option("--kind", default="multiplier", show_default=True, metavar="NAME", type=KIND,
              help="Kind of core: multiplier, exponentiator, hash, or rsa_crt (RSA with "
                   "the factors of the modulus).")
@click.option("--top", default=3, show_default=True, type=Integer(1), metavar="N",
              help="Number of cores to show.")
@source_options
@answering
@uncollected()
def command(bits: int, targets: tuple[str, ...], objective: str, constant_time: bool,
            reduced: bool, kind: str,
            top: int, store_path: Path | None, sources: tuple[Path, ...], current: bool,
            **given: float | None) -> Answer:
    """Recommend cores among those that were measured.

    Points are compared by the medians of their seeds. A point is tied with the first one if the
    spread of the seeds explains the difference, as 'diff' and 'compare' judge it. A core may have
    more bits than asked for, unless the same core was measured with fewer that suffice.

    Of cores that were not measured at the width, the clocks are told, which are exact, with
    estimates of area and frequency from the widths that were measured nearby.

    \b
    montgomery recommend -n 256 --target ice40-hx8k --max-lut 3000
    montgomery recommend -n 1024 --objective lut-us --constant-time --from results/rows.jsonl

    The exit status is 1 if no measured core keeps all limits; the nearest miss is shown then.
    """
    from ..data.frame import medians
    from ..data.recommend import NothingMeasured, estimates, recommend, tied, without_rows

    rows = load_rows(store_path, sources, current)
    points, devices = medians(rows), tuple(names("-t", targets))
    asked: dict[str, Any] = {
        "bits": bits, "objective": objective, "kind": kind, "targets": devices,
        "limits": limits(given), "constant_time": constant_time, "reduced": reduced}
    found, ties, said = None, [], []
    try:
        found = recommend(points, **asked)
        if not found.best.empty:
            ties = tied(found.best.head(top), rows, bits=bits, objective=objective)
        said += without_rows(points, bits, kind, devices)
        if not found.is_exact:
            on = f" on {', '.join(devices)}" if devices else ""
            said += [f"No {kind} of exactly {bits} bits was measured{on}; cores of other widths "
                     "were"]
        if not found.is_exact or (found.best["width"].head(top) > bits).any():
            guessed = estimates(points, **asked)
        else:
            guessed = []
    except NothingMeasured as error:
        if not (guessed := estimates(points, **asked)):
            raise
        said += [str(error)]
    shown = set() if found is None else set(found.best["target"].head(top))
    if doubt := doubts(shown | {each.point.target for each in guessed[:top]}):
        said += [doubt.strip().removesuffix(".")]
    tell_notes(rows)
    document = _document(found, ties, guessed, top) | {"notes": said}
    return Answer(document, _lines(found, ties, guessed, said, points, asked, top),
                  1 if found is None or found.best.empty else 0)


def _lines(found: Recommendation | None, ties: Sequence[bool], guessed: Sequence[Unmeasured],
           said: Sequence[str], points: pandas.DataFrame, asked: Mapping[str, Any], top: int
           ) -> Iterator[str]:
    """Yield the lines of an answer: what is said of it, what was measured, and estimates."""
    from ..data.estimates import trials

    bits, objective = asked["bits"], asked["objective"]
    estimated = _estimated(guessed, trials(points) if guessed else [], bits, objective, top)
    measured = [] if found is None else _measured(found, ties, objective)
    if found is not None and found.best.empty and asked["reduced"]:
        measured += _reduced_advice(asked["kind"], bits, asked["targets"])
    if found is not None and found.is_exact:
        lines = [*said, *measured, *estimated]
    elif found is not None and found.best.empty and not guessed:
        lines = [*measured, *said]
    else:
        lines = [*said, *estimated, *(["Measured with more bits:"] if measured else []), *measured]
    yield from on_terminal(lines)


def _record(point: pandas.Series) -> dict[str, Any]:
    record = {name: point[name] if present(point[name]) else None
              for name in _SHOWN if name in point}
    plain = {name: value.item() if hasattr(value, "item") else value
             for name, value in record.items()}
    counts = {name: int(value) for name, value in plain.items()
              if name in _counts() and value is not None and value == int(value)}
    return plain | counts | {"result": result_of_row(point), "command": _command(point)}


def _counts() -> set[str]:
    """Return the columns that hold whole numbers."""
    from ..data.columns import COLUMNS, Type

    return {"seeds_ok", *(column.name for column in COLUMNS if column.type is Type.INTEGER)}


def _document(found: Recommendation | None, ties: Sequence[bool],
              guessed: Sequence[Unmeasured], top: int) -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema": SCHEMA, "best": [], "candidates": 0, "ruled_out": {}, "nearest": None,
        "is_exact": found is not None and found.is_exact,
        "estimates": list(map(_estimate_record, guessed[:top]))}
    if found is None:
        return document
    best = [_record(point) | {"tied": tie}
            for tie, (_, point) in zip(ties, found.best.iterrows(), strict=False)]
    nearest = None
    if found.nearest is not None:
        nearest = _record(found.nearest) | {
            "excess": {name: {"value": value, "limit": limit}
                       for name, (value, limit) in found.excess.items()}}
    return document | {"best": best, "candidates": len(found.best), "ruled_out": found.ruled_out,
                       "nearest": nearest}


def _estimate_record(each: Unmeasured) -> dict[str, Any]:
    point = each.point
    params = {name: value for name, value in point.params if name != "width"}
    return {"arch": point.arch, "kind": point.kind, "width": point.width, "target": point.target,
            "params": params, "options": dict(point.options), **each.clocks,
            **{name: dataclasses.asdict(figure) for name, figure in each.figures.items()},
            "constant_time": each.constant_time, "result": result_of(point.parameters()),
            "measured_widths": list(each.measured), "illegal": each.illegal or None,
            "lacking": dict(each.lacking),
            "command": shlex.join(point.command("sweep")), "sweep_seconds": _sweep_seconds(each)}


def _sweep_seconds(each: Unmeasured) -> float:
    """Return the time that the command of an estimate probably takes, one tool at a time."""
    from ..points.spec import SweepSpec

    return each.synth_seconds + SweepSpec.seeds * each.place_seconds


def _estimated(guessed: Sequence[Unmeasured], tried: Sequence[Trial], bits: int, objective: str,
               top: int) -> list[str]:
    """Return lines on cores that were not measured at the width, with how far they are right."""
    if not guessed:
        return []
    lines = [f"Not measured with {bits} bits; the clocks are exact, by the formulas of the cores, "
             "and the rest is estimated:"]
    for rank, each in enumerate(guessed[:top], 1):
        lines += [f"{rank}. {_point_name(each.point)}, estimated from "
                  f"{_listed([str(width) for width in each.measured])} bits"]
        if each.illegal:
            lines += [f"   {bits} bits are not possible, {each.point.width} are the next that are: "
                      f"{each.illegal}"]
        if each.lacking:
            lines += ["   probably does not fit the device, which has " + ", ".join(
                f"{there:,} {name.upper()}" for name, there in each.lacking.items())]
        lines += [f"   {line}" for line in _estimate_details(each)]
    if len(guessed) > 1:
        lines += [f"Best of {len(guessed)} estimates by {objective}"]
    judged = [_judged(what, [each for each in tried if each.column == column])
              for what, column in (("LUT counts", "lut"), ("frequencies", "fmax_usable_mhz"))]
    if any(judged):
        lines += [f"Of measured widths, left out one at a time: {'; '.join(filter(None, judged))}"]
    return lines


def _judged(what: str, tried: Sequence[Trial]) -> str:
    if not tried:
        return ""
    errors = sorted(each.error for each in tried)
    half, most = (errors[len(errors) * share // 10] for share in (5, 9))
    return (f"{sum(each.is_inside for each in tried)} of {len(tried)} {what} lie in such a range, "
            f"half of the estimates are {half:.0%} wrong or less, one in ten {most:.0%} or more")


def _estimate_details(each: Unmeasured) -> list[str]:
    from ..pipeline.forecast import in_words

    figures = each.figures
    area = [f"about {_range(figures['lut'])} LUT",
            *(f"{figures[name].value:,.0f} {what}"
              for name, what in (("ff", "FF"), ("dsp", "DSP"), ("bram", "BRAM"))
              if name in figures and (figures[name].value or name == "ff"))]
    if "fmax_usable_mhz" in figures:
        area += [f"{_range(figures['fmax_usable_mhz'])} MHz"]
    times = []
    for what, clocks, column in (("latency", "cycles_compute", "latency_us"),
                                 ("interval", "cycles_interval", "interval_us")):
        time = (f" = about {time_text(figures[column].value)} ({time_text(figures[column].low)} to "
                f"{time_text(figures[column].high)})" if column in figures else "")
        times += [f"{what} {each.clocks[clocks]:,} clocks{time}"]
    if "signatures_per_s" in figures:
        times += [f"about {_number(figures['signatures_per_s'].value)} signatures/s with keys of "
                  f"{each.point.width} bits"]
    result = result_of(each.point.parameters())
    takes = _sweep_seconds(each)
    measures = f"   (takes about {in_words(takes)} of one processor)" if takes else ""
    return [", ".join(area), ", ".join([*times, *([f"result {result}"] if result else [])]),
            shlex.join(each.point.command("sweep")) + measures]


def _range(figure: Estimate) -> str:
    return f"{figure.value:,.0f} ({figure.low:,.0f} to {figure.high:,.0f})"


def _listed(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _reduced_advice(kind: str, bits: int, devices: Sequence[str]) -> list[str]:
    """Return the command that measures cores with reduced results."""
    from ..points.point import full_name

    lines = []
    for core in reduced_forms(kind, bits):
        unusual = [f"-p {field.name}={value}" for field in dataclasses.fields(core)
                   if field.name != "width" and (value := getattr(core, field.name))
                   != field.default]
        on = f"-t {','.join(devices)}" if devices else "-t ecp5-85k"
        lines += [" ".join(["Has reduced results: montgomery sweep -a",
                            full_name(kind, core.name()), f"-n {bits}", *unusual, on])]
    return lines


def _command(point: pandas.Series) -> str:
    """Return the command that exports a point."""
    return shlex.join(_point(point).command("export"))


def _point(point: pandas.Series) -> Point:
    from ..points.point import Point

    return Point.from_row(point)


def _measured(found: Recommendation, ties: Sequence[bool], objective: str) -> list[str]:
    lines = []
    for rank, (tie, (_, point)) in enumerate(zip(ties, found.best.iterrows(), strict=False), 1):
        tied = " (tied with 1 within the spread of seeds)" if rank > 1 and tie else ""
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
    return lines


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
    return _point_name(_point(point))


def _point_name(point: Point) -> str:
    extra = "".join(f" {name}={value}" for name, value in point.unusual_params)
    options = "".join(f" -o {shlex.quote(f'{name}={value}')}"
                      for name, value in point.unusual_options)
    return (f"{point.name} of {point.width} bits{extra} on {point.target}"
            f"{' with' if options else ''}{options}")


def _area(point: pandas.Series) -> str:
    parts = [f"{point[name]:,.0f} {what}" for name, what in (
        ("lut", "LUT"), ("ff", "FF"), ("dsp", "DSP"), ("bram", "BRAM"))
        if present(point[name]) and (point[name] or name not in ("dsp", "bram"))]
    if present(point["fmax_usable_mhz"]):
        parts += [f"{point['fmax_usable_mhz']:,.0f} MHz"]
    if present(point["lut_us"]):
        parts += [f"{_number(point['lut_us'])} LUT·µs"]
    if result := result_of_row(point):
        parts += [f"result {result}"]
    seeds = int(point["seeds_ok"])
    return ", ".join([*parts, f"median of {seeds} seeds" if seeds > 1 else "one seed"])


def _speed(point: pandas.Series) -> str:
    parts = [f"{what} {point[clocks]:,.0f} clocks"
             + (f" = {time_text(point[time])}" if present(point[time]) else "")
             for what, clocks, time in (("latency", "cycles_compute", "latency_us"),
                                        ("interval", "cycles_interval", "interval_us"))
             if present(point[clocks])]
    if present(point["useful_mbps"]):
        parts += [f"{_number(point['useful_mbps'])} Mbit/s"]
    if present(point.get("signatures_per_s")):
        parts += [f"{_number(point['signatures_per_s'])} signatures/s with keys of "
                  f"{point['width']} bits"]
    return ", ".join(parts) or "no clocks are known"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
