"""Writes the files of an exported core."""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from montgomery import CoreParameters
from montgomery.blocks.clearable import Clearable
from montgomery.bus import BUSES, AxisCore, BusCore
from montgomery.core import about, traits
from montgomery.outside import origin_of
from montgomery.technology import GENERIC, Technology, technologies

from ..atomic import atomic_write
from ..data.shells import Shell
from ..devices import target
from ..devices.model import Target
from ..errors import Refusal
from ..points.point import Point
from ..tools.find import project_version
from ..tools.toolbox import Toolbox, announcing
from . import bus as buses
from .describe import description, simulation, stimuli
from .measured import measured
from .models import models
from .verilog import During, check_name, declared, document, render, verilog

__all__ = ["Exported", "default_name", "export"]

#: As the licence has it.
HOLDER = "Copyright (C) 2026 The montgomery contributors"
#: How the names begin of cells that yosys and nextpnr have, and the vendor's own tools do not.
_OPEN = ("TRELLIS_",)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written: the Verilog module ``name``, and the files, which begin with it.

    They are ``verilog``, ``testbench``, ``documentation`` and ``fusesoc``; ``models`` where there
    are any; of a core with registers ``registers``, in SystemRDL, ``cocotb``, ``litex``, on
    Wishbone, and the files of the driver in C by their names. ``measured`` has a line for each
    device on which the core was measured.
    """

    name: str
    files: dict[str, Path]
    measured: list[str]


def default_name(point: Point) -> str:
    """Return the name of the module of a point for which no other is given."""
    return f"{point.name.replace('.', '_')}_{point.width}"


def export(point: Point, folder: Path, *, name: str | None = None, vectors: int = 8,
           seed: int = 0, generic: bool = False, clear: bool = False, bus: str = "",
           own_clock: bool = False,
           announce: Callable[[str], None] = lambda text: None,
           during: During = contextlib.nullcontext) -> Exported:
    """Write a core and what belongs to it to ``folder``, which is made if need be.

    The point says for which device it is, and whether it may use the device's multiplier blocks; a
    ``generic`` one is plain Verilog, whose blocks are left to the tool that synthesises it. The
    testbench has the edge cases, and so many random operations as there are ``vectors``, of a seed.
    ``clear`` gives the core an input that wipes what it was sent; on a bus, a command. The ``bus``
    is one of :data:`montgomery.bus.BUSES`, on which the core has registers, and may have its
    ``own_clock``; or ``axis`` for ports as those of AXI4-Stream, or empty for those of the core.
    What takes long is announced in a line of text before, and done within a context of ``during``.

    Raises
    ------
    ValueError
        If ``name`` is not a simple identifier, or means something else in Verilog or in what is
        exported with the core; or if the core needs multiplier blocks, which the device does not
        have.
    StageFailed, DiskFull, ToolMissing
        If yosys fails, has no room for what it writes, or is not there.
    """
    name = name or default_name(point)
    check_name(name, default_name(point))
    params, device = point.parameters(), target(point.target)
    technology = (_technology(point, params, device)
                  if about(params).uses_blocks and not generic else None)
    component: Any
    if bus in BUSES:
        component = BusCore(params, bus, clear=clear, own_clock=own_clock)
    elif bus:
        component = AxisCore(params, clear=clear)
    else:
        component = Clearable(params) if clear else params.create()
    toolbox = Toolbox(emit=announcing(announce))
    core, cells = verilog(component, name, technology, toolbox=toolbox, during=during)
    vendor, modelled = models(technology.name if technology else "", cells)
    sources = [f"{name}.v", *[f"{name}_models.v"] * bool(vendor), f"{name}_tb.sv"]
    with during(f"computing what {name} takes and gives"):
        numbers = {**description(params, component.core if bus else component, seed),
                   **stimuli(params, vectors, seed, whole_bytes=bus == "axis")}
    context: dict[str, Any] = {
        **numbers, "name": name, "holder": HOLDER,
        **simulation(name, " ".join(sources), core.count("\n"), numbers["operations"]),
        "licence": "" if origin_of(type(params)) else "BSD-2-Clause",
        "measured": measured(point, generic=generic, shell=Shell(
            bus=bus, own_clock=own_clock, clear=clear) if bus in BUSES else None),
        "version": project_version(), "models": f"{name}_models.v" if vendor else None,
        "cells": cells, "open_cells": [cell for cell in cells if cell.startswith(_OPEN)],
        "unmodelled": [cell for cell in cells if cell not in modelled],
        "technology": technology.name if technology and cells else None, "seed": seed,
        "command": shlex.join([*point.command("export", device=not generic),
                               *(["--bus", bus] if bus else []), *["--own-clock"] * own_clock,
                               *["--clear"] * clear, "--name", name]),
        "last": bus == "axis"}
    files = {"verilog": (f"{name}.v", render("source.v", {
        **context, "what": context["title"], "text": core.strip("\n"), "of_models": False})),
        "fusesoc": (f"{name}.core", render("fusesoc.core", context))}
    if bus in BUSES:
        with during(f"computing what software does with {name}"):
            files |= buses.files(component, name, context, vectors, seed)
    else:
        texts = {"testbench": (f"{name}_tb.sv", render("testbench.sv", context)),
                 "documentation": (f"{name}.md", document(context))}
        files |= buses.renamed(texts) if bus else texts
    if vendor:
        files["models"] = f"{name}_models.v", render("source.v", {
            **context, "what": f"Models of {' and '.join(modelled)}, for simulation alone; where "
            "the comments speak of other cells, those are not here.",
            "licence": "BSD-2-Clause", "text": vendor.strip("\n"), "of_models": True})
    bench = files["testbench"][1].replace(f"{name}_tb", "")
    if name in {*cells, *declared(vendor), *declared(bench)}:
        raise Refusal(f"The name must not be one that the testbench or the models of the "
                      f"device's blocks have, unlike '{name}'; '{name}_core' would do")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.values():
        with atomic_write(folder / file) as partial:
            partial.write_text(text, encoding="utf-8")
    return Exported(name=name, measured=context["measured"],
                    files={kind: folder / file for kind, (file, _) in files.items()})


def _technology(point: Point, params: CoreParameters, device: Target) -> Technology:
    """Return what the core may use of the device, if that is all that it needs."""
    technology = device.technology_for(dict(point.options))
    if technology == GENERIC or technology.multiplier or not _multiplies(params):
        return technology
    logic = device.options.get("multipliers")
    fixes = [*(["add '-o multipliers=logic' to make multipliers of logic"]
               if logic and "logic" in logic.choices else []),
             "leave out '-t' for plain Verilog", "or name another device"]
    raise Refusal(f"{point.name} needs multiplier blocks, and {device.name} has none: "
                  f"{', '.join(fixes)}")


def _multiplies(params: CoreParameters) -> bool:
    """Return whether the core is made of multiplier blocks where there are any."""
    for technology in technologies().values():
        if technology.multiplier:
            with contextlib.suppress(ValueError):  # of blocks that are too small
                return traits(params).blocks(technology) > 0
    return True
