"""Counts how many faults in a core verification finds; a core with a fault is a mutant.

yosys's ``mutate`` builds faults into the netlist of a core: a bit stuck, inverted, or inverted
where another bit is set. All of them go into one library, which switches them on one at a time, and
simulates by Verilator, or by CXXRTL where there is none. The library, verifications of some
mutants, and proofs that a mutant is without effect are stages.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from montgomery import CoreParameters
from montgomery.core import name_of

from ..outcome import Outcome, StageFailed
from ..simulation.build import build, compile_spec, verilated_spec
from ..simulation.compiled import CompiledEngine
from ..simulation.engine import Mismatch, Progress
from ..simulation.judge import Clash, Run, judged, unpacked
from ..simulation.report import Report
from ..simulation.verify import plan_of, verify
from ..store.artefacts import digest, output
from ..tools.find import packaged
from ..tools.workspace import Tools, Workspace
from .simulated import Simulated
from .stage import Job, Result, Scope, Spec, Stage
from .stages.compile import LIBRARY, Compile
from .stages.elaborate import NAMES, parameters

if TYPE_CHECKING:
    from .on_demand import SingleStages

__all__ = ["PATIENCE", "STAGES", "Mutant", "MutantReport", "verify_mutants"]


#: Mutants that are verified in one stage.
_BATCH = 10
#: What yosys may take to prove that a mutant has no effect.
_PROOF_S = 8

_NETLIST = "base.il"
#: ``opt`` needs ``opt_clean`` before it: see the model of :mod:`explore.netlist.formal.engine`. A
#: mutated output takes the initial value of its register away, which must be 0 then.
_BASE = ["read_rtlil core.il", "hierarchy -top core", "proc", "flatten", "opt_clean", "opt -full",
         "opt_clean -purge", "zinit -all", f"write_rtlil {_NETLIST}"]
#: No optimisation after the mutants, since faults depend on a port.
_MUTATED = [f"read_rtlil {_NETLIST}", "script mutants.ys"]
_VERILATOR = [*_MUTATED, "opt_clean -purge", "write_verilog -noattr core.v"]
#: Bits that depend on each other would look like loops in one wire.
_CXXRTL = [*_MUTATED, "splitnets", "opt_clean -purge", "write_cxxrtl -g0 core.cc"]
_LINE = re.compile(r"mutate -ctrl mutant \d+ \d+ (-mode (\w+) .*-cell (\S+) -port (\S+) "
                   r"-portbit (\d+).*)")
#: Cells, each with the wire that it drives.
_DRIVEN = re.compile(r"^  cell \S+ (\S+)\n(?:    .*\n)*?    connect \\[YQ] \\(\w+)", re.MULTILINE)
#: Cells of memories. yosys takes their initial contents as constants alone, and so what it says
#: besides the address and the data where a word is read.
_MEMORY = re.compile(r"^ *cell \$mem(init|rd)\S* (\S+)$", re.MULTILINE)
_CONSTANT = re.compile(r"\\?(EN|ARST|SRST)")
#: Clocks are not the core's to get wrong, and a library has but one.
_CLOCKS = ("CLK", r"\CLK", "WR_CLK", r"\WR_CLK", "RD_CLK", r"\RD_CLK")


class _Library(Compile):
    """A library of a core and of mutants, which are those with numbers from 1 on."""

    name = "mutants"

    def __init__(self, count: int, seed: int, engine: str) -> None:
        super().__init__(engine=engine)
        self._count, self._seed = count, seed

    def compiled(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        rtlil, engine = given["elaborate"]["rtlil"], self._engine
        if engine == "auto":
            engine = "verilator" if tools.verilator else "cxxrtl"
        made = (verilated_spec(rtlil, mutants=_VERILATOR) if engine == "verilator"
                else compile_spec(rtlil, _CXXRTL))
        return {"engine": engine, **made, "count": self._count, "seed": self._seed}

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        # Those at clocks and at constants are left out.
        asked = 4 * spec["count"] + 10
        _yosys(workspace, [*_BASE, f"mutate -list {asked} -seed {spec['seed']} -ctrl mutant 16 1 "
                                   "-o list.ys"])
        netlist, listed = (output(workspace.folder, name, "yosys")
                           for name in (_NETLIST, "list.ys"))
        mutants = _chosen(netlist.decode(), listed.decode(), json.loads(
            (workspace.folder / NAMES).read_bytes()))[:spec["count"]]
        (workspace.folder / "mutants.ys").write_text("".join(
            f"mutate -ctrl mutant 16 {number} {mutant.command}\n"
            for number, mutant in enumerate(mutants, 1)))
        build(spec, workspace)
        return Result({"netlist": hashlib.sha256(netlist + listed).hexdigest(),
                       "mutants": list(map(dataclasses.asdict, mutants))}, (LIBRARY, _NETLIST))


def _chosen(netlist: str, listed: str, names: Mapping[str, str]) -> list[Mutant]:
    """Return the mutants of a list of yosys that are faults of the core."""
    parts = {cell: part for part, cell in _MEMORY.findall(netlist)}
    driven = {cell: names.get(wire, wire) for cell, wire in _DRIVEN.findall(netlist)}
    mutants = []
    for line in listed.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise StageFailed(f"yosys lists a mutation that is not understood: {line[:200]}")
        command, mode, cell, port, bit = match.groups()
        part = parts.get(cell)
        constant = part == "init" or (part == "rd" and _CONSTANT.fullmatch(port))
        if port not in _CLOCKS and not constant:
            mutants.append(Mutant(mode, driven.get(cell, cell), port, int(bit), command))
    return list(dict.fromkeys(mutants))


class _Verified(Simulated):
    """Verifications of some mutants, each with several ``seeds``; fact: the numbers ``found``."""

    name = "mutants_verified"
    judge = "explore.simulation.verify"

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        runs = [run for seed in spec["seeds"] for _, run in unpacked(plan_of(
            parameters(spec), vectors=spec["vectors"], seed=seed, thorough=True))]
        return Result({"found": [number for number in spec["numbers"] if _fails(
            Path(spec["library"]), number, runs)]})


def _fails(library: Path, mutant: int, runs: Sequence[Run]) -> bool:
    engine = CompiledEngine(library, mutant)
    if engine.name == "verilator":
        ctypes.CDLL(str(library)).simulation_switch_on(mutant)
    try:
        for run in runs:
            judged(run, engine.run(run.stimulus))
    except (Clash, Mismatch):
        return True
    return False


class _Equivalence(Stage):
    """A proof by induction that a fault in a netlist has no effect; fact: whether there is one."""

    name = "equivalence"
    scope = Scope.CORE

    def __init__(self, netlist: str, mutant: Mutant) -> None:
        self._netlist, self._mutant = netlist, mutant

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        reading = f"read_rtlil {_NETLIST}"
        script = [reading, "memory", "rename core gold", "design -stash gold",
                  reading, f"mutate {self._mutant.command}", "memory", "rename core gate",
                  "design -stash gate", "design -copy-from gold -as gold gold",
                  "design -copy-from gate -as gate gate", "equiv_make gold gate both",
                  "hierarchy -top both", "opt -fast", "equiv_simple", "equiv_induct -seq 8",
                  "equiv_status -assert"]
        spec = {"netlist": digest(self._netlist), "script": script, "limit_s": _PROOF_S}
        return spec | self.here(spec, tools)

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"yosys": tools.identity("yosys", packaged=True)}

    def run(self, spec: Spec, workspace: Workspace) -> Result:
        (workspace.folder / _NETLIST).write_text(self._netlist)
        try:
            _yosys(dataclasses.replace(workspace, timeout_s=spec["limit_s"]), spec["script"])
        except StageFailed:
            # Whether it is refuted, or the proof takes too long or too much memory: it is no proof.
            return Result({"is_proved": False})
        return Result({"is_proved": True})


STAGES = (_Verified(),)


def _yosys(workspace: Workspace, script: Sequence[str]) -> None:
    (workspace.folder / "script.ys").write_text("\n".join(script) + "\n")
    workspace.run("yosys", [*packaged("yosys").command, "-q", "script.ys"])


def verify_mutants(computed: SingleStages, params: CoreParameters, count: int, *,
                   folder: Path, engine: str = "auto", vectors: int = 8, seed: int = 0,
                   progress: Progress | None = None) -> MutantReport | Report:
    """Return how many of ``count`` mutants :func:`explore.simulation.verify` finds.

    If the core itself is wrong, the result is the report of :func:`explore.simulation.verify`,
    whose ``vectors`` and ``seed`` these are; the seed chooses the mutants too. The library is put
    into a folder. An ``auto`` engine is Verilator if it is there.
    """
    job, stage = Job(params=params), _Library(count, seed, engine)
    library = computed.library(stage, job, folder)
    _, made = computed.obtain(stage, job, into=library.parent)
    netlist = (library.parent / _NETLIST).read_text()
    mutants = [Mutant(**each) for each in made.facts["mutants"]]
    itself = verify(params, vectors=vectors, seed=seed, engine=CompiledEngine(library))
    if not itself.ok:
        return itself

    def verified(numbers: Sequence[int], seeds: Sequence[int]) -> Iterator[bool]:
        batches = [numbers[at:at + _BATCH] for at in range(0, len(numbers), _BATCH)]
        outcomes = computed.each((_Verified(library, numbers=batch, vectors=vectors,
                                            seeds=list(seeds)) for batch in batches), job)
        for batch, outcome in zip(batches, outcomes, strict=True):
            found = _facts(outcome)["found"]
            yield from (number in found for number in batch)

    def proved(numbers: Sequence[int]) -> Iterator[bool]:
        proofs = (_Equivalence(netlist, mutants[number - 1]) for number in numbers)
        return (_facts(outcome)["is_proved"] for outcome in computed.each(proofs, job))

    fates: dict[str, list[Mutant]] = {}
    rest = list(range(1, len(mutants) + 1))
    for fate, sieve in (
            ("killed", functools.partial(verified, seeds=[seed])), ("equivalent", proved),
            ("missed", functools.partial(verified, seeds=range(seed + 1, seed + PATIENCE)))):
        fates[fate], before, rest = [], rest, []
        for number, is_found in zip(before, sieve(before), strict=True):
            if is_found:
                fates[fate].append(mutants[number - 1])
                if progress is not None:
                    progress(sum(map(len, fates.values())), len(mutants))
            else:
                rest.append(number)
    fates["undetected"] = [mutants[number - 1] for number in rest]
    return MutantReport(params=params, seed=seed, vectors=itself.vectors,
                        netlist=made.facts["netlist"], fates=fates)


def _facts(outcome: Outcome) -> Mapping[str, Any]:
    if outcome.failure:
        raise StageFailed(outcome.failure)
    return outcome.facts


#: Verifications, with other operands and stalls, of a mutant that the first one did not find.
PATIENCE = 4


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One fault: the cell, the port and the bit that is wrong, and in which way it is wrong.

    The cell is called after the signal that it drives, if it drives one.
    """

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

    The seed is that of the mutants, and of the first verification of each. The netlist is a hash,
    also of the mutants. The fates are ``killed`` (found), ``missed`` (found only by verifying
    :data:`PATIENCE` times, with other operands and stalls), ``equivalent`` (proved by yosys to be
    without effect) and ``undetected`` (neither).
    """

    params: CoreParameters
    seed: int
    vectors: int
    netlist: str
    fates: dict[str, list[Mutant]]

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
        # The core itself is right.
        return {"ok": True, "arch": name_of(self.params), "width": self.params.width,
                "params": dataclasses.asdict(self.params), "seed": self.seed,
                "vectors": self.vectors, "netlist": self.netlist,
                "mutants": sum(self.counts.values()), **self.counts, "score": self.score,
                "survivors": {name: [str(mutant) for mutant in self.fates[name]]
                              for name in ("missed", "equivalent", "undetected")}}
