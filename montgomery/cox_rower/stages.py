"""The registers of a Rower's pipeline."""

import dataclasses

__all__ = ["STAGES", "Stages"]


@dataclasses.dataclass(frozen=True)
class Stages:
    """Where a Rower has registers between the factors and the result.

    Behind the partial products there is always one, and so are the accumulator R1 and R2.

    Attributes
    ----------
    factors : :class:`int`
        Registers before the multiplication.
    sums : :class:`int`
        Registers of the sum of the partial products: 0; 1; or 2, which are one of the two sums of
        products of the same weight, and one of their sum.
    folds : tuple
        For each of the first folds of the reduction, registers behind its multiplication, and
        behind its addition.
    """

    factors: int
    sums: int
    folds: tuple

    @property
    def to_sum(self):
        """Clocks from the factors at the multiplier to the sum in R1."""
        return self.factors + 1 + self.sums + 1

    @property
    def latency(self):
        """Clocks from the factors at the multiplier to the result in R2."""
        return self.to_sum + sum(map(sum, self.folds)) + 1


#: Those that a Rower can be made with, by their latency, in rising order.
STAGES = {each.latency: each for each in (
    Stages(factors=0, sums=0, folds=((0, 1),)),
    Stages(factors=0, sums=1, folds=((1, 1), (1, 1))),
    Stages(factors=1, sums=2, folds=((2, 1), (1, 1))),
)}
