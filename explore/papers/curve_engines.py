"""Engines for elliptic curves: what their authors say, and one that was built by this flow."""

from __future__ import annotations

from . import Published

__all__ = ["FIGURES"]

_SOURCE = "Others: engines for elliptic curves"


def _engine(core: str, curve: str, width: int, device: str, note: str, *,
            constant_time: bool | None = None, **figures: float) -> Published:
    return Published(source=_SOURCE, table="text", core=core, kind="scalar_multiplication",
                     curve=curve, width=width, device=device, figures=figures, note=note,
                     constant_time=constant_time)


FIGURES = (
    *(_engine(f"Awaludin et al. 2021, {device}", "any", 256, f"Xilinx {device}",
              "Sensors 21(4), 1451. Any point of any curve in Weierstrass form, also P-256.",
              constant_time=True, latency_us=time)
      for device, time in (("Virtex-7", 139.0), ("Zynq-7020", 206.0))),
    _engine("Caliptra ECC", "P-384", 384, "ASIC at 400 MHz",
            "chipsalliance/caliptra-rtl, commit 02df814b. A key pair: the base point, a scalar "
            "blinded by 192 bits, complete formulas. The source has clocks.", constant_time=True,
            fmax_mhz=400.0, cycles_compute=909_648, latency_us=2274.12),
    _engine("x25519-fpga", "Curve25519", 255, "Lattice LFE5U-85F, nextpnr",
            "kazkojima/x25519-fpga, commit ca8dc5ab. The base point only; the slices hold two LUTs "
            "each. Chips ran at 50 MHz.", constant_time=False, slices=21_409, dsp=0, bram=45,
            fmax_mhz=50.0, cycles_compute=59_700, latency_us=1194.0),
    _engine("curve25519-verilog", "Curve25519", 255, "Lattice LFE5U-85F-6, yosys and nextpnr",
            "andres-erbsen/curve25519-verilog, built by the flow of this project. Any point.",
            constant_time=True, lut=21_286, dsp=15, fmax_mhz=60.5, cycles_compute=69_378,
            latency_us=1146.7),
    _engine("Sasdrich, Güneysu 2015", "Curve25519", 255, "Xilinx Zynq-7020",
            "More than 32,000, by several cores side by side.", constant_time=True,
            scalar_multiplications_per_s=32_000),
)
