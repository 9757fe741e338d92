"""The clock of a design: the board's own, or what a PLL makes of it; and the reset that follows it.

The frequency that is found is the highest one that is not above the requested one, so that a design
that meets timing at the requested frequency still meets it.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import math
from collections.abc import Sequence
from fractions import Fraction

from amaranth.build import Platform
from amaranth.hdl import ClockDomain, ClockSignal, Const, Elaboratable, Module, Signal
from amaranth.lib import io
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer

from .catalogue import Board
from .families import Pll, families

__all__ = ["Clock", "ClockGenerator", "clock_for"]

#: Block RAM of the iCE40 reads as zeros for some 3 µs after configuration; Amaranth waits as long.
_START_SECONDS = 15e-6


@dataclasses.dataclass(frozen=True, kw_only=True)
class Clock:
    """A clock of ``input_mhz * multiple / (reference * divider)``.

    Attributes
    ----------
    input_mhz : Fraction
        Frequency of the board's clock.
    reference, multiple, divider : int
        Of the PLL: by what its input is divided, its oscillator is faster than the result, and its
        output is slower than the oscillator. Without a PLL, all are 1.
    """

    input_mhz: Fraction
    reference: int = 1
    multiple: int = 1
    divider: int = 1

    @property
    def direct(self) -> bool:
        """Whether there is no PLL."""
        return self == Clock(input_mhz=self.input_mhz)

    @property
    def detector_mhz(self) -> Fraction:
        """Frequency that the phase detector of the PLL compares."""
        return self.input_mhz / self.reference

    @property
    def output_mhz(self) -> Fraction:
        """Frequency of the design's clock, exactly."""
        return self.detector_mhz * self.multiple / self.divider

    @property
    def frequency_hz(self) -> float:
        return float(self.output_mhz * 1_000_000)


def clock_for(board: Board, mhz: float) -> Clock:
    """Return the clock of a board with the highest frequency that is not above ``mhz``.

    If there is none, the message of :exc:`ValueError` names the slowest one.
    """
    if not math.isfinite(mhz):
        raise ValueError(f"Clock must be a number of MHz, not {mhz}")
    # The frequencies that were meant: 3.3, not the binary number nearest to it.
    own, wanted = (Fraction(value).limit_denominator(1_000_000)
                   for value in (board.clock_mhz, mhz))
    family = families()[board.family]
    usable = (board.device, board.package) not in family.without_pll
    clocks = _clocks(own, family.pll if usable else None)
    number = bisect.bisect_right(clocks, wanted, key=lambda clock: clock.output_mhz)
    if not number:
        least = float(clocks[0].output_mhz)
        raise ValueError(f"Clock of {board.name} must be {least:g} MHz or more, not {mhz:g}; the "
                         f"nearest one is {least:g}")
    return clocks[number - 1]


@functools.cache
def _clocks(input_mhz: Fraction, pll: Pll | None) -> Sequence[Clock]:
    """Return the clocks that can be made of one, in rising order.

    Of those of one frequency the last one is without a PLL, or has the least jitter.
    """
    found = [Clock(input_mhz=input_mhz)]
    if pll and pll.input_range[0] <= input_mhz <= pll.input_range[1]:
        found += [clock for reference in _quotients(input_mhz, pll.detector_range)
                  for multiple in _factors(input_mhz / reference, pll.oscillator_range)
                  for divider in pll.dividers
                  if pll.output_range[0] <= (clock := Clock(
                      input_mhz=input_mhz, reference=reference, multiple=multiple,
                      divider=divider)).output_mhz <= pll.output_range[1]]
    return sorted(found, key=lambda clock: (clock.output_mhz, clock.direct, clock.detector_mhz,
                                            clock.multiple))


def _factors(mhz: Fraction, limits: tuple[float, float]) -> range:
    """Return the whole numbers whose products with ``mhz`` are in a range."""
    return range(math.ceil(limits[0] / mhz), math.floor(limits[1] / mhz) + 1)


def _quotients(mhz: Fraction, limits: tuple[float, float]) -> range:
    """Return the whole numbers whose quotients of ``mhz`` are in a range."""
    return range(math.ceil(mhz / limits[1]), math.floor(mhz / limits[0]) + 1)


class ClockGenerator(Elaboratable):
    """Drives domain ``sync``, which the surrounding design defines, from a board's clock.

    The reset ends 15 µs after the clock is steady, in step with the clock. The reset button of a
    board, if there is one, resets the domain too. There is no other clock domain.
    """

    def __init__(self, board: Board, clock: Clock) -> None:
        self._board, self._clock = board, clock

    def elaborate(self, platform: Platform) -> Module:
        m = Module()
        port = platform.request(self._board.clock, dir="-")
        output = Signal()
        locked = Signal()
        if self._clock.direct:
            m.submodules.buffer = buffer = io.Buffer("i", port)
            m.d.comb += [output.eq(buffer.i), locked.eq(1)]
        else:
            families()[self._board.family].pll.connect(m, self._clock, port, output, locked,
                                                       self._board)
        # nextpnr knows the frequency of the board's clock, and what a PLL makes of it.
        m.domains.start = ClockDomain(name="start", reset_less=True, local=True)
        m.d.comb += [ClockSignal("sync").eq(output), ClockSignal("start").eq(output)]

        steady = Signal()
        m.submodules.steady = FFSynchronizer(locked, steady, o_domain="start")
        wait = round(_START_SECONDS * self._clock.frequency_hz)
        timer = Signal(range(wait + 1))
        started = Signal()
        with m.If(~steady):
            m.d.start += [timer.eq(0), started.eq(0)]
        with m.Elif(timer == wait):
            m.d.start += started.eq(1)
        with m.Else():
            m.d.start += timer.eq(timer + 1)

        pressed = Const(0)
        if platform.default_rst is not None:
            m.submodules.button = button = io.Buffer(
                "i", platform.request(platform.default_rst, dir="-"))
            pressed = button.i
        # Without a lock there may be no clock, so the lock itself is a reset as well.
        m.submodules.reset = ResetSynchronizer(~started | ~locked | pressed, domain="sync")
        return m
