"""Lattice iCE40."""

from __future__ import annotations

import dataclasses

from ._shared import abc_flow, capacity, multipliers, placer_weight
from .model import Family, Limit, Target

__all__ = ["TARGETS"]


def _stand_in(name: str) -> Target:
    # Smaller dies of the same family; the data sheet has one limit for HX and LP.
    return dataclasses.replace(_HX8K, synth_args=("-device", "lp" if "lp" in name else "hx"))


# An SB_CARRY lies in the logic cell of the SB_LUT4 that uses it, so it is not counted. nextpnr
# spends a cell of its own on one that has no such LUT, and on the end of a chain that leaves it;
# ICESTORM_LC in its report is larger for that, and for registers that have no LUT.
_ICE40 = Family(
    name="ice40", placer="nextpnr-ice40", synth="synth_ice40", lut_name="LUT4",
    area={"SB_LUT4": {"lut": 1}, "SB_DFF*": {"ff": 1}, "SB_MAC16": {"dsp": 1},
          "SB_RAM40_4K*": {"bram": 1}, "SB_SPRAM256KA": {"bram": 1}},
    options={"abc": abc_flow("default"), "placer_weight": placer_weight(10),
             "multipliers": multipliers()},
    suffixes=("SB_",), carries=("COUT",),
    blocks={"dsp": ("ICESTORM_DSP",), "bram": ("ICESTORM_RAM",)},
    # Deferred, since some of the cells are large memories, which take minutes to be read.
    simulation=("read_verilog -defer +/ice40/cells_sim.v",), stand_in=_stand_in)

_ULTRAPLUS_SHEET = "FPGA-DS-02008 (iCE40 UltraPlus family data sheet)"
_HX8K = Target(
    name="ice40-hx8k", family=_ICE40, synth_args=("-device", "hx"), technology="ice40",
    summary="Lattice iCE40 HX8K, CT256", capacity=capacity(7680, 0, 32),
    device_args=("--hx8k", "--package", "ct256"),
    limits=(Limit(what="clock", mhz=275.0, verified=True,
                  source="FPGA-DS-02029 (iCE40 LP/HX family data sheet), global buffer"),))
_UP5K = Target(
    name="ice40-up5k", family=_ICE40, synth_args=("-device", "u"), technology="ice40-ultra",
    summary="Lattice iCE40 UltraPlus 5K, SG48", capacity=capacity(5280, 8, 30),
    device_args=("--up5k", "--package", "sg48"),
    limits=(Limit(what="clock", mhz=185.0, verified=True,
                  source=f"{_ULTRAPLUS_SHEET}, global buffer"),
            # For multipliers it only has one without the register within them.
            Limit(what="bram", mhz=150.0, verified=True,
                  source=f"{_ULTRAPLUS_SHEET}, 256x16 RAM")))
TARGETS = (_HX8K, _UP5K)
