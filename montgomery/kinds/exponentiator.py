"""Exponentiators: powers of ordinary numbers, for RSA and Diffie-Hellman."""

import abc
import dataclasses
from collections.abc import Sequence
from typing import Any

from ..arithmetic import check_integer, check_modulus, check_operand, coprime_below, shown
from ..core import (
    CoreParameters,
    Cycles,
    Field,
    Kind,
    Message,
    Number,
    ceil_div,
    input_names,
    plural,
    traits,
)

__all__ = ["BLINDING_BITS", "CONSTANT_TIME", "KIND", "TELLING", "Exponentiator", "check_exponent",
           "exponent_fields", "exponent_length", "length_number", "longest"]

KIND = Kind(
    name="exponentiator", prefix="exponentiation", group="exponentiators", noun="exponentiator",
    nouns="exponentiators", operation="exponentiation", formula="base ** exponent mod modulus",
    inputs={"base": "Base of an exponentiation.", "exponent": "Exponent of an exponentiation.",
            "modulus": "Odd modulus."},
    key_inputs=("exponent", "modulus"), does_rsa=True)

#: Bits by which an exponent may be longer than a modulus, so that a host can add a random multiple
#: of the order of the group to it.
BLINDING_BITS = 64

CONSTANT_TIME = ("The time depends on the length of the exponent that is sent. For a secret "
                 "exponent send a length that is the same for all of them, such as that of the "
                 "modulus, in place of its own.")
TELLING = ("The time tells the length of the exponent and its number of ones: do not use this core "
           "for secret exponents.")


def exponent_length(exponent_bits: int | None, *exponents: int) -> int:
    """Return the length to go by: the one that is given, or else that of the longest exponent."""
    longest = max(exponents).bit_length()
    return longest if exponent_bits is None else exponent_bits


def check_exponent(name: str, exponent: int, bits: int | None, most: int, advice: str) -> None:
    """Refuse an exponent that is negative, or longer than ``most`` bits.

    If a length, ``bits``, is sent in place of its own, that must lie between both. The ``advice``
    says what to do about a longer exponent.
    """
    check_integer(f"Operand {name}", exponent)
    length = exponent.bit_length()
    if exponent < 0:
        raise ValueError(f"Operand {name} must be 0 or more, not {shown(exponent)}; {advice}")
    if length > most:
        raise ValueError(f"Operand {name} must have {most} bits or fewer, not {length}; {advice}")
    if bits is not None and not length <= bits <= most:
        raise ValueError(f"The length of the exponent, exponent_bits, must be from {length} to "
                         f"{most}, not {bits}; leave it out to take the length that the exponent "
                         "has")


def length_number(params: Any) -> Number:
    """Return the length that is sent for exponents, as a :class:`~montgomery.core.Number`."""
    names = [name for name in input_names(params) if name.startswith("exponent")]
    which, own = (("exponent", names[0]) if len(names) == 1 else
                  ("longer exponent", f"max({', '.join(names)})"))
    return Number("exponent_bits", f"the length of the {which} in bits, or more, up to "
                  f"{params.exponent_limit}", f"exponent_bits or {own}.bit_length()")


def exponent_fields(names: Sequence[str], bits: int, width: int, window: int,
                    ) -> tuple[Number, list[Field]]:
    """Return how exponents are sent to a :class:`~montgomery.blocks.windows.DigitSource`.

    That is the :class:`~montgomery.core.Number` ``digits``, which follows from ``exponent_bits``,
    and the fields: that number and each exponent, of up to ``bits`` bits, in words of ``width``
    bits and digits of ``window`` bits.
    """
    most = ceil_div(bits, window)
    words = ceil_div(most * window, width)
    number = Number("digits", f"the number of digits of {plural(window, 'bit')} that "
                    "`exponent_bits` bits fill, 1 or more",
                    f"max(-(-exponent_bits // {window}), 1)")
    return number, [
        Field("digits", ceil_div(most.bit_length(), width),
              f"the number of digits, of {plural(window, 'bit')} each, of an exponent", filler=1),
        *(Field(name, words, f"{name} · 2^({words * width} - digits · {window}), **highest word "
                "first**: the first digit is at the highest bits of the first word",
                f"{name} << {words * width} - digits * {window}", highest_first=True)
          for name in names)]


def longest(params: "Exponentiator") -> tuple[int, int, int]:
    """Return the inputs of an operation that takes the most words and the most clocks."""
    modulus = coprime_below((1 << params.width) - 1, traits(params).coprime_to)
    return modulus - 1, (1 << params.width) - 1, modulus


@dataclasses.dataclass(frozen=True, kw_only=True)
class Exponentiator(CoreParameters):
    """What an exponentiator is instantiated with; see :class:`montgomery.CoreParameters`.

    The time may depend on the length of the exponent, in bits, which is public: for a secret
    exponent give one that does not depend on it, that of the modulus for example, where a method
    takes ``exponent_bits``. Without, it is that of the exponent. An exponentiator whose time
    depends on anything else says so in its documentation, and measurements in ``constant_time``.

    The base is below the modulus, and the exponent has no more than :attr:`exponent_limit` bits.
    """

    _kind = KIND

    @property
    def exponent_limit(self) -> int:
        """Most bits of an exponent, which may be more than those of the longest modulus."""
        return self.width + BLINDING_BITS

    @property
    def operands(self) -> Message:
        return Message(self.word_width, (Field("base", self.result_words, "the base"),))

    @property
    def cycles(self) -> Cycles:
        return self._cycles_of(*longest(self))

    @property
    def _filler_cycles(self):
        base, _, modulus = longest(self)
        return self._cycles_of(base, 1, modulus)

    @abc.abstractmethod
    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the :class:`montgomery.Cycles` of one exponentiation, exactly."""

    @abc.abstractmethod
    def compute(self, base: int, exponent: int, modulus: int, *,
                exponent_bits: int | None = None) -> int:
        """Return ``base ** exponent % modulus`` by the steps of the paper's algorithm."""

    def _check_operands(self, base, exponent, modulus, *, exponent_bits=None):
        check_modulus(modulus, width=self.width, coprime_to=self._traits.coprime_to)
        check_operand("base", base, modulus)
        check_exponent("exponent", exponent, exponent_bits, self.exponent_limit,
                       "reduce it modulo the order of the group, or choose a larger width")
