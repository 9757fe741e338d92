"""What the files of families write alike: tool options, capacities, pins and area-only devices."""

from __future__ import annotations

from .model import Family, Option, Target

__all__ = ["PORTS", "abc_flow", "area_only", "capacity", "dsp_placement", "multipliers", "placer",
           "placer_weight", "widelut"]

#: The pins of what is placed.
PORTS = ("clk", "si", "so")


def abc_flow(default: str) -> Option:
    return Option(default=default, where="setup",
                  effect={"default": (),
                          **{name: (f"scratchpad -copy abc9.script.{name} abc9.script",)
                             for name in ("flow", "flow2", "flow3")}},
                  help="script of abc9, yosys's technology mapper")


def placer_weight(default: int) -> Option:
    return Option(default=default, where="place",
                  effect={weight: ("--placer-heap-timingweight", str(weight))
                          for weight in (5, 10, 15, 20, 30, 40, 60, 100)},
                  help="weight of timing against wire length in nextpnr's placer")


def placer(*others: str) -> Option:
    return Option(default="heap", where="place",
                  effect={"heap": (), **{name: ("--placer", name) for name in others}},
                  help="algorithm of nextpnr's placer; placer_weight is for heap")


def multipliers(*, logic: tuple[str, ...] = ()) -> Option:
    return Option(default="blocks", where="synth", effect={"blocks": (), "logic": logic},
                  portable=False,
                  help="multipliers use the blocks of the device, or logic")


def dsp_placement(cell: str) -> Option:
    return Option(default="free", where="sites", portable=False,
                  effect={"free": (), "rows": (cell,), "two_rows": (cell, "narrow")},
                  help="multiplier blocks go where nextpnr finds places, or in the order of the "
                       "core's elements: spread along their rows, or side by side along half of "
                       "a row and back along the next one")


def widelut(inputs: int = 4) -> Option:
    return Option(default="yes", where="synth", effect={"yes": (), "no": ("-nowidelut",)},
                  help=f"LUTs of more than {inputs} inputs are made of LUT{inputs} and the "
                       "multiplexers of a slice, or not at all")


def capacity(lut: int, dsp: int, bram: int) -> dict[str, int]:
    """Return the capacity of a device with a register at each LUT."""
    return {"lut": lut, "ff": lut, "dsp": dsp, "bram": bram}


def area_only(family: Family, technology: str, summary: str) -> Target:
    """Return the target that stands for all devices of a family without a placer."""
    return Target(name=family.name, family=family, technology=technology,
                  summary=f"{summary}, area only")
