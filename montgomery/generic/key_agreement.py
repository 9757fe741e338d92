"""Key agreement around any multiplier, for a curve that is fixed when it is built."""

import dataclasses
from typing import ClassVar

from amaranth.hdl import Cat

from ..core import About, parameter
from ..kinds.key_agreement import KeyAgreement
from ..numbers.catalogue import MONTGOMERY
from ..points.ladder import LADDER
from .around import AroundMultiplier
from .engine_code import EngineCode
from .point_engine import PointEngine
from .point_layout import FREE, Source

__all__ = ["LadderCode", "Parameters", "PointEngine"]

#: All products take the same time here.
_STEP = LADDER.replace(" short", "")
_ENTER = """
u = u * square
X3 = u
Z3 = one
X2 = one
"""
_LEAVE = """
X2 = X2 * t
X2 = X2 * unit
"""
_POINTS = ("X2", "X3", "Z2", "Z3")


class LadderCode(EngineCode):
    """The code for a curve in Montgomery's form: a ladder by first coordinates.

    Bits of the scalar that count as 0 or 1 are taken from numbers that have these, in its place.
    """

    CONSTANTS = ("k4", "square", "one", "unit", "limit", "prime", "above", "scalar", "u")
    # Numbers that change places differ in the lowest bit.
    NUMBERS: ClassVar = dict(zip((
        *_POINTS, *CONSTANTS, "t", "n2", "n4", "n8", "n16", "n32", "n64", "n128", "n256"),
        FREE, strict=False))

    def _operation(self):
        for name in ("scalar", "u"):
            self._emit(d=name, source=Source.INPUT)
        # Bits above those of the prime do not count.
        self._sum("u", "u", "above", negative=1, captures=1, wait=1)
        self._sum("u", "u", "above", conditional=1)
        self._segment(_ENTER, ("u",), (*_POINTS[:2], "Z3", "u"))
        self._emit(d="Z2", source=Source.SUM)
        self._emit(d="scalar", b="scalar", has_b=1, twice=1, source=Source.SUM)
        self._fixed_bit("prime")
        given = self._curve.width - 1 - self._curve.cofactor_bits
        self._loop(range(given), lambda: (self._shift(wait=1), self._step()))
        self._loop(range(self._curve.cofactor_bits), lambda: self._fixed_bit("unit"))
        self._invert("Z2")
        self._segment(_LEAVE, ("X2", "t"), ("X2",))
        self._reduce("X2")
        # The result must not be 0.
        self._emit(a="X2", has_a=1, negative=1, checks=1, wait=1)
        self._emit(a="X2", sends=1)

    def _step(self):
        self._segment(_STEP, _POINTS, _POINTS)

    def _fixed_bit(self, name):
        """Do a step with the highest bit of a number."""
        self._emit(b=name, has_b=1, twice=1, shifts=1, wait=1)
        self._step()

    def addresses(self, word, digit):
        other = word.a_digit & (digit[0] ^ digit[1])
        return Cat(word.a[0] ^ other, word.a[1:]), Cat(word.b[0] ^ other, word.b[1:])

    def operands(self, word, bits):
        other = word.get("a_digit", 0) & (bits ^ bits >> 1)
        return word.get("a", 0) ^ other, word.get("b", 0) ^ other, False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(AroundMultiplier, KeyAgreement):
    """Parameters of :class:`PointEngine`; see :class:`~.around.AroundMultiplier`."""

    _about = About(
        source="RFC 7748: Elliptic curves for security, section 5",
        summary="X25519 and X448 by Montgomery's ladder around any multiplier whose results may "
                "be its operands",
        uses_blocks=True,
        wraps=True,
        quick_width=15)

    curve: str = parameter("", "name of the elliptic curve; empty for the one of the width",
                           choices=("", *MONTGOMERY))

    _code = LadderCode

    @property
    def _coefficients(self):
        return {"k4": self.domain.a - 2}

    @property
    def constants(self):
        return super().constants | {self.code.NUMBERS["above"]: 1 << self.width}

    def compute(self, scalar, u):
        self._check_operands(scalar, u)
        found, = self._sent(scalar, u)
        return found
