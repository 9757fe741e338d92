"""Formal proofs as stages, which the store keeps."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from ..fingerprint import own_fingerprint
from ..netlist.formal import Proof, Prover, Verdict, hardware_rtlil
from ..store.artefacts import digest
from ..tools.toolbox import Toolbox
from .stage import Job, Result, Scope, Spec, Stage, Tools, Workspace

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..netlist.formal import Obligation
    from .on_demand import SingleStages

__all__ = ["Proofs"]

_CODE = tuple(f"explore.netlist.formal.{name}" for name in ("aiger", "engine", "proof"))


@dataclasses.dataclass(frozen=True)
class _NoCore:
    """Stands for the core of a job: what is to be proved has hardware of its own."""

    width: int = 0


class _Proof(Stage):
    """An attempt at a proof, by assuming what the obligation relies on or not.

    The facts are those of a :class:`Proof`.
    """

    name = "proof"
    scope = Scope.CORE

    def __init__(self, obligation: Obligation, *, relying: bool, seconds: int, depth: int) -> None:
        self._obligation, self._relying = obligation, relying
        self._limits = {"seconds": seconds, "depth": depth}

    def label(self, job: Job) -> str:
        return f"{self._obligation.name}: {self._obligation.claim}"

    @property
    def code(self) -> str:
        return own_fingerprint(*_CODE)

    @functools.cached_property
    def _rtlil(self) -> str:
        return hardware_rtlil(self._obligation.create(self._relying))

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        wanted = self._obligation
        return {"name": wanted.name, "claim": wanted.claim, "size": dict(wanted.size),
                "outputs": list(wanted.outputs), "rtlil": digest(self._rtlil),
                "limits": self._limits, **self.here({}, tools)}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"yosys": tools.identity("yosys", packaged=True)}

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        prover = Prover(Toolbox(processes=workspace.processes), **spec["limits"])
        proof = prover.attempt(self._obligation, workspace.folder, relying=self._relying)
        return Result(proof.to_json())


class Proofs:
    """Proves one obligation after the other, within the limits of a :class:`Prover`."""

    def __init__(self, computed: SingleStages, *, seconds: int = 60, depth: int = 40) -> None:
        self._computed, self._limits = computed, {"seconds": seconds, "depth": depth}

    def prove(self, obligation: Obligation) -> Proof:
        """Return what becomes of an obligation.

        What it relies on is proved first, and is not assumed if it cannot be proved.
        """
        relied = [self.prove(other) for other in obligation.relies_on()]
        sound = all(proof.verdict == Verdict.PROVED for proof in relied)
        stage = _Proof(obligation, relying=sound and bool(relied), **self._limits)
        _, outcome = self._computed.obtain(stage, Job(params=cast("CoreParameters", _NoCore())))
        return dataclasses.replace(Proof.from_json(outcome.facts), seconds=outcome.seconds,
                                   relies_on=tuple(proof.label for proof in relied if sound))
