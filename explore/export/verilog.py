"""From a core to Verilog, by yosys."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..store.artefacts import output
from .render import render

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

    from montgomery.technology import Technology

    from ..tools.toolbox import Toolbox

__all__ = ["During", "quiet", "verilog"]

#: Called with what is done within the context, which may take long.
During = Callable[[str], contextlib.AbstractContextManager[None]]

#: What yosys may take; for the largest cores it takes minutes.
_LIMIT_S = 3600

# Without processes: a simulator runs an "always @*" when something changes, which at the beginning
# of a simulation nothing does, so that registers would become x. And without multiplexers of many
# inputs, which become functions whose names not every simulator takes. A memory of one word is a
# register, which yosys would warn of when it reads the core again.
_SCRIPT = """\
read_rtlil core.il
proc -norom
pmuxtree
techmap -map widths.v
opt_clean -purge
memory_collect
memory_map r:SIZE=1
attrmap -remove generator -remove top -remove src -remove keep
attrmap -modattr -remove generator -remove top -remove src
write_verilog -norename core.v
"""


def quiet(text: str) -> contextlib.AbstractContextManager[None]:
    """Return a context that tells nobody what is done."""
    return contextlib.nullcontext()


def verilog(component: Component, name: str, technology: Technology | None = None, *,
            toolbox: Toolbox, during: During = quiet) -> tuple[str, list[str]]:
    """Return a core as Verilog-2005, and the types of cells that it holds without defining them.

    Its modules are named ``name`` and, below it, ``name.…``.

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

    with during(f"elaborating {name}"):
        text = rtlil.convert(component, name=name, platform=technology, emit_src=False)
    toolbox.warm("yosys", packaged=True)
    with during(f"writing {name} as Verilog"), tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "core.il").write_text(text)
        (folder / "script.ys").write_text(_SCRIPT)
        (folder / "widths.v").write_text(render("widths.v", {}))
        toolbox.run("yosys", ["-q", "script.ys"], folder, _LIMIT_S, packaged=True)
        return output(folder, "core.v", "yosys").decode(), _undefined(text, name)


def _undefined(text: str, name: str) -> list[str]:
    """Return the types of the instances in an RTLIL text that are none of the core's modules."""
    types = set(re.findall(r"(?m)^\s*cell \\(\S+) ", text))
    return sorted(cell for cell in types if not cell.startswith(f"{name}."))
