"""Lines of ``montgomery recommend``.

What a core is left out for is a value; :func:`left_out` and :func:`nearest` make words of it.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from montgomery import KINDS
from montgomery.core import traits

from ..data.columns import COLUMNS, Type
from ..data.estimates import Estimate
from ..data.labels import curve_name, duration, present, time_text
from ..data.rates import counted, only_modulus, rate_of, result_of_row
from ..data.recommend import Candidate, Question
from ..devices import targets
from ..outcome import Status
from ..points.point import Point, core_of
from ..points.rivals import is_rival
from ..points.spec import SweepSpec
from ._curves import prime_text
from ._options import limit_text

__all__ = ["left_out", "lines_of", "name_of", "nearest", "record"]

_Record = Mapping[str, Any]
_AREA = {"lut": "LUT", "ff": "FF", "dsp": "DSP", "bram": "BRAM"}
_SHOWN = ("arch", "kind", "width", "params", "options", *_AREA, "fmax_usable_mhz",
          "cycles_compute", "cycles_interval", "latency_us", "interval_us", "lut_us",
          "useful_mbps", "throughput_pipelined_mbps", "constant_time", "seeds_ok")
_COUNTS = {"seeds_ok", *(column.name for column in COLUMNS if column.type is Type.INTEGER)}
#: Why cores are left out, in words.
_REASONS = {"constant_time": "whose time depends on the operands",
            "reduced": "whose results are not reduced",
            "wider": "wider versions of the same cores",
            "clock": "too slow for --clock",
            "device": "that need more than the device has",
            "unknown": "of which the time is not known"}
_STATUSES = {Status.NO_FIT: "that do not fit the device",
             Status.AREA_ONLY: "of which only the area is known",
             Status.PARTIAL: "that were measured in part",
             Status.TIMEOUT: "whose placement took too long",
             Status.NO_FMAX: "without a clock frequency",
             Status.OVERFLOW: "that overflow the stack of a tool"}
#: What limits are counted in.
_UNITS = {"max_lut": "LUT", "max_ff": "FF", "max_dsp": "DSP", "max_bram": "BRAM",
          "max_latency_us": "µs", "min_mhz": "MHz", "clock": "MHz"}


def record(each: Candidate, question: Question) -> dict[str, Any]:
    """Return what is told of a candidate: numbers, or values with their ranges if estimated."""
    estimate, point = each.estimate, {**each.point, "target": each.target}
    row = Point.from_row(point)
    found = {name: point[name] if present(point.get(name)) else None for name in _SHOWN}
    if name := rate_of(row.kind):
        found[name] = None if estimate else _per_second(point, question)
    found = {name: int(value) if name in _COUNTS and value is not None and value == int(value)
             else value for name, value in found.items()}
    own = only_modulus(point)
    fixed = {"curve": curve_name(point) or None, "modulus": None if own is None else hex(own)}
    command = row.command("export" if estimate is None else "sweep", named=("curve", "modulus"))
    return {"target": each.target, **found, **fixed, **_estimated(each, question),
            "result": result_of_row(point), "origin": point["versions"].get("origin"),
            "measured_on": each.point["target"], "earlier": bool(point.get("earlier")),
            "clock_mhz": question.clock_mhz,
            "command": "montgomery list rivals" if is_rival(row.arch) else shlex.join(command)}


def _per_second(point: _Record, question: Question) -> float | None:
    """Return the operations in a second, with one key for all of them."""
    core = core_of(point) if KINDS[point["kind"]].does_rsa else None
    return None if point["useful_mbps"] is None else (
        1e6 * point["useful_mbps"] / question.bits * (traits(core).parallel if core else 1))


def _estimated(each: Candidate, question: Question) -> dict[str, Any]:
    """Return the ranges of what was not measured, and from what they were estimated."""
    if each.estimate is None:
        return {}
    figures = dict(each.estimate.figures)
    exact = question.clock_mhz and Estimate.exact(question.clock_mhz)
    if mhz := exact or figures.get("fmax_usable_mhz"):
        ends = mhz.value, mhz.high, mhz.low

        def divided(clocks: Estimate) -> Estimate:
            return Estimate(*(count / end for count, end in zip(
                (clocks.value, clocks.low, clocks.high), ends, strict=True)))

        figures["latency_us"] = divided(figures["cycles_compute"])
        figures["interval_us"] = divided(figures["cycles_interval"])
    synth, place = each.estimate.seconds
    found = {name: figures[name] for name in _SHOWN if name in figures}
    return {**{name: round(figure.value) if figure.low == figure.high and name in _COUNTS
               else figure.value if figure.low == figure.high
               else {"value": figure.value, "low": figure.low, "high": figure.high}
               for name, figure in found.items()},
            "seeds_ok": None, "lut_us": None,
            "measured_widths": list(each.estimate.measured),
            "illegal": each.estimate.illegal or None,
            # One tool at a time.
            "sweep_seconds": synth + SweepSpec.seeds * place}


def lines_of(each: _Record) -> list[str]:
    """Return what a core is, needs and takes, and the command that exports or measures it."""
    area = [f"{_figure(each[name], _whole)} {unit}"
            for name, unit in (*_AREA.items(), ("fmax_usable_mhz", "MHz"))
            if each[name] is not None and (_middle(each[name]) or name not in ("dsp", "bram"))]
    if each["lut_us"] is not None:
        area.append(f"{_number(each['lut_us'])} LUT·µs")
    if each["result"]:
        area.append(f"result {each['result']}")
    if seeds := each["seeds_ok"]:
        area.append(f"median of {seeds} seeds" if seeds > 1 else "one seed")
    speed = [f"{what} {_figure(each[clocks], _whole)} clocks" + (
        "" if each[time] is None else f" = {_figure(each[time], time_text)}")
        for what, clocks, time in (("latency", "cycles_compute", "latency_us"),
                                   ("interval", "cycles_interval", "interval_us"))
        if each[clocks] is not None]
    if each["useful_mbps"] is not None and "measured_widths" not in each:
        speed.append(f"{_number(each['useful_mbps'])} Mbit/s")
    if (rate := each.get(rate_of(each["kind"]))) is not None:
        keys = f" with keys of {each['width']} bits" if not each["curve"] else ""
        speed.append(f"{_figure(rate, _number)} {counted(each['kind'])}/s{keys}")
    if each["clock_mhz"] and speed:
        speed.append(f"at {each['clock_mhz']:g} MHz")
    lines = [f"   {', '.join(area)}", f"   {', '.join(speed) or 'no clocks are known'}"]
    if each["measured_on"] != each["target"]:
        room = targets()[each["target"]].capacity or {}
        needs = ", ".join(f"{_middle(each[name]):,.0f} of {there:,} {_AREA[name]}"
                          for name, there in room.items() if each[name] and _middle(each[name]))
        lines.append(f"   measured on {each['measured_on']}, which has the same cells; takes "
                     f"{needs} of {each['target']}")
    if each.get("illegal"):
        lines.insert(0, f"   {each['width']} bits are the next that are possible: "
                     f"{each['illegal']}")
    command = f"   {each['command']}"
    if seconds := each.get("sweep_seconds"):
        command += f"   (takes about {duration(seconds)} of one processor)"
    return [*lines, command]


def name_of(each: _Record) -> str:
    """Return what a core is called, and for what it is."""
    point = Point.from_row(each)
    extra = "".join(f" {name}={value}" for name, value in point.unusual_params)
    options = "".join(f" -o {shlex.quote(f'{name}={value}')}"
                      for name, value in point.unusual_options)
    alone = each["curve"] or (each["modulus"] and prime_text(int(each["modulus"], 16)))
    return (f"{point.name} of {point.width} bits{f' for {alone} alone,' if alone else ''}{extra} "
            f"on {point.target}{' with' if options else ''}{options}"
            f"{', not of this package: ' + each['origin'] if each['origin'] else ''}"
            f"{', measured with an earlier version' if each['earlier'] else ''}")


def nearest(each: Candidate, question: Question) -> list[str]:
    """Return lines on a core that breaks limits: what it has, and what the limit is."""
    told = record(each, question)
    has = []
    for reason in each.reasons:
        if reason.name == "device":
            has += [f"{_number(needed)} {_AREA[name]} (the device has {there:,})"
                    for name, (needed, there) in reason.value.items()]
        else:
            has.append(f"{_number(reason.value)} {_UNITS[reason.name]} (limit {reason.limit:g}, by "
                       f"{limit_text(reason.name)})")
    return [f"Nearest: {name_of(told)}, which has {', '.join(has)}", *lines_of(told)]


def left_out(candidates: Sequence[Candidate], question: Question) -> list[str]:
    """Return a line that counts what is left out, by the reasons, most first; [] if nothing is."""
    counts = Counter(_because(reason.name, reason.value, question)
                     for each in candidates for reason in each.reasons)
    return ["Left out: " + ", ".join(f"{number} {why}" for why, number in sorted(
        counts.items(), key=lambda each: (-each[1], each[0])))] if counts else []


def _because(name: str, value: Any, question: Question) -> str:
    if name == "modulus":
        return (f"for {prime_text(value)} alone" if question.modulus else
                "built for one modulus, which --modulus or --curve did not name")
    if name == "status":
        return _STATUSES.get(value, f"with status {value}")
    return _REASONS.get(name) or f"by {limit_text(name)}"


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
