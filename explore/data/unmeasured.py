"""What a core that was not measured is probably like, and what should be measured next."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from montgomery import KINDS
from montgomery.core.fixed_modulus import FixedModulus

from ..devices import targets
from ..outcome import Status
from ..points.expand import expand
from ..points.point import Point, cores
from ..points.possible import obstacle, reduced, shortage
from .columns import measured_names
from .estimates import Unmeasured, at_width, fits_width
from .labels import present
from .recommend import Candidate, Question, Reason, candidate, placed

__all__ = ["estimates", "to_measure"]

#: How many forms are tried in search of one that is worth measuring.
_TRIED = 8


def estimates(points: Sequence[Mapping[str, Any]], question: Question, top: int, *,
              again: bool = False) -> list[Candidate]:
    """Return what cores are probably like that were not measured at a width, the best first.

    The first ``top`` that are not left out are built, so that their widths are legal, and the
    clocks of multipliers exact; the others have the reasons why they are left out. With ``again``,
    cores that were measured at the width are among them.
    """
    of_kind = [point for point in points if point["kind"] == question.kind]
    # Those of others of the same cells are as if of the device that is asked for.
    on: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for point, device in placed(of_kind, question.targets):
        on[device].append({**point, "target": device})
    found = [_estimated(question, each, device) for device in question.targets or sorted(on)
             for each in at_width(on[device], question.bits, again=again)]
    right = sorted((each for each in found if not each.reasons),
                   key=lambda each: question.rank(each.point))
    best: list[Candidate] = []
    while right and len(best) < top:
        each = right.pop(0)
        built = each.estimate and each.estimate.built()
        if built and not (exact := _estimated(question, built, each.target)).reasons:
            best.append(exact)
    return [*sorted(best, key=lambda each: question.rank(each.point)), *right,
            *(each for each in found if each.reasons)]


def _estimated(question: Question, each: Unmeasured, target: str) -> Candidate:
    values = {name: figure.value for name, figure in each.figures.items()}
    point = {**each.row, **dict.fromkeys(measured_names()), **values, "target": target,
             "width": each.width, "status": str(Status.AREA_ONLY)}
    mhz = values.get("fmax_usable_mhz")
    if mhz and {"cycles_compute", "cycles_interval"} <= {*values}:
        point["status"] = str(Status.OK)
        point["latency_us"] = values["cycles_compute"] / mhz
        point["lut_us"] = values["lut"] * point["latency_us"]
        point["throughput_mbps"] = each.width * mhz / values.get("cycles_initiation",
                                                                 values["cycles_interval"])
    return candidate(question, question.timed(point, each.row), target, each)


def to_measure(points: Sequence[Mapping[str, Any]], question: Question, device: str
               ) -> tuple[list[str], str]:
    """Return the command that measures what is wanted on a device, or why nothing would be.

    It is the best by what is known of the form, on this device or on others; parameters are those
    of that form. What would not fit the device is left out.
    """
    asked = dataclasses.replace(question, targets=(device,), bits=_core_bits(question))
    of_kind = [point for point in points if point["kind"] == question.kind]
    begun = [each for each in (candidate(question, question.timed(point), device)
                               for point in of_kind if point["target"] == device)
             if each.reasons == (Reason("status", Status.PARTIAL),)
             and each.point["width"] == asked.bits]
    if begun:
        return Point.from_row(min(begun, key=lambda each: each.point["lut"] or 0).point
                              ).command("sweep"), ""
    # Elsewhere the tool options are others.
    elsewhere = [{**point, "target": device, "options": {}, "params": _params(point, question)}
                 for point in of_kind if present(point["fmax_usable_mhz"])]
    known_forms = [*estimates(of_kind, asked, _TRIED, again=True),
                   *estimates(elsewhere, asked, _TRIED, again=True)]
    kept = [each for each in known_forms if each.estimate and each.estimate.width == asked.bits]
    for each in sorted(kept, key=lambda each: len(each.reasons)):
        if point := _possible(each, question):
            return point.command("sweep"), ""
    broken = [reason for each in known_forms if each.factor and each.factor > 1
              for reason in each.reasons]
    legal = False
    for name in KINDS[question.kind].cores():
        params = {"curve": question.curves} if question.curves else {}
        try:
            point, *_ = expand([KINDS[question.kind].full_name(name)], [asked.bits], params,
                               targets=[device])
        except ValueError:
            continue
        legal = True
        if broken:
            break
        core = point.parameters()
        if not isinstance(core, FixedModulus) and not shortage(core, targets()[device],
                                                               dict(point.options)):
            return point.command("sweep"), ""
    if not legal:
        return [], f"no {KINDS[question.kind].noun} can have {question.bits} bits"
    limited = any(reason.name != "device" for reason in broken)
    return [], f"nothing that is known of would {'keep the limits' if limited else 'fit it'}"


def _core_bits(question: Question) -> int:
    """Return the bits of the core that is wanted: those of a curve may have more than it has."""
    curve = {"curve": question.curves[0]} if question.curves else {}
    found = [core for each in KINDS[question.kind].cores().values() if curve
             for core, _ in (fits_width(each, question.bits, curve),) if core is not None]
    return min((core.width for core in found), default=question.bits)


def _params(point: Mapping[str, Any], question: Question) -> dict[str, Any]:
    """Return the parameters of a point, for the curve that is asked for if the core can have it."""
    field = next((each for each in dataclasses.fields(core) if each.name == "curve"), None) if (
        core := cores(point["kind"]).get(point["arch"])) else None
    if not (question.curves and field) or question.curves[0] not in field.metadata["choices"]:
        return point["params"]
    return {**point["params"], "curve": question.curves[0]}


def _possible(each: Candidate, question: Question) -> Point | None:
    """Return the point of an estimate, with fewer blocks if there are too many; None if none is."""
    assert each.estimate is not None
    point, blocks = each.estimate.point, question.limits.get("max_dsp")
    if not all(reason.name == "max_dsp" or (reason.name == "device" and {*reason.value} == {"dsp"})
               for reason in each.reasons):
        return None
    try:
        core, device = point.parameters(), targets()[point.target]
    except (KeyError, TypeError, ValueError):
        return None
    options = dict(point.options)
    if each.reasons:
        technology = device.technology_for(options)
        there = min(blocks if blocks is not None else math.inf, (device.capacity or {})["dsp"])
        if technology.multiplier is None or not there:
            return None
        other = next(reduced(core, technology, int(there)), None)
        if other is None:
            return None
        core = other
        point = dataclasses.replace(point, params=tuple(sorted(dataclasses.asdict(core).items())))
    return None if obstacle(core, device, options) or shortage(core, device, options) else point
