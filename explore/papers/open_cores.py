"""Open cores of others, built by the flow that this project uses for its own."""

from __future__ import annotations

from . import Published

__all__ = ["FIGURES"]

_DEVICE = "Lattice LFE5U-85F-6; yosys with abc9 script flow3, nextpnr with placer weight 30"


def _modexp(width: int, clocks: int, latency_us: float, note: str) -> Published:
    return Published(source="secworks/modexp, commit 7a3211e", table="built and simulated here",
                     core="modexp", kind="multiplier", width=width, device=_DEVICE, note=note,
                     figures={"lut": 1773, "ff": 591, "dsp": 0, "bram": 13, "fmax_mhz": 70.4,
                              "cycles_compute": clocks, "latency_us": latency_us})


_WHAT = "Words of 32 bits; one core for all lengths, as single_dsp is."

FIGURES = (
    _modexp(256, 7443, 106, _WHAT),
    _modexp(1024, 103491, 1470, f"{_WHAT} The clocks are extrapolated from three lengths."),
)
