"""RSA with the Chinese remainder theorem around the systolic array of multiplier blocks."""

import dataclasses
import functools

from ..blocks.windows import digit_count, digits_of
from ..core import About, Number, Traits, parameter
from ..kinds.exponentiator import exponent_length
from ..kinds.rsa_crt import (
    CONSTANT_TIME,
    LONGEST_PUBLIC,
    PUBLIC_NUMBERS,
    RsaCrt,
    public_exponent,
    public_fields,
)
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

    _about = About(
        source="Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery "
               "Multiplication Systolic Architecture Implemented on an FPGA; the array",
        summary="RSA with the Chinese remainder theorem on a systolic array of multiplier blocks",
        uses_blocks=True)
    factors, moduli = ("_p", "_q"), ("p", "q")

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
        """Whether the core checks its results."""
        return self.check == "public"

    @property
    def _traits(self):
        return Traits(products=self.products, advice=CONSTANT_TIME, checks=self.checks)

    @property
    def modulus_width(self):
        return self.factor_width

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
    def public_fields(self):
        return public_fields(self.word_width) if self.checks else ()

    @property
    def more_numbers(self):
        return (*(PUBLIC_NUMBERS if self.checks else ()),
                Number("inverse", "1/q modulo p", "pow(q, -1, p)"))

    @property
    def column_formulas(self):
        """Meanings and formulas of columns, beside those of every core."""
        out = self.word_width * self.reductions
        return {"minus_one_p": ("-R mod p", "-R % p"), "minus_one_q": ("-R mod q", "-R % q"),
                "leaves_p": (f"2^{out} / q mod p", f"(inverse << {out}) % p"),
                "leaves_q": (f"2^{out} mod q", f"2**{out} % q"),
                "from_q_p": (f"-2^{out} R / q mod p", f"-(inverse << {out}) * R % p"),
                "from_q_q": ("0", "0")}

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
                            exponent_bits=self.exponent_limit, public_bits=LONGEST_PUBLIC)

    def _walk(self, exponents, factors, exponent_bits):
        count = digit_count(exponent_length(exponent_bits, *exponents), self.window)
        return self.walk(count, public_exponent(*exponents, *factors) if self.checks else 1)

    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the result by the steps of :attr:`program`."""
        self._check_operands(message, exponent_p, exponent_q, p, q, exponent_bits=exponent_bits)
        exponents = exponent_p, exponent_q
        bits = exponent_length(exponent_bits, *exponents)
        key = self.key_operands.values({
            "exponent_p": exponent_p, "exponent_q": exponent_q, "p": p, "q": q,
            "exponent_bits": bits})
        result = self.run(message, key, (p, q),
                          [digits_of(exponent, bits, self.window) for exponent in exponents],
                          self._walk(exponents, (p, q), exponent_bits))
        return self._results.largest if result is None else result

    def _difference_scale(self, modulus):
        return self.inner.r * pow(1 << self.word_width * self.reductions, -1, modulus)

    def _cycles_of(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one operation, exactly."""
        return self.cycles_of_walk(self._walk((exponent_p, exponent_q), (p, q), exponent_bits))
