"""A test of paired differences that may be looked at while pairs are added.

The test asks whether the differences of pairs are symmetric about zero, as they are if both sides
of a pair come from the same distribution. Then the sign of each difference is a fair coin, whatever
the sizes are. All (or many) vectors of signs are tried on the sizes that were found. A difference
is claimed if only a small part of the vectors gives signed ranks (Wilcoxon's) as one-sided as the
signs that were measured.

A test that is repeated after each few pairs until it claims something claims too much. So at each
look only a part of the vectors may lead to a claim, vectors that led to one at an earlier look
included: the level times the square of the part of the pairs that there are. So the probability of
a false claim at any look is at most the level, for any distribution of the sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["FIRST_PAIRS", "SignTest", "next_look"]

#: Pairs at the first look; fewer are hardly ever one-sided enough for a claim.
FIRST_PAIRS = 8
#: Pairs between two looks.
_STEP = 2
#: Vectors of signs are enumerated up to this number of pairs, and drawn beyond it.
_ENUMERATED = 16
_SEED = 0


def next_look(pairs: int, limit: int) -> int:
    """Return the number of pairs at the first look that has more than ``pairs``, at most ``limit``.

    A look that would leave a single pair for the last one is the last one.
    """
    ahead = FIRST_PAIRS if pairs < FIRST_PAIRS else pairs + _STEP
    return limit if ahead + 1 >= limit else ahead


class SignTest:
    """The test at its looks, in order.

    Parameters
    ----------
    limit : int
        Number of pairs at the last look.
    level : float
        Largest probability of a false claim at any of the looks, such as 0.02.
    """

    def __init__(self, limit: int, level: float) -> None:
        import numpy

        self._limit, self._level = limit, level
        # Opposite vectors are equally one-sided: the last sign may stay as it is.
        if limit <= _ENUMERATED:
            bits = numpy.arange(1 << (limit - 1))[:, None] >> numpy.arange(limit) & 1
        else:
            bits = numpy.random.default_rng(_SEED).integers(2, size=(1 << _ENUMERATED - 1, limit))
            bits[0] = 0
        #: Vectors of signs; the first one leaves all differences as they were measured.
        self._signs = (1 - 2 * bits).astype(numpy.float32)
        self._claimed = numpy.zeros(len(self._signs), dtype=bool)
        self._pairs = 0

    @property
    def is_sure(self) -> bool:
        """Whether a difference is claimed."""
        return bool(self._claimed[0])

    def look(self, differences: Sequence[float]) -> bool:
        """Return whether these differences, earlier ones first, or earlier looks claim one.

        Raises
        ------
        ValueError
            If there are no more than at the last look, or more than the limit.
        """
        import numpy

        count = len(differences)
        if not self._pairs < count <= self._limit:
            raise ValueError(f"A look must have {self._pairs + 1} to {self._limit} pairs, not "
                             f"{count}; add some, or set a higher limit")
        self._pairs = count
        ranks = _ranks(differences)
        # Ranks are multiples of a half, so that sums are exact.
        sums = numpy.abs(self._signs[:, :count] @ ranks.astype(numpy.float32))
        part = (count / self._limit) ** 2
        allowed = self._level * part * len(self._signs) - self._claimed.sum()
        left = numpy.sort(sums[~self._claimed])[::-1]
        if (spare := int(allowed)) >= 1 and len(left):
            # Vectors with one sum stand or fall together.
            bound = left[spare] if spare < len(left) else -1.0
            self._claimed |= (sums > bound) & (sums > 0)
        return self.is_sure


def _ranks(differences: Sequence[float]):
    """Return the signed rank of each difference; ties share their mean rank, and zeros have 0."""
    import numpy

    values = numpy.asarray(differences, dtype=float)
    sizes = numpy.abs(values)
    # Differences that were computed in other ways differ in their last digits.
    sizes = numpy.round(sizes, 12)
    below = (sizes[:, None] > sizes).sum(axis=1)
    equal = (sizes[:, None] == sizes).sum(axis=1)
    return numpy.where(sizes > 0, numpy.sign(values) * (below + (equal + 1) / 2), 0.0)
