"""Cryptech's modexpng: RSA with CRT on an FPGA."""

from __future__ import annotations

from . import Published

__all__ = ["FIGURES"]

_SOURCE = "Cryptech: modexpng"
_DEVICE = "Xilinx Artix-7 200T"


def _core(multipliers: int, milliseconds: float) -> Published:
    return Published(
        source=_SOURCE, table="core", core=f"modexpng, {multipliers} multipliers",
        kind="rsa_crt", width=2048, device=_DEVICE,
        figures={"multipliers": multipliers, "latency_us": 1000 * milliseconds},
        note="Blinding is included. The length of the key does not stand beside the time; the "
             "clocks fit 2048 bits.")


FIGURES = (
    _core(8, 17.6), _core(16, 10.2), _core(32, 6.71),
    Published(source=_SOURCE, table="whole board", core="board with modexpng", kind="rsa_crt",
              width=2048, device=_DEVICE, figures={"signatures_per_s": 116},
              note="Signatures by the board, of which modexpng is a part."),
)
