"""What cores may know of the device they are made for: its multiplier blocks.

Amaranth hands ``platform`` to everything it elaborates, and :func:`technology_of` says what that
means here. So a core uses the blocks of the device also inside somebody else's Amaranth design; and
without a platform, in simulation, it is plain arithmetic that does the same in every clock.
"""

import dataclasses
from typing import Any

from amaranth.vendor import GowinPlatform, LatticePlatform, SiliconBluePlatform, XilinxPlatform

__all__ = ["GENERIC", "Multiplier", "Technology", "technologies", "technology_of"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Multiplier:
    """A multiplier block.

    Attributes
    ----------
    cell : :class:`str`
        Its type in a netlist.
    a_width, b_width : :class:`int`
        Bits of the largest unsigned operands.
    """

    cell: str
    a_width: int
    b_width: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Technology:
    """A family of devices.

    Attributes
    ----------
    multiplier : :class:`Multiplier` or ``None``
        None if it has no such blocks, and products are made of logic.
    inferred : :class:`bool`
        yosys finds the multipliers, and the registers that belong in their blocks, by itself.
    """

    name: str
    multiplier: Multiplier | None = None
    inferred: bool = False


#: Plain logic, for simulation and for devices that are not known.
GENERIC = Technology(name="generic")


def _multiplier(cell, a_width, b_width):
    return Multiplier(cell=cell, a_width=a_width, b_width=b_width)


# The operands of Xilinx's blocks are signed, and a bit longer than their unsigned ones.
_TECHNOLOGIES = {technology.name: technology for technology in (
    GENERIC,
    Technology(name="ecp5", multiplier=_multiplier("MULT18X18D", 18, 18)),
    Technology(name="ice40"),
    Technology(name="ice40-ultra", multiplier=_multiplier("SB_MAC16", 16, 16)),
    Technology(name="nexus", multiplier=_multiplier("MULT18X18", 18, 18)),
    Technology(name="gowin", multiplier=_multiplier("MULT18X18", 18, 18)),
    Technology(name="intel-cyclone5", multiplier=_multiplier("MISTRAL_MUL18X18", 18, 18),
               inferred=True),
    Technology(name="xilinx-virtex2", multiplier=_multiplier("MULT18X18", 17, 17), inferred=True),
    Technology(name="xilinx-virtex4", multiplier=_multiplier("DSP48", 17, 17), inferred=True),
    Technology(name="xilinx-virtex5", multiplier=_multiplier("DSP48E", 24, 17), inferred=True),
    Technology(name="xilinx-spartan6", multiplier=_multiplier("DSP48A1", 17, 17), inferred=True),
    Technology(name="xilinx-7", multiplier=_multiplier("DSP48E1", 24, 17), inferred=True),
    Technology(name="xilinx-ultrascale", multiplier=_multiplier("DSP48E2", 26, 17), inferred=True),
)}

_XILINX = {"virtex2": "xilinx-virtex2", "virtex2p": "xilinx-virtex2",
           "virtex4": "xilinx-virtex4", "virtex5": "xilinx-virtex5",
           "spartan6": "xilinx-spartan6", "virtex6": "xilinx-7", "series7": "xilinx-7",
           "ultrascale": "xilinx-ultrascale", "ultrascaleplus": "xilinx-ultrascale"}


def technologies() -> dict[str, Technology]:
    """Return the dictionary from name to :class:`Technology`."""
    return dict(_TECHNOLOGIES)


def technology_of(platform: Any) -> Technology:
    """Return the :class:`Technology` that ``platform`` of an ``elaborate`` stands for.

    Parameters
    ----------
    platform : :class:`Technology`, an Amaranth platform, or ``None``
        A platform that is not recognised is :data:`GENERIC`, as none is.
    """
    if isinstance(platform, Technology):
        return platform
    name = "generic"
    if isinstance(platform, LatticePlatform) and platform.family in ("ecp5", "nexus"):
        name = platform.family
    elif isinstance(platform, SiliconBluePlatform):
        name = "ice40-ultra" if platform.device.startswith(("iCE40UP", "iCE5LP")) else "ice40"
    elif isinstance(platform, XilinxPlatform):
        name = _XILINX.get(platform.family, "generic")
    elif isinstance(platform, GowinPlatform) and platform.size != "1":
        name = "gowin"  # the smallest ones have no multipliers
    return _TECHNOLOGIES[name]
