"""Scalar multiplication around any multiplier, for a curve that is fixed when it is built."""

import dataclasses
import functools

from ..blocks.skid import Skid
from ..core import About, Cycles, parameter, traits
from ..curves import CURVES, curve_of
from ..kinds.scalar_multiplication import ScalarMultiplier
from ..points.weierstrass import formulas
from ..units.unit import Unit
from . import exponentiator, point_code
from .point_code import NUMBERS, Numbers
from .point_engine import PointEngine
from .point_layout import SPARE, PointLayout, table_number

__all__ = ["Parameters", "PointEngine"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(ScalarMultiplier):
    """Parameters of :class:`PointEngine`.

    Parameters
    ----------
    width : :class:`int`
        Bits of a coordinate: those of the curve.
    curve : :class:`str`
        A key of :data:`montgomery.curves.CURVES`; empty for the first one of the width.
    multiplier : :class:`str`
        Name of the architecture, and after it what is not the default: ``mmm_mx_1d
        arrangement=row pe_width=8``.
    parts : :class:`int`
        Words of the multiplier in one of the engine, 1 or 2. With 2, sums take half the clocks.
    arrays : :class:`int`
        Multipliers, which take products in turn.
    """

    _about = About(
        source="Renes, Costello, Batina: Complete addition formulas for prime order elliptic "
               "curves, Algorithms 1, 3, 4, 6, 7 and 9",
        summary="complete formulas and signed windows of four bits around any multiplier whose "
                "results may be its operands",
        uses_blocks=True,
        wraps=True,
        quick_width=16)

    curve: str = parameter("", "name of the elliptic curve; empty for the first one of the width",
                           choices=("", *CURVES))
    multiplier: str = parameter("mmm_mx_1d", "architecture, followed by its parameters as "
                                "KEY=VALUE")
    parts: int = parameter(1, "words of the multiplier in a word of the engine", choices=(1, 2))
    arrays: int = parameter(1, "multipliers, which take products in turn", minimum=1, maximum=4)

    def _check_parameters(self):
        if self.width != self.domain.width:
            widths = sorted({curve.width for curve in CURVES.values()})
            rule = (f"that of {self.curve}, {self.domain.width}" if self.curve else
                    f"that of a curve, {', '.join(map(str, widths[:-1]))} or {widths[-1]}")
            raise ValueError(f"Width must be {rule}, not {self.width}; choose another width")
        if self.unit.words < 2:
            raise ValueError("The multiplier must take a number in several words, not in one; "
                             "choose a smaller word_width, or another multiplier")
        if self.word_width != self.unit.width * self.parts:
            raise ValueError(f"Words must be {self.parts} of the multiplier, of {self.unit.width} "
                             f"bits, not {self.word_width}; choose "
                             f"word_width={self.unit.width * self.parts}")
        point_code.build(self.domain, self.layout)

    @property
    def domain(self):
        return curve_of(self.curve, self.width)

    @functools.cached_property
    def inner(self):
        """:class:`montgomery.Parameters` of a multiplier, for a modulus longer than the prime."""
        given = exponentiator.Parameters(
            width=self.width, word_width=self.word_width // self.parts, multiplier=self.multiplier)
        Unit(given.inner)  # which refuses what is no unit
        return dataclasses.replace(given, width=self.width + SPARE).inner

    @functools.cached_property
    def unit(self):
        """:class:`~montgomery.units.unit.Unit` of the multiplier."""
        return Unit(self.inner)

    @functools.cached_property
    def layout(self):
        """:class:`~.point_layout.PointLayout` of numbers."""
        return PointLayout(self.unit, self.arrays, self.domain.p, self.word_width)

    @property
    def code(self):
        """The :class:`~.point_code.PointCode`."""
        return point_code.build(self.domain, self.layout)

    @property
    def constants(self):
        """Numbers that are in the memory at first, by their places."""
        p, r = self.domain.p, self.inner.r
        found = {name: number * r % p for name, number in (
            ("a", self.domain.a), ("b", self.domain.b), ("b3", 3 * self.domain.b))
            if name in formulas(self.domain).constants}
        found |= {"square": r**2 % p, "one": r % p, "unit": 1, "limit": self.layout.limit,
                  "prime": p}
        # And the point at infinity, (0 : 1 : 0).
        return ({NUMBERS[name]: number for name, number in found.items()}
                | {table_number(1, 0): r % p})

    @property
    def _traits(self):
        return dataclasses.replace(super()._traits, initiation=self.cycles.interval,
                                   products=traits(self.inner).products, inner=self.inner)

    @functools.cached_property
    def cycles(self):
        layout, words = self.layout, self.field_words
        begins, _, last, sends, _, whole = self.code.moments
        taken = layout.pace * (words - 1)
        first = layout.first_read + layout.pace * layout.skipped + Skid.LATENCY
        return Cycles(
            load=last - begins + taken + 1,
            compute=sends + first - (last + layout.first_write + taken),
            unload=layout.slot + taken + 1, interval=whole)

    def compute(self, scalar, x, y):
        self._check_operands(scalar, x, y)
        numbers = Numbers(self.domain, self.layout, self.constants, (scalar, x, y))
        for word, counter in self.code.walk():
            numbers.step(word, counter)
        if numbers.failed:
            raise AssertionError("Operands were checked to be a point")
        x, y = (number >> self.layout.halvings for number in numbers.sent)
        return x | y << self.word_width * self.field_words

    def create(self):
        return PointEngine(self)
