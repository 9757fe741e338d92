"""Open cores of others, built by the flow that this project uses for its own.

Those of which there are rows, as ``montgomery list rivals`` names them, are not here.
"""

from __future__ import annotations

from . import Published

__all__ = ["FIGURES"]

_DEVICE = "Lattice LFE5U-85F-6; yosys with abc9 script flow3, nextpnr with placer weight 30"


def _other(core: str, commit: str, width: int, note: str = "", **figures: float) -> Published:
    return Published(source=f"{core}, commit {commit}" if commit else core,
                     table="built and simulated here", core=core.rpartition("/")[2],
                     kind="multiplier", width=width, device=_DEVICE, figures=figures, note=note)


_FIOS = ("LOUISNOYEZ/FIOS_DSP_MM", "19561c0")

FIGURES = (
    _other(*_FIOS, 256, "FOLD, 6 processing elements, radix 2^17.", lut=2619, ff=5882, dsp=6,
           bram=0, fmax_mhz=130.4, cycles_compute=204, latency_us=1.564),
    _other(*_FIOS, 1024, "FOLD, 20 processing elements.", lut=8504, ff=20072, dsp=20, bram=0,
           fmax_mhz=115.7, cycles_compute=789, latency_us=6.82),
    _other("carry-save radix 2", "", 256, "A textbook design, the modulus on a port.", lut=2875,
           ff=793, dsp=0, bram=0, fmax_mhz=143.2, cycles_compute=387, latency_us=2.70),
    _other("freecores/mod_sim_exp", "d8a981b", 1024, "Systolic, radix 2.", lut=14395,
           ff=2838, dsp=0, bram=0, fmax_mhz=139.4, cycles_compute=2176, latency_us=15.61),
    _other("secworks/modexp", "7a3211e", 1024, "Words of 32 bits; one core for all lengths, as "
           "single_dsp is. The clocks are extrapolated from three lengths.", lut=1773, ff=591,
           dsp=0, bram=13, fmax_mhz=70.4, cycles_compute=103491, latency_us=1470),
)
