"""PLLs: their settings, computed and checked against the ranges of the data sheets.

A setting outside a range is refused. The setting that is found has the highest frequency that is
not above the requested one, so that a design that meets timing at the requested frequency still
meets it.
"""

from __future__ import annotations

import abc
import bisect
import dataclasses
import functools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from amaranth.hdl import Module, Signal
    from amaranth.lib.io import PortLike

    from .catalogue import Board

__all__ = ["Clock", "ClockError", "Pll", "mhz_range", "multiples"]


class ClockError(ValueError):
    """A clock that cannot be made; the message, one line, names the nearest possible one."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Clock(abc.ABC):
    """A way to make the clock of a design from the board's clock.

    Attributes
    ----------
    input_mhz : Fraction
        Frequency of the board's clock.
    """

    input_mhz: Fraction

    @property
    @abc.abstractmethod
    def output_mhz(self) -> Fraction:
        """Frequency of the design's clock, exactly."""

    @property
    def frequency_hz(self) -> float:
        return float(self.output_mhz * 1_000_000)

    @abc.abstractmethod
    def connect(self, m: Module, port: PortLike, output: Signal, locked: Signal,
                board: Board) -> None:
        """Add the hardware that makes a clock.

        Parameters
        ----------
        port : PortLike
            The pin of the board's clock.
        output, locked : Signal
            Signals that get the clock, and whether the clock is steady.
        """


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pll(Clock):
    """The base of all PLLs, with ranges in MHz that include both ends.

    Raises
    ------
    ClockError
        If a divider or a frequency is out of its range.
    """

    input_range: ClassVar[tuple[Fraction, Fraction]]
    detector_range: ClassVar[tuple[Fraction, Fraction]]
    oscillator_range: ClassVar[tuple[Fraction, Fraction]]
    output_range: ClassVar[tuple[Fraction, Fraction]]
    source: ClassVar[str]

    def __post_init__(self) -> None:
        for what, value, (low, high) in self.checks:
            if not low <= value <= high:
                raise ClockError(f"{what} must be {float(low):g} to {float(high):g}, not "
                                 f"{float(value):g} ({self.source})")

    @property
    @abc.abstractmethod
    def detector_mhz(self) -> Fraction:
        """Frequency that the phase detector compares."""

    @property
    @abc.abstractmethod
    def oscillator_mhz(self) -> Fraction:
        """Frequency of the voltage-controlled oscillator."""

    @property
    def checks(self) -> list[tuple[str, Fraction | int, tuple[Fraction | int, Fraction | int]]]:
        """Name, value and range of every quantity that has a range."""
        return [("PLL input in MHz", self.input_mhz, self.input_range),
                ("PLL phase detector in MHz", self.detector_mhz, self.detector_range),
                ("PLL oscillator in MHz", self.oscillator_mhz, self.oscillator_range),
                ("PLL output in MHz", self.output_mhz, self.output_range)]

    @classmethod
    @abc.abstractmethod
    def _dividers(cls, input_mhz: Fraction) -> Iterator[tuple[Fraction, dict[str, int]]]:
        """Yield ratios of output to input with dividers, in rising frequency of the phase detector.

        They keep all ranges except that of the output.
        """

    @classmethod
    @functools.cache
    def _ranked(cls, input_mhz: Fraction) -> tuple[tuple[Fraction, dict[str, int]], ...]:
        low, high = (limit / input_mhz for limit in cls.output_range)
        if not cls.input_range[0] <= input_mhz <= cls.input_range[1]:
            return ()
        return tuple(sorted((found for found in cls._dividers(input_mhz)
                             if low <= found[0] <= high), key=lambda found: found[0]))

    @classmethod
    def below(cls, input_mhz: Fraction, output_mhz: Fraction) -> Pll | None:
        """Return the setting with the highest output that is not above ``output_mhz``.

        Among several such settings it is the one with the fastest phase detector, which has the
        least jitter.
        """
        ranked = cls._ranked(input_mhz)
        number = bisect.bisect_right(ranked, output_mhz / input_mhz, key=lambda found: found[0])
        return cls(input_mhz=input_mhz, **ranked[number - 1][1]) if number else None

    @classmethod
    def slowest(cls, input_mhz: Fraction) -> Pll | None:
        """Return the setting with the lowest output; None if there is no setting at all."""
        ranked = cls._ranked(input_mhz)
        return cls(input_mhz=input_mhz, **ranked[0][1]) if ranked else None


def multiples(mhz: Fraction, limits: tuple[Fraction, Fraction]) -> range:
    """Return the factors by which ``mhz`` falls into a range."""
    return range(math.ceil(limits[0] / mhz), math.floor(limits[1] / mhz) + 1)


def mhz_range(low: int | str, high: int | str) -> tuple[Fraction, Fraction]:
    """Return a range of frequencies as exact fractions."""
    return Fraction(low), Fraction(high)
