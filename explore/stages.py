"""The stages of a measurement, each a pure function of a specification.

A specification is a JSON-able dictionary that holds all a stage depends on, hashes of its input
files among it, so that the hash of the specification (:func:`stage_key`) names the outcome
wherever it was computed. An outcome is a JSON-able dictionary too:

* ``status``: ``ok``, or how it failed; then also ``message`` (one line), ``log`` (its last lines)
  and ``retry`` (see :class:`explore.tools.Failure`);
* ``seconds``, ``host``, ``date``, and what the stage found out.

=========  ==================================  ==================================================
Stage      Depends on                          Leaves
=========  ==================================  ==================================================
elaborate  parameters, sources                 ``core.il``, ``harness.il``
compile    RTLIL, yosys, the C++ compiler      ``simulation.so``
verify     RTLIL, model and simulator sources  measured cycles
synth      RTLIL, yosys and its script         ``netlist.json``, cells of the core
place      netlist, nextpnr and its arguments  ``report.json``, frequency
=========  ==================================  ==================================================

Files are kept compressed, as ``*.gz``. Where there is no C++ compiler, nothing is compiled and
Amaranth's own simulator verifies; what it finds out is the same.
"""

from __future__ import annotations

import dataclasses
import datetime
import gzip
import hashlib
import importlib
import importlib.metadata
import json
import shutil
import socket
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import flow
from .floorplan import specify
from .harness import CORE, HARNESS, synthesis_script
from .simulation import build
from .sources import fingerprint
from .tools import tail

if TYPE_CHECKING:
    from montgomery import Parameters
    from montgomery.technology import Technology

    from .processes import Processes
    from .simulation.compiler import Compiler
    from .targets import Target

__all__ = ["PYTHON_STAGES", "STAGES", "compile_spec", "elaborate_spec", "place_spec", "run_stage",
           "stage_key", "stamped", "synth_spec", "unpack", "verify_spec"]

STAGES = ("elaborate", "compile", "verify", "synth", "place")
#: Stages that compute in this process, rather than run a tool.
PYTHON_STAGES = ("elaborate", "verify")

#: The function that compares a core with its model.
VERIFIER = "explore.simulation:verify"

Spec = dict[str, Any]
Outcome = dict[str, Any]


def stage_key(spec: Spec) -> str:
    """Return the name of a specification's outcome."""
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:40]


def _design(params: Parameters) -> Spec:
    cls = type(params)
    return {"class": f"{cls.__module__}:{cls.__qualname__}", "params": dataclasses.asdict(params)}


def elaborate_spec(params: Parameters, technology: Technology | None = None) -> Spec:
    """Specify the elaboration of a core and of the chain around it.

    Parameters
    ----------
    technology : Technology or None
        What the core is made for; for simulation if None. Makes no difference to portable cores.
    """
    made_for = {} if technology is None or params.portable else {"technology": technology.name}
    return {"stage": "elaborate", **_design(params), **made_for,
            "sources": fingerprint(type(params).__module__, "explore.harness"),
            "amaranth": importlib.metadata.version("amaranth")}


def compile_spec(params: Parameters, elaborated: Outcome, compiler: Compiler, *,
                 waveform: bool = False) -> Spec:
    """Specify the library that simulates a core, or draws its waveform."""
    clocks = params.cycles.interval if params.kind == "multiplier" else None
    return build.compile_spec(elaborated["rtlil"], build.rtlil_script(waveform=waveform), compiler,
                              waveform=waveform, clocks=clocks)


def verify_spec(params: Parameters, elaborated: Outcome, *, vectors: int, seed: int) -> Spec:
    """Specify the comparison of a core with its model."""
    simulator = VERIFIER.partition(":")[0]
    return {"stage": "verify", **_design(params), "rtlil": elaborated["rtlil"],
            "verifier": VERIFIER, "sources": fingerprint(type(params).__module__, simulator),
            "driver": build.driver_hash(),
            "vectors": vectors, "seed": seed}


def synth_spec(target: Target, options: dict[str, int | str], elaborated: Outcome,
               version: str) -> Spec:
    """Specify the synthesis of a core; ``version`` is that of yosys."""
    script = synthesis_script(target.synth_commands(CORE, options),
                              target.synth_commands(HARNESS, options, pins=True))
    return {"stage": "synth", "rtlil": elaborated["rtlil"], "harness": elaborated["harness"],
            "tool": "yosys", "version": version, "script": script}


def place_spec(target: Target, options: dict[str, int | str], seed: int, synthesised: Outcome,
               version: str) -> Spec:
    """Specify placement and routing; ``version`` is that of the family's nextpnr."""
    files = {"files": dict(target.files)} if target.files else {}
    return {"stage": "place", "netlist": synthesised["netlist"],
            "tool": target.architecture.placer, "version": version,
            "arguments": target.place_arguments(options, seed), **files,
            **specify(target.sites_for(options))}


def run_stage(spec: Spec, folder: Path, inputs: Path | None = None, *,
              processes: Processes | None = None, timeout_s: float | None = None) -> Outcome:
    """Compute an outcome.

    Parameters
    ----------
    folder : Path
        An empty folder, in which the files are left that are worth keeping.
    inputs : Path or None
        The folder of the stage whose files are needed: of ``elaborate`` for ``compile`` and
        ``synth``, of ``compile`` for ``verify``, of ``synth`` for ``place``. Without one,
        ``verify`` uses Amaranth's simulator.
    processes : Processes or None
        What runs the tools, for the stages that need one.
    timeout_s : float or None
        Time limit of a tool. The Python stages have to be stopped from outside.

    Raises
    ------
    ToolMissing, DiskFull
        If it cannot be computed here and now; the outcome is then unknown, not a failure.
    """
    begin = time.monotonic()
    if inputs is not None:
        unpack(inputs, folder)
    if spec["stage"] in PYTHON_STAGES:
        outcome = _guarded(_elaborate if spec["stage"] == "elaborate" else _verify, spec, folder)
    else:
        run = {"compile": build.build, "synth": flow.synthesise, "place": flow.place}
        outcome = run[spec["stage"]](spec, folder, processes, timeout_s)
    _keep(folder, outcome.pop("keep", ()))
    return stamped(outcome, begin)


def unpack(inputs: Path, folder: Path) -> None:
    """Write the files that a stage left in ``inputs`` to ``folder``."""
    for packed in inputs.glob("*.gz"):
        with gzip.open(packed) as source, (folder / packed.stem).open("wb") as file:
            shutil.copyfileobj(source, file)


def stamped(outcome: Outcome, begin: float) -> Outcome:
    """Return an outcome with where, when and since ``begin`` (of the monotonic clock) it ended."""
    return {**outcome, "seconds": round(time.monotonic() - begin, 3),
            "host": socket.gethostname(),
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")}


def _keep(folder: Path, names: Sequence[str]) -> None:
    for path in list(folder.iterdir()):
        if path.name in names:
            # A fixed time, so that equal contents are equal files.
            with path.open("rb") as source, path.with_name(f"{path.name}.gz").open("wb") as file, \
                    gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as packed:
                shutil.copyfileobj(source, packed)
        path.unlink()


def _parameters(spec: Spec) -> Parameters:
    module, _, name = spec["class"].partition(":")
    return getattr(importlib.import_module(module), name)(**spec["params"])


def _guarded(compute: Callable[[Spec, Path], Outcome], spec: Spec, folder: Path) -> Outcome:
    try:
        return compute(spec, folder)
    except (MemoryError, OSError):
        raise
    except Exception as error:
        # Whatever a core or its model raises is a finding about this one point.
        message = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        status = "unverified" if spec["stage"] == "verify" else "tool_error"
        return {"status": status, "message": message, "retry": "never",
                "log": tail(traceback.format_exc().encode())}


def _elaborate(spec: Spec, folder: Path) -> Outcome:
    from montgomery.technology import GENERIC, technologies

    from .harness import core_rtlil, harness_rtlil

    technology = technologies()[spec.get("technology", GENERIC.name)]
    if technology != GENERIC and technology.multiplier is None:
        message = f"{technology.name} has no multipliers; to use logic say so: multipliers=logic"
        return {"status": "no_fit", "message": message, "log": message, "retry": "never"}
    component = _parameters(spec).create()
    texts = {"rtlil": core_rtlil(component, technology),
             "harness": harness_rtlil(component.signature)}
    for name, text in zip(("core.il", "harness.il"), texts.values(), strict=True):
        (folder / name).write_text(text)
    return {"status": "ok", "keep": ("core.il", "harness.il"),
            **{name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}}


def _verify(spec: Spec, folder: Path) -> Outcome:
    from .simulation.compiled import CompiledEngine

    module, _, name = spec["verifier"].partition(":")
    verifier = getattr(importlib.import_module(module), name)
    library = folder / build.LIBRARY
    try:
        engine = CompiledEngine(library) if library.exists() else None
    except OSError as error:
        message = f"The compiled simulation cannot be loaded ({error})"
        return {"status": "tool_error", "message": message, "log": message, "retry": "always"}
    report = verifier(_parameters(spec), vectors=spec["vectors"], seed=spec["seed"], engine=engine)
    if report["ok"]:
        return {"status": "ok", "report": report}
    return {"status": "unverified", "message": report["message"], "log": report["message"],
            "retry": "never", "report": report}
