"""What can be said of a multiplier as a unit of an engine, without hardware."""

import dataclasses
import functools

from ..blocks.streams import Skid
from ..core import ceil_div, name_of, results_of, traits
from ..core.fixed_modulus import FixedModulus

__all__ = ["Unit"]


@dataclasses.dataclass(frozen=True)
class Unit:
    """What can be said of a :class:`~.multiplier_unit.MultiplierUnit` without hardware.

    Attributes
    ----------
    inner : :class:`montgomery.kinds.multiplier.Multiplier`

    Raises
    ------
    ValueError
        If numbers are no digits, the modulus is fixed, or the key has words of another width than
        results.
    """

    inner: object

    def __post_init__(self):
        inner, width = self.inner, self.width
        if any(field.listed for field in inner.operands.fields):
            raise ValueError(f"The multiplier must take numbers as digits, and {name_of(inner)} "
                             f"takes residues; choose another one")
        if isinstance(inner, FixedModulus):
            raise ValueError(f"The multiplier must take any modulus, and {name_of(inner)} is built "
                             f"for one; choose another one")
        if inner.key_operands.width not in (0, width):
            raise ValueError(f"The multiplier must take its key in words of its results, of "
                             f"{width} bits, and {name_of(inner)} takes "
                             f"{inner.key_operands.width} bits; choose another one")

    # -- Numbers.

    @property
    def width(self):
        """Bits of a word."""
        return results_of(self.inner).width

    @property
    def words(self):
        """Words of a factor, and of a product."""
        return self.inner.result_words

    @functools.cached_property
    def key_fields(self):
        """The :class:`~montgomery.core.Field` list of a key."""
        if self.inner.k_words:
            return list(self.inner.key_operands.fields)
        # Beside x and y the modulus may have fewer bits than a word.
        return [dataclasses.replace(field, bits=0) for field in self.inner.operands.fields
                if field.name == "modulus"]

    @property
    def reach(self):
        """Products are below so many times the modulus."""
        return traits(self.inner).reach

    @property
    def halvings(self):
        """The number h for which products are below 2**(h + 1) times the modulus."""
        return max((self.reach - 1).bit_length() - 1, 0)

    # -- What is done with operands.

    @property
    def chains(self):
        """Whether a factor can be the product before, while that is on its way.

        Else the words of a pair are sent twice: x is taken before y.
        """
        return self.inner.operands.beside

    @property
    def forwards(self):
        """Whether the unit brings words of a product back to a multiplier that keeps none."""
        return self.chains and not traits(self.inner).keeps_results

    @property
    def square_words(self):
        """Words of a pair of which both operands are kept."""
        return 1 if traits(self.inner).keeps_results else self.words

    # -- Clocks.

    @property
    def front(self):
        """Clocks from a word of a pair to where it is joined with words from elsewhere."""
        return Skid.LATENCY if self.forwards else 0

    @property
    def latency(self):
        """Clocks from the first word of a pair, where it is joined, to the last of the product."""
        inner = self.inner.cycles
        return Skid.LATENCY + inner.load - 1 + inner.compute + inner.unload - 1

    @property
    def interval(self):
        """Clocks from a product to one of it and another number, where products chain."""
        inner = self.inner
        if traits(inner).keeps_results:
            return inner.cycles.interval
        # A multiplier that is not ready yet takes the operands from the join when it is.
        return self.in_turn(max(traits(inner).initiation,
                                inner.cycles.load + inner.cycles.compute + Skid.LATENCY))

    @property
    def square_interval(self):
        """Clocks from a product to its square, where products chain."""
        inner = self.inner.cycles
        alone = inner.load + inner.compute + inner.unload - 1
        if traits(self.inner).keeps_results and inner.interval == alone:
            # No operand is sent before the result was taken, and then but one word.
            return self.interval - (inner.load - 1)
        return self.interval

    def in_turn(self, clocks):
        """Return the clocks from a pair to one that can come after so many of them."""
        every = traits(self.inner).takes_every
        return every * ceil_div(clocks, every)

    def accepts(self, number):
        """Return the clocks from the first word of x, or of a key, to another one.

        They are counted from 0. Of a key the multiplier has a port for.
        """
        # Two words are taken at once by a Skid, which hands one on every ``pace`` clocks.
        inner = self.inner
        pace = max((inner.cycles.load - 1) // max(inner.i_words - 1, 1), 1)
        return number if number < 2 else 2 + (number - 2) * pace
