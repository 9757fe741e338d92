"""RSA with the Chinese remainder theorem around the systolic array of multiplier blocks."""

import dataclasses

from ..blocks.program import Flow
from ..blocks.row_unit import Row
from ..core import About, Number, parameter
from ..kinds.rsa_crt import (
    CONSTANT_TIME,
    PUBLIC_NUMBERS,
    RsaCrt,
    check_parameter,
    public_exponent,
    public_fields,
)
from .exponentiator import Programmed
from .lane_program import Digits, power, product, reduction, row, take_modulus, take_y
from .multiplier import PAPER, quotient

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
    arrays : :class:`int`
        1: both factors have their turn in one array, first q. 2: side by side, in an array each;
        with a memory each too, in which all of the key is.
    check : :class:`str`
        See :func:`~montgomery.kinds.rsa_crt.check_parameter`. Results are compared modulo both
        factors.
    """

    _about = About(
        source=f"{PAPER}; the array",
        summary="RSA with the Chinese remainder theorem on a systolic array of multiplier blocks",
        uses_blocks=True)
    factors, moduli = ("_p", "_q"), ("p", "q")

    width: int = parameter(help="bits of the largest modulus", minimum=8, maximum=8192)
    word_width: int = parameter(18, "bits per word of the streams and per digit", minimum=4,
                                maximum=18)
    quotient: str = quotient("delayed")
    arrays: int = parameter(1, "arrays of multiplier blocks: both factors in turn in one (1), or "
                            "side by side in two (2)", minimum=1, maximum=2)
    check: str = check_parameter()

    _advice = CONSTANT_TIME
    #: Pairs of columns. ``exact`` has h and the result modulo q; ``total`` the upper half of the
    #: result, and the lower one; ``message`` likewise.
    _work_columns = dict.fromkeys(("exact", "reduced", "total", "message", "work", "power"), 2)

    @property
    def checks(self):
        return self.check == "public"

    @property
    def modulus_width(self):
        return self.factor_width

    @property
    def _key_names(self):
        return [*super()._key_names, "one", *["minus_one"] * self.checks, "leaves", "from_q"]

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

    def _steps(self):
        """Return the list of steps of an operation.

        First q, then p: the message modulo the factor, the powers up to 2**window - 1, and the
        private exponent by windows. The result modulo q leaves Montgomery's domain; that modulo p
        leaves it as h = (s_p - s_q) / q. Then s = s_q + h q, and of each factor s**e is compared
        with the message.

        With two arrays both factors have their turn at once, each in an array and a memory of its
        own. Only the step from which h comes is done twice: for s_q, and with that for h. Both
        memories take s_q, h and s from one place, and what s**e is compared with is the message
        that q had: if a fault were in what one half alone has, the check would pass if it had that
        too.

        The public exponent is no secret, so that its zeros may save products.
        """
        both, columns = self.arrays == 2, self.columns
        place = columns.place

        def of_half(name):
            return place(name, half=1)

        work, other = place("work"), place("work", 1)
        result, base, reduced = place("power"), place("power", 1), place("reduced")
        factor, squared, one = of_half("modulus"), of_half("squared_r"), of_half("one")
        of_array = of_half(self._array_modulus)

        def conversion(number, by, target, label=""):
            """A number of two columns times ``by``, modulo the factor: high R**2 + low R."""
            return [take_y(squared, label=label), product(place(number), other),
                    product(squared, other), take_y(squared), product(place(number, 1), work),
                    row(Row.COPY, work, work), row(Row.ADD, other, work),
                    take_y(by), product(work, target)]

        def exact(target, **options):
            """Z / b**rows modulo the factor."""
            return [*reduction(columns, factor, self.reductions),
                    row(Row.COPY, place("reduced", choice=1), target, **options)]

        def next_half(to):
            return {"flow": Flow.REPEAT, "loop": "half", "to": to}

        steps = [
            take_modulus(of_array, label="half"),
            *conversion("message", one, place("table", 1)),
            *power(columns, self.window, one=one),
            product(of_half("leaves"), work, label="powered"),
            # Modulo q from_q is 0, so that what was in the other column does not matter.
            take_y(of_half("from_q"), label="join"),
            product(place("exact", 1), other),
            row(Row.COPY, work, work), row(Row.ADD, other, reduced),
            *exact(of_half("exact"), shared=both, **next_half("join" if both else "half")),
            row(Row.COPY, place("exact", 1), work),
            row(Row.MULTIPLY, place("modulus", 1), place("total"), shared=both, label="row",
                flow=Flow.REPEAT, loop="place", to="row")]
        if not self.checks:
            return steps
        message = [place("message"), place("message", 1)]
        return [
            *steps, *(row(Row.COPY, half, half, shared=True) for half in message if both),
            take_modulus(of_array, label="check"),
            *conversion("total", one, result),
            row(Row.COPY, result, base, flow=Flow.LEAVE, loop="public", to="compare"),
            product(result, result, label="public", digits=Digits.NEXT_PUBLIC,
                    flow=Flow.REPEAT_IF, loop="public", to="public"),
            product(base, result, flow=Flow.REPEAT, loop="public", to="public"),
            *conversion("message", of_half("minus_one"), work, label="compare"),
            row(Row.COPY, work, work), row(Row.ADD, result, reduced),
            *exact(other, verdict=True, **({} if both else next_half("check")))]

    def _public(self, *key):
        return public_exponent(*key) if self.checks else 1

    def compute(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        """Return the result by the steps of the program."""
        self._check_operands(message, exponent_p, exponent_q, p, q, exponent_bits=exponent_bits)
        exponents, factors = (exponent_p, exponent_q), (p, q)
        return self._run(message, exponents, factors, exponent_bits,
                         self._public(*exponents, *factors))

    def _difference_scale(self, modulus):
        return self.inner.r * pow(1 << self.word_width * self.reductions, -1, modulus)

    def _cycles_of(self, message, exponent_p, exponent_q, p, q, *, exponent_bits=None):
        exponents = exponent_p, exponent_q
        return self._cycles_of_steps(exponents, exponent_bits, self._public(*exponents, p, q))
