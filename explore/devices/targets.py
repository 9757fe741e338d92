"""FPGAs that points are measured on: devices and their data-sheet limits.

A device is one entry of the table at the end, of a family of :mod:`explore.devices.families`. Where
a family has no placer, the one device of its name stands for all, and only area is measured.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from ..lookup import known
from .families import CYCLONE5, ECP5, GOWIN, ICE40, NEXUS, VIRTEX, Family
from .model import Limit, Target

__all__ = ["Limit", "Target", "target", "targets"]

_ECP5_SHEET = "FPGA-DS-02012 (ECP5 and ECP5-5G family data sheet)"
_ECP5_CLOCK = {6: 257.0, 7: 303.0, 8: 370.0}
_ECP5_CAPACITY = {25: (24288, 28, 56), 45: (43848, 72, 108), 85: (83640, 156, 208)}
#: By size, each row of multipliers with the columns in which blocks of four begin, as nextpnr's
#: database of the device has them.
_ECP5_MULTIPLIERS = {
    25: [(13, (4, 13, 22, 33, 42, 51, 60))],
    45: [(row, (4, 13, 22, 31, 42, 51, 60, 69, 78)) for row in (22, 46)],
    85: [(row, (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114)) for row in (10, 34, 58)]}


def _capacity(lut: int, dsp: int, bram: int) -> dict[str, int]:
    return {"lut": lut, "ff": lut, "dsp": dsp, "bram": bram}


def _ecp5_limits(speed: int) -> tuple[Limit, ...]:
    # For the blocks the data sheet has one column; a slower grade cannot do better.
    blocks = f"{_ECP5_SHEET}, register-to-register performance of speed grade 8"
    return (Limit(what="clock", mhz=_ECP5_CLOCK[speed], verified=False,
                  source=f"{_ECP5_SHEET}, primary clock, speed grade {speed}"),
            Limit(what="dsp", mhz=225.0, verified=False,
                  source=f"{blocks}, 18x18 multiplier with all registers"),
            Limit(what="bram", mhz=272.0, verified=False,
                  source=f"{blocks}, 1024x18 RAM with output registers"))


def _ecp5_multipliers(size: int) -> tuple[str, ...]:
    """Return the sites of MULT18X18D, along each row and back along the next one."""
    sites = []
    for index, (row, blocks) in enumerate(_ECP5_MULTIPLIERS[size]):
        in_row = [f"X{column + offset}/Y{row}/MULT18_{offset}"
                  for column in blocks for offset in (0, 1, 4, 5)]
        sites += reversed(in_row) if index % 2 else in_row
    return tuple(sites)


def _ecp5(size: int, speed: int) -> Target:
    suffix = "" if speed == 6 else f"-{speed}"
    return Target(name=f"ecp5-{size}k{suffix}", architecture=ECP5,
                  technology="ecp5",
                  summary=f"Lattice LFE5U-{size}F, CABGA381, speed grade {speed}",
                  device_args=(f"--{size}k", "--package", "CABGA381", "--speed", str(speed)),
                  limits=_ecp5_limits(speed), capacity=_capacity(*_ECP5_CAPACITY[size]),
                  sites={"MULT18X18D": _ecp5_multipliers(size)})


def _area_only(name: str, family: Family, technology: str, summary: str) -> Target:
    return Target(name=name, architecture=family, technology=technology,
                  summary=f"{summary}, area only")


#: Pins of what is placed.
_PORTS = ("clk", "si", "so")
_GOWIN_PLL = "output of the PLL by DS117 and DS102 (GW1NR and GW2A data sheets), as Apicula has it"


def _gowin(name: str, summary: str, *, family: str, device: str, synth: str, pll: float,
           bram: float, pins: tuple[int | str, ...], capacity: tuple[int, int, int, int]) -> Target:
    # The sheets say nothing of the clock network itself.
    ports = zip(_PORTS, pins, strict=True)
    columns = ("lut", "ff", "dsp", "bram")
    return Target(name=name, architecture=GOWIN, technology="gowin", summary=f"Gowin {summary}",
                  synth_args=("-family", synth),
                  device_args=("--device", device, "--vopt", f"family={family}",
                               "--vopt", "cst=pins.cst"),
                  files={"pins.cst": "".join(f'IO_LOC "{port}" {pin};\n' for port, pin in ports)},
                  limits=(Limit(what="clock", mhz=pll, source=_GOWIN_PLL, verified=False),
                          Limit(what="bram", mhz=bram, verified=False,
                                source="features of the block SRAM in the family's data sheet")),
                  capacity=dict(zip(columns, capacity, strict=True)))


_ULTRAPLUS_SHEET = "FPGA-DS-02008 (iCE40 UltraPlus family data sheet)"

_TARGETS = (
    Target(name="ice40-hx8k", architecture=ICE40, synth_args=("-device", "hx"),
           technology="ice40",
           summary="Lattice iCE40 HX8K, CT256", capacity=_capacity(7680, 0, 32),
           device_args=("--hx8k", "--package", "ct256"),
           limits=(Limit(what="clock", mhz=275.0, verified=True,
                         source="FPGA-DS-02029 (iCE40 LP/HX family data sheet), global buffer"),)),
    Target(name="ice40-up5k", architecture=ICE40, synth_args=("-device", "u"),
           technology="ice40-ultra",
           summary="Lattice iCE40 UltraPlus 5K, SG48", capacity=_capacity(5280, 8, 30),
           device_args=("--up5k", "--package", "sg48"),
           limits=(Limit(what="clock", mhz=185.0, verified=True,
                         source=f"{_ULTRAPLUS_SHEET}, global buffer"),
                   # For multipliers it only has one without the register within them.
                   Limit(what="bram", mhz=150.0, verified=True,
                         source=f"{_ULTRAPLUS_SHEET}, 256x16 RAM"))),
    *(_ecp5(size, speed) for size in (25, 45, 85) for speed in (6, 7, 8)),
    Target(name="nexus-lifcl-40", architecture=NEXUS, technology="nexus",
           summary="Lattice LIFCL-40, CABGA400, speed grade 9",
           device_args=("--device", "LIFCL-40-9BG400C", "--pdc", "pins.pdc"),
           # The first one is a clock input.
           files={"pins.pdc": "".join(f"ldc_set_location -site {{{pin}}} [get_ports {port}]\n"
                                      for port, pin in zip(_PORTS, ("E12", "G14", "E17"),
                                                           strict=True))},
           limits=(Limit(what="clock", mhz=400.0, verified=False,
                         source="FPGA-DS-02049 (CrossLink-NX data sheet), primary clock"),),
           capacity=_capacity(32256, 56, 84)),
    _gowin("gowin-gw1nr-9c", "GW1NR-LV9QN88PC6/I5", family="GW1N-9C", synth="gw1n",
           device="GW1NR-LV9QN88PC6/I5", pll=600.0, bram=190.0, pins=(52, 3, 10),
           capacity=(8640, 6480, 20, 26)),
    _gowin("gowin-gw2a-18", "GW2A-LV18PG256C8/I7", family="GW2A-18", synth="gw2a",
           device="GW2A-LV18PG256C8/I7", pll=625.0, bram=380.0, pins=("H11", "L16", "L14"),
           capacity=(20736, 15552, 48, 46)),
    *(_area_only(name, VIRTEX[name], technology, f"Xilinx {summary}")
      for name, technology, summary in (("xc2v", "xilinx-virtex2", "Virtex-II"),
                                        ("xc4v", "xilinx-virtex4", "Virtex-4"),
                                        ("xc5v", "xilinx-virtex5", "Virtex-5"),
                                        ("xc6v", "xilinx-7", "Virtex-6"),
                                        ("xc7", "xilinx-7", "7 series"))),
    _area_only("cyclonev", CYCLONE5, "intel-cyclone5", "Intel Cyclone V"),
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
