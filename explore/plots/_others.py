"""What others report, beside measured points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..data.labels import core_names
from ..papers import Published, published
from ..papers._compare import luts, microseconds, same_family

if TYPE_CHECKING:
    import pandas

__all__ = ["CROSS", "STAR", "every", "listed", "of_others", "of_papers", "why_few_crosses",
           "why_few_stars"]


#: Style of what the paper of a core reports, which has the colour of the core; and of others.
STAR: dict[str, Any] = {"color": "0.45", "marker": "*", "linestyle": "", "markersize": 9,
                        "markeredgewidth": 0.6, "markeredgecolor": "white"}
CROSS: dict[str, Any] = {"color": "0.45", "marker": "x", "linestyle": "", "markersize": 5,
                         "markeredgewidth": 1.1}


def every() -> list[Published]:
    """Return all published figures."""
    return [figure for figures in published().values() for figure in figures]


def listed(values: Iterable[object]) -> str:
    """Return values in their order, as a list in a sentence."""
    *first, last = map(str, values)
    return f"{', '.join(first)} and {last}" if first else last


def of_papers(points: pandas.DataFrame, *, any_width: bool = False) -> list[Published]:
    """Return the figures of the points' own cores and widths that have LUTs and a time."""
    cores = set(zip(core_names(points), points["width"], strict=True))
    names = {name for name, _ in cores}
    return [figure for figure in every() if figure.is_here and luts(figure) and microseconds(figure)
            and ((figure.name, figure.width) in cores or (any_width and figure.name in names))]


def of_others(points: pandas.DataFrame, *, any_width: bool = False) -> list[Published]:
    """Return the figures of cores of others, on the points' devices, that have LUTs and a time."""
    kinds, widths, targets = (set(points[name]) for name in ("kind", "width", "target"))
    return [figure for figure in every()
            if figure.kind in kinds and (any_width or figure.width in widths) and not figure.is_here
            and {"lut", "latency_us"} <= figure.figures.keys()
            and same_family(figure.device) in targets]


def why_few_stars(points: pandas.DataFrame) -> str:
    """Return why no paper stands beside some of the widths; empty if one does beside each."""
    if not set(points["width"]) - {figure.width for figure in of_papers(points)}:
        return ""
    known = sorted({figure.width or 0 for figure in of_papers(points, any_width=True)})
    return (f"Papers of these cores have LUTs and a time at {listed(known)} bits alone." if known
            else "No paper has LUTs and a time of these cores.")


def why_few_crosses(points: pandas.DataFrame) -> Iterable[str]:
    """Yield why no core of others stands beside some of the widths on some of the devices."""
    found = of_others(points, any_width=True)
    if not found:
        yield "No core of others is known on these devices."
    for target in sorted({same_family(figure.device) or "" for figure in found}):
        known = {figure.width or 0 for figure in found if same_family(figure.device) == target}
        if set(points["width"][points["target"] == target]) - known:
            yield f"Cores of others are known on {target} at {listed(sorted(known))} bits alone."
