"""Nozaki, Motoyama, Shimbo, Kawamura: RSA in a residue number system."""

from __future__ import annotations

from . import Published

__all__ = ["FIGURES"]

_SOURCE = ("Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
           "Montgomery Multiplication")
_DEVICE = "0.25 µm CMOS at 80 MHz and 2.5 V"
_MHZ = 80.0


def _time(bits: int, milliseconds: float, mode: str) -> Published:
    return Published(
        source=_SOURCE, table="Table 1", core="cox_rower", width=bits, device=_DEVICE,
        kind="rsa_crt" if mode == "with" else "exponentiator",
        params={"rowers": 11, "word_width": 32},
        note=f"RSA {mode} CRT on 11 Rowers; the clocks follow from the time. "
        "Loading and what depends on the key alone are not counted.",
        figures={"fmax_mhz": _MHZ, "cycles_compute": round(1000 * milliseconds * _MHZ),
                 "latency_us": 1000 * milliseconds})


def _memory(lengths: str, rom: int, ram: int, note: str) -> Published:
    return Published(source=_SOURCE, table="Table 3", core="cox_rower", kind="exponentiator",
                     width=None, device=_DEVICE, note=f"For keys of {lengths}. {note}",
                     figures={"rom_kib": rom, "ram_kib": ram})


FIGURES = (
    Published(source=_SOURCE, table="Table 1", core="cox_rower", kind="exponentiator", width=None,
              device=_DEVICE, figures={"rowers": 11, "gates": 221_000, "gates_divider": 36_000,
                                       "gates_total": 333_000, "area_mm2": 6.9 * 6.9},
              note="Base sizes 22, 33 and 66 for keys of up to 672, 1024 and 2080 bits."),
    Published(source=_SOURCE, table="Table 1", core="mgf1", kind="hash", width=4096,
              device=_DEVICE, figures={"gates": 57_000, "fmax_mhz": _MHZ},
              note="SHA-1 that has a function for MGF1. The width is that of the longest key."),
    _time(1024, 4.2, "without"), _time(1024, 2.4, "with"),
    _time(2048, 29.2, "without"), _time(2048, 8.9, "with"), _time(4096, 60.4, "with"),
    _memory("2048 bits, and 4096 with CRT", 209, 24, "The chip that was built."),
    _memory("2048 bits, and 2048 with CRT", 138, 20, "Estimated."),
    _memory("1024 bits, and 2048 with CRT", 57, 12, "Estimated."),
    Published(source=_SOURCE, table="text", core="Rainbow CryptoSwift", kind="rsa_crt",
              width=1024, device="ASIC", figures={"latency_us": 5000.0}, note="RSA with CRT."),
    Published(source=_SOURCE, table="text", core="Pijnenburg", kind="exponentiator", width=1024,
              device="ASIC", figures={"latency_us": 3000.0},
              note="RSA without CRT; with it 1.5 ms."),
)
