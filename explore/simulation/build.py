"""From a core to a library that simulates it: yosys writes C++ (CXXRTL), and a compiler takes it.

What is compiled is yosys's C++ of one module ``core`` together with ``driver.cc``, which feeds the
streams of a core, or with another driver, in the same folder.
:func:`compile_spec` says what a library depends on, and :func:`build` makes it, as a stage of a
measurement does (see :mod:`explore.stages`).
"""

from __future__ import annotations

import functools
import hashlib
import platform
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..processes import Processes
from ..tools import Tool, diagnose, launched, packaged, tail
from .compiler import Compiler
from .netlist import core_of, models, models_hash

__all__ = ["LIBRARY", "build", "compile_spec", "driver_hash", "rtlil_script"]

#: Name of the file that is left.
LIBRARY = "simulation.so"

_DRIVER = "driver.cc"
_FLAGS = ("-std=c++17", "-w", "-shared", "-fPIC")
#: What a compiler is asked to do with one large function. With all inlining it would take up to
#: twice as long, for about the same speed.
_OPTIMISED = ("-O2", "-fno-inline-functions-called-once")
#: Above a length of the C++ the compiler would take longer than it saves: the first of these, or,
#: for operations of few clocks as those of a large array, the second, and so much a clock.
_OPTIMISED_BYTES, _SMALL_BYTES, _BYTES_A_CLOCK = 2_500_000, 100_000, 1_000


@functools.cache
def driver_hash() -> str:
    """Return a hash of the part of a library that is the same for all cores."""
    return _hash(_DRIVER)


def _hash(driver: str) -> str:
    return hashlib.sha256(Path(__file__).with_name(driver).read_bytes()).hexdigest()


def rtlil_script(*, waveform: bool = False) -> list[str]:
    """Return the yosys commands from ``core.il`` to ``core.cc``.

    Parameters
    ----------
    waveform : bool
        Keep all signals by name, which takes longer to compile and to run.
    """
    if waveform:
        return ["read_rtlil core.il", "hierarchy -top core", "write_cxxrtl -g4 core.cc"]
    return ["read_rtlil core.il", "hierarchy -top core", "proc", "flatten", "opt -fast",
            "opt_clean -purge", "write_cxxrtl -g0 core.cc"]


def compile_spec(source: str, script: Sequence[str], compiler: Compiler, *,
                 family: str | None = None, waveform: bool = False,
                 clocks: int | None = None, driver: str = _DRIVER) -> dict[str, Any]:
    """Specify a library.

    Parameters
    ----------
    source : str
        Hash of the file it is made from: ``core.il``, or ``netlist.json`` where there is a
        ``family``, the one of the netlist.
    script : sequence of str
        What yosys does to it: :func:`rtlil_script`, or
        :func:`explore.simulation.netlist.netlist_script`.
    clocks : int or None
        Of an operation, where they are known to be few.
    driver : str
        Name of the other source file, beside this one.
    """
    optimised = _OPTIMISED_BYTES
    if clocks is not None:
        optimised = min(optimised, max(_SMALL_BYTES, _BYTES_A_CLOCK * clocks))
    flags = [*_FLAGS, *_OPTIMISED, *(["-DWAVEFORM"] if waveform else [])]
    models = models_hash(family) if family else None
    other = {} if driver == _DRIVER else {"driver_file": driver, "other_driver": _hash(driver)}
    return {"stage": "compile", **other, "source": source, "family": family, "models": models,
            "script": list(script),
            "tool": "yosys", "version": packaged("yosys").version,
            "compiler": list(compiler.command), "compiler_version": compiler.version,
            "flags": flags, "optimised_bytes": optimised, "driver": driver_hash(),
            "machine": " ".join([sys.platform, platform.machine(), *platform.libc_ver()])}


def build(spec: dict[str, Any], folder: Path, processes: Processes,
          timeout_s: float | None) -> dict[str, Any]:
    """Run yosys and the compiler in ``folder``, which holds the file that the library is made from.

    Leaves :data:`LIBRARY`. The outcome has ``source_bytes``, the length of the C++.
    """
    # The C++ needs the headers of the yosys that wrote it, which come with the package: so it is
    # the package's yosys even where another one synthesises.
    tool = packaged("yosys")
    if spec["family"]:
        (folder / "core.json").write_bytes(core_of((folder / "netlist.json").read_bytes()))
        (folder / "models.v").write_text(models(spec["family"]))
    (folder / "compile.ys").write_text("\n".join(spec["script"]) + "\n")
    failure = _run("yosys", [*tool.command, "-q", "compile.ys"], folder, processes, timeout_s)
    if failure is None:
        source = folder / "core.cc"
        # The last one counts.
        plain = ["-O0"] if source.stat().st_size > spec["optimised_bytes"] else []
        driver = Path(__file__).with_name(spec.get("driver_file", _DRIVER))
        command = [*launched(spec["compiler"]), *spec["flags"], *plain, f"-I{_headers(tool)}",
                   "-I.", str(driver), "-o", LIBRARY]
        failure = _run("compiler", command, folder, processes, timeout_s)
    if failure is not None:
        return failure
    if not (folder / LIBRARY).is_file():
        message = f"{shlex.join(spec['compiler'])} ended with status 0 but left no library"
        return {"status": "tool_error", "message": message, "log": message, "retry": "always"}
    return {"status": "ok", "source_bytes": source.stat().st_size, "keep": (LIBRARY,)}


def _headers(tool: Tool) -> Path:
    return tool.folder / "share" / "include" / "backends" / "cxxrtl" / "runtime"


def _run(name: str, command: Sequence[str], folder: Path, processes: Processes,
         timeout_s: float | None) -> dict[str, Any] | None:
    log = folder / "console.log"
    finished = processes.run(command, folder=folder, log=log, timeout_s=timeout_s)
    text = log.read_bytes()
    failure = diagnose(name, finished, text, timeout_s)
    if failure is None:
        return None
    message = failure.message
    if name == "compiler" and failure.status == "tool_error":
        message = f"The C++ {message}; set CXX to another compiler"
    return {"status": failure.status, "message": message, "retry": failure.retry,
            "log": tail(text), "limit_s": timeout_s}
