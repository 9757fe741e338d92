"""RSA with the Chinese remainder theorem around the systolic array of multiplier blocks."""

import dataclasses
import functools

from ..blocks.windows import digit_count, digits_of
from ..core import ceil_div, parameter
from ..kinds.rsa_crt import RsaCrt
from ..operations import Definition, Operand
from .crt_program import COLUMNS, crt_steps
from .lane_program import Columns, lane_program
from .programmed import Programmed

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Programmed, RsaCrt):
    """Parameters of RSA with CRT: of a :class:`~montgomery.dsp_systolic.lane_core.LaneCore`.

    The time depends on the number of digits of the longer exponent and, with ``check="public"``, on
    the public exponent; on nothing else.

    Parameters
    ----------
    width : :class:`int`
        Bits of the largest modulus N. Neither p nor q has more than half of them, rounded up.
    word_width : :class:`int`
        Bits per word of the streams and per digit of the array.
    quotient, processing_elements
        See :class:`montgomery.dsp_systolic.multiplier.Parameters`.
    window : :class:`int`
        Bits of an exponent for each product with a power of the message.
    arrays : :class:`int`
        1: both factors have their turn in one array, first q. 2: side by side, in an array each;
        with a memory each too, in which all of the key is.
    check : :class:`str`
        ``"public"``: the result is raised to the public exponent, which follows from the key, and
        compared with the message modulo both factors; a wrong result does not leave the core.
        ``"none"``: any odd coprime factors and any exponents are taken, but a single fault during
        an operation gives a result that gives the factors away (Boneh, DeMillo, Lipton: "On the
        importance of checking cryptographic protocols for faults"); whoever receives it must check
        it before anybody else sees it.
    """

    source = ("Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication"
              " Systolic Architecture Implemented on an FPGA; the array")
    summary = "RSA with the Chinese remainder theorem on a systolic array of multiplier blocks"
    key_inputs = ("exponent_p", "exponent_q", "p", "q")
    factors = ("_p", "_q")

    width: int = parameter(help="bits of the largest modulus", minimum=8, maximum=8192)
    word_width: int = parameter(18, "bits per word of the streams and per digit", minimum=4,
                                maximum=18)
    quotient: str = parameter("delayed", "how quotient digits are found: by a product with -1/m "
                              "(plain), or from one before they are used, on a scaled modulus "
                              "(delayed)", choices=("plain", "delayed"))
    arrays: int = parameter(1, "arrays of multiplier blocks: both factors in turn in one (1), or "
                            "side by side in two (2)", minimum=1, maximum=2)
    check: str = parameter("public", "whether the result is checked with the public exponent "
                           "(public) before it leaves the core, or not (none), when a fault gives "
                           "the key away", choices=("public", "none"))

    @property
    def checks(self):
        return self.check == "public"

    @property
    def modulus_width(self):
        return self.factor_width

    @property
    def exponent_limit(self):
        return self.longest_exponent

    @property
    def key_columns(self):
        """The columns that a key brings, by the names of its parts."""
        return {f"{name}{factor}": self.columns.number(name, half)
                for name in self._key_names for half, factor in enumerate(self.factors)}

    @property
    def _key_names(self):
        return ["modulus", *["scaled"] * self.inner.scaled, "squared_r", "one",
                *["minus_one"] * self.checks, "leaves", "from_q"]

    @functools.cached_property
    def columns(self):
        """The :class:`~.lane_program.Columns` of the memory."""
        return Columns(self.window, dict.fromkeys(self._key_names, 2), dict.fromkeys(COLUMNS, 2))

    @property
    def exponent_parts(self):
        width = self.word_width
        public = {"public_digits": ceil_div(self.longest_public.bit_length(), width),
                  "public": ceil_div(self.longest_public, width)} if self.checks else {}
        return super().exponent_parts | public

    @property
    def message_columns(self):
        return [self.columns.number("message", 1), self.columns.number("message")]

    @property
    def result_places(self):
        return [self.columns.place("total", 1), self.columns.place("total")]

    @property
    def reductions(self):
        # They bring 4 times the modulus of the array below 2m.
        return self.inner.schedule.excess + 1

    @functools.cached_property
    def program(self):
        """The steps of an operation, as :class:`montgomery.blocks.program.Program`."""
        steps = crt_steps(self.columns, window=self.window, scaled=self.inner.scaled,
                          rows=self.reductions, check=self.checks, arrays=self.arrays)
        return lane_program(self.columns, steps, window=self.window, digits=self.digits,
                            exponent_bits=self.exponent_limit, public_bits=self.longest_public)

    def _values(self, exponents, p, q, e, count):
        """Return the values of the parts of a key whose exponents have ``count`` digits."""
        r, out = self.inner.r, 1 << self.word_width * self.reductions
        inverse = pow(q, -1, p)
        values = self.constants_of(p, "_p") | self.constants_of(q, "_q") | {
            "minus_one_p": -r % p, "minus_one_q": -r % q, "leaves_p": inverse * out % p,
            "leaves_q": out % q, "from_q_p": -inverse * out * r % p, "from_q_q": 0,
            "digits": count}
        for factor, exponent in zip(self.factors, exponents, strict=True):
            values[f"exponent{factor}"] = self.shifted(exponent, count)
        if self.checks:
            bits = e.bit_length()
            values |= {"public_digits": bits,
                       "public": e << self.exponent_parts["public"] * self.word_width - bits}
        return values

    def _public(self, exponent_p, exponent_q, p, q):
        """Return the public exponent, if the core knows it, or else 1."""
        return self.public_exponent(exponent_p, exponent_q, p, q) if self.checks else 1

    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the result by the steps of :attr:`program`."""
        bits = self.check_operands(message, exponent_p, exponent_q, p, q,
                                   exponent_bits=exponent_bits)
        exponents, e = (exponent_p, exponent_q), self._public(exponent_p, exponent_q, p, q)
        count = digit_count(bits, self.window)
        result = self.run(message, self._values(exponents, p, q, e, count), (p, q),
                          [digits_of(exponent, bits, self.window) for exponent in exponents],
                          self.walk(count, e))
        return self.refusal if result is None else result

    def encode_key(self, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the words of a key, for port ``k``: :attr:`key_parts`.

        Exponents are numbers whose first digit is at the highest bits of a word, highest word
        first.
        """
        bits = self.check_operands(0, exponent_p, exponent_q, p, q, exponent_bits=exponent_bits)
        e = self._public(exponent_p, exponent_q, p, q)
        return self.key_words(self._values((exponent_p, exponent_q), p, q, e,
                                           digit_count(bits, self.window)))

    def refused_operations(self, rng):
        """An exponent is 0 in the wrong key, for p, for q and for both: there the result is 1.

        The messages are such that the number that must be 0 is 1, -1 or 1 at its highest digit.
        """
        if not self.checks:
            return []
        p, q, *exponents = self.random_key(rng)
        # What the last steps find is this many times the difference, modulo a factor.
        scale = self.inner.r * pow(1 << self.word_width * self.reductions, -1, p * q)
        e = self.public_exponent(*exponents, p, q)
        count = digit_count(max(exponents).bit_length(), self.window)
        operations = []
        for wrong in ((True, False), (False, True), (True, True)):
            words = self.key_words(self._values(
                [0 if zero else exponent for exponent, zero in zip(exponents, wrong, strict=True)],
                p, q, e, count))
            for found in (1, -1, 1 << (min(p, q).bit_length() - 1) // self.word_width
                          * self.word_width):
                # A message that is its own power is signed rightly also with a wrong exponent.
                message = (1 - found * pow(scale, -1, p * q)) % (p * q)
                if all(message % factor != 1 for factor, zero in zip((p, q), wrong, strict=True)
                       if zero):
                    operations.append(((message, *exponents, p, q), words))
        return operations

    def lengths(self, message, exponent_p, exponent_q, p, q):
        found = super().lengths(message, exponent_p, exponent_q, p, q)
        # The public exponent is known to everybody.
        if self.checks:
            found += (self.public_exponent(exponent_p, exponent_q, p, q),)
        return found

    def cycles(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one operation, exactly."""
        bits = self.check_operands(message, exponent_p, exponent_q, p, q,
                                   exponent_bits=exponent_bits)
        return self.cycles_of_walk(self.walk(digit_count(bits, self.window),
                                             self._public(exponent_p, exponent_q, p, q)))

    def describe(self):
        n, out = self.digits, self.word_width * self.reductions
        said = super().describe()
        result, constants = said.result, [Definition("inverse", "1/q modulo p", "pow(q, -1, p)")]
        public = self.exponent_parts.get("public", 0) * self.word_width
        if self.checks:
            constants.append(Definition(
                "e", "the public exponent: the smallest number that is 1/exponent_p modulo p - 1 "
                "and 1/exponent_q modulo q - 1",
                "next(e for e in range(1, 2**32, 2) if e * exponent_p % (p - 1) == 1 % (p - 1) "
                "and e * exponent_q % (q - 1) == 1 % (q - 1))"))
            result += (" The core raises it to the public exponent, and gives words of ones alone "
                       "if that is not the message.")
        said = dataclasses.replace(said, result=result, constants=[*said.constants, *constants],
                                   operands=[Operand("message", 2 * n, "the message",
                                                     f"split(message, {2 * n})")])
        return self.describe_key(said, "pq", {
            "public_digits": ("bits of the public exponent e", "e.bit_length()"),
            "public": (f"e with its highest bit at the highest of {public}, **highest word first**",
                       f"e << {public} - e.bit_length()"),
            "minus_one_p": ("-R mod p", "-R % p"), "minus_one_q": ("-R mod q", "-R % q"),
            "leaves_p": (f"2^{out} / q mod p", f"(inverse << {out}) % p"),
            "leaves_q": (f"2^{out} mod q", f"2**{out} % q"),
            "from_q_p": (f"-2^{out} R / q mod p", f"-(inverse << {out}) * R % p"),
            "from_q_q": ("0", "0")})
