"""FPGAs that points are measured on: devices, tool options, area units and data-sheet limits.

A device is one entry of the table at the end; a family is one :class:`Family`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .names import known

if TYPE_CHECKING:
    from montgomery.technology import Technology

__all__ = ["Family", "Limit", "Option", "Target", "target", "targets"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limit:
    """A frequency that the data sheet allows and nextpnr does not know.

    Attributes
    ----------
    what : str
        ``clock`` (global clock network, always in use), or the column of the area whose use
        makes the limit apply: ``dsp``, ``bram``.
    verified : bool
        Whether the figure was read in the data sheet itself.
    """

    what: str
    mhz: float
    source: str
    verified: bool


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
        command) or ``place`` (arguments of nextpnr).
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
    area : dict
        From yosys's cell type to the columns it counts in: ``{"CCU2C": {"lut": 2}}``. A type that
        ends in ``*`` stands for all types that begin so. Cells that are not listed take no area
        of their own.
    """

    name: str
    placer: str
    synth: str
    place_args: tuple[str, ...]
    lut_name: str
    area: Mapping[str, Mapping[str, int]]
    options: Mapping[str, Option]

    def count(self, cells: Mapping[str, int]) -> dict[str, int]:
        """Return the columns ``lut``, ``ff``, ``dsp`` and ``bram`` of a dictionary of cells."""
        columns = dict.fromkeys(("lut", "ff", "dsp", "bram"), 0)
        for cell, number in cells.items():
            for pattern, weights in self.area.items():
                if cell == pattern or (pattern[-1] == "*" and cell.startswith(pattern[:-1])):
                    for column, weight in weights.items():
                        columns[column] += weight * number
        return columns


@dataclasses.dataclass(frozen=True, kw_only=True)
class Target:
    """One device in one package and speed grade.

    Attributes
    ----------
    device_args : tuple of str
        Arguments of nextpnr that name the device.
    synth_args : tuple of str
        Arguments of the synthesis command that the device needs.
    technology : str
        Name of the montgomery.technology.Technology that says what cores may use of the device.
    """

    name: str
    summary: str
    architecture: Family
    technology: str
    device_args: tuple[str, ...]
    synth_args: tuple[str, ...]
    limits: tuple[Limit, ...]

    @property
    def family(self) -> str:
        return self.architecture.name

    @property
    def lut_name(self) -> str:
        return self.architecture.lut_name

    @property
    def options(self) -> Mapping[str, Option]:
        return self.architecture.options

    @property
    def clock_limit_mhz(self) -> float:
        return next(limit.mhz for limit in self.limits if limit.what == "clock")

    def usable_mhz(self, fmax_mhz: float, area: Mapping[str, int]) -> float:
        """Return the smallest of ``fmax_mhz`` and the limits of the blocks that ``area`` uses."""
        return min([fmax_mhz] + [limit.mhz for limit in self.limits
                                 if limit.what == "clock" or area[limit.what]])

    def technology_for(self, options: Mapping[str, int | str]) -> Technology:
        """Return what cores may use of the device under the options of a point."""
        from montgomery.technology import GENERIC, technologies

        if options.get("multipliers") == "logic":
            return GENERIC
        return technologies()[self.technology]

    def option_args(self, options: Mapping[str, int | str], where: str) -> list[str]:
        """Return what ``options`` (of the family's, each with a legal value) add somewhere."""
        return [word for name, option in self.options.items()
                if option.where == where and name in options
                for word in option.effect[options[name]]]

    def synth_commands(self, top: str, options: Mapping[str, int | str]) -> list[str]:
        """Return the yosys commands that map module ``top`` to the device."""
        flags = [*self.synth_args, *self.option_args(options, "synth")]
        return [*self.option_args(options, "setup"),
                " ".join([self.architecture.synth, "-top", top, *flags])]

    def place_arguments(self, options: Mapping[str, int | str], seed: int) -> list[str]:
        """Return nextpnr's arguments, files aside, with the clock limit as the constraint."""
        return [*self.device_args, *self.architecture.place_args,
                "--freq", f"{self.clock_limit_mhz:g}", "--timing-allow-fail",
                "--seed", str(seed), *self.option_args(options, "place")]


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


def _multipliers(*, blocks: tuple[str, ...] = (), logic: tuple[str, ...] = ()) -> Option:
    return Option(default="blocks", where="synth", effect={"blocks": blocks, "logic": logic},
                  portable=False,
                  help="what multiplies: the device's blocks alone, or logic alone")


# An SB_CARRY lies in the logic cell of the SB_LUT4 that uses it, so it is not counted. nextpnr
# spends a cell of its own on one that has no such LUT, and on the end of a chain that leaves it;
# ICESTORM_LC in its report is larger for that, and for registers that have no LUT.
_ICE40 = Family(
    name="ice40", placer="nextpnr-ice40", synth="synth_ice40", place_args=(), lut_name="LUT4",
    area={"SB_LUT4": {"lut": 1}, "SB_DFF*": {"ff": 1}, "SB_MAC16": {"dsp": 1},
          "SB_RAM40_4K*": {"bram": 1}, "SB_SPRAM256KA": {"bram": 1}},
    options={"abc": _abc_flow("default"), "placer_weight": _placer_weight(10),
             "multipliers": _multipliers()})

# A carry cell is two LUT4 with a chain between them. 16 x 4 bits of RAM are four LUT4 that hold
# the bits, and two more whose place in the slice the write port takes. PFUMX and L6MUX21 are
# wired in the slice beside the LUT4 they join, which are counted.
_ECP5 = Family(
    name="ecp5", placer="nextpnr-ecp5", synth="synth_ecp5",
    place_args=("--lpf-allow-unconstrained",), lut_name="LUT4",
    area={"LUT4": {"lut": 1}, "CCU2C": {"lut": 2}, "TRELLIS_DPR16X4": {"lut": 6},
          "TRELLIS_FF": {"ff": 1}, "MULT18X18D": {"dsp": 1}, "MULT9X9D": {"dsp": 1},
          "DP16KD": {"bram": 1}, "PDPW16KD": {"bram": 1}},
    options={"abc": _abc_flow("flow3"), "placer_weight": _placer_weight(30),
             "multipliers": _multipliers(logic=("-nodsp",)),
             "widelut": Option(default="yes", where="synth",
                               effect={"yes": (), "no": ("-nowidelut",)},
                               help="whether LUTs of more than 4 inputs are made of LUT4 and "
                                    "the multiplexers of the slice")})

_ECP5_SHEET = "FPGA-DS-02012 (ECP5 and ECP5-5G family data sheet)"
_ECP5_CLOCK = {6: 257.0, 7: 303.0, 8: 370.0}


def _ecp5_limits(speed: int) -> tuple[Limit, ...]:
    # For the blocks the data sheet has one column; a slower grade cannot do better.
    blocks = f"{_ECP5_SHEET}, register-to-register performance of speed grade 8"
    return (Limit(what="clock", mhz=_ECP5_CLOCK[speed], verified=False,
                  source=f"{_ECP5_SHEET}, primary clock, speed grade {speed}"),
            Limit(what="dsp", mhz=225.0, verified=False,
                  source=f"{blocks}, 18x18 multiplier with all registers"),
            Limit(what="bram", mhz=272.0, verified=False,
                  source=f"{blocks}, 1024x18 RAM with output registers"))


def _ecp5(size: int, speed: int) -> Target:
    suffix = "" if speed == 6 else f"-{speed}"
    return Target(name=f"ecp5-{size}k{suffix}", architecture=_ECP5, synth_args=(),
                  technology="ecp5",
                  summary=f"Lattice LFE5U-{size}F, CABGA381, speed grade {speed}",
                  device_args=(f"--{size}k", "--package", "CABGA381", "--speed", str(speed)),
                  limits=_ecp5_limits(speed))


_ULTRAPLUS_SHEET = "FPGA-DS-02008 (iCE40 UltraPlus family data sheet)"

_TARGETS = (
    Target(name="ice40-hx8k", architecture=_ICE40, synth_args=("-device", "hx"),
           technology="ice40",
           summary="Lattice iCE40 HX8K, CT256",
           device_args=("--hx8k", "--package", "ct256"),
           limits=(Limit(what="clock", mhz=275.0, verified=True,
                         source="FPGA-DS-02029 (iCE40 LP/HX family data sheet), global buffer"),)),
    Target(name="ice40-up5k", architecture=_ICE40, synth_args=("-device", "u"),
           technology="ice40-ultra",
           summary="Lattice iCE40 UltraPlus 5K, SG48",
           device_args=("--up5k", "--package", "sg48"),
           limits=(Limit(what="clock", mhz=185.0, verified=True,
                         source=f"{_ULTRAPLUS_SHEET}, global buffer"),
                   # For multipliers it only has one without the register within them.
                   Limit(what="bram", mhz=150.0, verified=True,
                         source=f"{_ULTRAPLUS_SHEET}, 256x16 RAM"))),
    *(_ecp5(size, speed) for size in (25, 45, 85) for speed in (6, 7, 8)),
)


@functools.cache
def targets() -> Mapping[str, Target]:
    """Return the dictionary from name to :class:`Target`."""
    return {target.name: target for target in _TARGETS}


def target(name: str) -> Target:
    """Return one target.

    Raises
    ------
    UnknownName
        If there is none of that name.
    """
    return targets()[known("target", name, targets())]
