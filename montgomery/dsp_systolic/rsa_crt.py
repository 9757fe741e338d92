"""RSA with the Chinese remainder theorem around the systolic array of multiplier blocks."""

import dataclasses
import functools

from ..blocks.windows import digits_of
from ..core import (
    About,
    Cycles,
    Field,
    Message,
    Number,
    Traits,
    ceil_div,
    parameter,
    plural,
)
from ..kinds.exponentiator import exponent_length
from ..kinds.rsa_crt import CONSTANT_TIME, LONGEST_PUBLIC, RsaCrt, public_exponent
from .crt_model import CrtModel
from .crt_program import Columns, crt_program, walk
from .multiplier import Parameters as _Multiplier
from .rsa_crt_component import RsaCrtCore

__all__ = ["Parameters", "RsaCrtCore"]

#: Words of a block RAM that is an instance.
_MEMORY = 16384


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(RsaCrt):
    """Parameters of :class:`RsaCrtCore`.

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

    about = About(
        source="Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery "
               "Multiplication Systolic Architecture Implemented on an FPGA; the array",
        summary="RSA with the Chinese remainder theorem on a systolic array of multiplier blocks",
        uses_blocks=True)

    width: int = parameter(help="bits of the largest modulus", minimum=8, maximum=8192)
    word_width: int = parameter(18, "bits per word of the streams and per digit", minimum=4,
                                maximum=18)
    quotient: str = parameter("delayed", "how quotient digits are found: by a product with -1/m "
                              "(plain), from a scaled modulus (scaled), or from one before they "
                              "are used (delayed)", choices=("plain", "scaled", "delayed"))
    processing_elements: int = parameter(0, "largest number of processing elements, each with "
                                         "one multiplier; 0 means one per digit", minimum=0,
                                     maximum=2048)
    window: int = parameter(5, "bits of the exponent per product with a power of the message",
                            minimum=1, maximum=6)
    arrays: int = parameter(1, "arrays of multiplier blocks: both factors in turn in one (1), or "
                            "side by side in two (2)", minimum=1, maximum=2)
    check: str = parameter("public", "whether the result is checked with the public exponent "
                           "(public) before it leaves the core, or not (none), when a fault gives "
                           "the key away", choices=("public", "none"))

    def check_parameters(self):
        words = self.digits << self.columns.bits
        if words > _MEMORY:
            raise ValueError(f"Width {self.width} must leave the memory at most {_MEMORY} words, "
                             f"not {words}; choose a larger word_width or a smaller window")

    @functools.cached_property
    def traits(self):
        one, = self.inner.traits.products
        more = RsaCrtCore.products(self.word_width)
        return Traits(checks=self.check == "public", advice=CONSTANT_TIME, products=tuple(
            dataclasses.replace(each, count=self.arrays * each.count) for each in (one, *more)))

    @functools.cached_property
    def inner(self):
        """:class:`montgomery.dsp_systolic.multiplier.Parameters` of the array."""
        return _Multiplier(width=self.factor_width, word_width=self.word_width,
                           digit_width=self.word_width, quotient=self.quotient,
                           processing_elements=self.processing_elements)

    @property
    def digits(self):
        """Digits of a column of the memory, and of the array."""
        return self.inner.schedule.digits

    @property
    def result_words(self):
        return 2 * self.digits

    @functools.cached_property
    def columns(self):
        """The :class:`~montgomery.dsp_systolic.crt_program.Columns` of the memory."""
        return Columns(self.window)

    @property
    def reductions(self):
        """Steps of an exact reduction: they bring 4 times the modulus of the array below 2m."""
        return self.inner.schedule.excess + 1

    @functools.cached_property
    def program(self):
        """The list of :class:`~montgomery.dsp_systolic.crt_program.Step`."""
        return crt_program(window=self.window, scaled=self.inner.scaled, rows=self.reductions,
                           check=self.traits.checks, arrays=self.arrays)

    @property
    def most_digits(self):
        """Digits of the longest exponent, of :attr:`window` bits each."""
        return ceil_div(self.factor_width, self.window)

    @property
    def key_columns(self):
        """Names of the pairs of columns that a key brings."""
        return ["factor", *(["scaled"] if self.inner.scaled else []), "squared_r", "one",
                *(["minus_one"] if self.traits.checks else []), "leaves", "from_q"]

    @property
    def key_operands(self):
        k, window, n, inner = self.word_width, self.window, self.digits, self.inner
        exponent = ceil_div(self.most_digits * window, k)
        fields = [Field("digits", ceil_div(self.most_digits.bit_length(), k),
                        "the number of digits of the exponents", most=self.most_digits)]
        fields += [Field(f"exponent_{f}", exponent, f"exponent_{f} · 2^({exponent * k} - digits · "
                         f"{window}), **highest word first**",
                         f"exponent_{f} << {exponent * k} - digits * {window}", highest_first=True)
                   for f in "pq"]
        if self.traits.checks:
            public = ceil_div(LONGEST_PUBLIC, k)
            fields += [Field("public_digits", ceil_div(LONGEST_PUBLIC.bit_length(), k),
                             "bits of the public exponent e, without the highest one",
                             "e.bit_length() - 1", most=LONGEST_PUBLIC - 1),
                       Field("public", public, f"e without its highest bit, at the highest bits of "
                             f"{public * k}, **highest word first**",
                             f"e << ({public * k} - e.bit_length() + 1) & 2**{public * k} - 1",
                             highest_first=True)]
        fields += [Field(f"inverse_{f}", 1, f"-1/{f} mod 2^{k}", f"-pow({f}, -1, 2**{k}) % 2**{k}")
                   for f in "pq"]
        out, excess = k * self.reductions, k * inner.schedule.excess
        columns = {"factor": ("the factor {f}", "{f}"), "squared_r": ("R² mod {f}", "R * R % {f}"),
                   "one": ("R mod {f}", "R % {f}"), "minus_one": ("-R mod {f}", "-R % {f}"),
                   "scaled": (f"(s {{f}} + 1) / 2^{excess}, where s = -1/{{f}} mod 2^{excess}",
                              f"({{f}} * (-pow({{f}}, -1, 2**{excess}) % 2**{excess}) + 1) "
                              f"// 2**{excess}")}
        of_p = {"leaves": (f"2^{out} / q mod p", f"(inverse << {out}) % p"),
                "from_q": (f"-2^{out} R / q mod p", f"-(inverse << {out}) * R % p")}
        of_q = {"leaves": (f"2^{out} mod q", f"2**{out} % q"), "from_q": ("0", "0")}
        for name in self.key_columns:
            for f, own in (("p", of_p), ("q", of_q)):
                meaning, formula = (columns | own)[name]
                fields.append(Field(f"{name}_{f}", n, meaning.format(f=f), formula.format(f=f)))
        return Message(k, tuple(fields), (
            inner.r_number, self.length_number,
            Number("digits", f"the number of digits of {plural(window, 'bit')} that "
                   "`exponent_bits` bits fill, 1 or more",
                   f"max(-(-exponent_bits // {window}), 1)"),
            *self.public_numbers, Number("inverse", "1/q modulo p", "pow(q, -1, p)")))

    def _walk(self, exponent_p, exponent_q, p, q, bits):
        digits = [digits_of(exponent, bits, self.window) for exponent in (exponent_p, exponent_q)]
        if self.arrays == 2:
            digits = [list(zip(*digits, strict=True))] * 2
        public = []
        if self.traits.checks:
            e = public_exponent(exponent_p, exponent_q, p, q)
            public = [int(bit) for bit in f"{e:b}"[1:]]
        return walk(self.program, digits, public, window=self.window, exact_digits=self.digits)

    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the result by the steps of :attr:`program`."""
        self.check_operands(message, exponent_p, exponent_q, p, q, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent_p, exponent_q)
        columns, r = self.columns, self.inner.r
        key = self.key_operands.values({
            "exponent_p": exponent_p, "exponent_q": exponent_q, "p": p, "q": q,
            "exponent_bits": bits})
        memory = {columns.base(name) + half: key[f"{name}_{factor}"]
                  for name in self.key_columns for half, factor in enumerate("pq")}
        high = columns.base("message")
        memory[high], memory[high + 1] = divmod(message, r)
        inverses = [key["inverse_p"], key["inverse_q"]]
        lanes = [CrtModel(self, (p, q), inverses, memory) for _ in range(self.arrays)]
        passed = True
        for step, state in self._walk(exponent_p, exponent_q, p, q, bits):
            if len(lanes) == 1:
                lanes[0].memory |= lanes[0].do(step, state, state["half"])
            else:
                digits = state["digit"] or (0, 0)
                found = [lane.do(step, state | {"digit": digit}, half)
                         for half, (lane, digit) in enumerate(zip(lanes, digits, strict=True))]
                for half, lane in enumerate(lanes):
                    lane.memory |= found[state["half"] if step.shared else half]
            passed &= not (step.verdict and any(lane.z for lane in lanes))
        if not passed:
            return self.results.largest
        total, memory = columns.base("total"), lanes[0].memory
        return memory[total] * r + memory[total + 1]

    def difference_scale(self, modulus):
        return self.inner.r * pow(1 << self.word_width * self.reductions, -1, modulus)

    def cycles_of(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one operation, exactly."""
        bits = exponent_length(exponent_bits, exponent_p, exponent_q)
        words = self.result_words
        compute = RsaCrtCore.clocks(self.inner.schedule, (
            step.unit for step, _ in self._walk(exponent_p, exponent_q, p, q, bits)))
        return Cycles(load_key=self.k_words + 1, load=words, compute=compute, unload=words,
                      interval=2 * words + compute)

    def create(self):
        return RsaCrtCore(self)
