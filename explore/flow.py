"""The two stages that run a tool: synthesis by yosys, placement and routing by nextpnr."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from .floorplan import locate
from .harness import CORE
from .processes import Processes
from .tools import diagnose, find, tail

__all__ = ["place", "synthesise"]

_LOG_BYTES = 1 << 20


def synthesise(spec: dict[str, Any], folder: Path, processes: Processes,
               timeout_s: float | None) -> dict[str, Any]:
    """Run yosys on ``core.il`` and ``harness.il`` in ``folder``.

    The outcome has ``cells`` (of the core alone, by type), ``netlist`` (a hash) and ``arguments``.
    """
    (folder / "synth.ys").write_text("\n".join(spec["script"]) + "\n")
    arguments = ["-q", "-l", "yosys.log", "synth.ys"]
    failure = _run("yosys", arguments, folder, processes, timeout_s)
    if failure:
        return failure
    try:
        core, harness, joined = (_cells(folder / f"{name}.json")
                                 for name in ("core", "harness", "netlist_stat"))
        netlist = (folder / "netlist.json").read_bytes()
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        return _rubbish("yosys", error, folder)
    del harness[CORE]
    if core + harness != joined:
        return _failed("yosys joined core and chain to other cells than they have: "
                       f"{dict(core)} and {dict(harness)}, but {dict(joined)}", folder, "yosys")
    return {"status": "ok", "cells": dict(core), "netlist": hashlib.sha256(netlist).hexdigest(),
            "arguments": arguments, "keep": ("netlist.json", "yosys.log")}


def _cells(path: Path) -> Counter[str]:
    return Counter(json.loads(path.read_bytes())["design"]["num_cells_by_type"])


def place(spec: dict[str, Any], folder: Path, processes: Processes,
          timeout_s: float | None) -> dict[str, Any]:
    """Run nextpnr on ``netlist.json`` in ``folder``.

    The outcome has ``fmax_mhz`` (the lowest of all clocks), ``critical_path``, ``utilization``
    (nextpnr's own, the chain included) and ``arguments``. Without a clock its status is
    ``no_fmax``.
    """
    arguments = ["-q", "--log", "nextpnr.log", "--json", "netlist.json", "--report", "report.json",
                 *spec["arguments"]]
    for name, text in spec.get("files", {}).items():
        (folder / name).write_text(text)
    if "sites" in spec:
        locate(folder / "netlist.json", spec["sites"])
    failure = _run(spec["tool"], arguments, folder, processes, timeout_s)
    if failure:
        return failure
    try:
        report = json.loads((folder / "report.json").read_bytes())
        clocks = {name: float(clock["achieved"]) for name, clock in report["fmax"].items()}
        used = {name: bels["used"] for name, bels in report["utilization"].items() if bels["used"]}
        paths = report["critical_paths"]
        slowest = min(clocks, key=clocks.__getitem__, default=None)
        path = _critical_path(paths, slowest)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        return _rubbish(spec["tool"], error, folder)
    common = {"utilization": used, "arguments": arguments, "keep": ("report.json", "nextpnr.log")}
    if slowest is None:
        message = f"{spec['tool']} reported no clock"
        return {"status": "no_fmax", "message": message, "log": message, "retry": "never", **common}
    return {"status": "ok", "fmax_mhz": round(clocks[slowest], 3), "critical_path": path, **common}


def _run(name: str, arguments: list[str], folder: Path, processes: Processes,
         timeout_s: float | None) -> dict[str, Any] | None:
    console = folder / "console.log"
    finished = processes.run([*find(name).command, *arguments], folder=folder, log=console,
                             timeout_s=timeout_s)
    failure = diagnose(name, finished, _read(console), timeout_s)
    if failure is None:
        return None
    return {"status": failure.status, "message": failure.message, "retry": failure.retry,
            "log": _last_lines(folder), "limit_s": timeout_s, "arguments": arguments}


def _rubbish(name: str, error: Exception, folder: Path) -> dict[str, Any]:
    what = "left no output" if isinstance(error, FileNotFoundError) else "wrote rubbish"
    return _failed(f"{name} ended with status 0 but {what} ({error})", folder, name)


def _failed(message: str, folder: Path, name: str) -> dict[str, Any]:
    return {"status": "tool_error", "message": " ".join(message.split())[:300], "retry": "always",
            "log": _last_lines(folder)}


def _last_lines(folder: Path) -> str:
    # The console has the error messages; it is empty if the tool did not get to say anything.
    for name in ("console.log", "yosys.log", "nextpnr.log"):
        if lines := tail(_read(folder / name)):
            return lines
    return ""


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _LOG_BYTES))
            return file.read()
    except FileNotFoundError:
        return b""


# What yosys appends to the name of a signal to name the cells around it.
_SUFFIX = re.compile(
    r"_(SB_|TRELLIS_|LUT\d_|CCU2C?_|PFUMX_|L6MUX21_|FD1P3.X_|DFF[A-Z]*_|ALU_|MUX2_).*|\.?\$.*")


def _register(cell: str) -> str:
    """Return the name of the signal that a cell of the netlist was made for."""
    plain = cell.replace("$flatten", "").replace("\\", "")
    inside = plain.startswith(f"{CORE}.")
    name = _SUFFIX.sub("", plain.removeprefix(f"{CORE}.")) or "unnamed"
    return name if inside else f"chain's {name}"


#: Ports by which a carry chain goes on, and ends in a sum.
_CARRIES = ("FCO", "COUT")


def _critical_path(paths: list[dict], clock: str | None) -> str | None:
    """Return ``register to register: ns logic, ns routing, levels`` of a clock's longest path.

    A look-up table is a level, and so are a read of a distributed RAM and a whole carry chain.
    """
    for path in paths:
        if clock is not None and clock in path["from"] and clock in path["to"]:
            steps = path["path"]
            routing = [step["delay"] for step in steps if step["type"] == "routing"]
            logic = sum(step["delay"] for step in steps) - sum(routing)
            routed = sum(step["type"] == "routing" and step["from"]["port"] not in _CARRIES
                         for step in steps)
            return (f"{_register(steps[0]['from']['cell'])} to "
                    f"{_register(steps[-1]['to']['cell'])}: {logic:.2f} ns logic, "
                    f"{sum(routing):.2f} ns routing, {max(routed - 1, 0)} levels")
    return None
