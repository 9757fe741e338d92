"""Compilation of simulations: see :mod:`explore.simulation.build`.

A core is compiled from its RTLIL, by Verilator or CXXRTL. Commands that are no sweep compile other
designs as well: with all signals by their names, and by CXXRTL from the netlist that is placed, or
with a driver of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...devices import cell_models
from ...fingerprint import own_fingerprint
from ...netlist.harness import CORE
from ...netlist.placed import netlist_script
from ...simulation.build import (
    DRIVER,
    LIBRARY,
    RUNTIME,
    build,
    build_runtime,
    built_here,
    compile_spec,
    rtlil_script,
    runtime_spec,
    verilated_spec,
)
from ...simulation.choice import choose, predicted_clocks
from ...store.artefacts import digest
from ..stage import Job, Result, Scope, Spec, Stage, Tools, Workspace

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["STAGES", "Compile", "CompileDesign", "CompileNamed", "CompileNetlist"]


def _code(module: str) -> str:
    """Return a hash of the code of a stage, and of what adds to the specification of a library."""
    return own_fingerprint(module, __name__, "explore.simulation.build", "explore.netlist.placed")


class Runtime(Stage):
    """The runtime of Verilator as an object file; skipped if there is no Verilator."""

    name = "runtime"
    scope = Scope.CORE

    @property
    def code(self) -> str:
        return _code(__name__)

    def applies(self, job: Job, tools: Tools) -> bool:
        return tools.verilator is not None

    def label(self, job: Job) -> str:
        return "Verilator, for all cores"

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return {**runtime_spec(), **self.here({}, tools)}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return built_here(tools, verilator=True)

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        build_runtime(spec, workspace)
        return Result(keep=(RUNTIME,))


class Compile(Stage):
    """A library that simulates the core; skipped if there is no C++ compiler.

    The engine is ``verilator``, ``cxxrtl``, or ``auto`` for the one that is predicted to be quicker
    in all. Prediction and optimisation depend on the number of operations that are going to be
    simulated, which is None for a verification. A waveform keeps all signals, which takes longer to
    compile and to run.
    """

    name = "compile"
    needs = ("elaborate",)
    reads = "elaborate"
    fetches = "runtime"
    scope = Scope.CORE
    driver = DRIVER
    #: RTLIL to compile in place of what an earlier stage left.
    text = ""

    def __init__(self, *, engine: str = "auto", operations: int | None = None,
                 waveform: bool = False) -> None:
        self._engine, self._operations, self._waveform = engine, operations, waveform

    @property
    def code(self) -> str:
        return _code(type(self).__module__)

    def applies(self, job: Job, tools: Tools) -> bool:
        return tools.compiler is not None

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        spec = self.compiled(job, given, tools)
        return spec | self.here(spec, tools)

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        """Return the specification, but for what depends on where the stage runs."""
        rtlil, size = given["elaborate"]["rtlil"], given["elaborate"]["rtlil_bytes"]
        engine = self._chosen(job, size, tools)
        if engine is None:
            return {"source": rtlil, "size": size, "operations": self._operations,
                    "waveform": self._waveform}
        if engine == "verilator":
            return verilated_spec(rtlil, waveform=self._waveform)
        return compile_spec(rtlil, rtlil_script(waveform=self._waveform), waveform=self._waveform,
                            clocks=None if self._waveform else self._clocks_of(job))

    def _clocks_of(self, job: Job) -> int:
        return predicted_clocks(job.params, self._operations)

    def _chosen(self, job: Job, size: str, tools: Tools) -> str | None:
        """Return the name of the simulator; None if it depends on an unknown size."""
        if self._engine != "auto":
            return self._engine
        if tools.verilator is None:
            return "cxxrtl"
        if not size.isdecimal():
            return None
        return choose(int(size), self._clocks_of(job))

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return built_here(tools, verilator=spec.get("engine") == "verilator")

    def uses_fetched(self, spec: Spec) -> bool:
        return spec.get("engine") == "verilator" or "size" in spec

    def program(self, job: Job) -> str:
        return "yosys"

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        if self.text:
            (workspace.folder / "core.il").write_text(self.text, encoding="utf-8")
        return Result({"source_bytes": build(spec, workspace, self.driver)}, (LIBRARY,))


class CompileNamed(Compile):
    """A library that simulates the core, and has all signals by the names that they have in it."""

    def __init__(self, params: CoreParameters, **options: Any) -> None:
        from amaranth.back import rtlil

        super().__init__(waveform=True, **options)
        self.text = rtlil.convert(params.create(), name=CORE, emit_src=False)

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        named = {**given["elaborate"], "rtlil": digest(self.text)}
        return super().compiled(job, {"elaborate": named}, tools)


class CompileNetlist(Compile):
    """A library that simulates the netlist that is placed, without the chain around the core."""

    needs = ("synth",)
    reads = "synth"
    fetches = ""
    scope = Scope.POINT

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        family = job.device.family
        script = netlist_script(cell_models(family), waveform=self._waveform)
        return compile_spec(given["synth"]["netlist"], script, family=family.name,
                            waveform=self._waveform)


class CompileDesign(Compile):
    """A library that simulates a design which is no core, as RTLIL, with a driver in C++.

    The clocks that will be simulated may be known to be few.
    """

    needs = ()
    reads = fetches = ""

    def __init__(self, rtlil: str, driver: Path, *, clocks: int | None = None) -> None:
        super().__init__()
        self.text, self.driver, self._clocks = rtlil, driver, clocks

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return compile_spec(digest(self.text), rtlil_script(), driver=self.driver,
                            clocks=self._clocks)


STAGES = (Compile(), Runtime())
