"""Zhang, Dong: several iterations a clock."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import Published

__all__ = ["FIGURES"]

_SOURCE = "Zhang, Dong: A high speed Montgomery processor of 256-bit on FPGA"
_TABLE = "Table 1"


def _cited(core: str, device: str, mhz: float, clocks: int, latency_us: float, note: str = "",
           params: Mapping[str, int] = MappingProxyType({}), **figures: float) -> Published:
    return Published(source=_SOURCE, table=_TABLE, core=core, kind="multiplier", width=256,
                     device=device, params=params, note=note,
                     figures={"fmax_mhz": mhz, "cycles_compute": clocks, "latency_us": latency_us,
                              **figures})


FIGURES = (
    _cited("multi_step", "Altera Stratix III, Quartus II 13.0", 76.8, 16, 0.208,
           "16 iterations a clock. The table rounds 16 clocks at 76.8 MHz to 0.2. The 16 clocks "
           "are those of the iterations: whether the final addition and subtraction are in them "
           "is not said.", {"steps": 16}, aluts=17161, dsp=0),
    Published(source=_SOURCE, table="text", core="estimate of Zhang, Dong",
              kind="scalar_multiplication", width=256,
              device="Altera Stratix III, Quartus II 13.0", figures={"aluts": 17161,
              "latency_us": 760.0}, curve="P-256", constant_time=False,
              note="Estimated, at some 3,650 multiplications; no circuit was built, and additions "
                   "take no time."),
    _cited("Yuan 2005", "0.13 µm ASIC", 100, 120, 1.2, "Systolic array."),
    _cited("McIvor, McLoone, McCanny 2006", "Xilinx Virtex-II", 45.6, 32, 0.7,
           "The text gives the slices.", dsp=256, slices=11992),
    _cited("Gong, Li 2010", "Altera Cyclone III", 30.38, 15, 0.49,
           "The text gives 23,405 LEs to this one and to the next.", dsp=81, logic_elements=23405),
    _cited("Mulla, Kasetwar 2014", "Altera Cyclone III", 30.05, 3, 0.1,
           "Fully parallel. The text gives 23,405 LEs to this one and to the one before.", dsp=16,
           logic_elements=23405),
    _cited("Morales-Sandoval 2016, k = 32", "Xilinx Spartan-3", 63.8, 79, 1.25,
           "The table has it as Altera's."),
    _cited("Morales-Sandoval 2016, k = 64", "Xilinx Virtex-5", 68.24, 23, 0.35),
)
