"""Compiles one core and verifies it as a sweep does, and longer if nothing is wrong.

    python benchmarks/hand_fault.py \\
        '{"core": ..., "width": ..., "params": [...], "target": ..., "longer": ...}'

The program is a part of ``hand_faults.py``, which runs it with a copy of the sources. It prints
``{"fate", "message"}``. The core is compiled by CXXRTL, without a store.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from explore.devices import target, targets
from explore.export.models import all_models
from explore.netlist.harness import core_rtlil
from explore.pipeline.stages.cells import few_bits
from explore.points.expand import expand
from explore.simulation import CompiledEngine, Report, verify, verify_exponentiation
from explore.simulation.build import LIBRARY, build, compile_spec, rtlil_script
from explore.tools.compiler import ADVICE, find_compiler
from explore.tools.processes import Processes
from explore.tools.workspace import Workspace
from montgomery import CoreParameters
from montgomery.technology import GENERIC, Technology

#: Random operations of the longer verification, and about how many clocks they may take.
_MANY, _CLOCKS = 5000, 2_000_000


def _compiled(core: CoreParameters, technology: Technology) -> CompiledEngine:
    """Return a simulator of a core, with the cells of a technology."""
    compiler = find_compiler()
    if compiler is None:
        raise SystemExit(f"Faults need a compiled simulation, but {ADVICE}")
    spec = compile_spec("", rtlil_script(cells=technology != GENERIC)) | {
        "compiler": list(compiler.command)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "core.il").write_text(core_rtlil(core.create(), technology))
        (folder / "models.v").write_text(all_models(technology.name))
        build(spec, Workspace(folder, Processes()))
        return CompiledEngine(folder / LIBRARY)


def _verified(core: CoreParameters, technology: Technology) -> Report:
    """Return what a sweep simulates of a core."""
    report = verify(core, vectors=24, seed=0, engine=_compiled(core, GENERIC))
    if report.ok and technology != GENERIC:
        small = few_bits(core)
        report = verify(small, vectors=24, seed=0, engine=_compiled(small, technology))
    return report


def _reports(core: CoreParameters, technology: Technology, longer: bool) -> Iterator[Report]:
    """Yield what a sweep simulates, and what takes longer."""
    yield _verified(core, technology)
    if longer:
        engine = _compiled(core, technology)
        cycles = core.cycles_of(*core.longest)
        many = min(_MANY, _CLOCKS // (cycles.load + cycles.compute))
        yield verify(core, vectors=many, seed=1, engine=engine)
        yield verify_exponentiation(core, seed=0, engine=engine)


def main() -> int:
    given = json.loads(sys.argv[1])
    points = expand([given["core"]], [given["width"]], {name: [value] for name, value in
                     (text.split("=") for text in given["params"])},
                    [given["target"] or next(iter(targets()))], {})
    core = points[0].parameters()
    technology = target(given["target"]).technology_for({}) if given["target"] else GENERIC
    fate, message = "silent", ""
    for number, report in enumerate(_reports(core, technology, given["longer"])):
        if not report.ok:
            fate, message = "missed" if number else "found", report.message
            break
    print(json.dumps({"fate": fate, "message": message}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
