"""Morales-Romero et al.: a systolic array of DSP blocks."""

from __future__ import annotations

from . import Published

__all__ = ["FIGURES"]

_SOURCE = ("Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication "
           "Systolic Architecture Implemented on an FPGA")
_DEVICE = "Xilinx XC7A100T-CSG324, at 100 MHz, not optimised"
_CONDITION = ("For products below twice the modulus to chain, the modulus has two bits less than "
              "stated. The clocks are the distance of dependent products, 3n + 2.")


_FORM = {"quotient": "plain", "digit_width": 16}


def _own(table: str, width: int, clocks: int, lut: int, ff: int, slices: int,
         dsp: int) -> Published:
    return Published(source=_SOURCE, table=table, core="dsp_systolic", kind="multiplier",
                     width=width, device=_DEVICE, note=_CONDITION, params=_FORM,
                     figures={"lut": lut, "ff": ff, "slices": slices, "dsp": dsp,
                              "cycles_interval": clocks, "fmax_mhz": 100.0,
                              "latency_us": clocks / 100.0})


def _cited(core: str, device: str, mhz: float, clocks: int, note: str = "",
           **figures: float) -> Published:
    return Published(source=_SOURCE, table="Table 4", core=core, kind="multiplier", width=1024,
                     device=device, note=note,
                     figures={"fmax_mhz": mhz, "cycles_compute": clocks,
                              "latency_us": clocks / mhz, **figures})


FIGURES = (
    _own("Table 1", 512, 98, 3098, 2670, 1471, 34),
    _own("Tables 2 and 4", 1024, 194, 6736, 5337, 3429, 66),
    _own("Table 3", 2048, 386, 12854, 10648, 5132, 130),
    Published(source=_SOURCE, table="Table 5", core="dsp_systolic", kind="exponentiator",
              width=1024, device=_DEVICE, params=_FORM,
              figures={"lut": 7587, "ff": 9499, "slices": 4253, "dsp": 66, "fmax_mhz": 100.0,
                       "cycles_compute": 397_700, "latency_us": 3977.0},
              note="2,050 products of 194 clocks for an exponent of 1024 bits; loading is not "
                   "counted."),
    _cited("Perin, Gomes, Martins 2011", "Xilinx Virtex-4", 110, 384, slices=7012, dsp=130),
    _cited("Perin, Gomes, Martins 2011", "Xilinx Virtex-5", 130, 384, slices=6642, dsp=130),
    _cited("Wang, Liu, Wang, Gao 2013", "Xilinx Virtex-5", 120, 199, lut=14440, ff=7826, dsp=66),
    _cited("McIvor, McLoone, McCanny 2005", "Xilinx Virtex-II", 104, 199, slices=5709, dsp=131),
    _cited("Mrabet et al. 2017", "Xilinx Artix-7", 65, 66, lut=5242, ff=4208, slices=2072,
           dsp=161),
    _cited("Mrabet et al. 2017", "Xilinx Virtex-5", 65, 66, lut=5824, ff=6072),
)
