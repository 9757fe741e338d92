"""The contract of exponentiators."""

import abc
import dataclasses
import math
import random
import types

from ..arithmetic import check_modulus, check_operand, shown
from ..core import CoreParameters
from ..operations import (
    SHORT_EXPONENT_BITS,
    Definition,
    Description,
    WholeOperation,
    long_exponent_bits,
    plural,
)

__all__ = ["Exponentiator"]

#: Most bits of a base that are tried one by one, and most bits of an exponent of some words.
_MOST_BITS, _MOST_EXPONENT_BITS = 12, 72

_CONSTANT_TIME = ("The time depends on the length of the exponent that is sent. For a secret "
                  "exponent send a length that is the same for all of them, such as that of the "
                  "modulus, in place of its own.")
_TELLING = ("The time tells the length of the exponent and its number of ones: do not use this "
            "core for secret exponents.")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Exponentiator(CoreParameters):
    """What an exponentiator is instantiated with; see :class:`montgomery.core.CoreParameters`.

    The time may depend on the length of the exponent, in bits, which is public: for a secret
    exponent give one that does not depend on it, that of the modulus for example, where a method
    takes ``exponent_bits``. Without, it is that of the exponent. An exponentiator whose time
    depends on anything else says so in its documentation, and measurements in ``constant_time``.
    """

    kind = "exponentiator"
    prefix = "exponentiation"
    group = "exponentiators"
    noun, nouns = "exponentiator", "exponentiators"
    operation = "exponentiation"
    formula = "base ** exponent mod modulus"
    input_help = types.MappingProxyType({
        "base": "Base of an exponentiation.", "exponent": "Exponent of an exponentiation.",
        "modulus": "Odd modulus."})
    inputs = tuple(input_help)
    does_rsa = True
    #: ``always``: the time is the same for all exponents of a length; ``binary``: it tells how many
    #: ones there are.
    method = "always"

    @property
    def longest_exponent(self):
        return self.width

    @property
    def exponent_limit(self):
        """Most bits of an exponent, which may be more than those of the longest modulus."""
        return self.longest_exponent

    @property
    def longest(self):
        modulus = self.usable_modulus((1 << self.width) - 1)
        return modulus - 1, (1 << self.longest_exponent) - 1, modulus

    @staticmethod
    def lengths(base, exponent, modulus):
        return modulus.bit_length(), exponent.bit_length()

    def edge_operands(self):
        """Short exponents, one that is longer than a word and has few ones or many, with the
        smallest and the largest bases, two bases of one key, and a power of a modulus with a
        square factor that is 0; see :meth:`montgomery.CoreParameters.edge_operands`.
        """
        top = self.usable_modulus((1 << self.width) - 1)
        vectors = [(0, 0, 3), (2, 1, 3), (3, 2, 9)]
        for modulus in (top, self.usable_modulus((1 << (self.width - 1)) + 1)):
            vectors += [(0, 2, modulus), (modulus - 1, 2, modulus), (1, 1, modulus),
                        (modulus - 1, 3, modulus)]
        bits = long_exponent_bits(self)
        return [*vectors, (2, 1 << (bits - 1), top), (top - 2, (1 << bits) - 1, top),
                (top - 1, 0, top)]

    def solved_operands(self):
        """Last products that differ from the modulus in one bit, powers that are 0 in all words,
        and exponents of about one word and two; see
        :meth:`montgomery.CoreParameters.solved_operands`.
        """
        rng = random.Random(f"{self!r} solved")
        top, word = self.usable_modulus((1 << self.width) - 1), self.word_width
        ends = {bit for low in range(0, self.width, word) for bit in (low, low + word - 1)}
        bits = [bit for bit in range(self.width) if top >> bit & 1]
        bits = ([bit for bit in bits if bit in ends] + bits)[:_MOST_BITS // 2] + rng.sample(
            bits, min(len(bits), _MOST_BITS // 2))
        vectors = [(top ^ 1 << bit, 1, top) for bit in dict.fromkeys([*bits, top.bit_length() - 1])]
        root = math.isqrt(top) - 1 | 1
        if root > 1 and self.usable_modulus(root * root) == root * root:
            vectors += [(root * rng.randrange(1, root), exponent, root * root)
                        for exponent in (2, 3)]
        for length in (word - 1, word, word + 1, 2 * word, 2 * word + 1):
            if 1 < length <= min(self.longest_exponent, _MOST_EXPONENT_BITS):
                modulus, high = self.random_modulus(rng), 1 << (length - 1)
                vectors += [(rng.randrange(modulus), exponent, modulus)
                            for exponent in (high, high | rng.getrandbits(length))]
        return vectors

    def telling_operands(self):
        """Exponents of two digits or more, of which the last one is 0 or 1: windows of up to five
        bits read the powers 0 and 1. See :meth:`montgomery.CoreParameters.telling_operands`.
        """
        rng = random.Random(f"{self!r} telling")
        bits = min(SHORT_EXPONENT_BITS, self.longest_exponent)
        moduli = [self.random_modulus(rng) for _ in range(4)]
        return [(rng.randrange(modulus), 1 << (bits - 1) | index % 2, modulus)
                for index, modulus in enumerate(moduli)]

    def random_operands(self, rng, *, shorter=False):
        modulus = self.random_modulus(rng, shorter=shorter)
        bits = rng.randint(1, min(SHORT_EXPONENT_BITS, self.longest_exponent))
        return rng.randrange(modulus), rng.getrandbits(bits), modulus

    def whole_operation(self, rng):
        modulus = self.random_modulus(rng)
        base = rng.randrange(modulus)
        exponent = rng.getrandbits(self.width) | 1 << (self.width - 1)
        inputs = (base, exponent, modulus)
        return WholeOperation(
            inputs=dict(zip(self.inputs, inputs, strict=True)), operations=[inputs],
            result=self.compute(*inputs), golden=self.golden(*inputs),
            exponent_bits=exponent.bit_length())

    def rsa_operations(self, key, message):
        """One exponentiation, or two of half the length where the core is too short for one.

        The time of none tells the exponent, if that of the core does not; see
        :meth:`montgomery.CoreParameters.rsa_operations`.
        """
        if key.n.bit_length() <= self.width:
            return [((message, key.d, key.n), {"exponent_bits": key.n.bit_length()})]
        if max(key.p.bit_length(), key.q.bit_length()) > self.width:
            return []
        return [((message % prime, exponent, prime), {"exponent_bits": prime.bit_length()})
                for prime, exponent in ((key.p, key.d_p), (key.q, key.d_q))]

    @staticmethod
    def rsa_clocks(bits, *, compute, interval):
        return compute

    def describe(self):
        """Return the :class:`~montgomery.operations.Description` of the operations.

        A core adds its ``operands``, and what these are made of.
        """
        bits, most = self.longest_exponent, self.exponent_limit
        return Description(
            result="base^exponent mod m, as a number below m.",
            rules=[("base", "below m"), ("modulus m", self.moduli_text()),
                   ("exponent", f"from 0 to 2^{most} - 1")],
            options=("exponent_bits",),
            constants=[Definition(
                "exponent_bits", f"the length of the exponent in bits, or more, up to {most}",
                "exponent_bits or exponent.bit_length()")],
            sent=f"An exponentiation is sent in words of {self.i_width} bits, the operands in this "
                 "order. Where nothing else is said, the lowest word of an operand is sent first.",
            operands=[],
            received=f"A result comes in {plural(self.result_words, 'word')} of {self.o_width} "
                     "bits, the lowest word first.",
            conversion="There is nothing to convert: base and result are ordinary numbers. For "
                       "RSA the base is the message, and the exponent is the public or the "
                       "private one of the key.",
            advice=_CONSTANT_TIME if self.method == "always" else _TELLING,
            timed=f"an exponent of {bits} ones")

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
            modulus, or the exponent negative or longer than ``exponent_bits`` or
            :attr:`exponent_limit`.
        """
        check_modulus(modulus, width=self.width)
        check_operand("base", base, modulus)
        if not isinstance(exponent, int) or isinstance(exponent, bool):
            raise TypeError(f"The exponent must be an integer, not {exponent!r}")
        if exponent < 0:
            raise ValueError(f"The exponent must be 0 or more, not {shown(exponent)}")
        most, bits = self.exponent_limit, exponent.bit_length()
        if bits > most:
            raise ValueError(f"The exponent must have {most} bits or fewer, not {bits}; "
                             f"choose width {self.width + bits - most}")
        if exponent_bits is None:
            return bits
        if not bits <= exponent_bits <= most:
            raise ValueError(f"The length of the exponent, exponent_bits, must be from "
                             f"{bits} to {most}, not {exponent_bits}; leave "
                             f"it out to take the length that the exponent has")
        return exponent_bits
