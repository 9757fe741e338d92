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

def _other(core: str, commit: str, width: int, note: str = "", **figures: float) -> Published:
    return Published(source=f"{core}, commit {commit}" if commit else core,
                     table="built and simulated here", core=core.rpartition("/")[2],
                     kind="multiplier", width=width, device=_DEVICE, figures=figures, note=note)


_FIOS = ("LOUISNOYEZ/FIOS_DSP_MM", "19561c0")
_SYSTOLIC = ("freecores/mod_sim_exp", "d8a981b")
_DEFAULT_FLOW = "With yosys's own script, and nextpnr asked for 100 MHz."

FIGURES = (
    _other(*_FIOS, 256, "FOLD, 6 processing elements, radix 2^17.", lut=2619, ff=5882, dsp=6,
           bram=0, fmax_mhz=130.4, cycles_compute=204, latency_us=1.564),
    _other(*_FIOS, 256, f"EXPAND, 16 processing elements. {_DEFAULT_FLOW}", lut=5987, ff=13422,
           dsp=16, bram=0, fmax_mhz=116.7, cycles_compute=204, latency_us=1.748),
    _other(*_FIOS, 1024, "FOLD, 20 processing elements.", lut=8504, ff=20072, dsp=20, bram=0,
           fmax_mhz=115.7, cycles_compute=789, latency_us=6.82),
    _other("carry-save radix 2", "", 256, "A textbook design, the modulus on a port.", lut=2875,
           ff=793, dsp=0, bram=0, fmax_mhz=143.2, cycles_compute=387, latency_us=2.70),
    _other(*_SYSTOLIC, 256, "Systolic, radix 2.", lut=4325, ff=722, dsp=0, bram=0, fmax_mhz=150.6,
           cycles_compute=544, latency_us=3.61),
    _other(*_SYSTOLIC, 1024, "Systolic, radix 2.", lut=14395, ff=2838, dsp=0, bram=0,
           fmax_mhz=139.4, cycles_compute=2176, latency_us=15.61),
    _other("jhjjin/pynqz2-rsa-montgomery-accelerator", "", 256,
           "Adders of full width; wrong when the modulus has its top bit set. With yosys's own "
           "script.", lut=1864, ff=1303, dsp=0, bram=0, fmax_mhz=62.9, cycles_compute=772,
           latency_us=12.27),
    _modexp(256, 7443, 106, _WHAT),
    _modexp(1024, 103491, 1470, f"{_WHAT} The clocks are extrapolated from three lengths."),
)
