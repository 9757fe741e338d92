"""The jobs of a sweep: what stages are given, for each point and each seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..devices import target
from ..errors import Refusal
from ..points.point import Point
from .stage import Job, Scope
from .stages import through

__all__ = ["jobs_of"]


def jobs_of(points: Mapping[Point, int | Sequence[int]], timeout_s: float | None = None,
            until: str | None = None) -> list[Job]:
    """Return a job for each point and each of its seeds.

    A point has only its first seed on a device without a placer, and if no stage that is asked for
    depends on the seed.

    Parameters
    ----------
    points : dict from Point to int or sequence of int
        From each point to its number of seeds, which are 1, 2… then, or to its seeds.
    timeout_s : float or None
        Time limit of each run of a tool, and of each verification.
    until : str or None
        Name of the last stage; all stages if None.

    Raises
    ------
    ValueError
        If a seed or a number of seeds is below 1, if a point has no seed, or for an unknown stage.
    """
    seeded = any(stage.scope == Scope.SEED for stage in through(until).values())
    jobs = []
    for point, given in points.items():
        seeds = _seeds(given)
        params, device, options = point.parameters(), target(point.target), dict(point.options)
        jobs += [Job(params=params, device=device, options=options, seed=seed, point=point,
                     timeout_s=timeout_s, until=until)
                 for seed in (seeds if device.placer and seeded else seeds[:1])]
    return jobs


def _seeds(given: int | Sequence[int]) -> Sequence[int]:
    seeds = range(1, given + 1) if isinstance(given, int) else given
    if wrong := [given] if not seeds else [seed for seed in seeds if seed < 1]:
        raise Refusal(f"Seeds must be 1 or more, not {wrong[0]}")
    return seeds
