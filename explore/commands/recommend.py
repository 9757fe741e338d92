"""``montgomery recommend``: the best cores for a width, a device and limits."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.captions import doubts
from ..data.collector import uncollected
from ..data.labels import duration, present, time_text
from ..data.rates import counted, rate_of
from ..data.remainders import result_of, result_of_row
from ..data.versions import origins
from ..errors import Refusal
from ._answer import SCHEMA, Answer, answering
from ._command import Command, grouped
from ._listed import on_terminal
from ._names import KIND, OBJECTIVE, TARGETS
from ._options import limit_options, limits, names
from ._rows import load_rows, param_option, source_options, tell_notes, with_params
from ._types import Integer

if TYPE_CHECKING:
    import pandas

    from ..data.estimates import Trial, Unmeasured
    from ..data.recommend import Recommendation

__all__ = ["command"]

_Record = Mapping[str, Any]
_SHOWN = ("arch", "kind", "width", "target", "params", "options", "lut", "ff", "dsp", "bram",
          "fmax_usable_mhz", "cycles_compute", "cycles_interval", "latency_us", "interval_us",
          "lut_us", "useful_mbps", "throughput_pipelined_mbps", "constant_time", "seeds_ok")
#: What is left out without breaking a limit, in words.
_REASONS = {"not constant time": "whose time depends on the operands",
            "not reduced": "whose results are not reduced",
            "wider than needed": "wider versions of the same cores",
            "not measured: no_fit": "that do not fit the device",
            "not measured: area_only": "of which only the area is known",
            "not measured: timeout": "whose placement took too long",
            "not measured: no_fmax": "without a clock frequency",
            "not measured: overflow": "that overflow the stack of a tool",
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
@param_option
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
              help="Kind of core, such as exponentiator, rsa_crt (RSA with the factors of the "
                   "modulus), scalar_multiplication (elliptic curves), or base_multiplication "
                   "(of the base point).")
@click.option("--top", default=3, show_default=True, type=Integer(1), metavar="N",
              help="Number of cores to show.")
@source_options
@answering
@uncollected()
def command(bits: int, targets: tuple[str, ...], params: tuple[str, ...], objective: str,
            constant_time: bool, reduced: bool, kind: str, top: int, store_path: Path | None,
            sources: tuple[Path, ...], current: bool, **given: float | None) -> Answer:
    """Recommend cores among those that were measured.

    Points are compared by the medians of their seeds. A point is tied with the first one if the
    spread of the seeds explains the difference, as 'diff' and 'compare' judge it. A core may have
    more bits than asked for, unless the same core was measured with fewer that suffice.

    Of cores that were not measured at the width, the clocks are told, which are exact, with
    estimates of area and frequency from the widths that were measured nearby.

    \b
    montgomery recommend -n 256 --target ice40-hx8k --max-lut 3000
    montgomery recommend -n 1024 --objective lut-us --constant-time --from results/rows.jsonl
    montgomery recommend -n 256 --kind scalar_multiplication -p curve=secp256k1

    The exit status is 1 if no measured core keeps all limits; the nearest miss is shown then.
    """
    from montgomery import KINDS

    from ..data.frame import medians
    from ..data.recommend import NothingMeasured, estimates, recommend, tied, without_rows

    if not KINDS[kind].formula:
        raise Refusal(f"{KINDS[kind].nouns.capitalize()} have no model, so that nothing of them is "
                      "verified and none is recommended; 'montgomery table --kind "
                      f"{kind}' shows their areas and clocks")
    rows = with_params(load_rows(store_path, sources, current, together=True), params)
    points, devices = medians(rows), tuple(names("-t", targets))
    asked: dict[str, Any] = {
        "bits": bits, "objective": objective, "kind": kind, "targets": devices,
        "limits": limits(given), "constant_time": constant_time, "reduced": reduced}
    found, best, ties, guessed, said = None, points.head(0), [], [], []
    try:
        found = recommend(points, **asked)
        best = _shown(found.best, top)
        if not best.empty:
            ties = tied(best, rows, bits=bits, objective=objective)
        said += without_rows(points, bits, kind, devices)
        if not found.is_exact:
            on = f" on {', '.join(devices)}" if devices else ""
            said += [f"No {kind} of exactly {bits} bits was measured{on}; cores of other widths "
                     "were"]
        if not found.is_exact or (best["width"] > bits).any():
            guessed = estimates(points, **asked)
    except NothingMeasured as error:
        if not (guessed := estimates(points, **asked)):
            raise
        said += [str(error)]
    if doubt := doubts({*best["target"], *(each.point.target for each in guessed[:top])}):
        said += [doubt.strip().removesuffix(".")]
    tell_notes(rows)
    document = _document(found, best, ties, guessed[:top]) | {"notes": said}
    return Answer(document, _lines(found, document, guessed, points, bits, objective),
                  0 if document["best"] else 1)


def _shown(best: pandas.DataFrame, top: int) -> pandas.DataFrame:
    """Return the best cores with their ranks, and the best of this package if it is not there."""
    from ..points.rivals import is_rival

    ranked = best.assign(rank=range(1, len(best) + 1))
    own = ranked["rank"][~ranked["arch"].map(is_rival).astype(bool)].head(1)
    return ranked[(ranked["rank"] <= top) | ranked["rank"].isin(own)]


def _document(found: Recommendation | None, best: pandas.DataFrame, ties: Sequence[bool],
              guessed: Sequence[Unmeasured]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema": SCHEMA, "best": [], "candidates": 0, "ruled_out": {}, "nearest": None,
        "is_exact": found is not None and found.is_exact,
        "estimates": list(map(_estimate, guessed))}
    if found is None:
        return document
    if found.nearest is not None:
        document["nearest"] = _record(found.nearest) | {
            "excess": {name: {"value": value, "limit": limit}
                       for name, (value, limit) in found.excess.items()}}
    records = [_record(point) | {"rank": point["rank"], "tied": tie}
               for tie, (_, point) in zip(ties, best.iterrows(), strict=True)]
    return document | {"best": records, "candidates": len(found.best),
                       "ruled_out": found.ruled_out}


def _record(point: pandas.Series) -> dict[str, Any]:
    """Return what is told of a measured point."""
    from ..data.columns import COLUMNS, Type
    from ..points.point import Point
    from ..points.rivals import is_rival

    counts = {"seeds_ok", *(column.name for column in COLUMNS if column.type is Type.INTEGER)}
    record: dict[str, Any] = {}
    for name in (*_SHOWN, rate_of(point["kind"])):
        if name in point:
            value = point[name] if present(point[name]) else None
            value = value.item() if hasattr(value, "item") else value
            whole = name in counts and value is not None and value == int(value)
            record[name] = int(value) if whole else value
    (origin,) = origins(point.to_frame().T)
    exported = shlex.join(Point.from_row(point).command("export"))
    return record | {"result": result_of_row(point), "origin": origin or None,
                     "command": "montgomery rivals" if is_rival(point["arch"]) else exported}


def _estimate(each: Unmeasured) -> dict[str, Any]:
    """Return what is told of a core that was not measured at the width."""
    from ..points.spec import SweepSpec

    point = each.point
    return {"arch": point.arch, "kind": point.kind, "width": point.width, "target": point.target,
            "params": {name: value for name, value in point.params if name != "width"},
            "options": dict(point.options), **each.clocks,
            **{name: dataclasses.asdict(figure) for name, figure in each.figures.items()},
            "constant_time": each.constant_time, "result": result_of(point.parameters()),
            "measured_widths": list(each.measured), "illegal": each.illegal or None,
            "lacking": dict(each.lacking), "command": shlex.join(point.command("sweep")),
            # One tool at a time.
            "sweep_seconds": each.synth_seconds + SweepSpec.seeds * each.place_seconds}


def _lines(found: Recommendation | None, document: _Record, guessed: Sequence[Unmeasured],
           points: pandas.DataFrame, bits: int, objective: str) -> Iterator[str]:
    """Yield the lines of an answer: what is said of it, what was measured, and estimates."""
    from ..data.estimates import trials

    said = document["notes"]
    measured = [] if found is None else _measured(document, objective)
    estimated = _estimated(document["estimates"], len(guessed), bits, objective)
    if guessed:
        tried = trials(points)
        judged = [_judged(what, [each for each in tried if each.column == column])
                  for what, column in (("LUT counts", "lut"), ("frequencies", "fmax_usable_mhz"))]
        if any(judged):
            estimated += ["Of measured widths, left out one at a time: "
                          f"{'; '.join(filter(None, judged))}"]
    if document["is_exact"]:
        lines = [*said, *measured, *estimated]
    elif found is not None and found.best.empty and not guessed:
        lines = [*measured, *said]
    else:
        lines = [*said, *estimated, *(["Measured with more bits:"] if measured else []), *measured]
    yield from on_terminal(lines)


def _measured(document: _Record, objective: str) -> list[str]:
    """Return lines on the cores that were measured."""
    lines, ruled_out = [], document["ruled_out"]
    for each in document["best"]:
        tied = (" (tied with 1 within the spread of seeds)" if each["rank"] > 1 and each["tied"]
                else "")
        lines += [f"{each['rank']}. {_name(each)}{tied}", *_details(each)]
    count, nearest = document["candidates"], document["nearest"]
    if count:
        lines += [f"Best of {count} by {objective}" if count > 1 else
                  "The only one that was measured" if not ruled_out else
                  "The only one that is left"]
    else:
        lines += ["Nothing that was measured keeps all limits"]
    if nearest is not None:
        needs = ", ".join(f"{_number(each['value'])} {_UNITS[name]} (limit {each['limit']:g}, by "
                          f"--{_option(name)})" for name, each in nearest["excess"].items())
        lines += [f"Nearest: {_name(nearest)}, which has {needs}", *_details(nearest)]
    if ruled_out:
        lines += ["Left out: " + ", ".join(f"{number} {_reason(name)}"
                                           for name, number in ruled_out.items())]
    return lines


def _estimated(records: Sequence[_Record], count: int, bits: int, objective: str) -> list[str]:
    """Return lines on cores that were not measured at the width."""
    if not records:
        return []
    lines = [f"Not measured with {bits} bits; the clocks are exact, by the formulas of the cores, "
             "and the rest is estimated:"]
    for rank, each in enumerate(records, 1):
        *others, last = map(str, each["measured_widths"])
        widths = f"{', '.join(others)} and {last}" if others else last
        lines += [f"{rank}. {_name(each)}, estimated from {widths} bits"]
        if each["illegal"]:
            lines += [f"   {bits} bits are not possible, {each['width']} are the next that are: "
                      f"{each['illegal']}"]
        if each["lacking"]:
            lines += ["   probably does not fit the device, which has " + ", ".join(
                f"{there:,} {name.upper()}" for name, there in each["lacking"].items())]
        lines += _details(each)
        if each["sweep_seconds"]:
            lines[-1] += f"   (takes about {duration(each['sweep_seconds'])} of one processor)"
    return [*lines, f"Best of {count} estimates by {objective}"] if count > 1 else lines


def _judged(what: str, tried: Sequence[Trial]) -> str:
    """Return how far estimates of measured widths are right."""
    if not tried:
        return ""
    errors = sorted(each.error for each in tried)
    half, most = (errors[len(errors) * share // 10] for share in (5, 9))
    return (f"{sum(each.is_inside for each in tried)} of {len(tried)} {what} lie in such a range, "
            f"half of the estimates are {half:.0%} wrong or less, one in ten {most:.0%} or more")


def _name(record: _Record) -> str:
    from ..points.point import Point

    point = Point.from_row(record)
    extra = "".join(f" {name}={value}" for name, value in point.unusual_params)
    options = "".join(f" -o {shlex.quote(f'{name}={value}')}"
                      for name, value in point.unusual_options)
    origin = f", not of this package: {record['origin']}" if record.get("origin") else ""
    return (f"{point.name} of {point.width} bits{extra} on {point.target}"
            f"{' with' if options else ''}{options}{origin}")


def _details(record: _Record) -> list[str]:
    """Return what a core needs, how fast it is, and the command that exports or measures it."""
    area = [f"{_figure(record[name], _whole)} {unit}" for name, unit in (
        ("lut", "LUT"), ("ff", "FF"), ("dsp", "DSP"), ("bram", "BRAM"), ("fmax_usable_mhz", "MHz"))
        if record.get(name) is not None and (_middle(record[name]) or name not in ("dsp", "bram"))]
    if isinstance(record.get("lut_us"), float):
        area += [f"{_number(record['lut_us'])} LUT·µs"]
    if record["result"]:
        area += [f"result {record['result']}"]
    if seeds := record.get("seeds_ok"):
        area += [f"median of {seeds} seeds" if seeds > 1 else "one seed"]
    speed = [f"{what} {record[clocks]:,.0f} clocks" + (
        "" if record.get(time) is None else f" = {_figure(record[time], time_text)}")
        for what, clocks, time in (("latency", "cycles_compute", "latency_us"),
                                   ("interval", "cycles_interval", "interval_us"))
        if record.get(clocks) is not None]
    if isinstance(record.get("useful_mbps"), float):
        speed += [f"{_number(record['useful_mbps'])} Mbit/s"]
    if (rate := record.get(rate_of(record["kind"]))) is not None:
        speed += [f"{_figure(rate, _number)} {counted(record['kind'])}/s with keys of "
                  f"{record['width']} bits"]
    return [f"   {', '.join(area)}", f"   {', '.join(speed) or 'no clocks are known'}",
            f"   {record['command']}"]


def _middle(value: Any) -> float:
    return value["value"] if isinstance(value, Mapping) else value


def _figure(value: Any, text: Callable[[float], str]) -> str:
    """Return a measured value, or an estimate with its range."""
    shown = text(_middle(value))
    ends = [text(value[end]) for end in ("low", "high")] if isinstance(value, Mapping) else [shown]
    return shown if {*ends} == {shown} else f"about {shown} ({' to '.join(ends)})"


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _number(value: float) -> str:
    return _whole(value) if value >= 1000 else f"{value:.4g}"


def _option(name: str) -> str:
    return "max-us" if name == "max_latency_us" else name.replace("_", "-")


def _reason(name: str) -> str:
    if name in _REASONS:
        return _REASONS[name]
    status = name.removeprefix("not measured: ")
    return f"with status {status}" if status != name else f"by --{_option(name)}"
