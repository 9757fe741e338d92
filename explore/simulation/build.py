"""Compiles a core into a library that simulates it: yosys writes C++ (CXXRTL) for a compiler.

The C++ of one module ``core`` is compiled together with ``cxxrtl.cc``, which drives the streams of
a core, or with another driver. :func:`compile_spec` names everything that a library depends on,
and :func:`build` makes the library. Verilator's C++ is that of :mod:`explore.simulation.verilated`.
"""

from __future__ import annotations

import dataclasses
import functools
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..devices import families
from ..netlist.placed import core_of
from ..outcome import StageFailed, Status
from ..store.artefacts import digest
from ..tools.find import launched, packaged

if TYPE_CHECKING:
    from ..tools.workspace import Tools, Workspace

__all__ = ["DRIVER", "LIBRARY", "SOURCES", "build", "built_here", "compile_spec", "compile_with",
           "driver_hash", "driver_hashes", "rtlil_script"]

#: Name of the compiled library.
LIBRARY = "simulation.so"

#: Folder of the C++ sources.
SOURCES = Path(__file__).parent
#: C++ source that drives the streams of a core in CXXRTL.
DRIVER = SOURCES / "cxxrtl.cc"
_LOOP = SOURCES / "driver.h"

_FLAGS = ("-std=c++17", "-w", "-shared", "-fPIC")
#: Options for C++ of much code without loops. In it, each step that is left out takes longer than
#: it saves; together they would double the time of the compiler, for a tenth of the speed.
FAST = ("-O1", "-fno-inline-functions-called-once", "-fno-tree-dse", "-fno-tree-pta",
        "-fno-tree-sink", "-fno-tree-fre", "-fno-tree-dominator-opts")
#: C++ that is longer than a limit is compiled without optimisation, which would take longer than it
#: saves. The limit is _BYTES_A_CLOCK times the clocks to be simulated, but at least _FEWEST_BYTES
#: and at most _MOST_BYTES, for which the compiler needs 3 GB of memory and two minutes. It is
#: _MOST_BYTES if the clocks are unknown. (An engine for P-384 with cells, of 2.8 MB, runs 54 times
#: as fast with optimisation.)
_FEWEST_BYTES, _MOST_BYTES, _BYTES_A_CLOCK = 100_000, 5_000_000, 7


@functools.cache
def driver_hash(name: str = DRIVER.name) -> str:
    """Return a hash of the part of a library that is the same for all cores; comments are free."""
    lines = [line for path in (_LOOP, SOURCES / name)
             for line in path.read_text(encoding="utf-8").splitlines()]
    return digest("\n".join(line for line in lines if not line.lstrip().startswith("//")))


def driver_hashes() -> list[str]:
    """Return the hashes of the drivers for CXXRTL and Verilator."""
    return [driver_hash(), driver_hash("verilator.cc")]


#: Command of yosys after which one evaluation settles a core, rather than three and more: parts of
#: one wire that depend on each other would look like a loop to CXXRTL.
_SPLIT = "splitnets -driver"


def rtlil_script(*, waveform: bool = False, cells: bool = False) -> list[str]:
    """Return the yosys commands from ``core.il`` to ``core.cc``.

    For a ``waveform`` all signals stay by name, which takes longer to compile and to run. If the
    core holds ``cells``, ``models.v`` has the models of them.
    """
    reading = ["read_rtlil core.il", *(["read_verilog -defer models.v"] if cells else []),
               "hierarchy -check -top core" if cells else "hierarchy -top core"]
    if waveform:
        return [*reading, "write_cxxrtl -g4 core.cc"]
    return [*reading, "proc", "flatten", "opt -fast", _SPLIT, "opt_clean -purge",
            "write_cxxrtl -g0 core.cc"]


def compile_spec(source: str, script: Sequence[str], *, family: str | None = None,
                 waveform: bool = False, clocks: int | None = None,
                 driver: Path = DRIVER) -> dict[str, Any]:
    """Return the specification of a library, without the part that :func:`built_here` adds.

    ``source`` is the hash of the source file: ``netlist.json``, made for a ``family`` of devices,
    or else ``core.il``. ``script`` has the commands of yosys: :func:`rtlil_script`, or
    :func:`explore.netlist.placed.netlist_script`. ``clocks`` are those that will be simulated, if
    they are known to be few. ``driver`` is the C++ source of the loop that drives the core, which
    may include ``cxxrtl.cc``.
    """
    limit = _MOST_BYTES
    if clocks is not None:
        limit = min(limit, max(_FEWEST_BYTES, _BYTES_A_CLOCK * clocks))
    levels = [[limit, list(FAST)], [None, ["-O0"]]]
    return {"source": source, "script": list(script), "family": family,
            "models": digest(families()[family].black_boxes()) if family else None,
            "driver": [driver_hash(), digest(driver.read_bytes())],
            "flags": [*_FLAGS, *(["-DWAVEFORM"] if waveform else [])], "levels": levels}


def built_here(tools: Tools) -> dict[str, Any]:
    """Return the part of the specification of a library that depends on the machine.

    There must be a C++ compiler among the tools.
    """
    return {"yosys": tools.identity("yosys", packaged=True),
            "compiler": list(tools.compiler.command), "identity": tools.compiler.identity,
            "machine": tools.machine}


def build(spec: dict[str, Any], workspace: Workspace, driver: Path = DRIVER) -> int:
    """Run yosys and the compiler in a folder that holds the source file, and return the bytes of
    C++.

    The folder gets the library :data:`LIBRARY`. :exc:`StageFailed` is raised if a program fails.
    """
    # The C++ needs the headers of the yosys that wrote it, which come with the package. So this is
    # the yosys of the package, even if another yosys synthesises.
    tool, folder = packaged("yosys"), workspace.folder
    if spec["family"]:
        (folder / "core.json").write_bytes(core_of((folder / "netlist.json").read_bytes()))
        (folder / "models.v").write_text(families()[spec["family"]].black_boxes())
    (folder / "compile.ys").write_text("\n".join(spec["script"]) + "\n")
    workspace.run("yosys", [*tool.command, "-q", "compile.ys"])
    headers = tool.folder / "share" / "include" / "backends" / "cxxrtl" / "runtime"
    length = (folder / "core.cc").stat().st_size
    level = next(level for limit, level in spec["levels"] if limit is None or length <= limit)
    compile_with(spec, workspace, [*level, f"-I{headers}", "-I.", f"-I{SOURCES}",
                                   str(driver), "-o", LIBRARY], LIBRARY)
    return length


def compile_with(spec: dict[str, Any], workspace: Workspace, arguments: Sequence[str],
                 result: str) -> None:
    """Run the compiler of a specification with its flags and further arguments.

    :exc:`StageFailed` is raised if it fails, or ends well without the file ``result``.
    """
    try:
        workspace.run("compiler", [*launched(spec["compiler"]), *spec["flags"], *arguments])
    except StageFailed as error:
        failure = error.failure
        if failure.status != Status.TOOL_ERROR:
            raise
        raise StageFailed(dataclasses.replace(
            failure, message=f"The C++ {failure.message}; set CXX to another compiler")) from None
    if not (workspace.folder / result).is_file():
        what = "library" if result == LIBRARY else result
        raise StageFailed(f"{shlex.join(spec['compiler'])} ended with status 0 but left no {what}")
