"""Compiles a core into a library that simulates it, by way of the C++ of CXXRTL or Verilator.

CXXRTL: yosys writes the C++ of one module ``core``, which is compiled together with ``cxxrtl.cc``,
which drives the streams of a core, or with another driver. Verilator: yosys writes the Verilog of
that module, of which Verilator makes C++. That is compiled together with ``verilator.cc``, and
linked with the runtime of Verilator, which is the same for all cores: :func:`build_runtime`
compiles it once. :func:`compile_spec` or :func:`verilated_spec` names everything that a library
depends on, and :func:`build` makes the library.
"""

from __future__ import annotations

import dataclasses
import functools
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..devices import families
from ..errors import ToolMissing
from ..netlist.placed import core_of
from ..outcome import StageFailed, Status
from ..store.artefacts import digest
from ..tools.find import launched, packaged
from ..tools.verilator import Verilator, find_verilator

if TYPE_CHECKING:
    from ..tools.workspace import Tools, Workspace

__all__ = ["DRIVER", "LIBRARY", "RUNTIME", "SOURCES", "build", "build_runtime", "built_here",
           "compile_spec", "driver_hash", "driver_hashes", "rtlil_script", "runtime_spec",
           "verilated_spec"]

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


# Verilator

#: Name of the compiled runtime.
RUNTIME = "runtime.o"

# Symbols are hidden, since one process may load libraries of several versions of Verilator.
_VERILATED_FLAGS = (
    "-std=c++17", "-w", "-fPIC", "-fvisibility=hidden", "-DVERILATOR=1", "-DVM_COVERAGE=0",
    "-DVM_SC=0", "-DVM_TIMING=0", "-DVL_IGNORE_UNKNOWN_ARCH")
#: What the C++ of a core with faults in it ends with.
_MUTANTS = SOURCES / "mutants.h"
_PARTS = ("verilated.cpp", "verilated_threads.cpp")
#: Options for the C++ of a core, which ran fastest among those tried on two multipliers of 1024
#: bits. With the steps that are left out, it ran more slowly.
_VERILATED_FAST = (
    "-O2", "-fno-inline-functions-called-once", "-fno-tree-dse", "-fno-tree-pta", "-fno-tree-sink",
    "-fno-tree-dominator-opts", "-fno-tree-pre", "-fno-tree-vrp", "-fno-tree-vectorize")

#: Everything that is undefined is 0, as in the other simulators. Nothing waits for a time.
_ARGUMENTS = ("--cc", "--top-module", "core", "--prefix", "Vcore", "--Mdir", ".", "-O3",
              "--x-assign", "0", "--x-initial", "fast", "--noassert", "--no-timing", "--no-std",
              "-Wno-fatal", "-Wno-lint", "-Wno-style")


def _verilog_script(waveform: bool) -> list[str]:
    """Return the yosys commands from ``core.il`` to ``core.v``."""
    names = ["read_rtlil core.il", "hierarchy -top core", "proc"]
    if waveform:
        return [*names, "write_verilog -noattr core.v"]
    return [*names, "flatten", "opt -fast", "opt_clean -purge", "write_verilog -noattr core.v"]


def runtime_spec() -> dict[str, Any]:
    """Return the specification of the runtime, without the part that :func:`built_here` adds."""
    return {"parts": list(_PARTS), "flags": [*_VERILATED_FLAGS, "-O1"]}


def verilated_spec(source: str, *, waveform: bool = False,
                   mutants: Sequence[str] = ()) -> dict[str, Any]:
    """Return the specification of a library, without the part that :func:`built_here` adds.

    ``source`` is the hash of ``core.il``. For a ``waveform`` all signals stay by name, which takes
    longer to compile and to run. For a core with faults in it, ``mutants`` are the yosys commands
    from ``core.il`` to ``core.v``; its port ``mutant`` takes the number of a fault, which
    ``simulation_switch_on`` of the library sets.
    """
    arguments = [*_ARGUMENTS, "--trace-vcd"] if waveform else [*_ARGUMENTS]
    flags = [*_VERILATED_FLAGS, *_VERILATED_FAST, *(["-DWAVEFORM"] if waveform else [])]
    return {"engine": "verilator", "source": source, "arguments": arguments, "flags": flags,
            "script": list(mutants) or _verilog_script(waveform),
            "driver": driver_hash("verilator.cc"), "runtime": runtime_spec(),
            **({"mutants": digest(_MUTANTS.read_bytes())} if mutants else {})}


# Both

def built_here(tools: Tools, *, verilator: bool = False) -> dict[str, Any]:
    """Return the part of the specification of a library that depends on the machine.

    There must be a C++ compiler among the tools.
    """
    return {"yosys": tools.identity("yosys", packaged=True),
            "compiler": list(tools.compiler.command), "identity": tools.compiler.identity,
            "machine": tools.machine, **({"verilator": tools.verilator and tools.verilator.identity}
                                         if verilator else {})}


def build(spec: dict[str, Any], workspace: Workspace, driver: Path = DRIVER) -> int:
    """Run yosys and the compiler in a folder that holds the source file, and return the bytes of
    C++.

    The folder gets the library :data:`LIBRARY`. :exc:`StageFailed` or :exc:`ToolMissing` is raised
    if a program fails, or Verilator is gone.
    """
    if spec.get("engine") == "verilator":
        return _build_verilated(spec, workspace)
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
    _compile(spec, workspace, [*level, f"-I{headers}", "-I.", f"-I{SOURCES}",
                                   str(driver), "-o", LIBRARY], LIBRARY)
    return length


def _build_verilated(spec: dict[str, Any], workspace: Workspace) -> int:
    """Do the same by Verilator, in a folder that holds ``core.il`` and the runtime."""
    verilator, folder = _verilator(), workspace.folder
    (folder / "compile.ys").write_text("\n".join(spec["script"]) + "\n")
    workspace.run("yosys", [*packaged("yosys").command, "-q", "compile.ys"])
    workspace.run("Verilator", [*launched(verilator.command), *spec["arguments"], "core.v"],
                  verilator.environment)
    # All in one, which the compiler reads the headers for once.
    files = sorted(folder.glob("Vcore*.cpp"))
    if not files:
        raise StageFailed("Verilator ended with status 0 but left no C++")
    included = [path.name for path in files] + [_MUTANTS.name] * ("mutants" in spec)
    (folder / "core.cc").write_text("".join(f'#include "{name}"\n' for name in included))
    _compile(spec, workspace, [
        *_includes(verilator), "-shared", "-pthread", f"-I{SOURCES}",
        str(SOURCES / "verilator.cc"), RUNTIME, "-o", LIBRARY], LIBRARY)
    return sum(path.stat().st_size for path in files)


def build_runtime(spec: dict[str, Any], workspace: Workspace) -> None:
    """Compile the runtime of Verilator; the folder gets :data:`RUNTIME`.

    :exc:`StageFailed` or :exc:`ToolMissing` is raised if the compiler fails, or Verilator is gone.
    """
    source = workspace.folder / "runtime.cc"
    # The compiler takes longer for the headers of two files than for the code in one of them.
    source.write_text("".join(f'#include "{part}"\n' for part in spec["parts"]))
    _compile(spec, workspace, [*_includes(_verilator()), "-c", source.name, "-o", RUNTIME], RUNTIME)


def _verilator() -> Verilator:
    found = find_verilator()
    if found is None:
        raise ToolMissing("Verilator is gone; the same command goes on without it")
    return found


def _includes(verilator: Verilator) -> list[str]:
    return [f"-I{verilator.include}", f"-I{verilator.include / 'vltstd'}", "-I."]


def _compile(spec: dict[str, Any], workspace: Workspace, arguments: Sequence[str],
             result: str) -> None:
    """Run the compiler of a specification, which must leave the file ``result``."""
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
