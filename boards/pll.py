"""PLLs: their settings, computed and checked against the ranges of the data sheets.

What is out of a range cannot be made. The frequency that is found is the highest one that is not
above the one asked for, so that timing that is met at that one is met.
"""

from __future__ import annotations

import abc
import bisect
import dataclasses
import functools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

__all__ = ["Clock", "ClockError", "EcpPll", "IcePll", "Pll"]


class ClockError(ValueError):
    """A clock that cannot be made; the message is one line that names the nearest one."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Clock(abc.ABC):
    """How the clock of a design is made of the board's.

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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pll(Clock):
    """What PLLs have in common: ranges in MHz, both ends included.

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
        """Names, values and ranges of all that has one."""
        return [("PLL input in MHz", self.input_mhz, self.input_range),
                ("PLL phase detector in MHz", self.detector_mhz, self.detector_range),
                ("PLL oscillator in MHz", self.oscillator_mhz, self.oscillator_range),
                ("PLL output in MHz", self.output_mhz, self.output_range)]

    @classmethod
    @abc.abstractmethod
    def _dividers(cls, input_mhz: Fraction) -> Iterator[tuple[Fraction, dict[str, int]]]:
        """Yield ratios of output to input with dividers, those of quicker detectors last.

        All ranges are kept but for that of the output.
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

        Of several it is the one with the quickest phase detector, which has the least jitter.
        """
        ranked = cls._ranked(input_mhz)
        number = bisect.bisect_right(ranked, output_mhz / input_mhz, key=lambda found: found[0])
        return cls(input_mhz=input_mhz, **ranked[number - 1][1]) if number else None

    @classmethod
    def slowest(cls, input_mhz: Fraction) -> Pll | None:
        """Return the setting with the lowest output; None if there is no setting at all."""
        ranked = cls._ranked(input_mhz)
        return cls(input_mhz=input_mhz, **ranked[0][1]) if ranked else None


def _multiples(mhz: Fraction, limits: tuple[Fraction, Fraction]) -> range:
    """Return the factors that bring ``mhz`` into a range."""
    return range(math.ceil(limits[0] / mhz), math.floor(limits[1] / mhz) + 1)


def _range(low: int | str, high: int | str) -> tuple[Fraction, Fraction]:
    return Fraction(low), Fraction(high)


@dataclasses.dataclass(frozen=True, kw_only=True)
class IcePll(Pll):
    """SB_PLL40 of the iCE40, with its feedback inside (FEEDBACK_PATH ``SIMPLE``).

    Attributes
    ----------
    divr, divf, divq : int
        As the cell's parameters: the output is ``input / (divr + 1) * (divf + 1) / 2**divq``.
    """

    divr: int
    divf: int
    divq: int

    input_range = detector_range = _range(10, 133)
    oscillator_range = _range(533, 1066)
    output_range = _range(16, 275)
    source = "FPGA-DS-02029 and FPGA-DS-02008, sysCLOCK PLL timing"

    #: Up to which frequency of the detector each filter range reaches, as Lattice's tools choose.
    _FILTERS: ClassVar = ((17, 1), (26, 2), (44, 3), (66, 4), (101, 5), (math.inf, 6))

    @property
    def detector_mhz(self) -> Fraction:
        return self.input_mhz / (self.divr + 1)

    @property
    def oscillator_mhz(self) -> Fraction:
        return self.detector_mhz * (self.divf + 1)

    @property
    def output_mhz(self) -> Fraction:
        return self.oscillator_mhz / (1 << self.divq)

    @property
    def filter_range(self) -> int:
        return next(number for below, number in self._FILTERS if self.detector_mhz < below)

    @property
    def checks(self) -> list:
        return [("DIVR", self.divr, (0, 15)), ("DIVF", self.divf, (0, 127)),
                ("DIVQ", self.divq, (1, 6)), *super().checks]

    @classmethod
    def _dividers(cls, input_mhz: Fraction) -> Iterator[tuple[Fraction, dict[str, int]]]:
        for divr in range(min(math.floor(input_mhz / cls.detector_range[0]), 16) - 1, -1, -1):
            for multiple in _multiples(input_mhz / (divr + 1), cls.oscillator_range):
                for divq in range(1, 7):
                    if multiple <= 128:
                        yield (Fraction(multiple, (divr + 1) << divq),
                               {"divr": divr, "divf": multiple - 1, "divq": divq})


@dataclasses.dataclass(frozen=True, kw_only=True)
class EcpPll(Pll):
    """EHXPLLL of the ECP5: CLKOP is fed back, CLKOS is the output.

    With a divider of its own, CLKOS has far more frequencies than CLKOP, which are multiples of
    the phase detector's.

    Attributes
    ----------
    clki_div, clkfb_div, clkop_div, clkos_div : int
        As the cell's parameters; the oscillator is ``input / clki_div * clkfb_div * clkop_div``.
    """

    clki_div: int
    clkfb_div: int
    clkop_div: int
    clkos_div: int

    input_range = _range(8, 400)
    detector_range = _range(10, 400)
    oscillator_range = _range(400, 800)
    output_range = _range("3.125", 400)
    source = "FPGA-DS-02012, sysCLOCK PLL timing"

    @property
    def detector_mhz(self) -> Fraction:
        return self.input_mhz / self.clki_div

    @property
    def feedback_mhz(self) -> Fraction:
        """Frequency of CLKOP, which goes to CLKFB."""
        return self.detector_mhz * self.clkfb_div

    @property
    def oscillator_mhz(self) -> Fraction:
        return self.feedback_mhz * self.clkop_div

    @property
    def output_mhz(self) -> Fraction:
        return self.oscillator_mhz / self.clkos_div

    @property
    def checks(self) -> list:
        # Project Trellis knows no feedback divider above 80.
        return [("CLKI_DIV", self.clki_div, (1, 128)), ("CLKFB_DIV", self.clkfb_div, (1, 80)),
                ("CLKOP_DIV", self.clkop_div, (1, 128)), ("CLKOS_DIV", self.clkos_div, (1, 128)),
                # Both an output and an input of the PLL.
                ("PLL feedback in MHz", self.feedback_mhz, self.input_range), *super().checks]

    @classmethod
    def _dividers(cls, input_mhz: Fraction) -> Iterator[tuple[Fraction, dict[str, int]]]:
        for clki_div in range(math.floor(input_mhz / cls.detector_range[0]), 0, -1):
            detector = input_mhz / clki_div
            for multiple in _multiples(detector, cls.oscillator_range):
                # The quickest feedback that is allowed.
                clkop_div = next(divider for divider in range(1, multiple + 1)
                                 if multiple % divider == 0 and multiple // divider <= 80
                                 and detector * multiple / divider <= cls.input_range[1])
                for clkos_div in range(1, 129):
                    yield (Fraction(multiple, clki_div * clkos_div),
                           {"clki_div": clki_div, "clkfb_div": multiple // clkop_div,
                            "clkop_div": clkop_div, "clkos_div": clkos_div})
