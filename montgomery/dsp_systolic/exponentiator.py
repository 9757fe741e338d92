"""The exponentiator around the systolic array of multiplier blocks.

==============================  ================================================================
in the paper                    here
==============================  ================================================================
MMC, steps of Algorithm 5       :meth:`Parameters.program`
S[0], of Figure 6               the last result, in the array and in a column of the memory
x̃, of Figure 6                  ``table[1]``, in the same memory
S[0] <- S[e_i]                  a product with ``table[e_i]``, where ``table[0]`` is R
IPE, GPE, FPE, CU               see :mod:`~montgomery.dsp_systolic.array`
==============================  ================================================================
"""

import dataclasses
import functools

from ..blocks.row_unit import Row
from ..blocks.windows import digit_count, digits_of
from ..core import About, Field, Message, Traits, parameter
from ..kinds.exponentiator import CONSTANT_TIME, Exponentiator, exponent_length
from .lane_program import (
    Columns,
    lane_program,
    power,
    product,
    reduction,
    row,
    take_modulus,
    take_y,
)
from .programmed import Programmed

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Programmed, Exponentiator):
    """Parameters of an exponentiator: of a :class:`~montgomery.dsp_systolic.lane_core.LaneCore`.

    The second factor of a product stays in the array: each digit of a result is found where it is
    needed as a digit of y. Results go to a memory too, from which x is read, digit by digit, while
    the last digits of the result before are still on their way there. So a product begins 10 or 11
    clocks after the last digit of x of the one before it, or two slots after it where these are
    longer.

    Exponents may be 64 bits longer than ``width``, for a host that blinds them.

    Parameters
    ----------
    word_width : :class:`int`
        Bits per word of the streams and per digit, the paper's k.
    quotient, processing_elements
        See :class:`montgomery.dsp_systolic.multiplier.Parameters`.
    window : :class:`int`
        Bits of the exponent for each product with a power of the base. 1 is Algorithm 5 itself, to
        square and multiply always.
    """

    _about = About(
        source="Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery "
               "Multiplication Systolic Architecture Implemented on an FPGA; Algorithm 5, Figure 6",
        summary="fixed windows on a systolic array of multiplier blocks",
        uses_blocks=True)

    word_width: int = parameter(16, "bits per word of the streams and per digit", minimum=4,
                                maximum=18)
    quotient: str = parameter("plain", "how quotient digits are found: by a product with -1/m "
                              "(plain), or from one before they are used, on a scaled modulus "
                              "(delayed)", choices=("plain", "delayed"))

    @property
    def modulus_width(self):
        return self.width

    @functools.cached_property
    def columns(self):
        """The :class:`~.lane_program.Columns` of the memory."""
        key = ["modulus", *["scaled"] * self.inner.scaled, "squared_r", "leaves"]
        return Columns(self.window, dict.fromkeys(key, 1), {"reduced": 2, "message": 1, "power": 1})

    @property
    def key_columns(self):
        """The columns that a key brings, by the names of its parts: the last is ``table[0]``."""
        names = ["modulus", *["scaled"] * self.inner.scaled, "squared_r", "leaves"]
        return {name: self.columns.number(name) for name in names} | {
            "one": self.columns.number("table")}

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

    @functools.cached_property
    def program(self):
        """The steps of Algorithm 5 with windows, as :class:`montgomery.blocks.program.Program`."""
        columns = self.columns
        place = columns.place
        of_array = place("scaled" if self.inner.scaled else "modulus")
        # Algorithm 5 begins with R, and a window with the power of its first digit.
        steps = [take_modulus(of_array), take_y(place("squared_r")),
                 product(place("message"), place("table", 1)),
                 *power(columns, self.window, every_digit=self.window == 1),
                 product(place("leaves"), place("power"), label="powered"),
                 row(Row.COPY, place("power"), place("reduced")),
                 *reduction(columns, place("modulus"), self.reductions)]
        return lane_program(columns, steps, window=self.window, digits=self.digits,
                            exponent_bits=self.exponent_limit)

    @property
    def _traits(self):
        return Traits(products=self.products, advice=CONSTANT_TIME)

    @property
    def operands(self):
        return Message(self.word_width, (Field("base", self.digits, "the base"),))

    @property
    def column_formulas(self):
        """Meanings and formulas of columns, beside those of every core."""
        out = self.word_width * self.reductions
        return {"leaves": (f"2^{out} mod modulus", f"2**{out} % modulus")}

    def _walk(self, exponent, exponent_bits):
        return self.walk(digit_count(exponent_length(exponent_bits, exponent), self.window))

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        """Return ``base ** exponent % modulus`` by the steps of :attr:`program`."""
        self._check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent)
        key = self.key_operands.values({"exponent": exponent, "modulus": modulus,
                                        "exponent_bits": bits})
        return self.run(base, key, [modulus], [digits_of(exponent, bits, self.window)],
                        self._walk(exponent, exponent_bits))

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the number of products of an exponentiation."""
        return self.products_of_walk(self._walk(exponent, exponent_bits))

    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        return self.cycles_of_walk(self._walk(exponent, exponent_bits))
