"""Satzoda, Chang, Jong: systolic carry-save multipliers, in one dimension and in two."""

from __future__ import annotations

from . import Published

__all__ = ["FIGURES"]

_SOURCE = ("Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA "
           "Cryptosystems")
_DEVICE = "Xilinx Virtex-II, XST"
_I, _II = "Table I", "Table II"
_UNADDED = ("The result stays in carry-save form: making it binary is not counted, nor are the two "
            "iterations more that chained products need.")
_ROWS = ("The caption says one-dimensional, but these are the arrays. Registers that bring "
         "operands to their row are not counted.")


def _figure(table: str, core: str, width: int, note: str, **figures: float) -> Published:
    return Published(source=_SOURCE, table=table, core=core, kind="multiplier", width=width,
                     device=_DEVICE, figures=figures, note=note)


FIGURES = (
    _figure(_I, "mmm_mx_1d", 1024, f"Design 2. {_UNADDED} The throughput is half the clock, so "
            "2048 clocks a product.", slices=2947, fmax_mhz=386.84, cycles_compute=2048,
            throughput_mbps=193.42),
    _figure(_I, "mmm_op_1d", 1024, "Optimized, of Fournaris and Koufopavlou (ISCAS 2005): "
            "by the same algorithm as mmm_op_1d, but another circuit. The paper has no circuit of "
            f"one dimension like mmm_cs_1d. {_UNADDED}", slices=3611, fmax_mhz=129.10,
            cycles_compute=1024, throughput_mbps=129.00),
    _figure(_I, "Daly, Marnane 2002", 1024, "Carry-propagate adders; a bit a clock.", slices=5458,
            fmax_mhz=54.61, throughput_mbps=54.40),
    _figure(_I, "Ors, Batina, Preneel, Vandewalle 2003", 1024,
            "Carry-propagate adders; a third of a bit a clock.", slices=5706, fmax_mhz=95.62,
            throughput_mbps=31.83),
    _figure(_II, "mmm_mx_2d", 128, f"Design 1. {_ROWS}", slices=44330, fmax_mhz=358.17),
    _figure(_II, "mmm_op_2d", 128, f"Optimized, of Fournaris and Koufopavlou (MWSCAS 2003). "
            f"{_ROWS}", slices=48767, fmax_mhz=168.70),
    _figure(_II, "mmm_cs_2d", 128, f"Conventional, of Fournaris and Koufopavlou (MWSCAS 2003). "
            f"{_ROWS}", slices=65473, fmax_mhz=156.30),
)
