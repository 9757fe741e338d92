"""Cologne Chip GateMate."""

from __future__ import annotations

from ._shared import PORTS, capacity, placer_weight
from .model import Family, Limit, Target

__all__ = ["TARGETS"]

# A Cologne programmable element (CPE) has two halves, each with a register behind a tree of three
# LUTs of two inputs: that tree, an L2T4, is what is counted. It does what a LUT4 does for part of
# the functions of four inputs. What has more inputs takes both halves; an adder takes one half a
# bit. nextpnr's count is larger: a register alone takes the tree before it, and so does either end
# of a carry chain. Block RAM is counted in units of 20 kbit.
#
# There are no multiplier blocks. yosys would make a product of an array of CPEs, one cell whose
# size its statistics do not tell; so products are made of L2T4 and adders. nextpnr takes no LUT
# but the trees, and no multiplexer of eight inputs.
_GATEMATE = Family(
    name="gatemate", placer="nextpnr-himbaechel-gatemate", extra="gatemate",
    synth="synth_gatemate -luttree -nomx8 -nomult", inner_args=("-noiopad", "-noclkbuf"),
    # Registers are not named after their signals otherwise.
    finish=("autoname",), lut_name="L2T4",
    area={"CC_LUT1": {"lut": 1}, "CC_LUT2": {"lut": 1}, "CC_L2T4": {"lut": 1},
          "CC_L2T5": {"lut": 2}, "CC_MX2": {"lut": 1}, "CC_MX4": {"lut": 2}, "CC_ADDF": {"lut": 1},
          "CC_DFF": {"ff": 1}, "CC_BRAM_20K": {"bram": 1}, "CC_BRAM_40K": {"bram": 2}},
    options={"placer_weight": placer_weight(10)},
    suffixes=("CC_",), carries=("COUTY1",))

#: The first one is a clock input.
_PINS = ("IO_SB_A8", "IO_SB_B6", "IO_EB_B1")
#: nextpnr's mode 3 is that of the highest core voltage, its timing 3 the worst case.
TARGETS = (
    Target(name="gatemate-a1", family=_GATEMATE, technology="generic",
           summary="Cologne Chip GateMate CCGM1A1, speed mode",
           device_args=("--device", "CCGM1A1", "--vopt", "fpga_mode=3", "--vopt", "time_mode=3",
                        "--vopt", "ccf=pins.ccf"),
           files={"pins.ccf": "".join(f'NET "{port}" Loc = "{pin}";\n'
                                      for port, pin in zip(PORTS, _PINS, strict=True))},
           limits=(Limit(what="clock", mhz=416.67, verified=False,
                         source="output of the PLL in speed mode by DS1001 (CCGM1A1 data sheet), "
                                "as nextpnr has it"),),
           capacity=capacity(40960, 0, 64)),
)
