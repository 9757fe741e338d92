"""Lattice ECP5."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import io

from ..family import Family
from ..pll import Pll, mhz_range, multiples

if TYPE_CHECKING:
    from ..catalogue import Board

__all__ = ["FAMILY", "EcpPll"]

#: The speed grade that has no suffix in the name of a target.
_PLAIN_SPEED = "6"


@dataclasses.dataclass(frozen=True, kw_only=True)
class EcpPll(Pll):
    """EHXPLLL of the ECP5: CLKOP is fed back, CLKOS is the output.

    CLKOS has a divider of its own, and so far more frequencies than CLKOP, whose frequency is a
    multiple of the phase detector's.

    Attributes
    ----------
    clki_div, clkfb_div, clkop_div, clkos_div : int
        Parameters of the cell; the oscillator runs at
        ``input / clki_div * clkfb_div * clkop_div``.
    """

    clki_div: int
    clkfb_div: int
    clkop_div: int
    clkos_div: int

    input_range = mhz_range(8, 400)
    detector_range = mhz_range(10, 400)
    oscillator_range = mhz_range(400, 800)
    output_range = mhz_range("3.125", 400)
    source = "FPGA-DS-02012, sysCLOCK PLL timing"

    @property
    def detector_mhz(self) -> Fraction:
        return self.input_mhz / self.clki_div

    @property
    def feedback_mhz(self) -> Fraction:
        """Frequency of CLKOP, which is fed back to CLKFB."""
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
            for multiple in multiples(detector, cls.oscillator_range):
                # The quickest feedback that is allowed.
                clkop_div = next(divider for divider in range(1, multiple + 1)
                                 if multiple % divider == 0 and multiple // divider <= 80
                                 and detector * multiple / divider <= cls.input_range[1])
                for clkos_div in range(1, 129):
                    yield (Fraction(multiple, clki_div * clkos_div),
                           {"clki_div": clki_div, "clkfb_div": multiple // clkop_div,
                            "clkop_div": clkop_div, "clkos_div": clkos_div})

    def connect(self, m: Module, port: io.PortLike, output: Signal, locked: Signal,
                board: Board) -> None:
        m.submodules.buffer = buffer = io.Buffer("i", port)
        feedback = Signal()
        m.submodules.pll = Instance(
            "EHXPLLL",
            # What Project Trellis's ecppll gives all PLLs: filter and charge pump.
            a_ICP_CURRENT="12", a_LPF_RESISTOR="8", a_MFG_ENABLE_FILTEROPAMP="1",
            a_MFG_GMCREF_SEL="2", a_FREQUENCY_PIN_CLKI=f"{float(self.input_mhz):.6f}",
            a_FREQUENCY_PIN_CLKOP=f"{float(self.feedback_mhz):.6f}",
            a_FREQUENCY_PIN_CLKOS=f"{float(self.output_mhz):.6f}",
            p_PLLRST_ENA="DISABLED", p_INTFB_WAKE="DISABLED", p_STDBY_ENABLE="DISABLED",
            p_DPHASE_SOURCE="DISABLED", p_FEEDBK_PATH="CLKOP",
            p_OUTDIVIDER_MUXA="DIVA", p_OUTDIVIDER_MUXB="DIVB", p_OUTDIVIDER_MUXC="DIVC",
            p_OUTDIVIDER_MUXD="DIVD",
            p_CLKI_DIV=self.clki_div, p_CLKFB_DIV=self.clkfb_div,
            p_CLKOP_ENABLE="ENABLED", p_CLKOP_DIV=self.clkop_div,
            p_CLKOP_CPHASE=self.clkop_div - 1, p_CLKOP_FPHASE=0,
            p_CLKOS_ENABLE="ENABLED", p_CLKOS_DIV=self.clkos_div,
            p_CLKOS_CPHASE=self.clkos_div - 1, p_CLKOS_FPHASE=0,
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
    oscillators=("OSCG",), levels={"IO_TYPE": "LVCMOS33"}, pll=EcpPll)
