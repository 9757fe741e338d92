"""The clock domain of a design: its clock, and a reset that ends when the clock is steady."""

from __future__ import annotations

from amaranth.build import Platform
from amaranth.hdl import ClockDomain, ClockSignal, Const, Elaboratable, Module, Signal
from amaranth.lib import io
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer

from .catalogue import Board
from .pll import Clock

__all__ = ["ClockGenerator"]

#: Block RAM of the iCE40 reads as zeros for some 3 µs after configuration; Amaranth waits as long.
_START_SECONDS = 15e-6


class ClockGenerator(Elaboratable):
    """Drives domain ``sync``, which the surrounding design defines, from a board's clock.

    The reset ends 15 µs after the clock is steady, in step with the clock. The reset button of a
    board, if there is one, resets the domain too. There is no other clock domain.

    Parameters
    ----------
    board : :class:`~boards.catalogue.Board`
        The board for whose platform the generator is elaborated.
    clock : :class:`~boards.pll.Clock`
        The way in which the clock is made.
    """

    def __init__(self, board: Board, clock: Clock) -> None:
        self._board, self._clock = board, clock

    def elaborate(self, platform: Platform) -> Module:
        m = Module()
        port = platform.request(self._board.clock, dir="-")
        output = Signal()
        locked = Signal()
        self._clock.connect(m, port, output, locked, self._board)
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

        button = self._button(m, platform)
        # Without a lock there may be no clock, so the lock itself is a reset as well.
        m.submodules.reset = ResetSynchronizer(~started | ~locked | button, domain="sync")
        return m

    def _button(self, m: Module, platform: Platform) -> Signal | Const:
        if platform.default_rst is None:
            return Const(0)
        m.submodules.button = button = io.Buffer("i", platform.request(platform.default_rst,
                                                                       dir="-"))
        return button.i
