"""Lattice iCE40."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import io

from ..clock import Clock, Pll
from . import Family

if TYPE_CHECKING:
    from ..catalogue import Board

__all__ = ["FAMILY"]

#: Pins that only SB_PLL40_PAD can take its input from, by package (nextpnr-ice40 refuses others).
_PLL_PINS = {("iCE40UP5K", "SG48"): "35"}
#: Packages whose PLL is not connected (noplls_db of Project IceStorm).
_WITHOUT_PLL = {("iCE40LP1K", package) for package in ("SWG16TR", "CM36", "CM49", "QN48", "CB81")}
_WITHOUT_PLL |= {("iCE40HX1K", "VQ100"), ("iCE40LP384", "QN32")}
#: Up to which frequency of the detector each filter range reaches, as Lattice's tools choose.
_FILTERS = ((17, 1), (26, 2), (44, 3), (66, 4), (101, 5), (math.inf, 6))
_WIDTHS = {"DIVR": 4, "DIVF": 7, "DIVQ": 3, "FILTER_RANGE": 3}


def _parameters(clock: Clock) -> dict[str, int]:
    """Return the settings of SB_PLL40 with internal feedback (FEEDBACK_PATH ``SIMPLE``)."""
    return {"DIVR": clock.reference - 1, "DIVF": clock.multiple - 1,
            "DIVQ": clock.divider.bit_length() - 1,
            "FILTER_RANGE": next(number for below, number in _FILTERS
                                 if clock.detector_mhz < below)}


def _connect(m: Module, clock: Clock, port: io.PortLike, output: Signal, locked: Signal,
             board: Board) -> None:
    pin = port.io.metadata[0].name
    if _PLL_PINS.get((board.device, board.package)) == pin:
        cell, source = "SB_PLL40_PAD", {"i_PACKAGEPIN": port.io}
    else:
        m.submodules.buffer = buffer = io.Buffer("i", port)
        cell, source = "SB_PLL40_CORE", {"i_REFERENCECLK": buffer.i}
    m.submodules.pll = Instance(
        cell, p_FEEDBACK_PATH="SIMPLE", p_PLLOUT_SELECT="GENCLK",
        **{f"p_{name}": Const(value, _WIDTHS[name]) for name, value in _parameters(clock).items()},
        i_RESETB=Const(1), i_BYPASS=Const(0), o_PLLOUTGLOBAL=output, o_LOCK=locked, **source)


def _target(board: Board) -> str:
    return f"ice40-{board.device.removeprefix('iCE40').lower()}"


FAMILY = Family(
    name="ice40", placer="nextpnr-ice40", packer="icepack", ending="bin", target=_target,
    oscillators=("SB_HFOSC", "SB_LFOSC"), levels={"IO_STANDARD": "SB_LVCMOS"},
    # FPGA-DS-02029 and FPGA-DS-02008, sysCLOCK PLL timing.
    pll=Pll(input_range=(10, 133), detector_range=(10, 133), oscillator_range=(533, 1066),
            output_range=(16, 275), dividers=(2, 4, 8, 16, 32, 64), connect=_connect),
    without_pll=frozenset(_WITHOUT_PLL))
