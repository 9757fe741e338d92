"""The hardware that makes the clock domain of a design, and holds its reset until it is steady."""

from __future__ import annotations

from amaranth.build import Platform
from amaranth.hdl import ClockDomain, ClockSignal, Const, Elaboratable, Instance, Module, Signal
from amaranth.lib import io
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer

from .catalogue import Board
from .clock import Direct
from .pll import Clock, EcpPll, IcePll

__all__ = ["ClockGenerator"]

#: Block RAM of the iCE40 reads as zeros for some 3 µs after configuration; Amaranth waits as long.
_START_SECONDS = 15e-6

#: Pins that only SB_PLL40_PAD can take its input from, by package (nextpnr-ice40 refuses others).
_PLL_PINS = {("iCE40UP5K", "SG48"): "35"}


class ClockGenerator(Elaboratable):
    """Drives domain ``sync``, which is defined around it, from a board's clock.

    The reset ends 15 µs after the clock is steady, in step with it; a button that the board has for
    that is a reset too. There is no other domain for a design to cross to.

    Parameters
    ----------
    board : :class:`~boards.catalogue.Board`
        Whose platform it is elaborated for.
    clock : :class:`~boards.pll.Clock`
        How it is made.
    """

    def __init__(self, board: Board, clock: Clock) -> None:
        self._board, self._clock = board, clock

    def elaborate(self, platform: Platform) -> Module:
        m = Module()
        port = platform.request(self._board.clock, dir="-")
        output = Signal(name="output")
        locked = Signal(name="locked")
        make = {Direct: self._direct, IcePll: self._ice, EcpPll: self._ecp}[type(self._clock)]
        make(m, port, output, locked)
        # nextpnr knows the frequency of the board's clock, and what a PLL makes of it.
        m.domains.start = ClockDomain(name="start", reset_less=True, local=True)
        m.d.comb += [ClockSignal("sync").eq(output), ClockSignal("start").eq(output)]

        steady = Signal(name="steady")
        m.submodules.steady = FFSynchronizer(locked, steady, o_domain="start")
        wait = round(_START_SECONDS * self._clock.frequency_hz)
        timer = Signal(range(wait + 1), name="timer")
        started = Signal(name="started")
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

    def _direct(self, m: Module, port: io.PortLike, output: Signal, locked: Signal) -> None:
        m.submodules.buffer = buffer = io.Buffer("i", port)
        m.d.comb += [output.eq(buffer.i), locked.eq(1)]

    def _ice(self, m: Module, port: io.PortLike, output: Signal, locked: Signal) -> None:
        clock = self._clock
        pin = port.io.metadata[0].name
        if _PLL_PINS.get((self._board.device, self._board.package)) == pin:
            cell, source = "SB_PLL40_PAD", {"i_PACKAGEPIN": port.io}
        else:
            m.submodules.buffer = buffer = io.Buffer("i", port)
            cell, source = "SB_PLL40_CORE", {"i_REFERENCECLK": buffer.i}
        m.submodules.pll = Instance(
            cell, p_FEEDBACK_PATH="SIMPLE", p_PLLOUT_SELECT="GENCLK",
            p_DIVR=Const(clock.divr, 4), p_DIVF=Const(clock.divf, 7), p_DIVQ=Const(clock.divq, 3),
            p_FILTER_RANGE=Const(clock.filter_range, 3), i_RESETB=Const(1), i_BYPASS=Const(0),
            o_PLLOUTGLOBAL=output, o_LOCK=locked, **source)

    def _ecp(self, m: Module, port: io.PortLike, output: Signal, locked: Signal) -> None:
        clock = self._clock
        m.submodules.buffer = buffer = io.Buffer("i", port)
        feedback = Signal(name="feedback")
        m.submodules.pll = Instance(
            "EHXPLLL",
            # What Project Trellis's ecppll gives all PLLs: filter and charge pump.
            a_ICP_CURRENT="12", a_LPF_RESISTOR="8", a_MFG_ENABLE_FILTEROPAMP="1",
            a_MFG_GMCREF_SEL="2", a_FREQUENCY_PIN_CLKI=f"{float(clock.input_mhz):.6f}",
            a_FREQUENCY_PIN_CLKOP=f"{float(clock.feedback_mhz):.6f}",
            a_FREQUENCY_PIN_CLKOS=f"{float(clock.output_mhz):.6f}",
            p_PLLRST_ENA="DISABLED", p_INTFB_WAKE="DISABLED", p_STDBY_ENABLE="DISABLED",
            p_DPHASE_SOURCE="DISABLED", p_FEEDBK_PATH="CLKOP",
            p_OUTDIVIDER_MUXA="DIVA", p_OUTDIVIDER_MUXB="DIVB", p_OUTDIVIDER_MUXC="DIVC",
            p_OUTDIVIDER_MUXD="DIVD",
            p_CLKI_DIV=clock.clki_div, p_CLKFB_DIV=clock.clkfb_div,
            p_CLKOP_ENABLE="ENABLED", p_CLKOP_DIV=clock.clkop_div,
            p_CLKOP_CPHASE=clock.clkop_div - 1, p_CLKOP_FPHASE=0,
            p_CLKOS_ENABLE="ENABLED", p_CLKOS_DIV=clock.clkos_div,
            p_CLKOS_CPHASE=clock.clkos_div - 1, p_CLKOS_FPHASE=0,
            i_CLKI=buffer.i, i_CLKFB=feedback, o_CLKOP=feedback, o_CLKOS=output, o_LOCK=locked,
            i_RST=Const(0), i_STDBY=Const(0), i_PLLWAKESYNC=Const(0), i_ENCLKOP=Const(0),
            i_ENCLKOS=Const(0), i_PHASESEL0=Const(0), i_PHASESEL1=Const(0),
            i_PHASEDIR=Const(1), i_PHASESTEP=Const(1), i_PHASELOADREG=Const(1))
