"""Multipliers: what a product of Montgomery's method is, and what all of them have in common."""

import abc
import dataclasses
import types

from ..arithmetic import check_modulus, check_operand
from ..core import CoreParameters, from_words, to_words
from .multiplication import Multiplication

__all__ = ["Multiplier"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Multiplier(Multiplication, CoreParameters):
    """What a multiplier is instantiated with; see :class:`CoreParameters`."""

    kind = "multiplier"
    group = "architectures"
    noun, nouns = "multiplier", "multipliers"
    operation = "multiplication"
    formula = "x * y / R mod modulus"
    input_help = types.MappingProxyType({
        "x": "First factor of a multiplication.", "y": "Second factor of a multiplication.",
        "modulus": "Odd modulus."})
    inputs = tuple(input_help)
    #: Names of the :attr:`operands` that tell the hardware how many words follow.
    framing = ()
    #: Whether the words of a number are its digits; if not, :meth:`encode` defines them.
    positional = True
    #: Whether a word of port ``i`` holds a word of x, and above it a word of y.
    parallel = False

    @property
    @abc.abstractmethod
    def r(self):
        """The Montgomery constant R."""

    @abc.abstractmethod
    def bound(self, modulus):
        """Return the number that operands must be below, and that results are below.

        If it is no fixed multiple of the modulus, define ``bound_definition`` too.
        """

    @property
    @abc.abstractmethod
    def cycles(self):
        """:class:`Cycles` of every multiplication, or of the slowest one if they differ."""

    @property
    @abc.abstractmethod
    def operands(self):
        """What a multiplication is sent: pairs of a name and a number of words, in order.

        The names are ``x`` and ``y``; on a core without port ``k`` also ``modulus`` and those in
        :meth:`constants`. Each number is sent in words of :attr:`o_width` bits, the least
        significant word first. If a word of port ``i`` is wider, it holds a word of each number,
        which have equally many, the first number in the lowest bits.
        """

    @property
    def key_operands(self):
        """What a key is sent: pairs of a name and a number of words, in order.

        The names are ``modulus`` and those in :meth:`constants`. Each number is sent in words of
        :attr:`k_width` bits, the least significant word first. Empty without port ``k``.
        """
        return ()

    def constants(self, modulus):
        """Return the other numbers that are sent, by name; they depend on the modulus alone.

        Define each of them in :attr:`definitions`, for people who use the core without Python.
        """
        return {}

    @property
    def definitions(self):
        """List of a :class:`~montgomery.operations.Definition` of each of :meth:`constants`."""
        return []

    @abc.abstractmethod
    def compute(self, x, y, modulus):
        """See :meth:`CoreParameters.compute`."""

    def encode_key(self, modulus):
        """Return the words of :attr:`key_operands`; see :meth:`CoreParameters.encode_key`."""
        if not self.key_inputs:
            return super().encode_key(modulus)
        self.check_operands(0, 0, modulus)
        values = {"modulus": modulus, **self.constants(modulus)}
        return [word for name, count in self.key_operands
                for word in to_words(values[name], self.k_width, count)]

    @property
    def i_width(self):
        return self.word_width * (2 if self.parallel else 1) + (2 if self.chains else 0)

    def encode(self, x, y, modulus=None):
        """Return the words of :attr:`operands`; see :meth:`CoreParameters.encode`.

        Parameters
        ----------
        x, y : :class:`int` or ``None``
            None stands for the result of the multiplication before, if the core :attr:`chains`.
            The highest bit of the first word is set if y is None, and the bit below it if x is.
            The words of an operand that is None are 0. If both are None, there is one word.
        modulus : :class:`int` or ``None``
            The modulus of the key with which the operands are used. If it is None, the operands are
            only checked to fit their words; a core without port ``k`` needs it.
        """
        kept = 0
        if self.chains:
            kept = sum(1 << index for index, value in enumerate((x, y)) if value is None)
            x, y = (0 if value is None else value for value in (x, y))
        values = {"x": x, "y": y, "modulus": modulus}
        if modulus is None and self.key_inputs:
            for name, count in self.operands:
                check_operand(name, values[name], 1 << (count * self.o_width))
        else:
            self.check_operands(x, y, modulus)
            values |= self.constants(modulus)
        numbers = [to_words(values[name], self.o_width, count) for name, count in self.operands]
        if self.i_width == self.o_width:
            return [word for words in numbers for word in words]
        words = [from_words(words, self.o_width) for words in zip(*numbers, strict=True)]
        words[0] |= kept << 2 * self.o_width
        return words[:1] if kept == 3 else words

    def cycles_of(self, x, y, modulus):
        return self.cycles

    @property
    def common_cycles(self):
        return self.cycles

    @property
    def constants_of_core(self):
        return {"r": self.r}

    @staticmethod
    def rsa_clocks(bits, *, compute, interval):
        """Return those of ``2 bits + 2`` dependent products, with nothing in between."""
        return (2 * bits + 2) * interval

    @property
    def longest(self):
        modulus = self.usable_modulus((1 << self.width) - 1)
        return self.bound(modulus) - 1, self.bound(modulus) - 1, modulus

    @staticmethod
    def lengths(x, y, modulus):
        return (modulus.bit_length(),)

    @property
    def initiation(self):
        """Clocks from the first word of a result to the first word of the next result.

        This is for independent multiplications that are sent back to back in an environment that
        never waits. By default a multiplication starts when the one before it has ended.
        """
        return self.cycles.interval

    def check_operands(self, x, y, modulus):
        """Refuse operands with which the architecture does not work.

        Raises
        ------
        TypeError
            If an operand is not an integer.
        ValueError
            If the modulus is even, below 3, has more than ``width`` bits or does not work for
            another reason, or if ``x`` or ``y`` is not in ``range(bound(modulus))``.
        """
        check_modulus(modulus, width=self.width)
        check_operand("x", x, self.bound(modulus))
        check_operand("y", y, self.bound(modulus))
