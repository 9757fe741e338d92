"""The contract of cores for RSA with the Chinese remainder theorem."""

import abc
import contextlib
import dataclasses
import math
import random
import types

from ..arithmetic import check_modulus, check_operand, is_prime, shown
from ..core import CoreParameters, ceil_div, to_words
from ..operations import (
    SHORT_EXPONENT_BITS,
    Definition,
    Description,
    WholeOperation,
    long_exponent_bits,
    plural,
)
from ..rsa_keys import largest_key, lengthened, random_key

__all__ = ["RsaCrt"]

#: Messages that are their own result.
_OWN_RESULTS = 24
#: Most bits of an exponent of some words.
_MOST_EXPONENT_BITS = 72


@dataclasses.dataclass(frozen=True, kw_only=True)
class RsaCrt(CoreParameters):
    """What a core for RSA with CRT is made with; see :class:`montgomery.core.CoreParameters`.

    The result is the message raised to ``exponent_p`` modulo p, and to ``exponent_q`` modulo q:
    with a private exponent d modulo p - 1 and q - 1, that is ``message ** d`` modulo p q. Nothing
    depends on p and q being primes: they are odd, coprime, and of no more than half of ``width``
    bits, rounded up. Where :attr:`single_factor` is true q may also be 1: then the key is one
    without CRT, of the modulus p and the exponent ``exponent_p``; see :meth:`without_crt`.

    The time may depend on the lengths of p, q, their product and the longer exponent, in bits,
    which are public, and on the public exponent: for secret exponents give ``exponent_bits``, the
    length of the longer factor for example. Without, it is that of the longer exponent. A core
    whose time depends on anything else says so in its documentation, and measurements in
    ``constant_time``.
    """

    kind = "rsa_crt"
    prefix = "rsa_crt"
    group = "rsa_crt"
    noun, nouns = "core for RSA with CRT", "cores for RSA with CRT"
    formerly = ("decryption", "decryptions")
    operation = "private-key operation"
    formula = "message ** exponent mod p q"
    input_help = types.MappingProxyType({
        "message": "Message that is decrypted or signed.",
        "exponent_p": "Exponent modulo p: the private exponent modulo p - 1.",
        "exponent_q": "Exponent modulo q: the private exponent modulo q - 1.",
        "p": "First factor of the modulus, odd.",
        "q": "Second factor of the modulus, odd and coprime to p."})
    inputs = tuple(input_help)
    does_rsa = True
    #: Factors that have one in common with this are refused.
    avoided = 1
    #: Whether keys without CRT are taken too, of which q is 1.
    single_factor = False
    #: Bits of the longest public exponent of a core that checks.
    longest_public = 32

    @property
    def factor_width(self):
        """Bits of the largest p or q."""
        return ceil_div(self.width, 2)

    @property
    def longest_exponent(self):
        return self.factor_width

    @property
    def refusal(self):
        """What a core that checks gives instead of a wrong result: all bits 1, which none has."""
        return (1 << (self.o_width * self.result_words)) - 1

    @staticmethod
    def without_crt(message, exponent, modulus):
        """Return the inputs of ``message ** exponent mod modulus``, with a key without CRT.

        For cores of which :attr:`single_factor` is true.
        """
        return message, exponent, 0, modulus, 1

    def decode(self, words):
        """Return the result; see :meth:`montgomery.CoreParameters.decode`.

        Raises
        ------
        ValueError
            If the core refused to give a result that its check found wrong, too.
        """
        result = super().decode(words)
        if self.checks and result == self.refusal:
            raise ValueError("The result raised to the public exponent must be the message, but "
                             "was not, and the core gave nothing; check the key, and repeat the "
                             f"{self.operation}")
        return result

    def public_exponent(self, exponent_p, exponent_q, p, q):
        """Return the smallest e of which the exponents are inverses, modulo p - 1 and q - 1.

        Raises
        ------
        ValueError
            If p or q is no prime, or there is no such e of up to :attr:`longest_public` bits.
        """
        for name, factor in (("p", p), ("q", q)):
            if not is_prime(factor):
                raise ValueError(f"Factor {name} must be a prime, since the core checks its results"
                                 f", not {shown(factor)}; choose another one, or check=none")
        advice = "; take those of an RSA key, or check=none"
        if math.gcd(exponent_p, p - 1) > 1 or math.gcd(exponent_q, q - 1) > 1:
            raise ValueError("Exponents must have inverses modulo p - 1 and q - 1, since the core "
                             f"checks its results{advice}")
        of_p, of_q = pow(exponent_p, -1, p - 1), pow(exponent_q, -1, q - 1)
        common = math.gcd(p - 1, q - 1)
        if (of_p - of_q) % common:
            raise ValueError("Both exponents must be inverses of one public exponent, since the "
                             f"core checks its results{advice}")
        step = (q - 1) // common
        of_both = of_p + (p - 1) * ((of_q - of_p) // common
                                    * pow((p - 1) // common, -1, step) % step)
        if (bits := of_both.bit_length()) > self.longest_public:
            raise ValueError(f"The public exponent must have {self.longest_public} bits or fewer, "
                             f"not {bits}{advice}")
        return of_both

    @property
    def longest(self):
        if self.checks:
            p, q, *exponents = largest_key(self.width, self.avoided)
            return p * q - 1, *exponents, p, q
        p = self.usable_factor((1 << self.factor_width) - 1)
        most = min(p, ((1 << self.width) - 1) // p)
        q = self.usable_factor(most - 1 | 1, other=p)
        exponent = (1 << self.factor_width) - 1
        return p * q - 1, exponent, exponent, p, q

    @staticmethod
    def lengths(message, exponent_p, exponent_q, p, q):
        return (p.bit_length(), q.bit_length(), (p * q).bit_length(),
                max(exponent_p, exponent_q).bit_length())

    def edge_operands(self):
        """Factors of the same length and of different ones, messages that one of them divides, and
        exponents as those of exponentiations; see
        :meth:`montgomery.CoreParameters.edge_operands`.
        """
        *exponents, p, q = self.longest[1:]
        if self.checks:
            return [(0, 1, 3, 3, 5), (14, 1, 3, 3, 5), (2, 3, 1, 5, 3), (0, *exponents, p, q),
                    (1, *exponents, p, q), (q, *exponents, p, q), (p * (q - 1), *exponents, p, q),
                    (p * q - 2, *reversed(exponents), q, p)]
        small, short = (next(factor for factor in range(3, p, 2)
                             if math.gcd(factor, self.avoided * other) == 1) for other in (3, p))
        bits = long_exponent_bits(self)
        high, ones = 1 << (bits - 1), (1 << bits) - 1
        singles = [self.without_crt(*each) for each in (
            (0, 0, 3), (2, 1, 3), (p - 1, ones, p), (2, high, p), (0, ones, small))]
        return [*singles * self.single_factor,
                (0, 0, 0, 3, small), (3 * small - 1, 1, 2, small, 3), (1, 1, 2, small, 3),
                (p * short - 2, 3, 2, p, short), (q, 2, 1, p, q), (q * (p - 1), 1, 3, q, p),
                (p * q - 2, ones, 1, p, q), (2, high, high, p, q), (p * q - 1, 0, ones, p, q)]

    def solved_operands(self):
        """Results near the ends of their range and of those of p and q, and exponents of about one
        word and two, of which one is much shorter; see
        :meth:`montgomery.CoreParameters.solved_operands`.
        """
        rng = random.Random(f"{self!r} solved")
        *_, p, q = self.longest
        modulus, word = p * q, self.word_width
        results = {result % modulus for number in (modulus, modulus // 2, p, q, p * (q // 2))
                   for result in (number - 1, number, number + 1)}
        results |= {rng.randrange(modulus) for _ in range(_OWN_RESULTS)}
        vectors = [(result, 1, 1, p, q) for result in sorted(results)]
        for length in (word - 1, word, word + 1, 2 * word, 2 * word + 1):
            if 1 < length <= min(self.longest_exponent, _MOST_EXPONENT_BITS):
                if self.checks:  # which takes exponents of any length for short factors only
                    p, q, *shorts = self.random_key(rng, shorter=True, most=max(length - 1, 3))
                    longs = [lengthened(exponent, factor - 1, length)
                             for exponent, factor in zip(shorts, (p, q), strict=True)]
                else:
                    p, q = self.random_factors(rng)
                    longs, shorts = ([rng.getrandbits(bits) | 1 << (bits - 1)] * 2
                                     for bits in (length, 2))
                vectors += [(rng.randrange(p * q), *exponents, p, q)
                            for exponents in ((longs[0], shorts[1]), (shorts[0], longs[1]), longs)]
                if self.single_factor:
                    vectors.append(self.without_crt(rng.randrange(p), longs[0], p))
        if self.single_factor:
            p = self.longest[3]
            vectors += [self.without_crt(result, 1, p)
                        for result in (0, 1, p // 2, p // 2 + 1, p - 2, p - 1)]
        return vectors

    def telling_operands(self):
        """Exponents of two digits or more, of which the last one is 0 or 1: windows of up to five
        bits read the powers 0 and 1. See :meth:`montgomery.CoreParameters.telling_operands`.
        """
        if self.checks:
            return []
        rng = random.Random(f"{self!r} telling")
        high = 1 << (min(SHORT_EXPONENT_BITS, self.longest_exponent) - 1)
        factors = [self.random_factors(rng) for _ in range(4)]
        return [(rng.randrange(p * q), high | index % 2, high | ~index % 2, p, q)
                for index, (p, q) in enumerate(factors)]

    def random_operands(self, rng, *, shorter=False):
        if self.checks:
            p, q, *exponents = self.random_key(rng, shorter=shorter)
            return rng.randrange(p * q), *exponents, p, q
        p, q = self.random_factors(rng, shorter=shorter)
        bits = rng.randint(1, min(SHORT_EXPONENT_BITS, self.longest_exponent))
        if self.single_factor and rng.getrandbits(1):
            return self.without_crt(rng.randrange(p), rng.getrandbits(bits), p)
        return rng.randrange(p * q), rng.getrandbits(bits), rng.getrandbits(bits), p, q

    def random_factors(self, rng, *, shorter=False):
        """Return odd p and q that the core works with, coprime, but hardly ever primes.

        Parameters
        ----------
        rng : :class:`random.Random`
        shorter : :class:`bool`
            Of any lengths, rather than those of which a modulus of full length is the product.
        """
        widths = self.factor_width, self.width - self.factor_width
        while True:
            lengths = [rng.randint(2, bits) if shorter else bits for bits in widths]
            p, q = (rng.getrandbits(bits) | (1 << (bits - 1)) | 1 for bits in lengths)
            with contextlib.suppress(ValueError):  # too short for one more
                p = self.usable_factor(p)
                return p, self.usable_factor(q, other=p)

    def random_key(self, rng, *, shorter=False, most=None):
        """Return p, q, and the exponents for both, of a key with a public exponent that is used.

        Parameters
        ----------
        rng, shorter
            As of :meth:`random_factors`.
        most : :class:`int` or ``None``
            Largest number of bits of either factor, 3 or more.
        """
        widths = [min(bits, most or bits)
                  for bits in (self.factor_width, self.width - self.factor_width)]
        return random_key(rng, widths, avoided=self.avoided, shorter=shorter)

    def whole_operation(self, rng):
        bits = self.longest_exponent
        if self.checks:
            p, q, *exponents = self.random_key(rng)
        else:
            p, q = self.random_factors(rng)
            exponents = [rng.getrandbits(bits) | (1 << (bits - 1)) for _ in range(2)]
        inputs = (rng.randrange(p * q), *exponents, p, q)
        return WholeOperation(
            inputs=dict(zip(self.inputs, inputs, strict=True)), operations=[inputs],
            result=self.compute(*inputs), golden=self.golden(*inputs), exponent_bits=bits)

    def rsa_operations(self, key, message):
        bits = max(key.p, key.q).bit_length()
        return [((message, key.d_p, key.d_q, key.p, key.q), {"exponent_bits": bits})]

    @staticmethod
    def rsa_clocks(bits, *, compute, interval):
        return compute

    def describe(self):
        """Return the :class:`~montgomery.operations.Description` of the operations.

        A core adds its ``operands``, and what these are made of.
        """
        bits = self.longest_exponent
        single = (" A key without CRT has q = 1: the result is message^exponent_p modulo m = p, "
                  f"of up to {self.factor_width} bits, and exponent_q is 0."
                  if self.single_factor else "")
        return Description(
            result="A number below m = p q, which is message^exponent_p modulo p and "
                   "message^exponent_q modulo q. With exponent_p = d mod (p - 1) and exponent_q = "
                   "d mod (q - 1), where p and q are primes, it is message^d mod m: an RSA "
                   f"decryption or signature with the private exponent d.{single}",
            rules=[("message", "below m"), ("modulus m", f"p q, of up to {self.width} bits"),
                   ("factors p and q", self.moduli_text()),
                   ("exponent_p and exponent_q", f"from 0 to 2^{bits} - 1")],
            options=("exponent_bits",),
            constants=[Definition(
                "exponent_bits",
                f"the length of the longer exponent in bits, or more, up to {bits}",
                "exponent_bits or max(exponent_p, exponent_q).bit_length()")],
            sent=f"An operation is sent in words of {self.i_width} bits, the operands in this "
                 "order. Where nothing else is said, the lowest word of an operand is sent first.",
            operands=[],
            received=f"A result comes in {plural(self.result_words, 'word')} of {self.o_width} "
                     "bits, the lowest word first.",
            conversion="There is nothing to convert: message and result are ordinary numbers.",
            advice="The time depends on the length of the exponents that is sent. Since they are "
                   "secret, send a length that is the same for all of them, such as that of the "
                   "longer factor, in place of their own.",
            timed=f"exponents of {bits} ones")

    def moduli_text(self):
        single = ", or 1 as q" if self.single_factor else ""
        return f"odd and coprime, from 3 to 2^{self.factor_width} - 1{single}"

    @staticmethod
    def golden(message, exponent_p, exponent_q, p, q):
        """Return the result as Python itself has it."""
        of_p, of_q = pow(message, exponent_p, p), pow(message, exponent_q, q)
        return of_q + q * ((of_p - of_q) * pow(q, -1, p) % p)

    @abc.abstractmethod
    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the message raised to the exponents, by the steps of the paper's algorithm.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """

    def encode(self, message, exponent_p=None, exponent_q=None, p=None, q=None, *,
               exponent_bits=None):
        """Return the words of one operation, for port ``i``: the message, lowest word first.

        Parameters
        ----------
        message : :class:`int`
        exponent_p, exponent_q, p, q : :class:`int` or ``None``
            Those of the key with which the message is used. Without, it is only checked to fit.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        if p is None:
            check_operand("message", message, 1 << self.word_width * self.result_words)
        else:
            self.check_operands(message, exponent_p, exponent_q, p, q,
                                exponent_bits=exponent_bits)
        return to_words(message, self.word_width, self.result_words)

    @abc.abstractmethod
    def cycles(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one operation, exactly."""

    def cycles_of(self, message, exponent_p, exponent_q, p, q):
        return self.cycles(message, exponent_p, exponent_q, p, q)

    def usable_factor(self, factor, *, other=1):
        """Return the largest factor up to an odd one that the core works with, beside another one.

        Raises
        ------
        ValueError
            If there is none.
        """
        avoided = self.avoided * other
        for candidate in range(factor, 1, -2):
            if math.gcd(candidate, avoided) == 1:
                return candidate
        raise ValueError(f"No factor up to {shown(factor)} works beside {shown(other)}; take a "
                         f"larger one")

    def check_operands(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Refuse operands that the core is not made for.

        Returns
        -------
        int
            The length of the exponents to go by.

        Raises
        ------
        TypeError
            If one is not an integer.
        ValueError
            If p or q is even, below 3, of more than half of ``width`` bits, or has a factor in
            common with the other one, or if their product is too long; if the message is not
            below that; or if an exponent is negative, or longer than ``exponent_bits`` or than
            the longest p or q; on a core that checks, as :meth:`public_exponent` does. A q of 1 is
            right where :attr:`single_factor` is true, if ``exponent_q`` is 0.
        """
        self._check_factor("p", p)
        is_single = self.single_factor and type(q) is int and q == 1
        if not is_single:
            self._check_factor("q", q)
        if (common := math.gcd(p, q)) > 1:
            raise ValueError(f"p and q must be coprime, but have the common factor "
                             f"{shown(common)}; choose other primes")
        check_modulus(p * q, width=self.width)
        check_operand("message", message, p * q)
        most = self.longest_exponent
        for name, exponent, factor in (("exponent_p", exponent_p, "p"),
                                       ("exponent_q", exponent_q, "q")):
            if not isinstance(exponent, int) or isinstance(exponent, bool):
                raise TypeError(f"Operand {name} must be an integer, not {exponent!r}")
            if not 0 <= exponent < 1 << most:
                raise ValueError(f"Operand {name} must be from 0 to 2**{most} - 1, not "
                                 f"{shown(exponent)}; reduce it modulo {factor} - 1 first")
        if is_single and exponent_q:
            raise ValueError("Operand exponent_q must be 0 with q = 1, which is a key without CRT, "
                             f"not {shown(exponent_q)}; give the exponent as exponent_p")
        length = max(exponent_p, exponent_q).bit_length()
        if exponent_bits is None:
            exponent_bits = length
        if not length <= exponent_bits <= most:
            raise ValueError(f"The length of the exponents, exponent_bits, must be from {length} "
                             f"to {most}, not {exponent_bits}; leave it out to take the length of "
                             f"the longer exponent")
        if self.checks:
            self.public_exponent(exponent_p, exponent_q, p, q)
        return exponent_bits

    def _check_factor(self, name, factor):
        if not isinstance(factor, int) or isinstance(factor, bool):
            raise TypeError(f"Factor {name} must be an integer, not {factor!r}")
        if factor < 3:
            advice = ", or 1 as q without CRT" if self.single_factor else ""
            raise ValueError(f"Factor {name} must be 3 or larger, not {shown(factor)}; the "
                             f"smallest factor is 3{advice}")
        if factor % 2 == 0:
            raise ValueError(f"Factor {name} must be odd, not {shown(factor)}; every prime above 2 "
                             f"is odd")
        if (bits := factor.bit_length()) > self.factor_width:
            raise ValueError(f"Factor {name} must have {self.factor_width} bits or fewer, half of "
                             f"the width of the core, not {bits}; choose width {2 * bits}")
