"""Chooses what to place next. It is pure: it runs no tool, and can be replayed on known results."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import moocore
import numpy

from ..data.objectives import COUNTED, Objective, bounds, figures

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Candidate", "Scale", "Searcher", "gains", "hypervolume", "on_front"]

#: Nodes and weights by which the expected gain over a normal distribution is computed.
_NODES = ((-1.2, 0.3), (0.0, 0.4), (1.2, 0.3))

#: The standard deviation that is expected of the logarithms of frequency / limit, between points of
#: one core, and between cores of one architecture.
_SIGMA_CORE, _SIGMA_ARCH = 0.1, 0.25
#: The logarithm for an architecture of which nothing was placed.
_UNKNOWN = math.log(0.85)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Candidate:
    """A point that was synthesised, and may be placed.

    Only points of one group are compared, such as those of one width and device. Points that have
    their architecture, or their core, in common reach like frequencies.
    """

    name: str
    group: tuple[Hashable, ...]
    arch: Hashable
    core: Hashable
    #: Values of :data:`explore.data.objectives.COUNTED`, which are exact.
    counted: Mapping[str, float]
    #: No core of the point runs faster: the limit of the clock network and of the blocks in use.
    limit_mhz: float
    #: Usable frequency below which the point breaks a constraint, so that it is on no front.
    least_mhz: float = 0.0


class Searcher:
    """Searches the Pareto front of candidates; :meth:`ask` and :meth:`tell` take turns.

    A candidate is skipped with a proof: its area and clocks are exact and its frequency is at most
    its limit, so that each objective has a bound. If a placed candidate is at least as good as the
    bounds in all objectives, the candidate cannot be on the front, or only as its equal. Of the
    others, the one comes first whose placement is expected to enlarge the hypervolume the most.
    Seeds after the first are only for candidates on the front, and come last.
    """

    def __init__(self, candidates: Sequence[Candidate], objectives: Sequence[Objective], *,
                 seeds: int = 1) -> None:
        self.candidates = list(candidates)
        self.objectives, self._seeds = tuple(objectives), seeds
        count = len(self.candidates)
        self._counted = {name: numpy.array([float(each.counted[name] or 0)
                                            for each in self.candidates])[:, None]
                         for name in COUNTED}
        self._limits = numpy.array([each.limit_mhz for each in self.candidates])
        #: The least cost of each candidate in each objective, whatever its placement achieves.
        self.bounds: NDArray = numpy.array(
            [[bounds(each, candidate.counted, candidate.limit_mhz).low
              for each in self.objectives] for candidate in self.candidates],
            dtype=float).reshape(count, len(self.objectives))
        self.groups = {group: numpy.array([index for index, each in enumerate(self.candidates)
                                            if each.group == group])
                        for group in dict.fromkeys(each.group for each in self.candidates)}
        self._scales = {group: Scale(self._finite(members))
                        for group, members in self.groups.items()}
        self._reached: dict[int, dict[int, float | None]] = {}
        self._asked: set[tuple[int, int]] = set()
        #: The costs of each candidate that was placed and keeps the constraints: those of the
        #: median over its seeds.
        self.costs: dict[int, NDArray] = {}
        if not any(each.needs_clock for each in self.objectives):
            # Synthesis has told everything.
            self.costs = dict(enumerate(self.bounds))
            self._reached = {index: {} for index in self.costs}

    def _finite(self, members: NDArray) -> NDArray:
        """Return bounds of members, and costs at a third of their limits, to make a scale of."""
        low = self._limits[members] / 3
        both = numpy.concatenate([self.bounds[members], self.costs_at(members, low[:, None])[:, 0]])
        return both[numpy.isfinite(both).all(axis=1)]

    def costs_at(self, members: NDArray, mhz: NDArray) -> NDArray:
        """Return the costs of candidates at usable frequencies: members x frequencies x costs."""
        counted = {name: values[members] for name, values in self._counted.items()}
        given = figures(counted, mhz)
        return numpy.stack([numpy.broadcast_to(each.cost(given), mhz.shape).astype(float)
                            for each in self.objectives], axis=2)

    # What is known

    @property
    def placements(self) -> int:
        """Number of placements that were told."""
        return sum(map(len, self._reached.values()))

    def front(self, group: tuple[Hashable, ...]) -> list[int]:
        """Return the placed candidates of a group that no other one dominates."""
        members = [index for index in self.groups[group] if index in self.costs]
        if not members:
            return []
        kept = on_front(numpy.array([self.costs[index] for index in members]))
        return [int(index) for index, keep in zip(members, kept, strict=True) if keep]

    def hypervolume(self) -> float:
        """Return the mean hypervolume of the fronts of the groups, on the scale of the bounds."""
        volumes = []
        for group, scale in self._scales.items():
            front = self.front(group)
            volumes.append(hypervolume(scale(numpy.array([self.costs[each] for each in front])))
                           if front else 0.0)
        return statistics.fmean(volumes) if volumes else 0.0

    def skipped(self) -> dict[int, str]:
        """Return the candidates that need no placement, each with the reason."""
        reasons = {}
        for index, other in self._beaten_by().items():
            equal = (self.costs[other] == self.bounds[index]).all()
            how = "at best equal to" if equal else "dominated by"
            figures_ = "; ".join(
                f"{each.name} {each.value(self.costs[other][place]):.4g}, here at best "
                f"{each.value(self.bounds[index, place]):.4g}"
                for place, each in enumerate(self.objectives))
            reasons[index] = f"{how} {self.candidates[other].name} ({figures_})"
        return reasons

    def open(self) -> list[int]:
        """Return the candidates that may still be on the front, and were not placed."""
        beaten = self._beaten_by()
        return [index for index in range(len(self.candidates))
                if index not in self._reached and index not in beaten]

    def _beaten_by(self) -> dict[int, int]:
        """Return the candidates whose bounds a placed one reaches, each with that one."""
        found: dict[int, int] = {}
        for group, members in self.groups.items():
            front = self.front(group)
            todo = numpy.array([index for index in members if index not in self._reached],
                               dtype=int)
            if not front or not len(todo):
                continue
            costs = numpy.array([self.costs[index] for index in front])
            beats = (costs[None, :, :] <= self.bounds[todo][:, None, :]).all(axis=2)
            found |= {int(index): front[int(row.argmax())]
                      for index, row in zip(todo, beats, strict=True) if row.any()}
        return found

    # Ask and tell

    def tell(self, index: int, seed: int, fmax_mhz: float | None) -> None:
        """Take the frequency that a placement reached; None if it failed."""
        self._asked.discard((index, seed))
        self._reached.setdefault(index, {})[seed] = fmax_mhz
        fmax_mhz, one = self._fmax_mhz(index), self.candidates[index]
        self.costs.pop(index, None)
        if fmax_mhz is not None and min(fmax_mhz, one.limit_mhz) >= one.least_mhz:
            mhz = numpy.array([[min(fmax_mhz, one.limit_mhz)]])
            self.costs[index] = self.costs_at(numpy.array([index]), mhz)[0, 0]

    def _fmax_mhz(self, index: int) -> float | None:
        """Return the median over the seeds of a candidate; None if none succeeded."""
        known = [each for each in self._reached[index].values() if each is not None]
        return statistics.median(known) if known else None

    def ask(self) -> tuple[int, int] | None:
        """Return candidate and seed of the next placement; None before the next :meth:`tell`.

        If nothing was asked that was not told, None means that the search has ended.
        """
        waiting = {index for index, _ in self._asked}
        todo = [index for index in self.open() if index not in waiting]
        if todo:
            placement: tuple[int, int] | None = self._best(todo, waiting), 1
        else:
            placement = None if waiting else self._further_seed()
        if placement is not None:
            self._asked.add(placement)
        return placement

    def _best(self, todo: Sequence[int], waiting: set[int]) -> int:
        """Return the candidate whose placement is expected to gain the most."""
        gained: dict[int, float] = {}
        together = numpy.array([*todo, *sorted(waiting)], dtype=int)
        mean, sigma = self._expected(together)
        nodes = numpy.array([node for node, _ in _NODES])
        mhz = numpy.minimum(self._limits[together][:, None] * numpy.exp(
            mean[:, None] + sigma[:, None] * nodes), self._limits[together][:, None])
        costs = self.costs_at(together, mhz)
        for group, scale in self._scales.items():
            rows = [row for row, index in enumerate(together[:len(todo)])
                    if self.candidates[index].group == group]
            if not rows:
                continue
            known = [self.costs[index] for index in self.front(group)]
            # What runs now is taken to come out as expected.
            known += [costs[len(todo) + row, len(_NODES) // 2]
                      for row, index in enumerate(sorted(waiting))
                      if self.candidates[index].group == group]
            front = scale(numpy.array(known)) if known else numpy.zeros((0, costs.shape[2]))
            least = numpy.array([self.candidates[together[row]].least_mhz for row in rows])
            expected = sum(weight * gains(front, scale(costs[rows, place]))
                           * (mhz[rows, place] >= least)
                           for place, (_, weight) in enumerate(_NODES))
            gained |= zip(together[rows].tolist(), expected.tolist(), strict=True)
        return max(gained, key=gained.__getitem__)

    def _expected(self, wanted: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and standard deviation of the logarithms of frequency / limit of candidates.

        The mean is that of what was placed of the same core, or else of the same architecture.
        """
        reached: dict[Hashable, list[float]] = defaultdict(list)
        for index in self._reached:
            if (fmax_mhz := self._fmax_mhz(index)) is not None:
                one = self.candidates[index]
                for like in (one.core, one.arch):
                    reached[like].append(math.log(fmax_mhz / one.limit_mhz))
        means, sigmas = [], []
        for one in (self.candidates[index] for index in wanted):
            same = one.core if one.core in reached else one.arch
            means.append(statistics.fmean(reached[same]) if same in reached else _UNKNOWN)
            sigmas.append(_SIGMA_CORE if same == one.core else _SIGMA_ARCH)
        return numpy.array(means), numpy.array(sigmas)

    def _further_seed(self) -> tuple[int, int] | None:
        for group in self.groups:
            for index in self.front(group):
                tried = self._reached[index]
                if tried and len(tried) < self._seeds:
                    return index, max(tried) + 1
        return None

    def describe(self, index: int) -> dict[str, Any]:
        """Return the values of the objectives of a placed candidate, by name."""
        return {each.name: each.value(float(cost)) for each, cost in zip(
            self.objectives, self.costs[index], strict=True)}


# Measures of Pareto fronts, in which every column of values is to be small.


class Scale:
    """Maps values to comparable ones: from 0 for the best to 1 for the worst of the rows of a set.

    Where all values are above 0, ratios count: the scale is logarithmic. The same holds for all
    values below 0, which are quantities to be made large.
    """

    def __init__(self, values: NDArray) -> None:
        self._signs = numpy.where((values > 0).all(axis=0), 1.0,
                                  numpy.where((values < 0).all(axis=0), -1.0, 0.0))
        mapped = self._mapped(values)
        self._low = mapped.min(axis=0)
        self._range = numpy.maximum(mapped.max(axis=0) - self._low, 1e-9)

    def _mapped(self, values: NDArray) -> NDArray:
        logarithms = numpy.log(numpy.maximum(numpy.abs(values), 1e-300)) * self._signs
        return numpy.where(self._signs == 0, values, logarithms)

    def __call__(self, values: NDArray) -> NDArray:
        """Return the place of values on the scale, which may lie outside of 0 to 1."""
        return (self._mapped(values) - self._low) / self._range


def on_front(values: NDArray) -> NDArray:
    """Return for each row whether no other one dominates it; equal rows are all on the front."""
    if not len(values):
        return numpy.zeros(0, dtype=bool)
    return moocore.is_nondominated(values, keep_weakly=True)


def hypervolume(values: NDArray, reference: float = 1.1) -> float:
    """Return the volume that rows dominate below a reference point, equal in all columns."""
    inside = values[(values < reference).all(axis=1)]
    if not len(inside):
        return 0.0
    return float(moocore.hypervolume(inside, ref=[reference] * values.shape[1]))


def gains(front: NDArray, values: NDArray, reference: float = 1.1) -> NDArray:
    """Return by how much each row of ``values`` alone would enlarge the hypervolume of a front."""
    boxes = numpy.maximum(reference - values, 0).prod(axis=1)
    if not len(front):
        return boxes
    beaten = (front[:, None, :] <= values[None, :, :]).all(axis=2).any(axis=0)
    found = numpy.where(beaten, 0.0, boxes)
    for index in numpy.flatnonzero(found > 0):
        # What the point shares with the front is dominated by the corners that both have.
        found[index] -= hypervolume(numpy.maximum(front, values[index]), reference)
    return numpy.maximum(found, 0)
