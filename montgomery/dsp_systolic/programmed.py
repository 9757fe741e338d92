"""What exponentiators and RSA with CRT around the systolic array have in common."""

import dataclasses
import functools

from ..blocks.column_memory import ColumnMemory
from ..core import Cycles, Field, Message, Products, parameter, traits
from ..kinds.exponentiator import exponent_fields, length_number
from .lane_core import LaneCore
from .lane_model import LaneModel
from .lane_program import Digits, Unit
from .multiplier import Parameters as _Multiplier
from .pace import Pace

__all__ = ["Programmed"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Programmed:
    """Parameters of a :class:`~.lane_core.LaneCore`, beside those of its kind.

    A core gives its ``program``, and the ``columns`` of its memory: where keys (``key_columns``,
    with consecutive numbers), operands (``message_columns``) and results (``result_places``) are;
    and it says how many times the last one is divided by b (``reductions``).

    Parameters
    ----------
    processing_elements : :class:`int`
        See :class:`montgomery.dsp_systolic.multiplier.Parameters`.
    window : :class:`int`
        Bits of an exponent for each product with a power.

    Attributes
    ----------
    factors : tuple of :class:`str`
        What the names of parts of a key end with, for each modulus.
    moduli : tuple of :class:`str`
        What the moduli are called among the inputs.
    """

    factors, moduli = ("",), ("modulus",)
    arrays = 1

    processing_elements: int = parameter(0, "largest number of processing elements, each with "
                                         "one multiplier; 0 means one per digit", minimum=0,
                                     maximum=2048)
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
    def key_operands(self):
        """See :attr:`montgomery.CoreParameters.key_operands`: lengths and exponents, inverses, and
        the columns of :attr:`key_columns`.
        """
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

    def walk(self, count, public=1):
        """Return the steps of an operation; see :meth:`montgomery.blocks.program.Program.walk`.

        Parameters
        ----------
        count : :class:`int`
            Digits of the exponents.
        public : :class:`int`
            The public exponent.
        """
        bits = f"{public:b}"
        return self.program.walk({"digit": count - 1, "public": len(bits) - 1},
                                 lambda turns: bits[turns["public"]] == "0")

    def run(self, message, values, moduli, digits, walk):
        """Return the result of an operation, or None if it has not passed the check.

        Parameters
        ----------
        message : :class:`int`
        values : :class:`dict` from :class:`str` to :class:`int`
            Parts of the key, by name.
        moduli : sequence of :class:`int`
        digits : list of lists of :class:`int`
            Those of the exponent for each modulus, the highest one first.
        walk : iterable
            The steps, and the turns of loops.
        """
        memory = {column: values[name] for name, column in self.key_columns.items()}
        for column in self.message_columns:
            message, memory[column] = divmod(message, self.inner.r)
        inverses = [values[f"inverse{factor}"] for factor in self.factors]
        lanes = [LaneModel(self, moduli, inverses, memory) for _ in range(self.arrays)]
        passed, digit = True, 0
        for step, turns in walk:
            fields = step.fields
            turn = 1 - turns.get("half", 1)  # the second factor has its turn first
            halves = range(2) if self.arrays == 2 else [turn]
            digit = 0 if fields.get("digits") is Digits.REWIND else digit
            found = [lane.do(fields, turns, [*digits[half], 0][digit], half, turn)
                     for lane, half in zip(lanes, halves, strict=True)]
            digit += fields.get("digits") is Digits.NEXT
            for number, lane in enumerate(lanes):
                lane.memory |= found[turn if fields.get("shared") else number]
            passed &= not (fields.get("verdict") and any(lane.z for lane in lanes))
        parts = [lanes[0].chosen(place) for place in self.result_places]
        return sum(part * self.inner.r ** place for place, part in enumerate(parts)) if (
            passed) else None

    def cycles_of_walk(self, walk):
        """Return the :class:`montgomery.Cycles` of an operation of such steps."""
        words = self.result_words
        compute = Pace.clocks(self.inner.schedule, (step.fields["unit"] for step, _ in walk))
        return Cycles(load_key=self.k_words + 1, load=words, compute=compute,
                      unload=words, interval=2 * words + compute)

    @staticmethod
    def products_of_walk(walk):
        """Return the number of products."""
        return sum(step.fields["unit"] is Unit.PRODUCT for step, _ in walk)

    @property
    def products(self):
        """The :class:`~montgomery.core.Products` of all arrays, and of the units for rows."""
        array, = traits(self.inner).products
        return (dataclasses.replace(array, count=self.arrays * array.count),
                Products(self.arrays, self.word_width, self.word_width))

    def create(self):
        return LaneCore(self)
