"""Lattice iCE40."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import io

from ..family import Family
from ..pll import Pll, mhz_range, multiples

if TYPE_CHECKING:
    from ..catalogue import Board

__all__ = ["FAMILY", "IcePll"]

#: Pins that only SB_PLL40_PAD can take its input from, by package (nextpnr-ice40 refuses others).
_PLL_PINS = {("iCE40UP5K", "SG48"): "35"}
#: Packages whose PLL is not connected (noplls_db of Project IceStorm).
_WITHOUT_PLL = {("iCE40LP1K", package) for package in ("SWG16TR", "CM36", "CM49", "QN48", "CB81")}
_WITHOUT_PLL |= {("iCE40HX1K", "VQ100"), ("iCE40LP384", "QN32")}


@dataclasses.dataclass(frozen=True, kw_only=True)
class IcePll(Pll):
    """SB_PLL40 of the iCE40, with internal feedback (FEEDBACK_PATH ``SIMPLE``).

    Attributes
    ----------
    divr, divf, divq : int
        Parameters of the cell; the output is ``input / (divr + 1) * (divf + 1) / 2**divq``.
    """

    divr: int
    divf: int
    divq: int

    input_range = detector_range = mhz_range(10, 133)
    oscillator_range = mhz_range(533, 1066)
    output_range = mhz_range(16, 275)
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
            for multiple in multiples(input_mhz / (divr + 1), cls.oscillator_range):
                for divq in range(1, 7):
                    if multiple <= 128:
                        yield (Fraction(multiple, (divr + 1) << divq),
                               {"divr": divr, "divf": multiple - 1, "divq": divq})

    def connect(self, m: Module, port: io.PortLike, output: Signal, locked: Signal,
                board: Board) -> None:
        pin = port.io.metadata[0].name
        if _PLL_PINS.get((board.device, board.package)) == pin:
            cell, source = "SB_PLL40_PAD", {"i_PACKAGEPIN": port.io}
        else:
            m.submodules.buffer = buffer = io.Buffer("i", port)
            cell, source = "SB_PLL40_CORE", {"i_REFERENCECLK": buffer.i}
        m.submodules.pll = Instance(
            cell, p_FEEDBACK_PATH="SIMPLE", p_PLLOUT_SELECT="GENCLK",
            p_DIVR=Const(self.divr, 4), p_DIVF=Const(self.divf, 7), p_DIVQ=Const(self.divq, 3),
            p_FILTER_RANGE=Const(self.filter_range, 3), i_RESETB=Const(1), i_BYPASS=Const(0),
            o_PLLOUTGLOBAL=output, o_LOCK=locked, **source)


def _target(board: Board) -> str:
    return f"ice40-{board.device.removeprefix('iCE40').lower()}"


FAMILY = Family(
    name="ice40", placer="nextpnr-ice40", packer="icepack", ending="bin", target=_target,
    oscillators=("SB_HFOSC", "SB_LFOSC"), levels={"IO_STANDARD": "SB_LVCMOS"}, pll=IcePll,
    without_pll=frozenset(_WITHOUT_PLL))
