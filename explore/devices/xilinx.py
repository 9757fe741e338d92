"""Xilinx Virtex-II to 7 series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._shared import abc_flow, area_only, multipliers, widelut
from .model import Family

__all__ = ["TARGETS"]


def _distributed(inputs: int) -> dict[str, Mapping[str, int]]:
    """Return what RAM of LUTs with so many inputs counts for: each LUT has a port that reads."""
    bits = 1 << inputs
    return {f"RAM{depth}X1{ports}": {"lut": max(depth // bits, 1) * number}
            for depth in (16, 32, 64, 128, 256, 512) for ports, number in (("S", 1), ("D", 2))}


def _virtex(name: str, inputs: int, slice: tuple[int, int],
            cells: Mapping[str, Mapping[str, int]], **more: Any) -> Family:
    # Carry chains and wide multiplexers lie in the slice beside the LUTs they join. Block RAM is
    # counted in units of 18 kbit, two of which are one block since Virtex-5.
    return Family(
        name=name, lut_name=f"LUT{inputs}", slice=slice,
        synth=f"synth_xilinx -family {name} -flatten -noiopad -noclkbuf",
        area={**{f"LUT{size}": {"lut": 1} for size in range(1, inputs + 1)}, "INV": {"lut": 1},
              "SRL*": {"lut": 1}, "FD*": {"ff": 1}, **_distributed(inputs), **cells},
        options={"abc": abc_flow("default" if inputs == 4 else "flow3"),
                 "multipliers": multipliers(logic=("-nodsp",)),
                 "widelut": widelut(inputs)},
        **more)


_MULT18 = {"MULT18X18*": {"dsp": 1}, "RAMB16*": {"bram": 1}}
_DSP48 = {"DSP48": {"dsp": 1}, "RAMB16*": {"bram": 1}}
_RAM_OF_4 = {"RAM32M": {"lut": 4}, "RAM64M": {"lut": 4},
             "RAMB18*": {"bram": 1}, "RAMB36*": {"bram": 2}}
_DSP48E1 = {"DSP48E1": {"dsp": 1}, **_RAM_OF_4}

TARGETS = tuple(area_only(family, technology, f"Xilinx {summary}")
                for family, technology, summary in (
    (_virtex("xc2v", 4, (2, 2), _MULT18), "xilinx-virtex2", "Virtex-II"),
    (_virtex("xc4v", 4, (2, 2), _DSP48), "xilinx-virtex4", "Virtex-4"),
    (_virtex("xc5v", 6, (4, 4), {"DSP48E": {"dsp": 1}, **_RAM_OF_4}), "xilinx-virtex5",
     "Virtex-5"),
    (_virtex("xc6v", 6, (4, 8), _DSP48E1), "xilinx-7", "Virtex-6"),
    (_virtex("xc7", 6, (4, 8), _DSP48E1, models="xc7",
             simulation=("read_verilog -defer +/xilinx/cells_sim.v",
                         "read_verilog -defer -overwrite models.v")), "xilinx-7",
     "7 series: Artix-7, Kintex-7, Spartan-7, Virtex-7, Zynq-7000"),
))
