"""``montgomery recommend``: the best cores for a width, modulus or curve, a device and limits.

What a core is left out for is a value, of which :func:`_left_out` and :func:`_nearest` make words.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from montgomery import KINDS
from montgomery.core import listed, traits
from montgomery.numbers.catalogue import called

from ..data.columns import COLUMNS, Type
from ..data.estimates import Estimate
from ..data.frame import points_of
from ..data.labels import curve_name, doubts, duration, present, time_text
from ..data.rates import counted, only_modulus, rate_of, result_of_row
from ..data.recommend import Candidate, Question, Recommendation, tied
from ..data.recommend import recommend as recommended
from ..data.shells import Shell, lines_of_shell, shares
from ..data.unmeasured import estimates, to_measure
from ..errors import Refusal
from ..outcome import Status
from ..points.point import Point, core_of
from ..points.rivals import is_rival
from ..points.spec import SweepSpec
from ._answer import SCHEMA, Answer
from ._curves import named_curves, prime_text
from ._options import assignments, limit_text, limits, names
from ._rows import has_params, plain_rows

__all__ = ["recommend"]

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
            "unknown": "of which the time is not known",
            "bus": "whose registers on a bus were not measured"}
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
    if question.shell and estimate is None:
        command += ["--bus", question.shell.bus, *["--own-clock"] * question.shell.own_clock]
    return {"target": each.target, **found, **fixed, **_estimated(each, question),
            "result": result_of_row(point), "origin": point["versions"].get("origin"),
            "measured_on": each.point["target"], "earlier": bool(point.get("earlier")),
            "limits": {name: most for name in _AREA
                       if (most := question.limits.get(f"max_{name}")) and found[name]},
            "clock_mhz": question.clock_mhz, "shell": question.shell and question.shell.told(
                each.point, question.clock_mhz or point["fmax_usable_mhz"],
                question.core_mhz or point["fmax_usable_mhz"]),
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
    for name, more in (each.point.get("shell") or {}).items():
        figures[name] += more
    exact = question.core_mhz and Estimate.exact(question.core_mhz)
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
               else figure.told() for name, figure in found.items()},
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
    shell = each["shell"]
    if each["clock_mhz"] and speed and not (shell and shell["own_clock"]):
        speed.append(f"at {each['clock_mhz']:g} MHz")
    lines = [f"   {', '.join(area)}", f"   {', '.join(speed) or 'no clocks are known'}"]
    lines += [f"   {line}" for line in (lines_of_shell(shell, "of these") if shell else ())]
    elsewhere = each["measured_on"] != each["target"]
    if elsewhere:
        lines.append(f"   measured on {each['measured_on']}, which has the same cells")
    if shell or elsewhere:
        lines += [f"   {', '.join([text, *_of_limits(each)])}"
                  for text in shares(each, each["target"])]
    if each.get("illegal"):
        lines.insert(0, f"   {each['width']} bits are the next that are possible: "
                     f"{each['illegal']}")
    command = f"   {each['command']}"
    if seconds := each.get("sweep_seconds"):
        command += f"   (takes about {duration(seconds)} of one processor)"
    return [*lines, command]


def _of_limits(each: _Record) -> list[str]:
    """Return what a core takes of the area that --limit leaves it."""
    return [f"{_middle(each[name]) / most:.1%} of the {most:,.0f} {_AREA[name]} of --limit"
            for name, most in each["limits"].items()]


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
    if name == "clock" and question.shell:
        return "too slow for --clock without --own-clock"
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


def recommend(bits: int | None, modulus: int | None, curve: str | None, targets: tuple[str, ...],
              params: tuple[str, ...], objective: str, clock_mhz: float | None, bus: str | None,
              own_clock: bool, constant_time: bool, limits_: tuple[str, ...], reduced: bool,
              kind: str, top: int, sources: tuple[Path, ...], current: bool) -> Answer:
    """Recommend cores among those that were measured."""
    if not KINDS[kind].formula:
        raise Refusal(f"{KINDS[kind].nouns.capitalize()} have no model, so that nothing of them is "
                      "verified and none is recommended; 'montgomery table -a "
                      f"{kind}' shows their areas and clocks")
    if own_clock and not (bus and clock_mhz):
        raise click.UsageError("--own-clock is for cores behind registers on a bus of some clock; "
                               "name the bus with --bus, and its clock with --clock")
    curves = [curve] if curve else list(map(called, assignments("-p", params).get("curve", ())))
    bits, modulus, curves = named_curves(KINDS[kind], bits, modulus, curves)
    question = Question(
        bits=bits, objective=objective, kind=kind, targets=tuple(names("-t", targets)),
        limits=limits(limits_), constant_time=constant_time, reduced=reduced, clock_mhz=clock_mhz,
        modulus=modulus, curves=tuple(curves),
        shell=Shell(bus=bus, own_clock=own_clock) if bus else None)
    rows = has_params(plain_rows(sources, current), params)
    points = points_of([row for row in rows if row["kind"] == kind])
    found = recommended(points, question)
    said: list[str] = []
    best, noun = _shown(found.best, top), KINDS[kind].noun
    # The cores of a curve may have more bits than it: there is no other width to look for.
    guessed = [] if curves or any(each.point["width"] == bits for each in found.best) else [
        each for each in estimates(points, question, top) if not each.reasons]
    if found.candidates and not curves and bits not in {
            each.point["width"] for each in found.candidates}:
        on = f" on {', '.join(question.targets)}" if question.targets else ""
        said.append(f"No {noun} of exactly {bits} bits was measured{on}; cores of other widths "
                    "were")

    def hint(device: str) -> str:
        words, reason = to_measure(points, question, device)
        return f"measure one: {shlex.join(words)}" if words else reason

    if not found.candidates:
        # Where nothing was measured, the first of the devices is as good as any other.
        device = next(iter([*question.targets, *(point["target"] for point in points)]), "ecp5-85k")
        said = [f"{found.missing}; {hint(device)}"]
        if not guessed:
            raise Refusal(said[0])
    elif not (best or guessed):
        told = hint(found.candidates[0].target)
        said.append(told[0].upper() + told[1:])
    said += [f"No {noun} was measured on {name}; {hint(name)}" for name in question.targets
             if found.candidates and name not in {each.target for each in found.candidates}]
    if doubt := doubts({each.target for each in (*best, *guessed[:top])}):
        said.append(doubt.strip().removesuffix("."))
    ties = tied([each.point for each in best], rows, question) if best else []
    document = {
        "schema": SCHEMA, "notes": said, "candidates": len(found.best),
        "is_exact": any(each.point["width"] == bits for each in found.candidates),
        "best": [{**record(each, question), "rank": found.best.index(each) + 1, "tied": tie}
                 for each, tie in zip(best, ties, strict=True)],
        "ruled_out": Counter(reason.name for each in found.candidates for reason in each.reasons),
        "nearest": found.nearest and record(found.nearest, question),
        "estimates": [record(each, question) for each in guessed[:top]]}
    return Answer(document, _lines(document, found, guessed, question), 0 if best else 1)


def _shown(best: Sequence[Candidate], top: int) -> list[Candidate]:
    """Return the best, and the best core of this package if it is not there."""
    own = next((each for each in best[top:] if not is_rival(each.point["arch"])), None)
    if own is None or any(not is_rival(each.point["arch"]) for each in best[:top]):
        return list(best[:top])
    return [*best[:top], own]


def _lines(document: dict[str, Any], found: Recommendation, guessed: Sequence[Candidate],
           question: Question) -> Iterator[str]:
    """Yield the lines of an answer: what is said of it, what was measured, and estimates."""
    lines = []
    for each in document["best"]:
        tie = " (tied with 1 within the spread of seeds)" if each["tied"] and each["rank"] > 1 \
            else ""
        lines += [f"{each['rank']}. {name_of(each)}{tie}", *lines_of(each)]
    count, shown = len(found.best), len(document["best"])
    if found.candidates and not count:
        lines.append("Nothing that was measured keeps all limits")
    elif count > shown:
        lines.append(f"{shown} of {count} are shown, the best by {question.objective}")
    elif count > 1:
        lines.append(f"All {count} are shown, the best by {question.objective} first")
    elif count:
        lines.append("The only one that is left" if document["ruled_out"] else
                     "The only one that was measured")
    if found.nearest:
        lines += nearest(found.nearest, question)
    lines += left_out(found.candidates, question)
    estimated = []
    if guessed:
        estimated.append(f"Not measured with {question.bits} bits, but estimated from other "
                         "widths:")
    for rank, each in enumerate(document["estimates"], 1):
        widths = listed(list(map(str, each["measured_widths"])))
        estimated += [f"{rank}. {name_of(each)}, estimated from {widths} bits", *lines_of(each)]
    if len(guessed) > len(document["estimates"]):
        estimated.append(f"{len(document['estimates'])} of {len(guessed)} estimates are shown, the "
                         f"best by {question.objective}")
    said = document["notes"]
    if document["is_exact"] or not estimated:
        yield from [*said, *lines, *estimated]
    else:
        yield from [*said, *estimated, *(["Measured with more bits:"] if lines else []), *lines]
