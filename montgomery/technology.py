"""What cores may know of the device they are made for: its multiplier blocks.

Amaranth hands ``platform`` to everything it elaborates, and :func:`technology_of` says what that
means here. So a core uses the blocks of the device also inside somebody else's Amaranth design; and
without a platform, in simulation, it is plain arithmetic that does the same in every clock.
"""

import dataclasses
from typing import Any

from amaranth.vendor import GowinPlatform, LatticePlatform, SiliconBluePlatform, XilinxPlatform

__all__ = ["GENERIC", "Multiplier", "Technology", "technologies", "technology_of"]


@dataclasses.dataclass(frozen=True)
class Multiplier:
    """A multiplier block."""

    cell: str  # its type in a netlist
    # Bits of the largest unsigned operands.
    a_width: int
    b_width: int


@dataclasses.dataclass(frozen=True)
class Technology:
    """A family of devices."""

    name: str
    # None if it has no such blocks, and products are made of logic.
    multiplier: Multiplier | None = None
    # yosys finds the multipliers, and the registers that belong in their blocks, by itself.
    inferred: bool = False


#: Plain logic, for simulation and for devices that are not known.
GENERIC = Technology("generic")


# The operands of Xilinx's blocks are signed, and a bit longer than their unsigned ones.
_TECHNOLOGIES = {technology.name: technology for technology in (
    GENERIC,
    Technology("ecp5", Multiplier("MULT18X18D", 18, 18)),
    Technology("ice40"),
    Technology("ice40-ultra", Multiplier("SB_MAC16", 16, 16)),
    Technology("nexus", Multiplier("MULT18X18", 18, 18)),
    Technology("gowin", Multiplier("MULT18X18", 18, 18)),
    Technology("intel-cyclone5", Multiplier("MISTRAL_MUL18X18", 18, 18), inferred=True),
    Technology("xilinx-virtex2", Multiplier("MULT18X18", 17, 17), inferred=True),
    Technology("xilinx-virtex4", Multiplier("DSP48", 17, 17), inferred=True),
    Technology("xilinx-virtex5", Multiplier("DSP48E", 24, 17), inferred=True),
    Technology("xilinx-spartan6", Multiplier("DSP48A1", 17, 17), inferred=True),
    Technology("xilinx-7", Multiplier("DSP48E1", 24, 17), inferred=True),
    Technology("xilinx-ultrascale", Multiplier("DSP48E2", 26, 17), inferred=True),
)}

#: Families of Xilinx with the blocks of another one.
_LIKE = {"virtex2p": "virtex2", "virtex6": "7", "series7": "7", "ultrascaleplus": "ultrascale"}


def technologies() -> dict[str, Technology]:
    """Return the dictionary from name to :class:`Technology`."""
    return dict(_TECHNOLOGIES)


def technology_of(platform: Any) -> Technology:
    """Return the :class:`Technology` that ``platform`` of an ``elaborate`` stands for.

    It is a :class:`Technology` or an Amaranth platform; none, or an unknown one, is
    :data:`GENERIC`.
    """
    if isinstance(platform, Technology):
        return platform
    name = "generic"
    if isinstance(platform, LatticePlatform):
        name = platform.family
    elif isinstance(platform, SiliconBluePlatform):
        name = "ice40-ultra" if platform.device.startswith(("iCE40UP", "iCE5LP")) else "ice40"
    elif isinstance(platform, XilinxPlatform):
        name = f"xilinx-{_LIKE.get(platform.family, platform.family)}"
    elif isinstance(platform, GowinPlatform) and platform.size != "1":
        name = "gowin"  # the smallest ones have no multipliers
    return _TECHNOLOGIES.get(name, GENERIC)
