"""The base sets of one circuit."""

import dataclasses
import functools

from ..core import ceil_div
from .bases import find_bases
from .reduction import Reduction
from .rns import Rns

__all__ = ["BaseSets", "smallest_size"]


@functools.cache
def smallest_size(bits, r, u):
    """Return the base size n for all moduli of ``bits`` bits: a multiple of ``u``.

    Raises
    ------
    ValueError
        If there are no such bases; see :func:`~montgomery.cox_rower.bases.find_bases`.
    """
    # n elements below 2**r are not enough for less than this.
    n = u * ceil_div(bits + 3, r * u)
    while find_bases(r, n).bits < bits:
        n += u
    return n


@dataclasses.dataclass(frozen=True)
class BaseSets:
    """Base sets for several lengths of keys, for Rowers that work with each of them.

    Parameters
    ----------
    r : :class:`int`
        Bits of a residue.
    u : :class:`int`
        Number of Rowers. Every base size is a multiple of it, so that all do the same.
    lengths : tuple of :class:`int`
        Bits of moduli. With r = 32 and u = 11, lengths of 512, 1024 and 2048 give the sizes 22, 33
        and 66 of the paper, which serve moduli of all but the last three bits of a size's residues.

    Raises
    ------
    ValueError
        If there are no such bases; see :func:`~montgomery.cox_rower.bases.find_bases`.
    """

    r: int
    u: int
    lengths: tuple

    @functools.cached_property
    def sizes(self):
        """Base sizes n, in rising order."""
        return tuple(sorted({smallest_size(bits, self.r, self.u) for bits in self.lengths}))

    @property
    def g(self):
        """Bits that the Cox adds: as many as the largest bases need."""
        return max(find_bases(self.r, n).g for n in self.sizes)

    @property
    def mu_width(self):
        """Bits h of the largest µ of all sets."""
        return max(find_bases(self.r, n).mu_width for n in self.sizes)

    @property
    def reduction(self):
        """The :class:`~montgomery.cox_rower.reduction.Reduction` of a Rower.

        No more products are accumulated than in the conversion from both of the largest bases.
        """
        return Reduction.of_products(self.r, self.mu_width, 2 * max(self.sizes))

    @functools.cached_property
    def all(self):
        """The :class:`~montgomery.cox_rower.rns.Rns` of each size."""
        return tuple(Rns(dataclasses.replace(find_bases(self.r, n), g=self.g), self.reduction)
                     for n in self.sizes)

    def for_bits(self, bits):
        """Return the smallest :class:`~montgomery.cox_rower.rns.Rns` for moduli of so many bits.

        Raises
        ------
        ValueError
            If they are too long for all of them.
        """
        for rns in self.all:
            if bits <= rns.bases.bits:
                return rns
        raise ValueError(f"A modulus must have {self.all[-1].bases.bits} bits or less, for the "
                         f"largest bases of {self.sizes[-1]} elements, not {bits}; add a length "
                         f"of {bits}")
