"""OpenTitan's big number accelerator OTBN: RSA and elliptic curves by programs."""

from __future__ import annotations

from . import Published

__all__ = ["FIGURES"]

_SOURCE = "OpenTitan: OTBN, hw/ip/otbn/doc/otbn_intro.md, commit 022eecb"
_MHZ = 100.0


def _program(width: int, clocks: int, note: str, *, curve: str = "", **figures: float
             ) -> Published:
    return Published(
        source=_SOURCE, table="Performance", core="OTBN", width=width,
        kind="scalar_multiplication" if curve else "exponentiator", curve=curve,
        constant_time=bool(curve) or None, device="ASIC at 100 MHz",
        figures={"fmax_mhz": _MHZ, "cycles_compute": clocks, "latency_us": clocks / _MHZ,
                 **figures},
        note=f"{note} The source has clocks; the time is at 100 MHz, for which its authors compute "
             "times.")


FIGURES = (
    _program(2048, 18_889_021, "Without CRT, constant time."),
    _program(3072, 61_303_537, "Without CRT, constant time."),
    _program(2048, 132_028, "With the public exponent 65537.", exponent_bits=17),
    _program(256, 670_089, "Any point. The scalar is blinded, and has 320 bits.", curve="P-256"),
    _program(384, 1_632_638, "Any point.", curve="P-384"),
    _program(255, 114_488, "Any point.", curve="Curve25519"),
)
