"""The contract of exponentiators."""

import abc
import dataclasses

from ..arithmetic import check_modulus, check_operand
from ..core import CoreParameters

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(CoreParameters):
    """What an exponentiator is instantiated with; see :class:`montgomery.core.CoreParameters`.

    The time may depend on the length of the exponent, in bits, which is public: for a secret
    exponent give one that does not depend on it, that of the modulus for example, where a method
    takes ``exponent_bits``. Without, it is that of the exponent. An exponentiator whose time
    depends on anything else says so in its documentation, and measurements in ``constant_time``.
    """

    kind = "exponentiator"
    package = "exponentiation"
    inputs = ("base", "exponent", "modulus")

    @property
    def longest_exponent(self):
        return self.width

    @property
    def longest(self):
        modulus = self.usable_modulus((1 << self.width) - 1)
        return modulus - 1, (1 << self.longest_exponent) - 1, modulus

    @staticmethod
    def lengths(base, exponent, modulus):
        return modulus.bit_length(), exponent.bit_length()

    @staticmethod
    def golden(base, exponent, modulus):
        """Return the result as Python itself has it."""
        return pow(base, exponent, modulus)

    @abc.abstractmethod
    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        """Return ``base ** exponent % modulus`` by the steps of the paper's algorithm.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """

    @abc.abstractmethod
    def encode(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the list of words to send to port ``i``, in order.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """

    @abc.abstractmethod
    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one exponentiation, exactly."""

    def cycles_of(self, base, exponent, modulus):
        return self.cycles(base, exponent, modulus)

    @abc.abstractmethod
    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the number of multiplications of one exponentiation."""

    def check_operands(self, base, exponent, modulus, *, exponent_bits=None):
        """Refuse operands that the exponentiator is not made for.

        Returns
        -------
        int
            The length of the exponent to go by.

        Raises
        ------
        TypeError
            If one is not an integer.
        ValueError
            If the modulus is even, below 3 or of more than ``width`` bits, the base not below the
            modulus, or the exponent negative or longer than ``exponent_bits`` or ``width``.
        """
        check_modulus(modulus, width=self.width)
        check_operand("base", base, modulus)
        if not isinstance(exponent, int) or isinstance(exponent, bool):
            raise TypeError(f"The exponent must be an integer, not {exponent!r}")
        if not 0 <= exponent < 1 << self.width:
            raise ValueError(f"The exponent must be in 0..2**{self.width} - 1, not {exponent:#x}; "
                             f"choose a larger width")
        if exponent_bits is None:
            return exponent.bit_length()
        if not exponent.bit_length() <= exponent_bits <= self.width:
            raise ValueError(f"Exponent bits must be {exponent.bit_length()}, the length of the "
                             f"exponent, to {self.width}, not {exponent_bits}; leave it out for "
                             f"the length of the exponent")
        return exponent_bits
