"""Counts how many faults in a core verification finds; a core with a fault is a mutant.

yosys's ``mutate`` builds faults into the netlist of a core: a bit stuck, inverted, or inverted
where another bit is set. All of them go into one library, which switches them on one at a time, and
simulates by CXXRTL.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from montgomery import CoreParameters

from ..netlist.harness import core_rtlil
from ..outcome import StageFailed
from ..simulation.build import LIBRARY, build, compile_spec
from ..simulation.compiled import CompiledEngine
from ..simulation.engine import Progress
from ..simulation.report import Report
from ..simulation.verify import verify
from ..store.artefacts import output
from ..tools.compiler import Compiler
from ..tools.toolbox import Toolbox
from ..tools.workspace import Workspace

__all__ = ["PATIENCE", "Mutant", "MutantReport", "verify_mutants"]

#: Verifications, with other operands and stalls, of a mutant that the first one did not find.
PATIENCE = 200

#: What yosys may take to build the mutants, and to prove that one has no effect.
_LIMIT_S, _PROOF_S = 3600, 600

_BASE = ["read_rtlil core.il", "hierarchy -top core", "proc", "flatten", "opt -full",
         "opt_clean -purge"]
_LINE = re.compile(r"mutate -ctrl mutant \d+ \d+ (-mode (\w+) .*-cell (\S+) -port (\S+) "
                   r"-portbit (\d+).*)")
#: Clocks are not the core's to get wrong, and a library has but one.
_CLOCKS = ("CLK", r"\CLK", "WR_CLK", r"\WR_CLK", "RD_CLK", r"\RD_CLK")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One fault: the cell, the port and the bit that is wrong, and in which way it is wrong."""

    mode: str
    cell: str
    port: str
    bit: int
    command: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return f"{self.mode} at {self.port}[{self.bit}] of {self.cell}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class MutantReport:
    """How many mutants of a core verification finds.

    Attributes
    ----------
    params : CoreParameters
    seed : int
        Seed that chooses the mutants, and seed of the first verification of each.
    vectors : int
        Number of random operations per verification.
    fates : dict from str to list of Mutant
        ``killed`` (found), ``missed`` (found only by verifying :data:`PATIENCE` times, with other
        operands and stalls), ``equivalent`` (proved by yosys to be without effect) and
        ``undetected`` (neither).
    """

    params: CoreParameters
    seed: int
    vectors: int
    fates: dict[str, list[Mutant]]

    @property
    def ok(self) -> bool:
        """True: the core itself is right."""
        return True

    @property
    def counts(self) -> dict[str, int]:
        """Number of mutants by their fate."""
        return {name: len(found) for name, found in self.fates.items()}

    @property
    def score(self) -> float:
        """Ratio of killed mutants to killed and missed ones."""
        counts = self.counts
        different = counts["killed"] + counts["missed"]
        return counts["killed"] / different if different else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return the report fit for JSON, with texts of the mutants that are not found."""
        return {"ok": self.ok, "arch": self.params.name(), "width": self.params.width,
                "params": dataclasses.asdict(self.params), "seed": self.seed,
                "vectors": self.vectors, "mutants": sum(self.counts.values()), **self.counts,
                "score": self.score,
                "survivors": {name: [str(mutant) for mutant in self.fates[name]]
                              for name in ("missed", "undetected")}}


def verify_mutants(params: CoreParameters, count: int, *, vectors: int = 8, seed: int = 0,
                   compiler: Compiler, folder: Path, toolbox: Toolbox,
                   progress: Progress | None = None) -> MutantReport | Report:
    """Return how many of ``count`` mutants :func:`explore.simulation.verify` finds.

    Parameters
    ----------
    vectors, seed
        As for :func:`explore.simulation.verify`; the seed chooses the mutants too.
    folder : Path
        An empty folder to work in.
    toolbox : Toolbox
        The tools, among them yosys; the one of its package is used.

    Returns
    -------
    MutantReport or Report
        The report of :func:`explore.simulation.verify`, if the core itself is wrong.

    Raises
    ------
    StageFailed, DiskFull, ToolMissing
        If yosys or the compiler fails, has no room for what it writes, or is not there.
    """
    (folder / "core.il").write_text(core_rtlil(params.create()))
    mutants = _choose(toolbox, folder, count, seed)
    library = _library(toolbox, folder, mutants, compiler)

    def verified(number: int, run: int = 0) -> Report:
        return verify(params, vectors=vectors, seed=seed + run,
                      engine=CompiledEngine(library, number))

    def fate(number: int, mutant: Mutant) -> str:
        if not verified(number).ok:
            return "killed"
        if not all(verified(number, run).ok for run in range(1, PATIENCE)):
            return "missed"
        return "equivalent" if _equivalent(toolbox, folder, mutant) else "undetected"

    itself = verified(0)
    if not itself.ok:
        return itself
    fates: dict[str, list[Mutant]] = {
        "killed": [], "missed": [], "equivalent": [], "undetected": []}
    for number, mutant in enumerate(mutants, 1):
        fates[fate(number, mutant)].append(mutant)
        if progress is not None:
            progress(number, len(mutants))
    return MutantReport(params=params, seed=seed, vectors=itself.vectors, fates=fates)


def _choose(toolbox: Toolbox, folder: Path, count: int, seed: int) -> list[Mutant]:
    # Some are at clocks, and left out.
    asked = count + count // 4 + 10
    _yosys(toolbox, folder, [*_BASE, "write_rtlil base.il",
                             f"mutate -list {asked} -seed {seed} -ctrl mutant 16 1 -o list.ys"])
    mutants = []
    for line in output(folder, "list.ys", "yosys").decode().splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise StageFailed(f"yosys lists a mutation that is not understood: {line[:200]}")
        command, mode, cell, port, bit = match.groups()
        if port not in _CLOCKS:
            mutants.append(Mutant(mode, cell, port, int(bit), command))
    return list(dict.fromkeys(mutants))[:count]


def _library(toolbox: Toolbox, folder: Path, mutants: list[Mutant], compiler: Compiler) -> Path:
    lines = [f"mutate -ctrl mutant 16 {number} {mutant.command}"
             for number, mutant in enumerate(mutants, 1)]
    (folder / "mutants.ys").write_text("\n".join(lines) + "\n")
    # No optimisation afterwards, since faults depend on a port; but bits that depend on each other
    # would look like loops in one wire.
    script = ["read_rtlil base.il", "script mutants.ys", "splitnets", "opt_clean -purge",
              "write_cxxrtl -g0 core.cc"]
    spec = compile_spec("", script) | {"compiler": list(compiler.command)}
    build(spec, Workspace(folder, toolbox.processes))
    return folder / LIBRARY


def _equivalent(toolbox: Toolbox, folder: Path, mutant: Mutant) -> bool:
    """Return whether yosys proves by induction that a fault has no effect."""
    script = ["read_rtlil base.il", "memory", "rename core gold", "design -stash gold",
              "read_rtlil base.il", f"mutate {mutant.command}", "memory", "rename core gate",
              "design -stash gate",
              "design -copy-from gold -as gold gold", "design -copy-from gate -as gate gate",
              "equiv_make gold gate both", "hierarchy -top both", "opt -fast",
              "equiv_simple", "equiv_induct -seq 8", "equiv_status -assert"]
    try:
        _yosys(toolbox, folder, script, _PROOF_S)
    except StageFailed:
        # Whether it is refuted, or the proof takes too long or too much memory: it is no proof.
        return False
    return True


def _yosys(toolbox: Toolbox, folder: Path, script: list[str], limit_s: float = _LIMIT_S) -> None:
    (folder / "script.ys").write_text("\n".join(script) + "\n")
    toolbox.run("yosys", ["-q", "script.ys"], folder, limit_s, packaged=True)
