"""Models of vendor cells, for simulators other than our own."""

from __future__ import annotations

from ..netlist.placed import models
from ..tools.find import packaged

__all__ = ["vendor_models"]

#: From a family to where yosys has models of its cells, and what is said before them.
_OF_YOSYS = {
    # Not every simulator takes default values of ports.
    "ice40": ("share/ice40/cells_sim.v", "`define NO_ICE40_DEFAULT_ASSIGNMENTS\n")}
#: From a family to the files of ours that have models of its cells.
_OURS = {"ecp5": ("ecp5", "ecp5_registers")}


def vendor_models(family: str) -> str:
    """Return models of the blocks of a family, as Verilog, or nothing where there are none.

    They are ours for ECP5, and those that come with yosys for iCE40.
    """
    if family not in _OF_YOSYS:
        return "".join(map(models, _OURS.get(family, (family,))))
    path, before = _OF_YOSYS[family]
    source = packaged("yosys").folder / path
    return before + source.read_text() if source.is_file() else ""
