"""Counts how many faults in a core verification finds; a core with a fault is a mutant.

yosys's ``mutate`` builds faults into the netlist of a core: a bit stuck, inverted, or inverted
where another bit is set. All of them go into one library, which switches them on one at a time, and
simulates by CXXRTL.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import multiprocessing
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from montgomery import CoreParameters

from ..netlist.harness import core_rtlil
from ..outcome import StageFailed
from ..simulation.attempt import Attempt
from ..simulation.build import LIBRARY, build, compile_spec
from ..simulation.comparison import expected_results
from ..simulation.compiled import CompiledEngine
from ..simulation.engine import Mismatch, Progress
from ..simulation.plan import Trials
from ..simulation.report import Report
from ..simulation.vectors import Vector
from ..simulation.verify import verify
from ..store.artefacts import output
from ..tools.compiler import Compiler
from ..tools.toolbox import Toolbox
from ..tools.workspace import Workspace

__all__ = ["PATIENCE", "Mutant", "MutantReport", "verify_mutants"]

#: Verifications, with other operands and stalls, of a mutant that the first one did not find.
PATIENCE = 4

#: The first operations of a verification, which nearly all faults break.
_FIRST = 4

#: What yosys may take to build the mutants, and to prove that one has no effect.
_LIMIT_S, _PROOF_S = 3600, 8

#: ``opt`` needs ``opt_clean`` before it: see the model of :mod:`explore.netlist.formal.engine`. A
#: mutated output takes the initial value of its register away, which must be 0 then.
_BASE = ["read_rtlil core.il", "hierarchy -top core", "proc", "flatten", "opt_clean", "opt -full",
         "opt_clean -purge", "zinit -all"]
_LINE = re.compile(r"mutate -ctrl mutant \d+ \d+ (-mode (\w+) .*-cell (\S+) -port (\S+) "
                   r"-portbit (\d+).*)")
#: Cells of memories. yosys takes their initial contents as constants alone, and so what it says
#: besides the address and the data where a word is read.
_MEMORY = re.compile(r"^ *cell \$mem(init|rd)\S* (\S+)$", re.MULTILINE)
_CONSTANT = re.compile(r"\\?(EN|ARST|SRST)")
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
    netlist : str
        A hash of the netlist and of the mutants in it.
    """

    params: CoreParameters
    seed: int
    vectors: int
    netlist: str
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
                "vectors": self.vectors, "netlist": self.netlist,
                "mutants": sum(self.counts.values()), **self.counts, "score": self.score,
                "survivors": {name: [str(mutant) for mutant in self.fates[name]]
                              for name in ("missed", "equivalent", "undetected")}}


def verify_mutants(params: CoreParameters, count: int, *, vectors: int = 8, seed: int = 0,
                   compiler: Compiler, folder: Path, toolbox: Toolbox, jobs: int = 1,
                   earlier: Mapping[str, Any] | None = None,
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
    jobs : int
        Number of processes that share the work.
    earlier : dict or None
        The JSON of an earlier report. If it is about the same mutants, proofs that it knows the
        outcome of are not tried again: these take most of the time.

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
    mutants, netlist = _choose(toolbox, folder, count, seed)
    proved = _known_proofs(earlier, netlist, mutants)
    library = _library(toolbox, folder, mutants, compiler)

    verification = _Verification(params, library, vectors, seed)
    itself = verification.report(0)
    if not itself.ok:
        return itself
    fates: dict[str, list[Mutant]] = {
        "killed": [], "missed": [], "equivalent": [], "undetected": []}
    done = 0

    def decided(fate: str, numbers: Iterable[int]) -> None:
        nonlocal done
        for number in numbers:
            fates[fate].append(mutants[number - 1])
            done += 1
            if progress is not None:
                progress(done, len(mutants))

    def sieved(fate: str, numbers: list[int], found: Iterable[bool]) -> list[int]:
        """Return the numbers of the mutants that are not found."""
        rest = []
        for number, is_found in zip(numbers, found, strict=True):
            if is_found:
                decided(fate, [number])
            else:
                rest.append(number)
        return rest

    with _processes(jobs) as run, ThreadPoolExecutor(jobs) as threads:
        rest = list(range(1, len(mutants) + 1))
        rest = sieved("killed", rest, run(verification.kills, rest))
        rest = sieved("equivalent", rest, threads.map(
            lambda number: proved[number] if number in proved else
            _equivalent(toolbox, folder, number, mutants[number - 1]), rest))
        rest = sieved("missed", rest, run(verification.kills_at_last, rest))
        decided("undetected", rest)
    return MutantReport(params=params, seed=seed, vectors=itself.vectors, netlist=netlist,
                        fates=fates)


@dataclasses.dataclass(frozen=True)
class _Verification:
    """The verification of one mutant, by its number; 0 is the core itself."""

    params: CoreParameters
    library: Path
    vectors: int
    seed: int

    def report(self, number: int, run: int = 0) -> Report:
        return verify(self.params, vectors=self.vectors, seed=self.seed + run,
                      engine=CompiledEngine(self.library, number))

    def kills(self, number: int) -> bool:
        return self._fails_at_once(number) or not self.report(number).ok

    def _fails_at_once(self, number: int) -> bool:
        """Return whether the first operations of the verification fail, which takes little time."""
        operands, expected = _first_operations(self.params, self.vectors, self.seed)
        run = Attempt(self.params, operands, expected, None, {"chained": True, "seed": self.seed})
        try:
            run.simulate(CompiledEngine(self.library, number))
        except Mismatch:
            return True
        return False

    def kills_at_last(self, number: int) -> bool:
        return not all(self.report(number, run).ok for run in range(1, PATIENCE))


@functools.cache
def _first_operations(params: CoreParameters, vectors: int, seed: int
                      ) -> tuple[list[Vector], dict[Vector, int]]:
    """Return what a verification begins with, and the results."""
    operands = Trials(params, vectors, seed, thorough=True).operands[:_FIRST]
    return operands, expected_results(params, operands)


@contextlib.contextmanager
def _processes(jobs: int) -> Iterator[Callable[..., Iterable[bool]]]:
    """Yield a ``map`` that runs in processes of its own, if there is to be more than one."""
    if jobs == 1:
        yield map
        return
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool.map
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _choose(toolbox: Toolbox, folder: Path, count: int, seed: int) -> tuple[list[Mutant], str]:
    """Return mutants, and a hash of them and of the netlist."""
    # Those at clocks and at constants are left out.
    asked = 4 * count + 10
    _yosys(toolbox, folder, [*_BASE, "write_rtlil base.il",
                             f"mutate -list {asked} -seed {seed} -ctrl mutant 16 1 -o list.ys"])
    netlist, listed = (output(folder, name, "yosys") for name in ("base.il", "list.ys"))
    parts = {cell: part for part, cell in _MEMORY.findall(netlist.decode())}
    mutants = []
    for line in listed.decode().splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise StageFailed(f"yosys lists a mutation that is not understood: {line[:200]}")
        command, mode, cell, port, bit = match.groups()
        part = parts.get(cell)
        constant = part == "init" or (part == "rd" and _CONSTANT.fullmatch(port))
        if port not in _CLOCKS and not constant:
            mutants.append(Mutant(mode, cell, port, int(bit), command))
    return list(dict.fromkeys(mutants))[:count], hashlib.sha256(netlist + listed).hexdigest()


def _known_proofs(earlier: Mapping[str, Any] | None, netlist: str, mutants: Iterable[Mutant]
                  ) -> dict[int, bool]:
    """Return which mutants were proved equivalent, and which not, by their number."""
    if earlier is None or earlier.get("netlist") != netlist:
        return {}
    proved = {text: fate == "equivalent" for fate, texts in earlier["survivors"].items()
              for text in texts}
    # Some mutants differ in what their text does not tell.
    texts = Counter(map(str, mutants))
    return {number: proved[str(mutant)] for number, mutant in enumerate(mutants, 1)
            if texts[str(mutant)] == 1 and str(mutant) in proved}


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


def _equivalent(toolbox: Toolbox, folder: Path, number: int, mutant: Mutant) -> bool:
    """Return whether yosys proves by induction that a fault has no effect."""
    script = ["read_rtlil ../base.il", "memory", "rename core gold", "design -stash gold",
              "read_rtlil ../base.il", f"mutate {mutant.command}", "memory", "rename core gate",
              "design -stash gate",
              "design -copy-from gold -as gold gold", "design -copy-from gate -as gate gate",
              "equiv_make gold gate both", "hierarchy -top both", "opt -fast",
              "equiv_simple", "equiv_induct -seq 8", "equiv_status -assert"]
    # Proofs run beside each other, and a folder is for one program.
    own = folder / f"proof_{number}"
    own.mkdir()
    try:
        _yosys(toolbox, own, script, _PROOF_S)
    except StageFailed:
        # Whether it is refuted, or the proof takes too long or too much memory: it is no proof.
        return False
    return True


def _yosys(toolbox: Toolbox, folder: Path, script: list[str], limit_s: float = _LIMIT_S
           ) -> None:
    (folder / "script.ys").write_text("\n".join(script) + "\n")
    toolbox.run("yosys", ["-q", "script.ys"], folder, limit_s, packaged=True)
