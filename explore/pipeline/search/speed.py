"""A model of the frequencies that placements will reach, learnt from those that were made.

It is a Gaussian process over the logarithm of frequency / limit. Two points are alike if they are
the same architecture with like parameters, and if they are made with like tool options.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Settings", "SpeedModel"]

#: What a core reaches of the limit before anything is known, and how uncertain that is.
_PRIOR_MEAN, _PRIOR_SIGMA = math.log(0.85), 0.25
#: Candidates for the standard deviation of a single placement, for that between parameters, and for
#: the distances over which parameters and options matter.
_NOISE, _SPREAD, _REACH = (0.01, 0.03, 0.06), (0.08, 0.2), (1.0, 4.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """What is set in a point.

    Attributes
    ----------
    core : str
        Name of the architecture, among all kinds.
    params, options : dict
        Values of its parameters, and of tool options.
    """

    core: str
    params: Mapping[str, Any]
    options: Mapping[str, Any]


class SpeedModel:
    """Predicts the logarithm of frequency / limit of points.

    Parameters
    ----------
    points : sequence of Settings
    """

    def __init__(self, points: Sequence[Settings]) -> None:
        self._cores = _codes([point.core for point in points])
        self._params = _columns([point.params for point in points])
        self._options = _columns([point.options for point in points])
        self._best = (_NOISE[1], _SPREAD[1], _REACH[0], _REACH[0])
        self._fitted_at = 0

    def predict(self, placed: Sequence[int], reached: NDArray,
                wanted: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and standard deviation of the logarithms for points that are not placed.

        Parameters
        ----------
        placed : sequence of int
            Indices of the points that were placed.
        reached : array
            Their logarithms.
        wanted : array of int
            Indices of the points to be predicted.
        """
        if not len(placed):
            return (numpy.full(len(wanted), _PRIOR_MEAN), numpy.full(len(wanted), _PRIOR_SIGMA))
        rows = numpy.asarray(placed)
        above = reached - _PRIOR_MEAN
        parts = self._likenesses(rows, rows)
        if len(placed) >= max(4, 1.3 * self._fitted_at):
            self._fitted_at = len(placed)
            self._best = max(itertools.product(_NOISE, _SPREAD, _REACH, _REACH),
                             key=lambda each: self._likelihood(parts, above, each))
        noise = self._best[0]
        lower = numpy.linalg.cholesky(self._covariance(parts, self._best)
                                      + noise**2 * numpy.eye(len(rows)))
        cross = self._covariance(self._likenesses(rows, wanted), self._best)
        weights = numpy.linalg.solve(lower, cross)
        mean = _PRIOR_MEAN + weights.T @ numpy.linalg.solve(lower, above)
        variance = self._variance(self._best) - (weights**2).sum(axis=0) + noise**2
        return mean, numpy.sqrt(numpy.maximum(variance, noise**2))

    def _likenesses(self, rows: NDArray, columns: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return whether the cores are the same, and the distances of parameters and options."""
        return (self._cores[rows][:, None] == self._cores[columns][None, :],
                _distances(self._params, rows, columns), _distances(self._options, rows, columns))

    @staticmethod
    def _variance(best: tuple[float, ...]) -> float:
        _, spread, _, _ = best
        return _PRIOR_SIGMA**2 + (spread / 2)**2 + spread**2 + (spread / 2)**2

    @staticmethod
    def _covariance(parts: tuple[NDArray, NDArray, NDArray], best: tuple[float, ...]) -> NDArray:
        same, params, options = parts
        _, spread, reach_params, reach_options = best
        alike = same * numpy.exp(-params / reach_params)
        made_alike = numpy.exp(-options / reach_options)
        # A core has a frequency of its own, parameters change it, options change that of all cores
        # and that of each.
        return (_PRIOR_SIGMA**2 * (0.2 + 0.8 * same) + spread**2 * alike
                + (spread / 2)**2 * (made_alike + alike * made_alike))

    def _likelihood(self, parts: tuple[NDArray, NDArray, NDArray], above: NDArray,
                    best: tuple[float, ...]) -> float:
        whole = self._covariance(parts, best) + best[0]**2 * numpy.eye(len(above))
        lower = numpy.linalg.cholesky(whole)
        scaled = numpy.linalg.solve(lower, above)
        return float(-(scaled**2).sum() / 2 - numpy.log(numpy.diag(lower)).sum())


def _codes(values: Sequence[Any]) -> NDArray:
    """Return an integer for each value; equal values have equal ones."""
    known: dict[Any, int] = {}
    return numpy.array([known.setdefault(value, len(known)) for value in values], dtype=int)


def _columns(mappings: Sequence[Mapping[str, Any]]) -> list[tuple[bool, NDArray]]:
    """Return the values of each name: whether they are sizes, and an array.

    A name whose values are all the same is left out. What a mapping lacks is like nothing else.
    """
    found = []
    for name in sorted({name for each in mappings for name in each}):
        values = [each.get(name) for each in mappings]
        there = [value for value in values if value is not None]
        if len(set(map(repr, values))) == 1:
            continue
        sizes = all(isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
                    for value in there)
        found.append((sizes, numpy.array([math.nan if value is None else math.log2(1 + value)
                                          for value in values]) if sizes else
                      _codes([repr(value) for value in values])))
    return found


def _distances(columns: list[tuple[bool, NDArray]], rows: NDArray, others: NDArray) -> NDArray:
    """Return the sum over columns of octaves between sizes, and of 1 for each other difference."""
    total = numpy.zeros((len(rows), len(others)))
    for sizes, values in columns:
        ours, theirs = values[rows][:, None], values[others][None, :]
        if sizes:
            total += numpy.where(numpy.isnan(ours) & numpy.isnan(theirs), 0.0,
                                 numpy.nan_to_num(numpy.abs(ours - theirs), nan=1.0) / 2)
        else:
            total += ours != theirs
    return total
