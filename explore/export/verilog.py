"""From a core to Verilog, by yosys."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..outcome import StageFailed
from ..tools.diagnose import tail
from ..tools.find import packaged
from ..tools.processes import Processes

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

    from montgomery.technology import Technology

__all__ = ["verilog"]

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


def verilog(component: Component, name: str, technology: Technology | None = None) -> str:
    """Return a core as Verilog-2005, its modules named ``name`` and, below it, ``name.…``.

    Raises
    ------
    StageFailed
        If yosys fails.
    ToolMissing
        If its package is not installed.
    """
    from amaranth.back import rtlil

    text = rtlil.convert(component, name=name, platform=technology, emit_src=False)
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "core.il").write_text(text)
        (folder / "script.ys").write_text(_SCRIPT)
        log = folder / "console.log"
        finished = Processes().run([*packaged("yosys").command, "-q", "script.ys"], folder=folder,
                                   log=log)
        if finished.returncode:
            raise StageFailed(f"yosys could not write Verilog: {tail(log.read_bytes(), 1)}")
        return (folder / "core.v").read_text()
