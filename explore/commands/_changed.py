"""``montgomery compare`` of two sets of measurements: what differs, in Markdown."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._answer import SCHEMA, Answer
from ._rows import tell_notes

if TYPE_CHECKING:
    from ..data.changes import Change, Changes

__all__ = ["changed"]


def changed(old: str, new: str, confidence: float, *, ignore_new: bool, fail_on: str) -> Answer:
    """Return what is new, gone, better or worse in the second set."""
    from ..data.changes import changes
    from ..data.origins import load_named

    frames = [load_named(name) for name in (old, new)]
    found = changes(*frames, confidence=confidence, ignore_new=ignore_new)
    for frame in frames:
        tell_notes(frame)
    failed = found.is_worse if fail_on == "worse" else found.is_changed
    return Answer({"schema": SCHEMA, "old": old, "new": new, "confidence": confidence,
                   "ok": not failed, **_document(found)},
                  _markdown(found, old, new, confidence), int(failed))


def _document(found: Changes) -> dict[str, Any]:
    document = dataclasses.asdict(found)
    return {"added": document.pop("new"), "gone": document.pop("gone"),
            "changes": document.pop("points"), **document}


def _markdown(found: Changes, old: str, new: str, confidence: float) -> Iterator[str]:
    """Yield the lines of a comment."""
    from ..data.changes import Verdict
    from ..table import markdown_text, plain_table, render

    counts = {"worse": found.count(Verdict.WORSE), "better": found.count(Verdict.BETTER),
              "other": found.count(Verdict.OTHER), "new": len(found.new), "gone": len(found.gone),
              "unchanged": found.unchanged}
    yield f"### From {markdown_text(old)} to {markdown_text(new)}: " + ", ".join(
        f"{number} {what}" for what, number in counts.items() if number or what != "other")
    if found.points:
        order = list(Verdict)
        listed = sorted(found.points, key=lambda change: -order.index(change.verdict))
        yield ""
        yield render(plain_table(
            "Clocks and areas are exact; a clock frequency is the median of the seeds.",
            dict.fromkeys(("Point", "Quantity", "Old", "New", "Change", "Verdict"), ""),
            list(map(_cells, listed))), "markdown").rstrip()
    for each in found.targets:
        said = str(each.verdict) if each.verdict else "within the spread"
        yield ""
        yield (f"Fmax of {each.points} points on {each.target}: {_percent(each.relative)} in the "
               f"mean, {said}.")
    for what, labels in (("New", found.new), ("Gone", found.gone)):
        if labels:
            yield ""
            yield f"{what}: {'; '.join(map(markdown_text, labels))}."
    if found.unjudged:
        yield ""
        yield (f"{found.unjudged} clock frequencies differ, but no point has two seeds that would "
               "show the spread.")
    if found.versions:
        yield ""
        yield "Versions: " + "; ".join(
            f"{name} {markdown_text(before)} → {markdown_text(after)}"
            for name, (before, after) in found.versions.items()) + "."
    yield ""
    yield (f"Confidence {confidence:.4g}: so likely do equal cores with other seeds show no "
           "difference.")


def _cells(change: Change) -> list[Any]:
    from ..data.columns import known_columns

    column = known_columns()[change.column]
    title = column.header
    if column.unit not in ("", title):
        title += f", {column.unit}"
    if change.p is not None:
        title += f" ({change.seeds[0]} → {change.seeds[1]} seeds)"
    return [change.label, title, change.old, change.new,
            None if change.relative is None else _percent(change.relative), str(change.verdict)]


def _percent(relative: float) -> str:
    percent = 100 * relative
    return f"{percent:+.1f} %" if abs(percent) >= 0.1 or not percent else f"{percent:+.1g} %"
