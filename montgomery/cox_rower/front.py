"""What fronts have in common: they divide by factors of the key, and load the Rowers."""

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..core import ceil_div

__all__ = ["Front"]


class Front(wiring.Component):
    """Takes the words of an operation, divides, and gives the Rowers rows of words.

    Numbers go to ``rows`` as the Rowers want them: Rower i has digits i, i + u and so on, and of
    each u digits the last comes first.

    Parameters
    ----------
    r : :class:`int`
        Bits of a word.
    u : :class:`int`
        Number of Rowers.
    more : :class:`dict`
        Other members.

    Members
    -------
    i : :py:`In(stream.Signature(r))`
    header, modulus, rows : :py:`Out(stream.Signature(r))`
    waits : :py:`In(1)`
        The next word is for ``header``.

    Attributes
    ----------
    NUMBERS : :class:`int`
        Numbers in the rows, each but the last with ones for base b.
    """

    NUMBERS = 0

    def __init__(self, r, u, more=None):
        self.u = u
        word = stream.Signature(r)
        super().__init__({"i": In(word), "header": Out(word), "modulus": Out(word),
                          "rows": Out(word), "waits": In(1), **(more or {})})

    @staticmethod
    def dividends(bases):
        """Return B and B**2, each with its number of words."""
        return [(value, ceil_div(value.bit_length(), bases.r))
                for value in (bases.b_product, bases.b_product ** 2)]
