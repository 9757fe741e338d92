"""Parameters of engines for points around any multiplier."""

import dataclasses
import functools
from typing import ClassVar

from ..core import Cycles, parameter, traits
from ..units.unit import Unit
from . import exponentiator
from .engine_code import Numbers
from .point_engine import PointEngine
from .point_layout import SPARE, PointLayout

__all__ = ["AroundMultiplier"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class AroundMultiplier:
    """What the parameters of an engine around a multiplier are derived from, first.

    The multiplier is named by its architecture, and after it what is not the default: ``mmm_mx_1d
    arrangement=row pe_width=8``. With more ``parts``, words of the multiplier in one of the engine,
    sums take fewer clocks.
    """

    multiplier: str = parameter("mmm_mx_1d", "architecture, followed by its parameters as "
                                "KEY=VALUE")
    parts: int = parameter(1, "words of the multiplier in a word of the engine", choices=(1, 2, 3))
    arrays: int = parameter(1, "multipliers, which take products in turn", minimum=1, maximum=4)

    #: The :class:`~.engine_code.EngineCode`.
    _code: ClassVar[type]

    def _check_parameters(self):
        if self.width != self.domain.width:
            *widths, last = sorted({curve.width for curve in self._curves.values()})
            rule = (f"that of {self.curve}, {self.domain.width}" if self.curve else
                    f"that of a curve, {', '.join(map(str, widths))} or {last}")
            raise ValueError(f"Width must be {rule}, not {self.width}; choose another width")
        if self.unit.words < 2:
            raise ValueError("The multiplier must take a number in several words, not in one; "
                             "choose a smaller word_width, or another multiplier")
        if self.word_width != self.unit.width * self.parts:
            raise ValueError(f"Words must be {self.parts} of the multiplier, of {self.unit.width} "
                             f"bits, not {self.word_width}; choose "
                             f"word_width={self.unit.width * self.parts}")
        _ = self.code  # which refuses numbers that are too large

    @functools.cached_property
    def inner(self):
        """:class:`montgomery.Parameters` of a multiplier, for a modulus longer than the prime."""
        words = self.word_width // self.parts
        try:
            given = exponentiator.Parameters(width=self.width, word_width=words,
                                             multiplier=self.multiplier)
        except ValueError as error:
            if self.parts == 1:
                raise
            raise ValueError("In words of the multiplier, of word_width / parts = "
                             f"{words} bits: {error}") from None
        Unit(given.inner)  # which refuses what is no unit
        return dataclasses.replace(given, width=self.width + SPARE).inner

    @functools.cached_property
    def unit(self):
        """:class:`~montgomery.units.unit.Unit` of the multiplier."""
        return Unit(self.inner)

    @functools.cached_property
    def layout(self):
        """:class:`~.point_layout.PointLayout` of numbers."""
        return _layout(self.inner, self.arrays, self.domain.p, self.word_width)

    @property
    def code(self):
        """The :class:`~.engine_code.EngineCode`."""
        return _built(self._code, self.domain, self.layout)

    @property
    def constants(self):
        """Numbers that are in the memory at first, by their places."""
        p, r = self.domain.p, self.inner.r
        found = {name: number * r % p for name, number in self._coefficients.items()}
        found |= {"square": r**2 % p, "one": r % p, "unit": 1, "limit": self.layout.limit,
                  "prime": p}
        return {self.code.NUMBERS[name]: number for name, number in found.items()}

    @property
    def _traits(self):
        return dataclasses.replace(super()._traits, initiation=self.cycles.interval,
                                   products=traits(self.inner).products, inner=self.inner)

    @functools.cached_property
    def cycles(self):
        layout, words, comes = self.layout, self.field_words, len(self.operands.fields)
        begins, *_, last, whole = moments = self.code.moments
        taken = layout.step_clocks * (words - 1)
        # Steps in which words come or leave take twice the clocks.
        first = 2 * (layout.first_read + layout.step_clocks * layout.skipped) + 1
        return Cycles(
            load=moments[comes - 1] - begins + 2 * taken + 1,
            compute=moments[comes] + first - (moments[comes - 1]
                                              + 2 * (layout.first_write + taken) - 1),
            unload=last - moments[comes] + 2 * taken + 1, interval=whole)

    def _sent(self, *inputs):
        """Return the numbers that an operation sends, by the steps of the hardware."""
        numbers = Numbers(self.code, self.layout, self.constants, inputs)
        for word, counter in self.code.walk():
            numbers.step(word, counter)
        ones = (1 << self.word_width * self.field_words) - 1
        return [ones if numbers.failed else number >> self.layout.halvings
                for number in numbers.sent]

    def create(self):
        return PointEngine(self)


_layout = functools.cache(PointLayout)


@functools.cache
def _built(code, curve, layout):
    return code(curve, layout)
