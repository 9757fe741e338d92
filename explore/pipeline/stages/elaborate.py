"""Elaboration: from the parameters of a core to RTLIL, of the core and of the chain around it."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from montgomery.core import about, traits
from montgomery.registry import modules

from ...fingerprint import Source, fingerprint, sources
from ...outcome import Failure, Outcome, Retry, StageFailed, Status
from ...store.artefacts import digest
from ...tools.contents import files_below, hash_files
from ..reads import are_unchanged, files_read
from ..stage import Job, Lane, Result, Scope, Spec, Stage, Tools, Workspace, hash_of

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["NAMES", "STAGES", "Elaborate", "core_spec", "parameters"]

_CORE, _HARNESS = "core.il", "harness.il"
#: File of the names that the core has inside, on which nothing else depends.
NAMES = "names.json"
_FACTS = ("rtlil", "harness", "rtlil_bytes")


def core_spec(params: CoreParameters, *more: str) -> Spec:
    """Return the part of a specification that describes a core and the code that computes it.

    The outcome depends on ``more`` modules.
    """
    cls, names = type(params), [*modules(params), *more]
    return {"class": f"{cls.__module__}:{cls.__qualname__}", "params": dataclasses.asdict(params),
            "modules": names, "sources": fingerprint(*names)}


def parameters(spec: Spec) -> CoreParameters:
    """Return the core that :func:`core_spec` described."""
    module, _, name = spec["class"].partition(":")
    return getattr(importlib.import_module(module), name)(**spec["params"])


class Elaborate(Stage):
    """Elaboration of the core, for simulation or for the device.

    Both are the same for cores that are the same hardware on all devices.
    """

    lane = Lane.PYTHON
    transparent = True

    def __init__(self, name: str, *, for_device: bool) -> None:
        self.name, self._for_device = name, for_device
        self.scope = Scope.POINT if for_device else Scope.CORE
        # The size only matters for simulation.
        self.facts = _FACTS[:2] if for_device else _FACTS

    def label(self, job: Job) -> str:
        technology = self._technology(job)
        return f"{job.core_label} for {technology}" if technology else job.core_label

    def _technology(self, job: Job) -> str | None:
        """Return the name of the technology of a core, if the core depends on it."""
        if not self._for_device or not about(job.params).uses_blocks:
            return None
        return job.device.technology_for(job.options).name

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        spec = core_spec(job.params, "explore.netlist.harness") | {"facts": list(_FACTS)}
        if technology := self._technology(job):
            spec["technology"] = technology
        return spec | _amaranth() | _front_ends(dict.fromkeys(_read_by(job.params)), tools)

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"sources": fingerprint(*spec["modules"]), **_amaranth(),
                **_front_ends(spec, tools)}

    def sources(self, spec: Spec) -> Mapping[str, Source]:
        return sources(*spec["modules"])

    def hashed(self, spec: Spec) -> str:
        # Both stages have one outcome where they do the same.
        return hash_of({"stage": "elaborate", "code": self.code, **spec})

    def covers(self, spec: Spec, outcome: Outcome) -> bool:
        return are_unchanged(outcome.facts)

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        from montgomery.technology import GENERIC, technologies

        from ...netlist.harness import core_rtlil, harness_rtlil

        technology = technologies()[spec.get("technology", GENERIC.name)]
        if technology != GENERIC and technology.multiplier is None:
            message = (f"{technology.name} has no multipliers; to use logic say so: "
                       "multipliers=logic")
            raise StageFailed(Failure(status=Status.NO_FIT, message=message, log=message,
                                      retry=Retry.NEVER))
        component = parameters(spec).create()
        core = core_rtlil(component, technology)
        texts = {_CORE: core.text, _HARNESS: harness_rtlil(component.signature),
                 NAMES: json.dumps(core.names)}
        for name, text in texts.items():
            (workspace.folder / name).write_text(text, encoding="utf-8")
        facts = {"rtlil": digest(texts[_CORE]), "harness": digest(texts[_HARNESS]),
                 "rtlil_bytes": str(len(texts[_CORE])), **files_read(spec["modules"])}
        return Result(facts, tuple(texts))


@functools.cache
def _amaranth() -> Spec:
    folder = Path(importlib.util.find_spec("amaranth").origin).parent
    return {"amaranth": hash_files(files_below(folder), folder)}


def _read_by(params: CoreParameters) -> tuple[str, ...]:
    """Return the names of the programs that read the sources of a core, if it is not in Python."""
    inner = traits(params).inner
    return (*getattr(params, "read_by", ()), *(_read_by(inner) if inner else ()))


def _front_ends(spec: Mapping[str, Any], tools: Tools) -> Spec:
    """Return the contents of these programs, for those that a specification names."""
    found = {}
    if "yosys" in spec:
        found["yosys"] = tools.identity("yosys", packaged=True)
    if "ghdl" in spec:
        program = shutil.which("ghdl")
        found["ghdl"] = digest(Path(program).read_bytes()) if program else ""
    return found


STAGES = (Elaborate("elaborate", for_device=False), Elaborate("design", for_device=True))
