"""RSA with the Chinese remainder theorem."""

import abc
import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any

from ..arithmetic import (
    check_coprime,
    check_integer,
    check_modulus,
    check_operand,
    coprime_below,
    is_prime,
    shown,
)
from ..core import (
    CoreParameters,
    Cycles,
    Field,
    Kind,
    Message,
    Number,
    ceil_div,
    parameter,
    traits,
)
from .exponentiator import BLINDING_BITS, check_exponent

__all__ = ["CONSTANT_TIME", "KIND", "LONGEST_PUBLIC", "PUBLIC", "PUBLIC_NUMBERS", "RsaCrt",
           "check_parameter", "longest", "public_exponent", "public_fields"]

KIND = Kind(
    name="rsa_crt", prefix="rsa_crt", group="rsa_crt", noun="core for RSA with CRT",
    nouns="cores for RSA with CRT", operation="private-key operation",
    formula="message ** exponent mod p q",
    inputs={"message": "Message that is decrypted or signed.",
            "exponent_p": "Exponent modulo p: the private exponent modulo p - 1.",
            "exponent_q": "Exponent modulo q: the private exponent modulo q - 1.",
            "p": "First factor of the modulus, odd.",
            "q": "Second factor of the modulus, odd and coprime to p."},
    key_inputs=("exponent_p", "exponent_q", "p", "q"), does_rsa=True)

#: Bits of the longest public exponent of a core that checks.
LONGEST_PUBLIC = 32
#: Public exponents in use, the longest one first; 3 and 5 are, and smaller factors need 1.
PUBLIC = (65537, 257, 17, 5, 3, 1)

CONSTANT_TIME = ("The time depends on the length of the exponents that is sent. Since they are "
                 "secret, send a length that is the same for all of them, such as that of the "
                 "longer factor, in place of their own.")

#: The public exponent, by the Chinese remainder theorem for moduli that need not be coprime.
PUBLIC_NUMBERS = (
    Number("e_p", "1/exponent_p modulo p - 1", "pow(exponent_p, -1, p - 1)"),
    Number("e_q", "1/exponent_q modulo q - 1", "pow(exponent_q, -1, q - 1)"),
    Number("common", "the greatest common divisor of p - 1 and q - 1", "math.gcd(p - 1, q - 1)"),
    Number("e", "the public exponent: the smallest number that is `e_p` modulo p - 1 and `e_q` "
           "modulo q - 1",
           "e_p + (p - 1) * ((e_q - e_p) // common * pow((p - 1) // common, -1, (q - 1) // common) "
           "% ((q - 1) // common))"))


def check_parameter() -> Any:
    """Return the parameter that says whether a core checks its results.

    With ``"public"``, the result is raised to the public exponent, which follows from the key, and
    compared with the message; a wrong result does not leave the core. With ``"none"``, any odd
    coprime factors and any exponents are taken, but a single fault during an operation gives a
    result that gives the factors away (Boneh, DeMillo, Lipton: "On the importance of checking
    cryptographic protocols for faults"); whoever receives it must check it before anybody else sees
    it.
    """
    return parameter("public", "whether the result is checked with the public exponent (public) "
                     "before it leaves the core, or not (none), when a fault gives the key away",
                     choices=("public", "none"))


def public_exponent(exponent_p: int, exponent_q: int, p: int, q: int) -> int:
    """Return the smallest e of which the exponents are inverses, modulo p - 1 and q - 1.

    :exc:`ValueError` says that p or q is no prime, or that there is no such e of up to
    :data:`LONGEST_PUBLIC` bits.
    """
    for name, factor in (("p", p), ("q", q)):
        if pow(2, factor - 1, factor) != 1:
            raise ValueError(f"Factor {name} must be a prime, since the core checks its results, "
                             f"not {shown(factor)}; choose another one, or check=none")
    advice = "; take those of an RSA key, or check=none"
    common = math.gcd(p - 1, q - 1)
    if math.gcd(exponent_p, p - 1) > 1 or math.gcd(exponent_q, q - 1) > 1:
        raise ValueError("Exponents must have inverses modulo p - 1 and q - 1, since the core "
                         f"checks its results{advice}")
    numbers = Message(0, numbers=PUBLIC_NUMBERS).named(
        {"exponent_p": exponent_p, "exponent_q": exponent_q, "p": p, "q": q})
    if (numbers["e_p"] - numbers["e_q"]) % common:
        raise ValueError("Both exponents must be inverses of one public exponent, since the core "
                         f"checks its results{advice}")
    if (bits := numbers["e"].bit_length()) > LONGEST_PUBLIC:
        raise ValueError(f"The public exponent must have {LONGEST_PUBLIC} bits or fewer, not "
                         f"{bits}{advice}")
    return numbers["e"]


def public_fields(width: int) -> tuple[Field, ...]:
    """Return the fields of a key that say what the public exponent is, in words of some bits.

    It is sent to a :class:`~montgomery.blocks.windows.DigitSource` of single bits.
    """
    words = ceil_div(LONGEST_PUBLIC, width)
    bits = words * width
    return (Field("public_digits", ceil_div(LONGEST_PUBLIC.bit_length(), width),
                  "bits of the public exponent e", "e.bit_length()", filler=1),
            Field("public", words, f"e with its highest bit at the highest of {bits}, **highest "
                  "word first**", f"e << {bits} - e.bit_length()", highest_first=True))


@functools.cache
def _largest_key(width, coprime_to):
    """Return p, q and exponents of the largest key whose exponents are as long as they can be."""
    factor_width = ceil_div(width, 2)

    def primes(below):
        candidates = range(below - 1 - below % 2, 2, -2)
        return (each for each in candidates if math.gcd(each, coprime_to) == 1 and is_prime(each))

    for p in primes(1 << factor_width):
        for q in primes(min(p, ((1 << width) - 1) // p + 1)):
            both = math.lcm(p - 1, q - 1)
            e = next((e for e in PUBLIC if e < max(both, 2) and math.gcd(e, both) == 1), None)
            exponents = []
            for factor in (p, q) if e else ():
                least = pow(e, -1, factor - 1)
                more = ((1 << factor_width) - 1 - least) // (factor - 1)
                exponents.append(least + more * (factor - 1))
            if exponents and max(exponents).bit_length() == factor_width:
                return p, q, *exponents
    raise ValueError(f"No key of {width} bits has factors coprime to {shown(coprime_to)}")


def longest(params: "RsaCrt") -> tuple[int, ...]:
    """Return the inputs of an operation that takes the most words and the most clocks."""
    avoided = traits(params).coprime_to
    if traits(params).checks:
        p, q, *exponents = _largest_key(params.width, avoided)
        return p * q - 1, *exponents, p, q
    exponent = (1 << params.factor_width) - 1
    p = coprime_below(exponent, avoided)
    most = min(p, ((1 << params.width) - 1) // p)
    q = coprime_below(most - 1 | 1, avoided * p)
    return p * q - 1, exponent, exponent, p, q


@dataclasses.dataclass(frozen=True, kw_only=True)
class RsaCrt(CoreParameters):
    """What a core for RSA with CRT is made with; see :class:`montgomery.core.CoreParameters`.

    The result is the message raised to ``exponent_p`` modulo p, and to ``exponent_q`` modulo q:
    with a private exponent d modulo p - 1 and q - 1, that is ``message ** d`` modulo p q. Nothing
    depends on p and q being primes: they are odd, coprime, and of no more than half of ``width``
    bits, rounded up, with a product of no more than ``width`` bits, which the message is below.
    Where :attr:`.Traits.single_factor` is true q may also be 1: then the key is one without CRT, of
    the modulus p and the exponent ``exponent_p``, and ``exponent_q`` is 0. A core that checks takes
    the keys that :func:`public_exponent` does.

    The time may depend on the lengths of p, q, their product and the longer exponent, in bits,
    which are public, and on the public exponent: for secret exponents give ``exponent_bits``, the
    length of the longer factor for example. Without, it is that of the longer exponent. A core
    whose time depends on anything else says so in its documentation, and measurements in
    ``constant_time``.
    """

    _kind = KIND

    @property
    def factor_width(self) -> int:
        """Bits of the largest p or q."""
        return ceil_div(self.width, 2)

    @property
    def exponent_limit(self) -> int:
        """Most bits of an exponent, which may be more than those of a factor."""
        return self.factor_width + BLINDING_BITS

    @property
    def operands(self) -> Message:
        return Message(self.word_width, (Field("message", self.result_words, "the message"),))

    def decode(self, words: Sequence[int]) -> int:
        """Return the result; :exc:`ValueError` also if the check of the core found it wrong."""
        result = super().decode(words)
        if self._traits.checks and result == self._results.largest:
            raise ValueError("The result raised to the public exponent must be the message, but "
                             "was not, and the core gave nothing; check the key, and repeat the "
                             f"{KIND.operation}")
        return result

    def _difference_scale(self, modulus):
        """Return what the check of a core multiplies a difference by, before it must be 0."""
        return 1

    @property
    def cycles(self) -> Cycles:
        return self._cycles_of(*longest(self))

    @property
    def _filler_cycles(self):
        message, _, _, *factors = longest(self)
        return self._cycles_of(message, 1, 1, *factors)

    @abc.abstractmethod
    def _cycles_of(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one operation, exactly."""

    @abc.abstractmethod
    def compute(self, message: int, exponent_p: int, exponent_q: int, p: int, q: int, *,
                exponent_bits: int | None = None) -> int:
        """Return the message raised to the exponents, by the steps of the paper's algorithm."""

    def _check_operands(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        self._check_factor("p", p)
        is_single = self._traits.single_factor and type(q) is int and q == 1
        if not is_single:
            self._check_factor("q", q)
        if (common := math.gcd(p, q)) > 1:
            raise ValueError(f"p and q must be coprime, but have the common factor "
                             f"{shown(common)}; choose other primes")
        check_modulus(p * q, width=self.width)
        check_operand("message", message, p * q)
        for factor, exponent in (("p", exponent_p), ("q", exponent_q)):
            check_exponent(f"exponent_{factor}", exponent, exponent_bits, self.exponent_limit,
                           f"reduce it modulo {factor} - 1")
        if is_single and exponent_q:
            raise ValueError("Operand exponent_q must be 0 with q = 1, which is a key without CRT, "
                             f"not {shown(exponent_q)}; give the exponent as exponent_p")
        if self._traits.checks:
            public_exponent(exponent_p, exponent_q, p, q)

    def _check_factor(self, name, factor):
        check_integer(f"Factor {name}", factor)
        if factor < 3:
            advice = ", or 1 as q without CRT" if self._traits.single_factor else ""
            raise ValueError(f"Factor {name} must be 3 or larger, not {shown(factor)}; the "
                             f"smallest factor is 3{advice}")
        if factor % 2 == 0:
            raise ValueError(f"Factor {name} must be odd, not {shown(factor)}; every prime above 2 "
                             f"is odd")
        if (bits := factor.bit_length()) > self.factor_width:
            raise ValueError(f"Factor {name} must have {self.factor_width} bits or fewer, half of "
                             f"the width of the core, not {bits}; choose width {2 * bits}")
        check_coprime(f"factor {name}", factor, self._traits.coprime_to)
