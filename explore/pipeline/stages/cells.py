"""Verification of what is synthesised, a core with the cells of its device, at few bits.

For a device, a core holds multipliers, memories and carry chains of its family where the core that
is simulated holds plain arithmetic. So the core with these cells, and with models of them, is
verified as well before its synthesis counts. The cells are the same at all lengths, and a core of
few bits is compiled and verified within seconds.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from montgomery.core import about

from ...outcome import StageFailed
from ...simulation.build import compile_spec, rtlil_script
from ...store.artefacts import digest
from ..stage import Job, Result, Scope, Spec, Stage, Tools, Workspace, hash_of
from .compile import Compile
from .elaborate import Elaborate, parameters
from .stimuli import Stimuli
from .verify import Verify

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["STAGES", "few_bits"]

#: Bits of the core, or the next number that it can have: three digits of 18 bits.
_WIDTH = 40
#: Clocks of an operation, beyond which there are just the runs without many operations.
_LONG = 20_000


@functools.cache
def few_bits(params: CoreParameters) -> CoreParameters:
    """Return the core of few bits that has the same other parameters."""
    for width in range(min(_WIDTH, params.width), params.width):
        try:
            return dataclasses.replace(params, width=width)
        except ValueError:
            pass
    return params


def _small_job(job: Job) -> Job:
    return dataclasses.replace(job, params=few_bits(job.params), point=None)


class _WithCells(Stage):
    """A stage for cores that hold cells of their device."""

    def applies(self, job: Job, tools: Tools) -> bool:
        return (tools.compiler is not None and job.device is not None
                and about(job.params).uses_blocks
                and job.device.technology_for(job.options).multiplier is not None)

    def label(self, job: Job) -> str:
        return (f"{_small_job(job).core_label} with cells of "
                f"{job.device.technology_for(job.options).name}")


class Small(_WithCells, Elaborate):
    """Elaboration of the core for the device, at few bits."""

    transparent = False

    def __init__(self) -> None:
        super().__init__("small", for_device=True)

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return super().specify(_small_job(job), given, tools)


class StimuliCells(_WithCells, Stimuli):
    """The runs of the verification of this core."""

    name = "stimuli_cells"
    scope = Scope.POINT

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        spec = super().specify(_small_job(job), given, tools)
        if few_bits(job.params).cycles.compute < _LONG:
            return spec
        return {**spec, "thorough": False, "long": True}


class CompileCells(_WithCells, Compile):
    """A library that simulates this core, with models of the cells."""

    name = "compile_cells"
    needs = ("small",)
    reads = "small"
    fetches = ""
    scope = Scope.POINT

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return {**compile_spec(given["small"]["rtlil"], rtlil_script(cells=True)), **_cells(job)}

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        from ...export.models import all_models

        (workspace.folder / "models.v").write_text(all_models(spec["technology"]))
        return super().run(spec, workspace)


class VerifyCells(_WithCells, Verify):
    """Comparison of this core with its model."""

    name = "verify_cells"
    needs = ("small", "stimuli_cells")
    guards = ("synth",)
    reads = "stimuli_cells"
    fetches = "compile_cells"
    scope = Scope.POINT
    columns = ()
    reader = None

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        core = self.of_core(few_bits(job.params), given["small"]["rtlil"],
                            given["stimuli_cells"]["plan"])
        return {**core, **_cells(job)}

    def hashed(self, spec: Spec) -> str:
        return hash_of({"core": super().hashed(spec), "cells": spec["cells"]})

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        try:
            return super().run(spec, workspace)
        except StageFailed as error:
            message = (f"with cells of {spec['technology']}, at {parameters(spec).width} bits: "
                       f"{error.failure.message}")
            raise StageFailed(dataclasses.replace(error.failure, message=message),
                              error.facts) from error


def _cells(job: Job) -> Spec:
    from ...export.models import all_models

    technology = job.device.technology_for(job.options).name
    return {"technology": technology, "cells": digest(all_models(technology))}


STAGES = (Small(), StimuliCells(), CompileCells(), VerifyCells())
