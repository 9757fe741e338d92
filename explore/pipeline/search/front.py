"""Measures of Pareto fronts, in which every column of values is to be small.

Non-dominated sorting and hypervolumes are moocore's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Scale", "gains", "hypervolume", "on_front"]


class Scale:
    """Maps values to comparable ones: from 0 for the best to 1 for the worst of a set.

    Where all values are above 0, ratios count: the scale is logarithmic. The same holds for all
    values below 0, which are quantities to be made large.

    Parameters
    ----------
    values : array
        One row per point, one column per objective.
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
    import moocore

    if not len(values):
        return numpy.zeros(0, dtype=bool)
    return moocore.is_nondominated(values, keep_weakly=True)


def hypervolume(values: NDArray, reference: float = 1.1) -> float:
    """Return the volume that rows dominate below a reference point, equal in all columns."""
    import moocore

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
