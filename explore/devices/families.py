"""What devices of a family share: its tools, what its cells count for, and their options."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

__all__ = ["CYCLONE5", "ECP5", "GOWIN", "ICE40", "NEXUS", "VIRTEX", "Family", "Option"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Option:
    """A tool option that shapes results, and so is part of a point.

    Attributes
    ----------
    choices : tuple
        The legal values; an integer or a string each.
    effect : dict
        From each choice to what it adds at ``where``.
    where : str
        ``setup`` (yosys commands before synthesis), ``synth`` (arguments of the synthesis
        command), ``place`` (arguments of nextpnr) or ``sites`` (types of cells that are given
        sites of the device before they are placed).
    portable : bool
        False if it says nothing to cores that are the same for all devices.
    """

    default: int | str
    effect: Mapping[int | str, tuple[str, ...]]
    where: str
    help: str
    portable: bool = True

    @property
    def choices(self) -> tuple[int | str, ...]:
        return tuple(self.effect)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Family:
    """What the devices of a family share.

    Attributes
    ----------
    placer : str or None
        None where there is none: then synthesis is all, and tells the area alone.
    area : dict
        From yosys's cell type to the columns it counts in: ``{"CCU2C": {"lut": 2}}``. A type that
        ends in ``*`` stands for all types that begin so. Cells that are not listed take no area
        of their own.
    inner_args : tuple of str
        Arguments of the synthesis command for a module whose ports are no pins, where the placer
        wants the buffers of pins in the netlist.
    finish : tuple of str
        Commands that make what the synthesis command leaves fit for the placer.
    slice : tuple of int or None
        LUTs and registers of a slice, in families whose areas papers count in slices.
    """

    name: str
    placer: str | None
    synth: str
    place_args: tuple[str, ...] = ()
    lut_name: str
    area: Mapping[str, Mapping[str, int]]
    options: Mapping[str, Option]
    inner_args: tuple[str, ...] = ()
    finish: tuple[str, ...] = ()
    slice: tuple[int, int] | None = None

    def slices(self, area: Mapping[str, float]) -> int | None:
        """Return an estimate of the slices for an ``area`` of ``lut`` and ``ff``; None without any.

        It is the least there can be, if all slices are full of LUTs or of registers. Vendors' tools
        leave some partly empty.
        """
        if self.slice is None:
            return None
        luts, registers = self.slice
        return max(math.ceil(area["lut"] / luts), math.ceil(area["ff"] / registers))

    def count(self, cells: Mapping[str, int]) -> dict[str, int]:
        """Return the columns ``lut``, ``ff``, ``dsp`` and ``bram`` of a dictionary of cells."""
        columns = dict.fromkeys(("lut", "ff", "dsp", "bram"), 0)
        for cell, number in cells.items():
            for pattern, weights in self.area.items():
                if cell == pattern or (pattern[-1] == "*" and cell.startswith(pattern[:-1])):
                    for column, weight in weights.items():
                        columns[column] += weight * number
        return columns


def _abc_flow(default: str) -> Option:
    flows = {name: (f"scratchpad -copy abc9.script.{name} abc9.script",)
             for name in ("flow", "flow2", "flow3")}
    return Option(default=default, where="setup", effect={"default": (), **flows},
                  help="script of abc9, yosys's technology mapper")


def _placer_weight(default: int) -> Option:
    return Option(default=default, where="place",
                  effect={weight: ("--placer-heap-timingweight", str(weight))
                          for weight in (5, 10, 15, 20, 30, 40, 60, 100)},
                  help="how much nextpnr's placer minds timing, against wire length")


def _placer(*others: str) -> Option:
    return Option(default="heap", where="place",
                  effect={"heap": (), **{name: ("--placer", name) for name in others}},
                  help="algorithm of nextpnr's placer; placer_weight is for heap")


def _multipliers(*, blocks: tuple[str, ...] = (), logic: tuple[str, ...] = ()) -> Option:
    return Option(default="blocks", where="synth", effect={"blocks": blocks, "logic": logic},
                  portable=False,
                  help="what multiplies: the device's blocks alone, or logic alone")


def _dsp_placement(cell: str) -> Option:
    return Option(default="free", where="sites", effect={"free": (), "rows": (cell,)},
                  portable=False,
                  help="who finds places for multiplier blocks: nextpnr, or along their rows in "
                       "the order of the core's elements")


def _widelut(what: str) -> Option:
    return Option(default="yes", where="synth", effect={"yes": (), "no": ("-nowidelut",)},
                  help=f"whether {what} and the multiplexers of the slice")


# An SB_CARRY lies in the logic cell of the SB_LUT4 that uses it, so it is not counted. nextpnr
# spends a cell of its own on one that has no such LUT, and on the end of a chain that leaves it;
# ICESTORM_LC in its report is larger for that, and for registers that have no LUT.
ICE40 = Family(
    name="ice40", placer="nextpnr-ice40", synth="synth_ice40", lut_name="LUT4",
    area={"SB_LUT4": {"lut": 1}, "SB_DFF*": {"ff": 1}, "SB_MAC16": {"dsp": 1},
          "SB_RAM40_4K*": {"bram": 1}, "SB_SPRAM256KA": {"bram": 1}},
    options={"abc": _abc_flow("default"), "placer_weight": _placer_weight(10),
             "multipliers": _multipliers()})

# A carry cell is two LUT4 with a chain between them. 16 x 4 bits of RAM are four LUT4 that hold
# the bits, and two more whose place in the slice the write port takes. PFUMX and L6MUX21 are
# wired in the slice beside the LUT4 they join, which are counted.
ECP5 = Family(
    name="ecp5", placer="nextpnr-ecp5", synth="synth_ecp5",
    place_args=("--lpf-allow-unconstrained",), lut_name="LUT4",
    area={"LUT4": {"lut": 1}, "CCU2C": {"lut": 2}, "TRELLIS_DPR16X4": {"lut": 6},
          "TRELLIS_FF": {"ff": 1}, "MULT18X18D": {"dsp": 1}, "MULT9X9D": {"dsp": 1},
          "DP16KD": {"bram": 1}, "PDPW16KD": {"bram": 1}},
    options={"abc": _abc_flow("flow3"), "placer": _placer("static"),
             "placer_weight": _placer_weight(30), "multipliers": _multipliers(logic=("-nodsp",)),
             "dsp_placement": _dsp_placement("MULT18X18D"),
             "widelut": _widelut("LUTs of more than 4 inputs are made of LUT4")})

# The first cell of a chain ignores its carry input, which yosys ties to 0 all the same (its issue
# 5639), and nextpnr refuses a carry from elsewhere than a chain. So it is disconnected again.
_NEXUS_CHAINS = (
    "design -save mapped", "design -reset",
    """read_verilog <<END
module VLO(output Z); assign Z = 1'b0; endmodule
module VHI(output Z); assign Z = 1'b1; endmodule
END""",
    "design -save constants", "design -reset",
    """read_verilog <<END
module CCU2(input CIN, A1, B1, C1, D1, A0, B0, C0, D0, output S1, S0, COUT);
    parameter INJECT = "YES";
    parameter INIT0 = "0x0000";
    parameter INIT1 = "0x0000";
    parameter _TECHMAP_CONSTMSK_CIN_ = 1'b0;
    wire _TECHMAP_FAIL_ = !_TECHMAP_CONSTMSK_CIN_ || INIT0 != "0xFFFF" || INIT1 != "0x00AA";
    CCU2 #(.INJECT(INJECT), .INIT0(INIT0), .INIT1(INIT1)) _TECHMAP_REPLACE_ (
        .A1(A1), .B1(B1), .C1(C1), .D1(D1), .A0(A0), .B0(B0), .C0(C0), .D0(D0),
        .S1(S1), .S0(S0), .COUT(COUT));
endmodule
END""",
    "design -save chains", "design -load mapped", "techmap -map %constants", "clean",
    "techmap -map %chains", "clean", "hilomap -singleton -hicell VHI Z -locell VLO Z", "clean",
    "autoname")

# As on ECP5, but that a WIDEFN9 is two LUT4 and what joins them.
NEXUS = Family(
    name="nexus", placer="nextpnr-nexus", synth="synth_nexus", inner_args=("-noiopad",),
    lut_name="LUT4", finish=_NEXUS_CHAINS,
    area={"LUT4": {"lut": 1}, "WIDEFN9": {"lut": 2}, "CCU2": {"lut": 2}, "DPR16X4": {"lut": 6},
          "FD1P3*": {"ff": 1}, "MULT9X9": {"dsp": 1}, "MULT18X18": {"dsp": 1},
          "MULT18X36": {"dsp": 2}, "MULT36X36": {"dsp": 4}, "DP16K_MODE": {"bram": 1},
          "PDP16K_MODE": {"bram": 1}, "PDPSC16K_MODE": {"bram": 1}},
    options={"abc": _abc_flow("flow3"), "placer_weight": _placer_weight(10),
             "multipliers": _multipliers(logic=("-nodsp",)),
             "widelut": _widelut("LUTs of more than 4 inputs are made of LUT4")})

# An ALU, one bit of a carry chain, is made of a LUT4; nextpnr spends another one on either end of a
# chain. 16 x 4 bits of RAM are four LUT4, and the write port takes the place of two. The wide
# multiplexers lie beside the LUT4 they join.
GOWIN = Family(
    name="gowin", placer="nextpnr-himbaechel-gowin", synth="synth_gowin", inner_args=("-noiopads",),
    lut_name="LUT4",
    area={**{f"LUT{inputs}": {"lut": 1} for inputs in range(1, 5)}, "ALU": {"lut": 1},
          "RAM16S*": {"lut": 6}, "DFF*": {"ff": 1},
          **{f"MULT{size}": {"dsp": 1} for size in ("9X9", "18X18")}, "MULT36X36": {"dsp": 4},
          **{name: {"bram": 1} for name in ("SP", "SPX9", "DPB", "DPX9B", "SDPB", "SDPX9B", "pROM",
                                            "pROMX9")}},
    options={"abc": _abc_flow("default"), "placer_weight": _placer_weight(10),
             "multipliers": _multipliers(logic=("-nodsp",)),
             "widelut": _widelut("LUTs of more than 4 inputs are made of LUT4")})


def _distributed(inputs: int) -> dict[str, Mapping[str, int]]:
    """Return what RAM of LUTs with so many inputs counts for: each LUT has a port that reads."""
    bits = 1 << inputs
    return {f"RAM{depth}X1{ports}": {"lut": max(depth // bits, 1) * number}
            for depth in (16, 32, 64, 128, 256, 512) for ports, number in (("S", 1), ("D", 2))}


def _virtex(name: str, inputs: int, slice: tuple[int, int],
            cells: Mapping[str, Mapping[str, int]]) -> Family:
    # Carry chains and wide multiplexers lie in the slice beside the LUTs they join. Block RAM is
    # counted in units of 18 kbit, two of which are one block since Virtex-5.
    return Family(
        name=name, placer=None, lut_name=f"LUT{inputs}", slice=slice,
        synth=f"synth_xilinx -family {name} -flatten -noiopad -noclkbuf",
        area={**{f"LUT{size}": {"lut": 1} for size in range(1, inputs + 1)}, "INV": {"lut": 1},
              "SRL*": {"lut": 1}, "FD*": {"ff": 1}, **_distributed(inputs), **cells},
        options={"abc": _abc_flow("default" if inputs == 4 else "flow3"),
                 "multipliers": _multipliers(logic=("-nodsp",)),
                 "widelut": _widelut(f"LUTs of more than {inputs} inputs are made of LUT{inputs}")})


_MULT18 = {"MULT18X18*": {"dsp": 1}, "RAMB16*": {"bram": 1}}
_DSP48 = {"DSP48": {"dsp": 1}, "RAMB16*": {"bram": 1}}
_RAM_OF_4 = {"RAM32M": {"lut": 4}, "RAM64M": {"lut": 4},
             "RAMB18*": {"bram": 1}, "RAMB36*": {"bram": 2}}

VIRTEX = {family.name: family for family in (
    _virtex("xc2v", 4, (2, 2), _MULT18),
    _virtex("xc4v", 4, (2, 2), _DSP48),
    _virtex("xc5v", 6, (4, 4), {"DSP48E": {"dsp": 1}, **_RAM_OF_4}),
    _virtex("xc6v", 6, (4, 8), {"DSP48E1": {"dsp": 1}, **_RAM_OF_4}),
    _virtex("xc7", 6, (4, 8), {"DSP48E1": {"dsp": 1}, **_RAM_OF_4}),
)}

# An adaptive logic module is two of these LUTs. A multiplier counts as one whatever its size: a
# block holds three of 9 bits, two of 18 or one of 27.
CYCLONE5 = Family(
    name="cyclonev", placer=None, synth="synth_intel_alm -family cyclonev -noiopad -noclkbuf",
    lut_name="ALUT",
    area={"MISTRAL_ALUT*": {"lut": 1}, "MISTRAL_NOT": {"lut": 1}, "MISTRAL_MLAB": {"lut": 1},
          "MISTRAL_FF": {"ff": 1}, "MISTRAL_MUL*": {"dsp": 1}, "MISTRAL_M10K": {"bram": 1}},
    options={"abc": _abc_flow("flow3"), "multipliers": _multipliers(logic=("-nodsp",))})
