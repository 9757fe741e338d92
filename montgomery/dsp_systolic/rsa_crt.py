"""RSA with the Chinese remainder theorem around the systolic array of multiplier blocks."""

import dataclasses
import functools

from ..arithmetic import negated_inverse
from ..blocks.windows import digit_count, digits_of
from ..core import Cycles, ceil_div, parameter, to_words
from ..kinds.rsa_crt import RsaCrt
from ..operations import Definition, Operand, plural
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

    source = ("Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication"
              " Systolic Architecture Implemented on an FPGA; the array")
    summary = "RSA with the Chinese remainder theorem on a systolic array of multiplier blocks"
    portable = False
    key_inputs = ("exponent_p", "exponent_q", "p", "q")

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

    @property
    def checks(self):
        return self.check == "public"

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
                           check=self.checks, arrays=self.arrays)

    @property
    def most_digits(self):
        """Digits of the longest exponent, of :attr:`window` bits each."""
        return ceil_div(self.factor_width, self.window)

    @property
    def key_columns(self):
        """Names of the pairs of columns that a key brings."""
        return ["factor", *(["scaled"] if self.inner.scaled else []), "squared_r", "one",
                *(["minus_one"] if self.checks else []), "leaves", "from_q"]

    @property
    def key_parts(self):
        """What a key is sent: pairs of a name and a number of words, in order."""
        width = self.word_width
        exponent = ceil_div(self.most_digits * self.window, width)
        public = [("public_digits", ceil_div(self.longest_public.bit_length(), width)),
                  ("public", ceil_div(self.longest_public, width))] if self.checks else []
        return [("digits", ceil_div(self.most_digits.bit_length(), width)),
                ("exponent_p", exponent), ("exponent_q", exponent), *public,
                ("inverse_p", 1), ("inverse_q", 1),
                *((f"{name}_{factor}", self.digits)
                  for name in self.key_columns for factor in "pq")]

    def constants(self, p, q):
        """Return the columns of a key by name: pairs, that of p first."""
        r, base = self.inner.r, 1 << self.word_width
        out = base ** self.reductions  # what an exact reduction divides by
        inverse = pow(q, -1, p)
        found = {"factor": (p, q), "squared_r": tuple(r * r % each for each in (p, q)),
                 "one": tuple(r % each for each in (p, q)),
                 "minus_one": tuple(-r % each for each in (p, q)),
                 "leaves": (inverse * out % p, out % q), "from_q": (-inverse * out * r % p, 0)}
        if self.inner.scaled:
            found["scaled"] = tuple(self.inner.constants(each)["scaled"] for each in (p, q))
        return found

    def _walk(self, exponent_p, exponent_q, p, q, bits):
        digits = [digits_of(exponent, bits, self.window) for exponent in (exponent_p, exponent_q)]
        if self.arrays == 2:
            digits = [list(zip(*digits, strict=True))] * 2
        public = []
        if self.checks:
            e = self.public_exponent(exponent_p, exponent_q, p, q)
            public = [int(bit) for bit in f"{e:b}"[1:]]
        return walk(self.program, digits, public, window=self.window, exact_digits=self.digits)

    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the result by the steps of :attr:`program`."""
        bits = self.check_operands(message, exponent_p, exponent_q, p, q,
                                   exponent_bits=exponent_bits)
        columns, r, base = self.columns, self.inner.r, 1 << self.word_width
        memory = {columns.base(name) + half: value
                  for name, pair in self.constants(p, q).items() for half, value in enumerate(pair)}
        high = columns.base("message")
        memory[high], memory[high + 1] = divmod(message, r)
        inverses = [negated_inverse(factor, base) for factor in (p, q)]
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
            return self.refusal
        total, memory = columns.base("total"), lanes[0].memory
        return memory[total] * r + memory[total + 1]

    def encode_key(self, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the words of a key, for port ``k``: :attr:`key_parts`.

        Exponents are numbers whose first digit is at the highest bits of a word, highest word
        first; the public one is sent without its highest bit.
        """
        bits = self.check_operands(0, exponent_p, exponent_q, p, q, exponent_bits=exponent_bits)
        e = self.public_exponent(exponent_p, exponent_q, p, q) if self.checks else None
        return self._key_words((exponent_p, exponent_q), p, q, e, digit_count(bits, self.window))

    def _key_words(self, exponents, p, q, e, count):
        """Return the words of a key whose exponents have ``count`` digits, right or wrong."""
        parts, width = dict(self.key_parts), self.word_width
        values = {"digits": count}
        for name, exponent in zip(("exponent_p", "exponent_q"), exponents, strict=True):
            values[name] = exponent << (parts[name] * width - count * self.window)
        if self.checks:
            more = e.bit_length() - 1
            values |= {"public_digits": more,
                       "public": (e - (1 << more)) << (parts["public"] * width - more)}
        constants = self.constants(p, q)
        for index, (name, factor) in enumerate((("p", p), ("q", q))):
            values[f"inverse_{name}"] = negated_inverse(factor, 1 << width)
            values |= {f"{column}_{name}": constants[column][index] for column in self.key_columns}
        words = []
        for name, size in self.key_parts:
            part = to_words(values[name], width, size)
            words += part[::-1] if name in ("exponent_p", "exponent_q", "public") else part
        return words

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
            words = self._key_words([0 if zero else exponent for exponent, zero
                                     in zip(exponents, wrong, strict=True)], p, q, e, count)
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
        words = self.result_words
        compute = RsaCrtCore.clocks(self.inner.schedule, (
            step.unit for step, _ in self._walk(exponent_p, exponent_q, p, q, bits)))
        load_key = sum(size for _, size in self.key_parts) + 1
        return Cycles(load_key=load_key, load=words, compute=compute, unload=words,
                      interval=2 * words + compute)

    def multipliers(self, technology):
        return self.arrays * (self.inner.multipliers(technology) + RsaCrtCore.more_multipliers(
            technology, self.word_width))

    def describe(self):
        said, n, inner = super().describe(), self.digits, self.inner
        k, window = self.word_width, self.window
        parts = dict(self.key_parts)
        shift = parts["exponent_p"] * k
        out = k * self.reductions
        said.constants.append(Definition(
            "digits", f"the number of digits of {plural(window, 'bit')} that `exponent_bits` bits "
            "fill, 1 or more", f"max(-(-exponent_bits // {window}), 1)"))
        if self.checks:
            said.constants.append(Definition(
                "e", "the public exponent: the smallest number that is 1/exponent_p modulo p - 1 "
                "and 1/exponent_q modulo q - 1",
                "next(e for e in range(1, 2**32, 2) if e * exponent_p % (p - 1) == 1 % (p - 1) "
                "and e * exponent_q % (q - 1) == 1 % (q - 1))"))
        said.constants.append(Definition("inverse", "1/q modulo p", "pow(q, -1, p)"))
        meanings = {"digits": ("the number of digits of the exponents", "digits"),
                    "public_digits": ("bits of the public exponent e, without the highest one",
                                      "e.bit_length() - 1"),
                    "public": (f"e without its highest bit, at the highest bits of "
                               f"{parts.get('public', 0) * k}, **highest word first**",
                               f"e << ({parts.get('public', 0) * k} - e.bit_length() + 1) & "
                               f"2**{parts.get('public', 0) * k} - 1")}
        for f in "pq":
            meanings |= {
                f"exponent_{f}": (f"exponent_{f} · 2^({shift} - digits · {window}), **highest word "
                                  "first**", f"exponent_{f} << {shift} - digits * {window}"),
                f"inverse_{f}": (f"-1/{f} mod 2^{k}", f"-pow({f}, -1, 2**{k}) % 2**{k}"),
                f"factor_{f}": (f"the factor {f}", f),
                f"squared_r_{f}": (f"R² mod {f}", f"R * R % {f}"),
                f"one_{f}": (f"R mod {f}", f"R % {f}"),
                f"minus_one_{f}": (f"-R mod {f}", f"-R % {f}")}
            if inner.scaled:
                excess = k * inner.schedule.excess
                meanings[f"scaled_{f}"] = (
                    f"(s {f} + 1) / 2^{excess}, where s = -1/{f} mod 2^{excess}",
                    f"({f} * (-pow({f}, -1, 2**{excess}) % 2**{excess}) + 1) // 2**{excess}")
        meanings |= {
            "leaves_p": (f"2^{out} / q mod p", f"(inverse << {out}) % p"),
            "leaves_q": (f"2^{out} mod q", f"2**{out} % q"),
            "from_q_p": (f"-2^{out} R / q mod p", f"-(inverse << {out}) * R % p"),
            "from_q_q": ("0", "0")}
        key = [Operand(name, size, meanings[name][0],
                       f"split({meanings[name][1]}, {size}, bits=K_WIDTH)" + (
                           "[::-1]" if name in ("exponent_p", "exponent_q", "public") else ""))
               for name, size in self.key_parts]
        total = sum(size for _, size in self.key_parts)
        result = said.result
        if self.checks:
            result += (" The core raises it to the public exponent, and gives words of ones alone "
                       "if that is not the message.")
        return dataclasses.replace(
            said, result=result, definitions=[inner.r_definition],
            rules=[*said.rules, ("R", inner.r_definition.meaning)],
            key_sent=f"A key is sent to port k in {plural(total, 'word')} of {self.k_width} bits, "
                     "its parts in this order. Where nothing else is said, the lowest word of a "
                     "part is sent first.",
            key_operands=key,
            operands=[Operand("message", 2 * n, "the message", f"split(message, {2 * n})")])

    def create(self):
        return RsaCrtCore(self)
