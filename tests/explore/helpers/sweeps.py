"""Sweeps of toys with fake tools, and what they leave in a store."""

from explore.pipeline.run import Sweep, run
from explore.points.expand import expand

__all__ = ["SEEDS", "leftovers", "points", "sweep"]

SEEDS = 2


def points(archs="toy", widths=(8,), targets=("ice40-hx8k",), **params):
    return expand(archs.split(","), widths, params, targets)


def sweep(store, todo=None, seeds=SEEDS, jobs=2, on_event=lambda event: None, **settings):
    return run(Sweep(points=dict.fromkeys(todo or points(), seeds), **settings), store=store,
               jobs=jobs, on_event=on_event)


def leftovers(store):
    """Folders in which stages were run and which are still there."""
    return list(store.path.glob("artefacts/*/.*"))
