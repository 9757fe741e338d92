"""What exponentiators and RSA with CRT around the systolic array have in common."""

import dataclasses
import functools

from amaranth.lib import data

from ..blocks.program import Loop, Program
from ..blocks.row_unit import Row
from ..blocks.windows import digit_count, digits_of
from ..core import Cycles, Field, Message, Products, Traits, ceil_div, parameter, traits
from ..kinds.exponentiator import exponent_fields, exponent_length, length_number
from ..kinds.rsa_crt import LONGEST_PUBLIC
from .lane import ColumnMemory
from .lane_core import LaneCore, Stepper
from .lane_program import Columns, Digits, Unit, run
from .multiplier import Parameters as _Multiplier
from .multiplier import processing_elements

__all__ = ["Programmed"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Programmed:
    """Parameters of a :class:`~.lane_core.LaneCore`, beside those of its kind.

    A core says what its ``_steps`` are, which numbers they work on (``_key_names``,
    ``_work_columns``), where messages and results are (``message_columns``, ``result_places``), and
    many times a result is divided by b in the end (``reductions``).
    """

    #: What the names of parts of a key end with, for each modulus; and what the moduli are called
    #: among the inputs.
    factors, moduli = ("",), ("modulus",)
    #: How many arrays there are, and whether the core checks its results.
    arrays, checks = 1, False

    processing_elements: int = processing_elements()
    window: int = parameter(5, "bits of an exponent per product with a power; 1 is square and "
                            "multiply always", minimum=1, maximum=6)

    def _check_parameters(self):
        words, most = self.digits << self.columns.bits, ColumnMemory.MOST
        if words > most:
            raise ValueError(f"Width {self.width} must leave the memory at most {most} words, not "
                             f"{words}; choose a larger word_width or a smaller window")

    @functools.cached_property
    def inner(self):
        """:class:`montgomery.dsp_systolic.multiplier.Parameters` of the array."""
        return _Multiplier(width=self.modulus_width, word_width=self.word_width,
                           digit_width=self.word_width, quotient=self.quotient,
                           processing_elements=self.processing_elements)

    @property
    def digits(self):
        """Digits of a column of the memory, and of the array."""
        return self.inner.schedule.digits

    @property
    def result_words(self):
        return self.digits * len(self.result_places)

    @functools.cached_property
    def columns(self):
        """The :class:`~.lane_program.Columns` of the memory."""
        return Columns(self.window, dict.fromkeys(self._key_names, len(self.factors)),
                       self._work_columns)

    @property
    def key_columns(self):
        """The columns that a key brings, by the names of its parts."""
        return {f"{name}{factor}": self.columns.number(name, half)
                for name in self._key_names for half, factor in enumerate(self.factors)}

    @property
    def _array_modulus(self):
        """Name of the columns of what the array takes as a modulus."""
        return "scaled" if self.inner.scaled else "modulus"

    @property
    def _key_names(self):
        """Names of the columns of a key, in order."""
        return [*dict.fromkeys(("modulus", self._array_modulus)), "squared_r"]

    @functools.cached_property
    def key_operands(self):
        """Lengths and exponents, inverses, and the columns of :attr:`key_columns`."""
        k, inner = self.word_width, self.inner
        excess = k * inner.schedule.excess
        digits, fields = exponent_fields([f"exponent{factor}" for factor in self.factors],
                                         self.exponent_limit, k, self.window)
        fields += self.public_fields
        columns = dict(self.column_formulas)
        for factor, m in zip(self.factors, self.moduli, strict=True):
            fields.append(Field(f"inverse{factor}", 1, f"-1/{m} mod 2^{k}",
                                f"-pow({m}, -1, 2**{k}) % 2**{k}"))
            columns |= {
                f"modulus{factor}": (f"the modulus {m}", m),
                f"scaled{factor}": (
                    f"(s {m} + 1) / 2^{excess}, where s = -1/{m} mod 2^{excess}",
                    f"({m} * (-pow({m}, -1, 2**{excess}) % 2**{excess}) + 1) // 2**{excess}"),
                f"squared_r{factor}": (f"R² mod {m}", f"R * R % {m}"),
                f"one{factor}": (f"R mod {m}", f"R % {m}")}
        fields += [Field(name, self.digits, *columns[name]) for name in self.key_columns]
        return Message(k, tuple(fields), (*inner.operands.numbers, length_number(self), digits,
                                          *self.more_numbers))

    #: Fields that say what the public exponent is, and numbers that formulas name.
    public_fields, more_numbers = (), ()

    # -- Programs, and what follows from them.

    @functools.cached_property
    def program(self):
        """The steps of an operation, as :class:`montgomery.blocks.program.Program`."""
        place = self.columns.layout
        layout = data.StructLayout({"unit": Unit, "row": Row, "source": place, "target": place,
                                    "digits": Digits, "verdict": 1, "shared": 1})
        return Program(layout, self._steps(), {
            "entry": Loop(range(2, 1 << self.window)), "bit": Loop(range(self.window)),
            "digit": Loop(range(ceil_div(self.exponent_limit, self.window)), given=True),
            "place": Loop(range(self.digits)), "half": Loop(range(2)),
            "public": Loop(range(LONGEST_PUBLIC), given=True)})

    def _walk(self, exponents, exponent_bits, public=1):
        """Return the steps of an operation with a public exponent."""
        count = digit_count(exponent_length(exponent_bits, *exponents), self.window)
        bits = f"{public:b}"
        return self.program.walk({"digit": count - 1, "public": len(bits) - 1},
                                 lambda turns: bits[turns["public"]] == "0")

    def _run(self, message, exponents, moduli, exponent_bits, public=1):
        """Return the result of an operation by its steps; ones if it has not passed the check."""
        bits = exponent_length(exponent_bits, *exponents)
        names = [*(f"exponent{factor}" for factor in self.factors), *self.moduli, "exponent_bits"]
        values = self.key_operands.values(
            dict(zip(names, [*exponents, *moduli, bits], strict=True)))
        result = run(
            self, message, values, moduli,
            [digits_of(exponent, bits, self.window) for exponent in exponents],
            self._walk(exponents, exponent_bits, public))
        return self._results.largest if result is None else result

    def _cycles_of_steps(self, *arguments):
        """Return the :class:`montgomery.Cycles` of an operation; arguments as of :meth:`_walk`."""
        words, steps = self.result_words, self._walk(*arguments)
        compute = Stepper.clocks(self.inner.schedule, (step.fields["unit"] for step, _ in steps))
        return Cycles(load_key=self.k_words + 1, load=words, compute=compute,
                      unload=words, interval=2 * words + compute)

    @property
    def _traits(self):
        array, = traits(self.inner).products
        return Traits(advice=self._advice, checks=self.checks, products=(
            dataclasses.replace(array, count=self.arrays * array.count),
            Products(self.arrays, self.word_width, self.word_width)))

    def create(self):
        return LaneCore(self)
