"""What captions and titles of tables say of measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..devices import targets
from ..outcome import Status
from ..points.point import core_of
from ..table import SPREAD
from .labels import core_name, core_names
from .versions import EARLIER, OUTSIDE, has_earlier, origins

if TYPE_CHECKING:
    import pandas

__all__ = ["blocks", "doubts", "earlier", "kinds_of_lut", "outside", "title_of_luts", "what"]

#: Statuses of points of which nobody wanted, or could have, a placement.
_UNPLACED = [str(Status.AREA_ONLY), str(Status.PARTIAL)]


def what(points: pandas.DataFrame, per_seed: bool) -> str:
    """Return what the numbers are."""
    if per_seed:
        return "Each seed by itself"
    if (placed := points[~points["status"].isin(_UNPLACED)]).empty:
        return "Area, nothing placed"
    seeds = placed["seeds"]
    few, many = seeds.min(), seeds.max()
    return "One seed" if many == 1 else (
        f"Median of {many if few == many else f'{few} to {many}'} seeds {SPREAD}")


def earlier(points: pandas.DataFrame) -> str:
    """Return the sentence on points of earlier versions; empty if there are none."""
    if not has_earlier(points):
        return ""
    return f" {EARLIER}: measured with an earlier version of the core or of the flow."


def outside(points: pandas.DataFrame) -> str:
    """Return the sentences on cores that are not of this package; empty if there are none."""
    named = dict.fromkeys(f"{name} ({origin})" for name, origin in zip(
        core_names(points), origins(points), strict=True) if origin)
    return (f" {OUTSIDE}: not of this package: {', '.join(named)}.{blocks(points)}" if named
            else "")


def blocks(points: pandas.DataFrame) -> str:
    """Return the sentence on cores from outside with multiplier blocks that they do not ask for.

    A core asks for blocks by its trait ``products``; in others, yosys finds what to multiply. The
    sentence is empty if there are none.
    """
    from montgomery.core import traits

    found = {core_name(row): None for row in points[points["dsp"] > 0].to_dict("records")
             if row.get("versions", {}).get("origin") and (
                 (core := core_of(row)) is None or not traits(core).products)}
    return (f" In {', '.join(found)}, yosys put products into multiplier blocks by itself, however "
            "small they are; -o multipliers=logic makes them of LUTs.") if found else ""


def doubts(names: set[str]) -> str:
    """Return sentences that say of some targets which clocks not to believe."""
    found: dict[str, list[str]] = {}
    for name in sorted(names & set(targets())):
        if doubt := targets()[name].family.doubt:
            found.setdefault(doubt, []).append(name)
    return "".join(f" Clocks on {' and '.join(on)} are {doubt}." for doubt, on in found.items())


def _luts(names: set[str]) -> dict[str, list[str]]:
    """Return the targets that have each kind of LUT."""
    kinds: dict[str, list[str]] = {}
    for name in sorted(names & set(targets())):
        kinds.setdefault(targets()[name].lut_name, []).append(name)
    return kinds


def title_of_luts(names: set[str]) -> str:
    """Return the title of a column of LUTs on some targets."""
    kinds = _luts(names)
    return f"LUT ({next(iter(kinds))})" if len(kinds) == 1 and names <= set(targets()) else "LUT"


def kinds_of_lut(names: set[str]) -> str:
    """Return a sentence that says what a LUT is, unless the title of the column does."""
    kinds = _luts(names)
    if len(kinds) < 2 and names <= set(targets()):
        return ""
    listed = "; ".join(f"{kind} on {', '.join(on)}" for kind, on in kinds.items())
    return f" LUT is {listed}." if listed else ""
