"""What all cores of the Cox-Rower are made with."""

import dataclasses
import functools

from ..core import Number, parameter
from .bases import smallest_size
from .rns import rns_of_lengths
from .schedule import latency_of

__all__ = ["RowerParameters", "listed"]


def listed(name, elements):
    """Return the :class:`~montgomery.core.Number` of a list of elements of a base."""
    rows = (map(hex, elements[start:start + 6]) for start in range(0, len(elements), 6))
    body = "".join(f"    {', '.join(row)},\n" for row in rows)
    return Number(name, f"the {len(elements)} elements of base {name}", f"[\n{body}]")


@dataclasses.dataclass(frozen=True, kw_only=True)
class RowerParameters:
    """Parameters of what has Rowers, beside those of its kind.

    A core gives the ``lengths`` of moduli for which there are bases, in falling order. Moduli that
    share a factor with base b are refused. No modulus does up to ``word_width - 3`` bits, where
    base b is 2**r alone, nor does one whose prime factors all have more than ``word_width`` bits.

    Parameters
    ----------
    word_width : :class:`int`
        Bits r of a residue, and of a word of the streams.
    rowers : :class:`int`
        Largest number u of Rowers: there are as many as there have to be elements in a base, if
        these are fewer. A base size n is the smallest multiple of u that is large enough.
    """

    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1,
                            maximum=256)

    def _check_parameters(self):
        _ = self.sets  # refuses bases that there are not

    @functools.cached_property
    def u(self):
        """Number of Rowers."""
        return min(self.rowers, smallest_size(max(self.lengths), self.word_width, 1))

    @functools.cached_property
    def sets(self):
        """The :class:`~montgomery.cox_rower.rns.Rns` of each base size, in rising order."""
        return rns_of_lengths(self.word_width, self.u, self.lengths)

    @property
    def bases(self):
        """The :class:`~montgomery.cox_rower.bases.BaseSet` of each size."""
        return tuple(rns.bases for rns in self.sets)

    @property
    def latency(self):
        """Clocks of a Rower's pipeline: those for the largest bases, which take the longest."""
        return latency_of(self.bases[-1].n, self.u)
