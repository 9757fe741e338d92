"""Lattice ECP5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import io

from ..clock import Clock, Pll
from . import Family

if TYPE_CHECKING:
    from ..catalogue import Board

__all__ = ["FAMILY"]

#: The speed grade that has no suffix in the name of a target.
_PLAIN_SPEED = "6"
#: What CLKOP may reach that is fed back.
_FEEDBACK_MHZ = 400


def _parameters(clock: Clock) -> dict[str, int]:
    """Return the dividers of EHXPLLL: CLKOP, as fast as may be, is fed back, CLKOS is the output.
    """
    clkop = next(divider for divider in range(1, clock.multiple + 1)
                 if clock.multiple % divider == 0
                 and clock.detector_mhz * clock.multiple / divider <= _FEEDBACK_MHZ)
    return {"CLKI_DIV": clock.reference, "CLKFB_DIV": clock.multiple // clkop,
            "CLKOP_DIV": clkop, "CLKOS_DIV": clock.divider}


def _connect(m: Module, clock: Clock, port: io.PortLike, output: Signal, locked: Signal,
             board: Board) -> None:
    m.submodules.buffer = buffer = io.Buffer("i", port)
    feedback = Signal()
    dividers = _parameters(clock)
    m.submodules.pll = Instance(
        "EHXPLLL",
        # What Project Trellis's ecppll gives all PLLs: filter and charge pump.
        a_ICP_CURRENT="12", a_LPF_RESISTOR="8", a_MFG_ENABLE_FILTEROPAMP="1",
        a_MFG_GMCREF_SEL="2", a_FREQUENCY_PIN_CLKI=f"{float(clock.input_mhz):.6f}",
        a_FREQUENCY_PIN_CLKOP=f"{float(clock.detector_mhz * dividers['CLKFB_DIV']):.6f}",
        a_FREQUENCY_PIN_CLKOS=f"{float(clock.output_mhz):.6f}",
        p_PLLRST_ENA="DISABLED", p_INTFB_WAKE="DISABLED", p_STDBY_ENABLE="DISABLED",
        p_DPHASE_SOURCE="DISABLED", p_FEEDBK_PATH="CLKOP",
        p_OUTDIVIDER_MUXA="DIVA", p_OUTDIVIDER_MUXB="DIVB", p_OUTDIVIDER_MUXC="DIVC",
        p_OUTDIVIDER_MUXD="DIVD",
        **{f"p_{name}": value for name, value in dividers.items()},
        p_CLKOP_ENABLE="ENABLED", p_CLKOP_CPHASE=dividers["CLKOP_DIV"] - 1, p_CLKOP_FPHASE=0,
        p_CLKOS_ENABLE="ENABLED", p_CLKOS_CPHASE=dividers["CLKOS_DIV"] - 1, p_CLKOS_FPHASE=0,
        i_CLKI=buffer.i, i_CLKFB=feedback, o_CLKOP=feedback, o_CLKOS=output, o_LOCK=locked,
        i_RST=Const(0), i_STDBY=Const(0), i_PLLWAKESYNC=Const(0), i_ENCLKOP=Const(0),
        i_ENCLKOS=Const(0), i_PHASESEL0=Const(0), i_PHASESEL1=Const(0),
        i_PHASEDIR=Const(1), i_PHASESTEP=Const(1), i_PHASELOADREG=Const(1))


def _target(board: Board) -> str:
    size = board.device.rpartition("-")[2].removesuffix("F")
    grade = "" if board.speed == _PLAIN_SPEED else f"-{board.speed}"
    return f"ecp5-{size}k{grade}"


FAMILY = Family(
    name="ecp5", placer="nextpnr-ecp5", packer="ecppack", ending="bit", target=_target,
    oscillators=("OSCG",), levels={"IO_TYPE": "LVCMOS33"},
    # FPGA-DS-02012, sysCLOCK PLL timing.
    pll=Pll(input_range=(8, 400), detector_range=(10, 400), oscillator_range=(400, 800),
            output_range=(3.125, 400), dividers=range(1, 129), connect=_connect))
