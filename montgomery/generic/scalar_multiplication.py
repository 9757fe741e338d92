"""Scalar multiplication around any multiplier, for a curve that is fixed when it is built."""

import dataclasses
from typing import ClassVar

from amaranth.hdl import Array, C, Cat, Mux

from ..core import About, parameter
from ..kinds.scalar_multiplication import ScalarMultiplier
from ..numbers.catalogue import WEIERSTRASS
from ..points.weierstrass import formulas
from .around import AroundMultiplier
from .engine_code import EngineCode
from .point_engine import PointEngine
from .point_layout import ENTRIES, FREE, WINDOW, Source, table_number

__all__ = ["Parameters", "PointCode", "PointEngine"]

_ENTER = """
X = X * square
Y = Y * square
x = X
y = Y
Z = one
P = X
Q = Y
R = one
{on_curve}
e = e * unit
"""
_FIRST = "X = [digit_x]\nY = [digit_y] signed\nZ = [digit_z]\n"
_OTHER = "P = [digit_x]\nQ = [digit_y] signed\nR = [digit_z]\n"
_LEAVE = """
X = X * t
Y = Y * t
X = X * unit
Y = Y * unit
"""


class PointCode(EngineCode):
    """The code for a curve in Weierstrass form: signed windows, and complete formulas."""

    CONSTANTS = ("a", "b", "b3", "square", "one", "unit", "limit", "prime", "scalar")
    NUMBERS: ClassVar = dict(zip((
        *CONSTANTS, "X", "Y", "Z", "P", "Q", "R", "e", "t", "n2", "n4", "n8", "n16", "n32", "n64",
        "n128", "n256", "n512"), FREE, strict=False))
    PLACES: ClassVar = {f"digit_{part}": 16 * index for index, part in enumerate("xyz")}

    def _operation(self):
        for name in ("scalar", "X", "Y"):
            self._emit(d=name, source=Source.INPUT)
        self._check("X", "prime")
        self._check("Y", "prime")
        listings = formulas(self._curve)
        point, other = ("X", "Y", "Z"), ("P", "Q", "R")
        self._segment(_ENTER.format(on_curve=listings.on_curve), point[:2], (*point, *other, "e"))
        self._reduce("e")
        self._check("e", "unit")
        self._store(1)
        both = (*point, *other)
        self._loop(range(2, ENTRIES), lambda: (
            self._segment(listings.add, both, both), self._store(None)), inner=0)
        self._loop(range(self._first_bits), self._shift)
        self._segment(_FIRST, (), point)
        self._loop(range(self._curve.width // WINDOW), lambda: self._window(listings, point),
                   inner=0)
        self._invert("Z")
        self._segment(_LEAVE, ("X", "Y", "t"), ("X", "Y"))
        for name in ("X", "Y"):
            self._reduce(name)
        for name in ("X", "Y"):
            self._emit(a=name, sends=1)

    @property
    def _first_bits(self):
        """Bits of the highest digit: the rest of them, and the one below."""
        return self._curve.width % WINDOW + 1

    def _window(self, listings, point):
        """Double the point for each bit of a digit, and add the multiple."""
        if self._layout.is_compact:
            self._shift()
            self._segment(listings.double, point, point)
            self._loop(range(WINDOW - 1), lambda: (
                self._shift(), self._segment(listings.again, point, point)))
            self._segment(listings.last + _OTHER + listings.add, point, point)
            return
        # One doubling begins before the other one ends.
        for _ in range(WINDOW - 1):
            self._shift()
        self._shift(wait=1)
        self._segment(listings.doublings(WINDOW) + _OTHER + listings.add, point, point)

    def _store(self, multiple):
        """Copy the point to the table, with the outer counter as its place if none is given."""
        for part, name in enumerate("XYZ"):
            to = ({"d": 16 * part, "d_turn": 1} if multiple is None
                  else {"d": table_number(part, multiple)})
            self._emit(b=name, has_b=1, source=Source.SUM, **to)

    def addresses(self, word, digit):
        entry = Array(C(table_number(0, abs(_signed(value))), 4) for value in range(32))[digit]
        return Cat(Mux(word.a_digit, entry, word.a[:4]), word.a[4:]), word.b

    def operands(self, word, bits):
        a, digit = word.get("a", 0), _signed(bits)
        if word.get("a_digit"):
            a = table_number(a >> 4, abs(digit))
        return a, word.get("b", 0), digit < 0


def _signed(bits):
    """Return the digit that four bits are, with the one below them."""
    return (bits + 1 >> 1) - (bits & 16)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(AroundMultiplier, ScalarMultiplier):
    """Parameters of :class:`PointEngine`; see :class:`~.around.AroundMultiplier`."""

    _about = About(
        source="Renes, Costello, Batina: Complete addition formulas for prime order elliptic "
               "curves, Algorithms 1, 3, 4, 6, 7 and 9; Bernstein: dbl-2001-b",
        summary="complete formulas and signed windows of four bits around any multiplier whose "
                "results may be its operands",
        uses_blocks=True,
        wraps=True,
        quick_width=16)

    curve: str = parameter("", "name of the elliptic curve; empty for the first one of the width",
                           choices=("", *WEIERSTRASS))

    _code = PointCode

    @property
    def _coefficients(self):
        found = {"a": self.domain.a, "b": self.domain.b, "b3": 3 * self.domain.b}
        return {name: found[name] for name in found if name in formulas(self.domain).constants}

    @property
    def constants(self):
        # And the point at infinity, (0 : 1 : 0).
        return super().constants | {table_number(1, 0): self.inner.r % self.domain.p}

    def compute(self, scalar, x, y):
        self._check_operands(scalar, x, y)
        x, y = self._sent(scalar, x, y)
        return x | y << self.word_width * self.field_words
