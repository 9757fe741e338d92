"""Compilation of simulations: see :mod:`explore.simulation.build`.

A core is compiled from its RTLIL. Commands that are no sweep compile other designs as well: with
all signals by name, from the netlist that is placed, or with a driver of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...netlist.placed import netlist_script
from ...simulation.build import DRIVER, LIBRARY, build, built_here, compile_spec, rtlil_script
from ...store.artefacts import digest
from ..stage import Job, Result, Scope, Spec, Stage, Tools, Workspace

__all__ = ["STAGES", "Compile", "CompileDesign", "CompileNetlist"]


class Compile(Stage):
    """A library that simulates the core; skipped if there is no C++ compiler.

    Parameters
    ----------
    waveform : bool
        Keep all signals by name, which takes longer to compile and to run.
    """

    name = "compile"
    needs = ("elaborate",)
    reads = "elaborate"
    scope = Scope.CORE
    driver = DRIVER

    def __init__(self, *, waveform: bool = False) -> None:
        self._waveform = waveform

    def applies(self, job: Job, tools: Tools) -> bool:
        return tools.compiler is not None

    def label(self, job: Job) -> str:
        return job.core_label

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return self.compiled(job, given, tools) | self.here({}, tools)

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        """Return the specification, but for what depends on where the stage runs."""
        script = rtlil_script(waveform=self._waveform)
        cycles = None if self._waveform else job.params.common_cycles
        return compile_spec(given["elaborate"]["rtlil"], script, waveform=self._waveform,
                            clocks=cycles and cycles.interval)

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return built_here(tools)

    def program(self, job: Job) -> str:
        return "yosys"

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        return Result({"source_bytes": build(spec, workspace, self.driver)}, (LIBRARY,))


class CompileNetlist(Compile):
    """A library that simulates the netlist that is placed, without the chain around the core."""

    needs = ("synth",)
    reads = "synth"
    scope = Scope.POINT

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        family = job.device.family
        script = netlist_script(family.reading(), waveform=self._waveform)
        return compile_spec(given["synth"]["netlist"], script, family=family.name,
                            waveform=self._waveform)


class CompileDesign(Compile):
    """A library that simulates a design which is no core.

    Parameters
    ----------
    rtlil : str
        The design, as RTLIL.
    driver : Path
        The C++ source that drives the design.
    clocks : int or None
        Clocks of an operation, if they are known to be few.
    """

    needs = ()
    reads = ""

    def __init__(self, rtlil: str, driver: Path, *, clocks: int | None = None) -> None:
        super().__init__()
        self._rtlil, self.driver, self._clocks = rtlil, driver, clocks

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return compile_spec(digest(self._rtlil), rtlil_script(), driver=self.driver,
                            clocks=self._clocks)

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        (workspace.folder / "core.il").write_text(self._rtlil, encoding="utf-8")
        return super().run(spec, workspace)


STAGES = (Compile(),)
