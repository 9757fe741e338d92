"""Multipliers: what a product of Montgomery's method is, and what all of them have in common."""

import abc
import dataclasses

from ..arithmetic import check_modulus, check_operand, coprime_below
from ..core import CoreParameters, Field, Kind, Message, Number, Traits, traits

__all__ = ["KIND", "Multiplier", "factors", "longest", "modulus_field", "r_number"]

KIND = Kind(
    name="multiplier", group="architectures", noun="multiplier", nouns="multipliers",
    operation="multiplication", formula="x * y / R mod modulus",
    inputs={"x": "First factor of a multiplication.", "y": "Second factor of a multiplication.",
            "modulus": "Odd modulus."},
    key_inputs=("modulus",))


def longest(params: "Multiplier") -> tuple[int, int, int]:
    """Return the inputs of an operation that takes the most words and the most clocks."""
    modulus = coprime_below((1 << params.width) - 1, traits(params).coprime_to)
    return params.bound(modulus) - 1, params.bound(modulus) - 1, modulus


def modulus_field(params: "Multiplier") -> Field:
    """Return the :class:`~montgomery.core.Field` of a modulus in as many words as a result."""
    return Field("modulus", params.result_words, "the modulus m",
                 filler=(1 << params.word_width * params.result_words) - 1)


def r_number(r: int) -> Number:
    """Return R, a power of two, as a :class:`~montgomery.core.Number`."""
    bits = r.bit_length() - 1
    return Number("R", f"2^{bits}", f"2**{bits}")


def factors(params: "Multiplier", *, side_by_side: bool = False) -> Message:
    """Return the :class:`~montgomery.core.Message` of x and y, in words like those of results.

    The modulus follows on a core without port ``k``. If they are ``side_by_side``, a word holds a
    word of x, and above it one of y; if the core keeps results, the highest bits of the first word
    tell which operand is the result before.
    """
    keeps, words, bits = params._traits.keeps_results, params.result_words, params.word_width
    fields = [Field(name, words, f"the {ordinal} factor {name}, below the bound",
                    f"{name} or 0" if keeps else "", bits=bits,
                    filler=(1 << bits * words) - 1)
              for name, ordinal in (("x", "first"), ("y", "second"))]
    if keeps:
        fields.append(Field(
            "kept", 1, "in the first word: the lower bit is 1 if x, and the higher bit if y is "
            "the result of the multiplication before, which the core has kept; its words are "
            "then not read. If both bits are 1, the multiplication is this one word",
            "(x is None) | (y is None) << 1", bits=2))
    if not params.k_words:
        fields.append(modulus_field(params))
    width = sum(field.bits for field in fields) if side_by_side else bits
    return Message(width, tuple(fields), params._numbers, beside=side_by_side)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Multiplier(CoreParameters):
    """What a multiplier is instantiated with; see :class:`montgomery.CoreParameters`."""

    _kind = KIND

    @property
    def _traits(self) -> Traits:
        return Traits(initiation=self.cycles.interval)

    @property
    @abc.abstractmethod
    def r(self) -> int:
        """The Montgomery constant R."""

    @abc.abstractmethod
    def bound(self, modulus: int) -> int:
        """Return the number that operands must be below, and that results are below.

        If it is no fixed multiple of the modulus, add a number ``bound`` to ``_numbers``.
        """

    @property
    def _numbers(self) -> tuple[Number, ...]:
        """Tuple of a :class:`~montgomery.core.Number` for R, and what else formulas name."""
        return (r_number(self.r),)

    def encode(self, x: int | None, y: int | None, modulus: int | None = None) -> list[int]:
        """Return the words of :attr:`operands`; see :meth:`montgomery.CoreParameters.encode`.

        None stands for the result of the multiplication before, if the core keeps it; if both x and
        y are None, there is one word. A core with port ``k`` does not need the modulus.
        """
        if None not in (x, y) or not self._traits.keeps_results:
            return super().encode(x, y, *([] if modulus is None and self.k_words else [modulus]))
        if modulus is not None:
            self._check_operands(x or 0, y or 0, modulus)
        words = self.operands.encode({"x": x, "y": y})
        return words[:1] if x is y is None else words

    def _check_operands(self, x: int, y: int, modulus: int) -> None:
        check_modulus(modulus, width=self.width, coprime_to=self._traits.coprime_to)
        check_operand("x", x, self.bound(modulus))
        check_operand("y", y, self.bound(modulus))
