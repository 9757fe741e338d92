"""From a core to Verilog, by yosys."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..store.artefacts import output

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

    from montgomery.technology import Technology

    from ..tools.toolbox import Toolbox

__all__ = ["verilog"]

#: What yosys may take; for the largest cores it takes minutes.
_LIMIT_S = 3600

# Without processes: a simulator runs an "always @*" when something changes, which at the beginning
# of a simulation nothing does, so that registers would become x. And without multiplexers of many
# inputs, which become functions whose names not every simulator takes.
_SCRIPT = """\
read_rtlil core.il
proc -norom
pmuxtree
opt_clean
memory_collect
attrmap -remove generator -remove top -remove src -remove keep
attrmap -modattr -remove generator -remove top -remove src
write_verilog -norename core.v
"""


def verilog(component: Component, name: str, technology: Technology | None = None, *,
            toolbox: Toolbox) -> str:
    """Return a core as Verilog-2005, its modules named ``name`` and, below it, ``name.…``.

    Raises
    ------
    StageFailed
        If yosys fails, runs out of memory or takes an hour.
    DiskFull
        If there is no room for what it writes.
    ToolMissing
        If its package is not installed.
    """
    from amaranth.back import rtlil

    text = rtlil.convert(component, name=name, platform=technology, emit_src=False)
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "core.il").write_text(text)
        (folder / "script.ys").write_text(_SCRIPT)
        toolbox.run("yosys", ["-q", "script.ys"], folder, _LIMIT_S, packaged=True)
        return output(folder, "core.v", "yosys").decode()
