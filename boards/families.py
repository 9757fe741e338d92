"""The families of FPGAs for which bitstreams are built: a family is one entry of a table."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import io

if TYPE_CHECKING:
    from .catalogue import Board
    from .clock import Clock

__all__ = ["Family", "Pll", "families"]

#: The speed grade that has no suffix in the name of a target.
_PLAIN_SPEED = "6"
#: What CLKOP may reach that is fed back.
_FEEDBACK_MHZ = 400
#: Pins that only SB_PLL40_PAD can take its input from, by package (nextpnr-ice40 refuses others).
_PLL_PINS = {("iCE40UP5K", "SG48"): "35"}
#: Packages whose PLL is not connected (noplls_db of Project IceStorm).
_WITHOUT_PLL = {("iCE40LP1K", package) for package in ("SWG16TR", "CM36", "CM49", "QN48", "CB81")}
_WITHOUT_PLL |= {("iCE40HX1K", "VQ100"), ("iCE40LP384", "QN32")}
#: Up to which frequency of the detector each filter range reaches, as Lattice's tools choose.
_FILTERS = ((17, 1), (26, 2), (44, 3), (66, 4), (101, 5), (math.inf, 6))
_WIDTHS = {"DIVR": 4, "DIVF": 7, "DIVQ": 3, "FILTER_RANGE": 3}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pll:
    """A PLL, with ranges in MHz that include both ends.

    Attributes
    ----------
    input_range, detector_range, oscillator_range, output_range : pair of float
        Of the data sheet. They leave no divider of the input or of the feedback out of its range.
    dividers : sequence of int
        By what the oscillator can be divided.
    connect : callable
        Adds submodule ``pll`` to a module, for a clock, the port of the board's clock, signals that
        get the clock and whether it is steady, and the board.
    """

    input_range: tuple[float, float]
    detector_range: tuple[float, float]
    oscillator_range: tuple[float, float]
    output_range: tuple[float, float]
    dividers: Sequence[int]
    connect: Callable[[Module, Clock, io.PortLike, Signal, Signal, Board], None]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Family:
    """Facts about a family of FPGAs that its bitstreams need, and that Amaranth does not know.

    Attributes
    ----------
    name : str
        The spelling of Amaranth's vendor support, in lower case.
    placer, packer : str
        The programs that Amaranth runs after yosys; the packer makes the bitstream.
    ending : str
        Ending of the name of a bitstream's file.
    target : callable
        Returns the name of the target in measurements for the FPGA of a board.
    oscillators : tuple of str
        Clocks on the FPGA itself, which are too inaccurate for a serial port.
    levels : dict from str to str
        Attributes of pins for levels of 3.3 V.
    pll : :class:`Pll`
    without_pll : frozenset of tuple of str
        Pairs of a device and a package in which the PLL cannot be used.
    """

    name: str
    placer: str
    packer: str
    ending: str
    target: Callable[[Board], str]
    oscillators: tuple[str, ...]
    levels: Mapping[str, str]
    pll: Pll
    without_pll: frozenset[tuple[str, str]] = frozenset()


def _ecp5_parameters(clock: Clock) -> dict[str, int]:
    """Return the dividers of EHXPLLL: CLKOP, as fast as may be, is fed back, CLKOS leaves."""
    clkop = next(divider for divider in range(1, clock.multiple + 1)
                 if clock.multiple % divider == 0
                 and clock.detector_mhz * clock.multiple / divider <= _FEEDBACK_MHZ)
    return {"CLKI_DIV": clock.reference, "CLKFB_DIV": clock.multiple // clkop,
            "CLKOP_DIV": clkop, "CLKOS_DIV": clock.divider}


def _connect_ecp5(m: Module, clock: Clock, port: io.PortLike, output: Signal, locked: Signal,
                  board: Board) -> None:
    m.submodules.buffer = buffer = io.Buffer("i", port)
    feedback = Signal()
    dividers = _ecp5_parameters(clock)
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


def _ecp5_target(board: Board) -> str:
    size = board.device.rpartition("-")[2].removesuffix("F")
    grade = "" if board.speed == _PLAIN_SPEED else f"-{board.speed}"
    return f"ecp5-{size}k{grade}"


def _ice40_parameters(clock: Clock) -> dict[str, int]:
    """Return the settings of SB_PLL40 with internal feedback (FEEDBACK_PATH ``SIMPLE``)."""
    return {"DIVR": clock.reference - 1, "DIVF": clock.multiple - 1,
            "DIVQ": clock.divider.bit_length() - 1,
            "FILTER_RANGE": next(number for below, number in _FILTERS
                                 if clock.detector_mhz < below)}


def _connect_ice40(m: Module, clock: Clock, port: io.PortLike, output: Signal, locked: Signal,
                   board: Board) -> None:
    pin = port.io.metadata[0].name
    if _PLL_PINS.get((board.device, board.package)) == pin:
        cell, source = "SB_PLL40_PAD", {"i_PACKAGEPIN": port.io}
    else:
        m.submodules.buffer = buffer = io.Buffer("i", port)
        cell, source = "SB_PLL40_CORE", {"i_REFERENCECLK": buffer.i}
    m.submodules.pll = Instance(
        cell, p_FEEDBACK_PATH="SIMPLE", p_PLLOUT_SELECT="GENCLK",
        **{f"p_{name}": Const(value, _WIDTHS[name])
           for name, value in _ice40_parameters(clock).items()},
        i_RESETB=Const(1), i_BYPASS=Const(0), o_PLLOUTGLOBAL=output, o_LOCK=locked, **source)


def _ice40_target(board: Board) -> str:
    return f"ice40-{board.device.removeprefix('iCE40').lower()}"


_FAMILIES = (
    Family(
        name="ecp5", placer="nextpnr-ecp5", packer="ecppack", ending="bit", target=_ecp5_target,
        oscillators=("OSCG",), levels={"IO_TYPE": "LVCMOS33"},
        # FPGA-DS-02012, sysCLOCK PLL timing.
        pll=Pll(input_range=(8, 400), detector_range=(10, 400), oscillator_range=(400, 800),
                output_range=(3.125, 400), dividers=range(1, 129), connect=_connect_ecp5)),
    Family(
        name="ice40", placer="nextpnr-ice40", packer="icepack", ending="bin", target=_ice40_target,
        oscillators=("SB_HFOSC", "SB_LFOSC"), levels={"IO_STANDARD": "SB_LVCMOS"},
        # FPGA-DS-02029 and FPGA-DS-02008, sysCLOCK PLL timing.
        pll=Pll(input_range=(10, 133), detector_range=(10, 133), oscillator_range=(533, 1066),
                output_range=(16, 275), dividers=(2, 4, 8, 16, 32, 64), connect=_connect_ice40),
        without_pll=frozenset(_WITHOUT_PLL)))


def families() -> Mapping[str, Family]:
    """Return the dictionary from name to :class:`Family`, sorted by name."""
    return {family.name: family for family in _FAMILIES}
