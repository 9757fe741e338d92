"""``montgomery recommend``: the best cores for a width, modulus or curve, a device and limits."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from montgomery import KINDS

from ..data.labels import doubts
from ..data.recommend import (
    Candidate,
    NothingMeasured,
    Question,
    Recommendation,
    points_of,
    tied,
)
from ..data.recommend import recommend as recommended
from ..data.unmeasured import estimates, to_measure
from ..errors import Refusal
from ..points.rivals import is_rival
from ._answer import SCHEMA, Answer, on_terminal
from ._curves import called, named_curves
from ._options import assignments, limits, names
from ._recommended import left_out, lines_of, name_of, nearest, record
from ._rows import has_params, plain_rows

__all__ = ["recommend"]


def recommend(bits: int | None, modulus: int | None, curve: str | None, targets: tuple[str, ...],
              params: tuple[str, ...], objective: str, clock_mhz: float | None, constant_time: bool,
              limits_: tuple[str, ...], reduced: bool, kind: str, top: int,
              sources: tuple[Path, ...], current: bool) -> Answer:
    """Recommend cores among those that were measured."""
    if not KINDS[kind].formula:
        raise Refusal(f"{KINDS[kind].nouns.capitalize()} have no model, so that nothing of them is "
                      "verified and none is recommended; 'montgomery table -a "
                      f"{kind}' shows their areas and clocks")
    curves = [curve] if curve else list(map(called, assignments("-p", params).get("curve", ())))
    bits, modulus, curves = named_curves(KINDS[kind], bits, modulus, curves)
    question = Question(
        bits=bits, objective=objective, kind=kind, targets=tuple(names("-t", targets)),
        limits=limits(limits_), constant_time=constant_time, reduced=reduced, clock_mhz=clock_mhz,
        modulus=modulus, curves=tuple(curves))
    rows = has_params(plain_rows(sources, current), params)
    points = points_of([row for row in rows if row["kind"] == kind])
    found, said = Recommendation(candidates=[], best=[]), []
    try:
        found = recommended(points, question)
    except NothingMeasured as error:
        said.append(str(error))
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
        said = [f"{said[0]}; {hint(device)}"]
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
        *others, last = map(str, each["measured_widths"])
        widths = f"{', '.join(others)} and {last}" if others else last
        estimated += [f"{rank}. {name_of(each)}, estimated from {widths} bits", *lines_of(each)]
    if len(guessed) > len(document["estimates"]):
        estimated.append(f"{len(document['estimates'])} of {len(guessed)} estimates are shown, the "
                         f"best by {question.objective}")
    said = document["notes"]
    if document["is_exact"] or not estimated:
        yield from on_terminal([*said, *lines, *estimated])
    else:
        yield from on_terminal([*said, *estimated, *(["Measured with more bits:"] if lines else []),
                                *lines])
