"""Gowin LittleBee and Arora."""

from __future__ import annotations

from ._shared import PORTS, abc_flow, multipliers, placer_weight, widelut
from .model import Family, Limit, Target

__all__ = ["TARGETS"]

# An ALU, one bit of a carry chain, is made of a LUT4; nextpnr spends another one on either end of a
# chain. 16 x 4 bits of RAM are four LUT4, and the write port takes the place of two. The wide
# multiplexers lie beside the LUT4 they join.
_GOWIN = Family(
    name="gowin", doubt="nextpnr's estimates, which its authors find about 20 % too high",
    placer="nextpnr-himbaechel-gowin", extra="gowin", synth="synth_gowin",
    inner_args=("-noiopads",), lut_name="LUT4",
    area={**{f"LUT{inputs}": {"lut": 1} for inputs in range(1, 5)}, "ALU": {"lut": 1},
          "RAM16S*": {"lut": 6}, "DFF*": {"ff": 1},
          **{f"MULT{size}": {"dsp": 1} for size in ("9X9", "18X18")}, "MULT36X36": {"dsp": 4},
          **{name: {"bram": 1} for name in ("SP", "SPX9", "DPB", "DPX9B", "SDPB", "SDPX9B", "pROM",
                                            "pROMX9")}},
    options={"abc": abc_flow("default"), "placer_weight": placer_weight(10),
             "multipliers": multipliers(logic=("-nodsp",)), "widelut": widelut()},
    suffixes=(r"LUT\d_", "DFF[A-Z]*_", "ALU_", "MUX2_"), carries=("COUT",))

_PLL = "output of the PLL by DS117 and DS102 (GW1NR and GW2A data sheets), as Apicula has it"


def _target(name: str, summary: str, *, family: str, device: str, synth: str, pll: float,
            bram: float, pins: tuple[int | str, ...],
            capacity: tuple[int, int, int, int]) -> Target:
    # The sheets say nothing of the clock network itself.
    ports = zip(PORTS, pins, strict=True)
    columns = ("lut", "ff", "dsp", "bram")
    return Target(name=name, family=_GOWIN, technology="gowin", summary=f"Gowin {summary}",
                  synth_args=("-family", synth),
                  device_args=("--device", device, "--vopt", f"family={family}",
                               "--vopt", "cst=pins.cst"),
                  files={"pins.cst": "".join(f'IO_LOC "{port}" {pin};\n' for port, pin in ports)},
                  limits=(Limit(what="clock", mhz=pll, source=_PLL, verified=False),
                          Limit(what="bram", mhz=bram, verified=False,
                                source="features of the block SRAM in the family's data sheet")),
                  capacity=dict(zip(columns, capacity, strict=True)))


TARGETS = (
    _target("gowin-gw1nr-9c", "GW1NR-LV9QN88PC6/I5", family="GW1N-9C", synth="gw1n",
            device="GW1NR-LV9QN88PC6/I5", pll=600.0, bram=190.0, pins=(52, 3, 10),
            capacity=(8640, 6480, 20, 26)),
    _target("gowin-gw2a-18", "GW2A-LV18PG256C8/I7", family="GW2A-18", synth="gw2a",
            device="GW2A-LV18PG256C8/I7", pll=625.0, bram=380.0, pins=("H11", "L16", "L14"),
            capacity=(20736, 15552, 48, 46)),
)
