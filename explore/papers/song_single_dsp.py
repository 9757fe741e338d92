"""Song, Kawakami, Nakano, Ito: one DSP block and one block RAM."""

from __future__ import annotations

import dataclasses

from . import Published

__all__ = ["FIGURES"]

_SOURCE = ("Song, Kawakami, Nakano, Ito: An RSA Encryption Hardware Algorithm using a Single DSP "
           "Block and a Single Block RAM on the FPGA")
_DEVICE = "Xilinx XC6VLX240T-1, ISE 11.4"
_WIDTHS = (64, 128, 256, 512, 1024, 2048)
_MHZ = 447.027


def _figure(table: str, width: int | None, note: str = "", **figures: float) -> Published:
    return Published(source=_SOURCE, table=table, core="single_dsp", kind="exponentiator",
                     width=width, device=_DEVICE, figures=figures, note=note,
                     params={"word_width": 17, "method": "binary"})


def _on(table: str, device: str, **figures: float) -> Published:
    return dataclasses.replace(_figure(table, None, "", **figures), device=f"{device}, ISE 11.4")


def _cited(core: str, device: str, mhz: float, ms: float, note: str,
           **figures: float) -> Published:
    figures = {**figures, "fmax_mhz": mhz, "latency_us": 1000 * ms}
    return Published(source=_SOURCE, table="Table VIII", core=core, kind="exponentiator",
                     width=1024, device=device, figures=figures, note=note)


FIGURES = (
    _figure("Table II", None, slices=180, dsp=1, bram=1, fmax_mhz=_MHZ,
            note="A slice of Virtex-6 has four LUT6."),
    _on("Table IV", "Xilinx XC5VSX50T-1", slices=128, dsp=1, bram=1, fmax_mhz=362.5),
    _on("Table V", "Xilinx XC4VSX35-10", slices=251, dsp=1, bram=1, fmax_mhz=291.4),
    *(_figure("Table III", width, fmax_mhz=_MHZ, cycles_compute=clocks, latency_us=1000 * ms,
              note="Every bit of the exponent is 1. The clocks are (2d² + 8d + 9) 2R for d digits, "
                   "not what Equation 3 gives.")
      for width, clocks, ms in zip(
          _WIDTHS, (9344, 51456, 332288, 2231296, 16259072, 123940864),
          (0.02, 0.12, 0.74, 4.99, 36.37, 277.26), strict=True)),
    _figure("Table VI", None, processors=128, slices=23040, dsp=128, bram=64, fmax_mhz=_MHZ,
            note="Just 128 times one processor. Two of them lie in one block RAM of 36 kbit, each "
                 "in a half of its own."),
    *(_figure("Table VII", width, processors=768, throughput_mibps=rate,
              note="Computed, not placed, from the rounded times of Table III, for 768 DSP blocks. "
                   "Equation 5 is used with 301,440 slices, which are the registers of the device; "
                   "it has 37,680 slices, room for 209 processors of 180.")
      for width, rate in zip(_WIDTHS, (2343.75, 781.25, 253.378, 75.15, 20.62, 5.41),
                             strict=True)),
    _cited("Blum, Paar", "Xilinx XC40250XV", 45.6, 11.95, "Worst case. Not scalable.", clbs=6633),
    _cited("Nakano et al.", "Xilinx XC2VP30-6", 52.9, 2.52, "Worst case. Not scalable.",
           slices=11589, bram=29, dsp=64),
    _cited("Suzuki", "Xilinx XC4VFX12-10", 400, 1.71,
           "Worst case. The logic runs at 200 MHz, the DSP blocks at 400.", slices=3937, bram=7,
           dsp=17),
    _cited("Mazzeo et al.", "Xilinx Virtex-E 2000-8", 86.2, 3.86, "With the exponent 2^17 + 1. Not "
           "scalable.", slices=1188, exponent_bits=18),
    _cited("Alho et al.", "Altera Stratix EP1S40", 198, 28, "Average case, 13,604 bits of memory.",
           logic_elements=341, dsp=1),
)
