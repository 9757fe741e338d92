"""The exponentiator around the systolic array of multiplier blocks.

==============================  ================================================================
in the paper                    here
==============================  ================================================================
MMC, steps of Algorithm 5       :meth:`Parameters._steps`
S[0], of Figure 6               the last result, in the array and in a column of the memory
x̃, of Figure 6                  ``table[1]``, in the same memory
S[0] <- S[e_i]                  a product with ``table[e_i]``, where ``table[0]`` is R
IPE, GPE, FPE, CU               see :mod:`~montgomery.dsp_systolic.array`
==============================  ================================================================
"""

import dataclasses
import functools
from typing import ClassVar

from amaranth.lib import data

from ..blocks.program import Loop, Program
from ..blocks.row_unit import Row
from ..blocks.windows import digit_count, digits_of
from ..core import About, Cycles, Field, Message, Products, Traits, ceil_div, parameter, traits
from ..kinds.exponentiator import (
    CONSTANT_TIME,
    Exponentiator,
    exponent_fields,
    exponent_length,
    length_number,
)
from ..kinds.rsa_crt import LONGEST_PUBLIC
from .lane import ColumnMemory
from .lane_core import LaneCore, Stepper
from .lane_program import (
    Columns,
    Digits,
    Unit,
    power,
    product,
    reduction,
    row,
    run,
    take_modulus,
    take_y,
)
from .multiplier import PAPER, processing_elements, quotient
from .multiplier import Parameters as _Multiplier

__all__ = ["Parameters", "Programmed"]


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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Programmed, Exponentiator):
    """Parameters of an exponentiator: of a :class:`~montgomery.dsp_systolic.lane_core.LaneCore`.

    Each digit of a result is found where it is needed as a digit of y, the second factor of a
    product. Results go to a memory too, from which x is read, while the last digits of the result
    before are still on their way there.

    Exponents may be 64 bits longer than ``width``, for a host that blinds them. With a ``window``
    of 1 it is Algorithm 5 itself, to square and multiply always.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 5, Figure 6",
        summary="fixed windows on a systolic array of multiplier blocks",
        uses_blocks=True)

    word_width: int = parameter(16, "bits per word of the streams and per digit", minimum=4,
                                maximum=18)
    quotient: str = quotient("plain")

    _advice = CONSTANT_TIME
    _work_columns: ClassVar = {"reduced": 2, "message": 1, "power": 1}

    @property
    def modulus_width(self):
        return self.width

    @property
    def _key_names(self):
        return [*super()._key_names, "leaves"]

    @property
    def key_columns(self):
        return super().key_columns | {"one": self.columns.number("table")}

    @property
    def message_columns(self):
        return [self.columns.number("message")]

    @property
    def result_places(self):
        return [self.columns.place("reduced", choice=1)]

    @property
    def reductions(self):
        # The modulus m~ of the array is at most (b**e - 1) m, where e is ``excess``. Products are
        # below 2 m~, and R is b**(2 e) or more, so that a product with b**e is below m~ + 2m. Then
        # each of e steps adds up to (b - 1) m, and divides by b: what is left is below 2m.
        return self.inner.schedule.excess

    def _steps(self):
        """Return the steps of Algorithm 5 with windows."""
        columns, place = self.columns, self.columns.place
        # Algorithm 5 begins with R, and a window with the power of its first digit.
        return [take_modulus(place(self._array_modulus)), take_y(place("squared_r")),
                 product(place("message"), place("table", 1)),
                 *power(columns, self.window, every_digit=self.window == 1),
                 product(place("leaves"), place("power"), label="powered"),
                 row(Row.COPY, place("power"), place("reduced")),
                 *reduction(columns, place("modulus"), self.reductions)]

    @property
    def column_formulas(self):
        """Meanings and formulas of columns, beside those of every core."""
        out = self.word_width * self.reductions
        return {"leaves": (f"2^{out} mod modulus", f"2**{out} % modulus")}

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        """Return ``base ** exponent % modulus`` by the steps of the program."""
        self._check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        return self._run(base, [exponent], [modulus], exponent_bits)

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the number of products of an exponentiation."""
        return sum(step.fields["unit"] is Unit.PRODUCT
                   for step, _ in self._walk([exponent], exponent_bits))

    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        return self._cycles_of_steps([exponent], exponent_bits)
