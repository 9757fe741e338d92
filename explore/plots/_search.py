"""The picture of a search: its front, what each placement brought, and what was saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from ._drawing import save
from ._style import log_scale, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..pipeline.search import Found

__all__ = ["draw", "write"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def draw(found: Found, names: list[str]) -> Figure:
    """Return a figure with three panels; ``names`` are those of the objectives.

    The first shows all candidates by the first two objectives: where they were placed, and the
    bound of those that were not; a line is the front. The second shows the hypervolume against the
    placements, relative to its largest value. The third compares the hours of the placements with
    those of the grid.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 3.6), layout="constrained")
    front, growth, hours = figure.subplots(1, 3, width_ratios=(5, 4, 2))
    _draw_front(front, found, names)
    # Further seeds may worsen the medians of the front, so that the last need not be the largest.
    most = max((step.hypervolume for step in found.steps), default=0.0)
    growth.step([step.placements for step in found.steps],
                [step.hypervolume / most if most else 0.0 for step in found.steps],
                where="post", color=_COLOURS[0])
    growth.set(xlabel=f"Placements, of {len(found.points)} points", ylim=(0, 1.03),
               ylabel="Hypervolume, relative to the largest", title="What placements bring")
    spent = found.steps[-1].seconds / 3600 if found.steps else 0.0
    bars = hours.bar(["spent", "grid"], [spent, found.seconds_grid / 3600],
                     color=(_COLOURS[0], "0.75"))
    hours.bar_label(bars, fmt="%.2g")
    hours.set(ylabel="Hours of placement", title="Hours")
    return figure


def _draw_front(axes: Axes, found: Found, names: list[str]) -> None:
    searcher = found.searcher
    columns = (0, 1) if len(names) > 1 else (0, 0)
    signs = numpy.array([each.value(1.0) for each in searcher.objectives])
    open_ = [index for index in range(len(found.points)) if index not in searcher.costs]
    placed = [index for index in range(len(found.points)) if index in searcher.costs]
    bounds = searcher.bounds * signs
    finite = [index for index in open_ if numpy.isfinite(bounds[index]).all()]
    axes.plot(bounds[finite][:, columns[1]], bounds[finite][:, columns[0]], ".", color="0.8",
              label="not placed: bound")
    costs = numpy.array([searcher.costs[index] for index in placed]).reshape(-1, len(names)) * signs
    axes.plot(costs[:, columns[1]], costs[:, columns[0]], "o", color="0.5", markersize=3,
              label="placed")
    for place, group in enumerate(searcher.groups):
        members = searcher.front(group)
        if not members:
            continue
        values = numpy.array([searcher.costs[index] for index in members]) * signs
        values = values[numpy.argsort(values[:, columns[1]])]
        label = "front" if len(searcher.groups) == 1 else " ".join(map(str, group))
        axes.plot(values[:, columns[1]], values[:, columns[0]], "o-" if len(names) < 3 else "o",
                  color=_COLOURS[place % len(_COLOURS)], label=label)
    shown = numpy.concatenate([bounds[finite], costs])
    axes.set(xlabel=names[columns[1]], ylabel=names[columns[0]],
             title=f"{len(found.front)} points on the front, {len(placed)} placed")
    if len(shown) and (shown > 0).all():
        log_scale(axes, x=True)
    axes.legend()


def write(found: Found, names: list[str], folder: Path) -> list[Path]:
    """Write the figure to ``search.svg`` and ``search.png`` in a folder; return the paths."""
    with styled():
        return save({"search": draw(found, names)}, folder, ("svg", "png"))
