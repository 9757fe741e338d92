"""Lattice ECP5."""

from __future__ import annotations

from ._shared import abc_flow, capacity, dsp_placement, multipliers, placer, placer_weight, widelut
from .model import Family, Limit, Target

__all__ = ["TARGETS"]


def _stand_in(name: str) -> Target:
    # An LFE5U-12F has the die of an LFE5U-25F, with another identification code.
    return {target.name: target for target in TARGETS}[name.replace("12k", "25k")]


# A carry cell is two LUT4 with a chain between them. 16 x 4 bits of RAM are four LUT4 that hold
# the bits, and two more whose place in the slice the write port takes. PFUMX and L6MUX21 are
# wired in the slice beside the LUT4 they join, which are counted.
_ECP5 = Family(
    name="ecp5", placer="nextpnr-ecp5", synth="synth_ecp5",
    place_args=("--lpf-allow-unconstrained",), lut_name="LUT4",
    area={"LUT4": {"lut": 1}, "CCU2C": {"lut": 2}, "TRELLIS_DPR16X4": {"lut": 6},
          "TRELLIS_FF": {"ff": 1}, "MULT18X18D": {"dsp": 1}, "MULT9X9D": {"dsp": 1},
          "DP16KD": {"bram": 1}, "PDPW16KD": {"bram": 1}},
    options={"abc": abc_flow("flow3"), "placer": placer("static"),
             "placer_weight": placer_weight(30), "multipliers": multipliers(logic=("-nodsp",)),
             "dsp_placement": dsp_placement("MULT18X18D"), "widelut": widelut()},
    suffixes=("TRELLIS_", r"LUT\d_", "CCU2C_", "PFUMX_", "L6MUX21_"), carries=("FCO",),
    blocks={"dsp": ("MULT18X18D",), "bram": ("DP16KD",)},
    # Some of the cells stand twice in yosys's file.
    simulation=("read_verilog -defer -nooverwrite +/lattice/cells_sim_ecp5.v",
                "read_verilog -defer -overwrite models.v"),
    models="ecp5", stand_in=_stand_in)

_SHEET = "FPGA-DS-02012 (ECP5 and ECP5-5G family data sheet)"
_CLOCK = {6: 257.0, 7: 303.0, 8: 370.0}
_CAPACITY = {25: (24288, 28, 56), 45: (43848, 72, 108), 85: (83640, 156, 208)}
#: By size, each row of multipliers with the columns in which blocks of four begin, as nextpnr's
#: database of the device has them.
_MULTIPLIERS: dict[int, list[tuple[int, tuple[int, ...]]]] = {
    25: [(13, (4, 13, 22, 33, 42, 51, 60))],
    45: [(row, (4, 13, 22, 31, 42, 51, 60, 69, 78)) for row in (22, 46)],
    85: [(row, (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114)) for row in (10, 34, 58)]}


def _limits(speed: int) -> tuple[Limit, ...]:
    # For the blocks the data sheet has one column; a slower grade cannot do better.
    blocks = f"{_SHEET}, register-to-register performance of speed grade 8"
    return (Limit(what="clock", mhz=_CLOCK[speed], verified=False,
                  source=f"{_SHEET}, primary clock, speed grade {speed}"),
            Limit(what="dsp", mhz=225.0, verified=False,
                  source=f"{blocks}, 18x18 multiplier with all registers"),
            Limit(what="bram", mhz=272.0, verified=False,
                  source=f"{blocks}, 1024x18 RAM with output registers"))


def _multiplier_sites(size: int) -> tuple[tuple[str, ...], ...]:
    """Return the sites of MULT18X18D by row."""
    return tuple(tuple(f"X{column + offset}/Y{row}/MULT18_{offset}"
                       for column in blocks for offset in (0, 1, 4, 5))
                 for row, blocks in _MULTIPLIERS[size])


def _target(size: int, speed: int) -> Target:
    suffix = "" if speed == 6 else f"-{speed}"
    return Target(name=f"ecp5-{size}k{suffix}", family=_ECP5, technology="ecp5",
                  fabric=f"ECP5, speed grade {speed}",
                  summary=f"Lattice LFE5U-{size}F, CABGA381, speed grade {speed}",
                  device_args=(f"--{size}k", "--package", "CABGA381", "--speed", str(speed)),
                  limits=_limits(speed), capacity=capacity(*_CAPACITY[size]),
                  sites={"MULT18X18D": _multiplier_sites(size)})


TARGETS = tuple(_target(size, speed) for size in (25, 45, 85) for speed in (6, 7, 8))
