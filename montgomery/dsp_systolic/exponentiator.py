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
from typing import ClassVar

from ..blocks.row_unit import Row
from ..core import About, Field, Message, parameter
from ..kinds.exponentiator import CONSTANT_TIME, Exponentiator
from .lane_program import Unit, power, product, reduction, row, take_modulus, take_y
from .multiplier import quotient
from .programmed import Programmed

__all__ = ["Parameters"]


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
        source="Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery "
               "Multiplication Systolic Architecture Implemented on an FPGA; Algorithm 5, Figure 6",
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
    def operands(self):
        return Message(self.word_width, (Field("base", self.digits, "the base"),))

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
