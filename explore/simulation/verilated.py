"""Compiles a core into a library that simulates it: Verilator writes C++ for a compiler.

yosys writes the Verilog of one module ``core``, of which Verilator makes C++. That is compiled
together with ``verilator.cc``, and linked with the runtime of Verilator, which is the same for all
cores: :func:`build_runtime` compiles it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ToolMissing
from ..outcome import StageFailed
from ..store.artefacts import digest
from ..tools.find import launched, packaged
from ..tools.verilator import Verilator, find_verilator
from .build import LIBRARY, SOURCES, compile_with, driver_hash

if TYPE_CHECKING:
    from ..tools.workspace import Tools, Workspace

__all__ = ["RUNTIME", "build_runtime", "build_verilated", "runtime_here", "runtime_spec",
           "verilated_here", "verilated_spec"]

#: Name of the compiled runtime.
RUNTIME = "runtime.o"

# Symbols are hidden, since one process may load libraries of several versions of Verilator.
_FLAGS = ("-std=c++17", "-w", "-fPIC", "-fvisibility=hidden", "-DVERILATOR=1", "-DVM_COVERAGE=0",
          "-DVM_SC=0", "-DVM_TIMING=0", "-DVL_IGNORE_UNKNOWN_ARCH")
#: What the C++ of a core with faults in it ends with.
_MUTANTS = SOURCES / "mutants.h"
_PARTS = ("verilated.cpp", "verilated_threads.cpp")
#: Options for the C++ of a core, which ran fastest among those tried on two multipliers of 1024
#: bits. With the steps that are left out, it ran more slowly.
_FAST = ("-O2", "-fno-inline-functions-called-once", "-fno-tree-dse", "-fno-tree-pta",
         "-fno-tree-sink", "-fno-tree-dominator-opts", "-fno-tree-pre", "-fno-tree-vrp",
         "-fno-tree-vectorize")

#: Everything that is undefined is 0, as in the other simulators. Nothing waits for a time.
_ARGUMENTS = ("--cc", "--top-module", "core", "--prefix", "Vcore", "--Mdir", ".", "-O3",
              "--x-assign", "0", "--x-initial", "fast", "--noassert", "--no-timing", "--no-std",
              "-Wno-fatal", "-Wno-lint", "-Wno-style")


def _script(waveform: bool) -> list[str]:
    """Return the yosys commands from ``core.il`` to ``core.v``."""
    names = ["read_rtlil core.il", "hierarchy -top core", "proc"]
    if waveform:
        return [*names, "write_verilog -noattr core.v"]
    return [*names, "flatten", "opt -fast", "opt_clean -purge", "write_verilog -noattr core.v"]


def runtime_spec() -> dict[str, Any]:
    """Return the specification of the runtime, without the part of :func:`runtime_here`."""
    return {"parts": list(_PARTS), "flags": [*_FLAGS, "-O1"]}


def runtime_here(tools: Tools) -> dict[str, Any]:
    """Return the part of the specification of the runtime that depends on the machine."""
    return {"verilator": tools.verilator and tools.verilator.identity,
            "compiler": list(tools.compiler.command), "identity": tools.compiler.identity,
            "machine": tools.machine}


def build_runtime(spec: dict[str, Any], workspace: Workspace) -> None:
    """Compile the runtime of Verilator; the folder gets :data:`RUNTIME`.

    :exc:`StageFailed` or :exc:`ToolMissing` is raised if the compiler fails, or Verilator is gone.
    """
    source = workspace.folder / "runtime.cc"
    # The compiler takes longer for the headers of two files than for the code in one of them.
    source.write_text("".join(f'#include "{part}"\n' for part in spec["parts"]))
    _compile(spec, workspace, _there(), ["-c", source.name, "-o", RUNTIME], RUNTIME)


def verilated_spec(source: str, *, waveform: bool = False,
                   mutants: Sequence[str] = ()) -> dict[str, Any]:
    """Return the specification of a library, without the part of :func:`verilated_here`.

    ``source`` is the hash of ``core.il``. For a ``waveform`` all signals stay by name, which takes
    longer to compile and to run. For a core with faults in it, ``mutants`` are the yosys commands
    from ``core.il`` to ``core.v``; its port ``mutant`` takes the number of a fault, which
    ``simulation_switch_on`` of the library sets.
    """
    arguments = [*_ARGUMENTS, "--trace-vcd"] if waveform else [*_ARGUMENTS]
    flags = [*_FLAGS, *_FAST, *(["-DWAVEFORM"] if waveform else [])]
    return {"source": source, "script": list(mutants) or _script(waveform), "arguments": arguments,
            "flags": flags, "driver": driver_hash("verilator.cc"), "runtime": runtime_spec(),
            **({"mutants": digest(_MUTANTS.read_bytes())} if mutants else {})}


def verilated_here(tools: Tools) -> dict[str, Any]:
    """Return the part of the specification of a library that depends on the machine."""
    return {"yosys": tools.identity("yosys", packaged=True), **runtime_here(tools)}


def build_verilated(spec: dict[str, Any], workspace: Workspace) -> int:
    """Run yosys, Verilator and the compiler in a folder that holds ``core.il`` and the runtime.

    The folder gets the library :data:`LIBRARY`; the bytes of C++ are returned. :exc:`StageFailed`
    or :exc:`ToolMissing` is raised if a program fails, or Verilator is gone.
    """
    verilator, folder = _there(), workspace.folder
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
    _compile(spec, workspace, verilator,
             ["-shared", "-pthread", f"-I{SOURCES}", str(SOURCES / "verilator.cc"), RUNTIME, "-o",
              LIBRARY], LIBRARY)
    return sum(path.stat().st_size for path in files)


def _there() -> Verilator:
    found = find_verilator()
    if found is None:
        raise ToolMissing("Verilator is gone; the same command goes on without it")
    return found


def _compile(spec: dict[str, Any], workspace: Workspace, verilator: Verilator,
             arguments: Sequence[str], result: str) -> None:
    include = verilator.include
    compile_with(spec, workspace, [f"-I{include}", f"-I{include / 'vltstd'}", "-I.", *arguments],
                 result)
