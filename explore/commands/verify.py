"""``montgomery verify``: cores against their integer models in simulation, and formal proofs."""

from __future__ import annotations

import dataclasses
import itertools
import shlex
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from montgomery import CoreParameters
from montgomery.core import check_operands, input_names, kind_of

from ..errors import Refusal
from ..pipeline.mutation import MutantReport
from ..pipeline.on_demand import Testbed
from ..points.point import Point
from ..simulation import Mismatch, Report, expected_results, simulate
from ..simulation import verify as verify_vectors
from ..simulation.exhaustive import check_width
from ..store import Store
from ._answer import Answer
from ._options import check_jobs, given, needed, one_point, operation, refuse_others
from ._progress import announce, meter
from ._types import written
from ._verified import differences, prove, summary

__all__ = ["verify"]

#: Random operations up to which a core is compiled as for a sweep, and their runs.
_FEW, _RUNS = 200, 8
#: What ``--engine`` takes.
_ENGINES = ("auto", "verilator", "cxxrtl", "amaranth")
_SIMULATION = {"engine", "target", "options", "vcd"}
#: The parameters that each method takes, beside those that name a core, and the store.
_TAKEN = {"vectors": {*_SIMULATION, "vectors", "seed", "scheduler"},
          "exhaustive": {*_SIMULATION, "jobs", "scheduler"},
          "full": {*_SIMULATION, "seed", "scheduler"},
          "mutants": {"vectors", "seed", "faults", "engine", "jobs", "scheduler"},
          "prove": {"seconds", "depth", "output"}}
#: What one operation takes, which needs no method.
_OF_ONE = {*_SIMULATION, "scheduler", "operands"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Wanted:
    """What to simulate: one operation if there are operands."""

    method: str
    vectors: int
    faults: int
    seed: int
    operands: Mapping[str, int]
    jobs: int | None
    engine: str

    @property
    def arguments(self) -> list[str]:
        """What repeats it on the command line; of a single operation, that."""
        if self.operands:
            return ["--operands", _listed(self.operands, "{}={:#x}")]
        numbers = {"vectors": self.vectors, "faults": self.faults, "seed": self.seed}
        return [*(["--method", self.method] if self.method != "vectors" else []),
                *(text for name, number in numbers.items() if name in _TAKEN[self.method]
                  for text in (f"--{name}", str(number)))]

    def operations(self, core: CoreParameters) -> int | None:
        """Return about how many operations of a core are simulated; None if as in a sweep."""
        if self.operands:
            return 1
        if self.method == "exhaustive":
            return 8 ** core.width // 6
        if self.method == "full":
            return 2 * core.width if kind_of(core).name == "multiplier" else 1
        return _RUNS * self.vectors if self.vectors > _FEW else None


def verify(arch: str | None, width: str | None, params: tuple[str, ...], method: str,
           vectors: int, seed: int, faults: int, seconds: int, depth: int, output: Path | None,
           target: str | None, options: tuple[str, ...], engine: str, vcd: Path | None,
           jobs: int | None, scheduler: str | None, store_path: Path | None,
           operands: tuple[str, ...]) -> Answer:
    """Compare a core with its integer model in simulation, or prove claims about it."""
    some = {"method", *itertools.chain(*_TAKEN.values()), "operands"}
    if operands:
        refuse_others("One operation", _OF_ONE, some)
    else:
        refuse_others(f"--method {method}", {"method", *_TAKEN[method]}, some)
    if method == "prove":
        return prove(arch, width, params, seconds=seconds, depth=depth, output=output,
                     store_path=store_path)
    arch, width = needed("arch"), needed("width")
    if target is not None and engine in ("verilator", "amaranth"):
        raise click.UsageError(f"CXXRTL simulates --post-synth, not {engine}; leave --engine out")
    if method == "mutants" and engine == "amaranth":
        raise click.UsageError("Faults need a compiled core, which amaranth does not simulate; "
                               "leave --engine out")
    check_jobs(jobs, scheduler)
    if options and target is None:
        raise click.UsageError("-o is for the tools that --post-synth runs; name a target with it")
    point = one_point("verify", arch, width, params, target, options)
    core = point.parameters()
    wanted = _Wanted(method=method, vectors=vectors, faults=faults, seed=seed,
                     operands=_one_operation(core, operands), jobs=jobs, engine=engine)
    if method == "exhaustive":

        check_width(core)
    report = _simulate(point, wanted, post_synth=target is not None, store_path=store_path, vcd=vcd,
                       scheduler=scheduler)
    if isinstance(report, MutantReport):
        return Answer(report.to_json(), [summary(report)])
    if not report.ok:
        chosen = ["-a", written(point.name), "-n", width,
                  *(f"-p{text}" for text in params),
                  *(["--post-synth", target] if target else []), *(f"-o{text}" for text in options),
                  *(["--engine", engine] if given("engine") else [])]
        report = dataclasses.replace(report, command=_repeat(chosen, wanted, report),
                                     message=differences(report.message))
    notes = []
    if not report.ok:
        notes += [f"montgomery: {point.name} with {core.width} bits fails: {report.message}; "
                  f"repeat it with: {report.command}"]
    if vcd is not None and report.waveform:
        notes += [f"Waveform: {report.waveform}"]
    elif vcd is not None and report.ok:
        names = _listed(dict.fromkeys(input_names(core), "N"), "{}={}")
        notes += [f"No mismatch, so no waveform was written; --operands {names} has that of one "
                  "operation written"]
    return Answer(report.to_json(), [summary(report)] if report.ok else [],
                  0 if report.ok else 1, notes)


def _one_operation(core: CoreParameters, values: tuple[str, ...]) -> Mapping[str, int]:
    """Return the operands of one operation in the order of the core; none if none are given."""
    found = operation(core, values) if values else {}
    if found:
        try:
            check_operands(core, *found.values())
        except (TypeError, ValueError) as error:
            raise Refusal(str(error)) from error
    return found


def _listed(operands: Mapping[str, Any], form: str) -> str:
    return ",".join(form.format(*each) for each in operands.items())


def _simulate(point: Point, wanted: _Wanted, *, post_synth: bool, store_path: Path | None,
              vcd: Path | None, scheduler: str | None) -> Report | MutantReport:
    label = f"{point.name} with {point.width} bits"
    with Store(store_path) as store, tempfile.TemporaryDirectory() as folder:
        testbed = Testbed(store, point, Path(folder), engine=wanted.engine,
                          operations=wanted.operations(point.parameters()), post_synth=post_synth,
                          announce=announce, scheduler=scheduler, jobs=wanted.jobs)
        if testbed.advice:
            click.echo(f"montgomery: {testbed.advice}", err=True)
        if wanted.operands:
            with meter(f"simulating {label}"):
                return _run_one(testbed, wanted, vcd)
        # Before there is a line of progress, which what is announced would break.
        testbed.prepare(mutants=wanted.method == "mutants")
        if wanted.method == "mutants":
            with meter(f"faults in {label}") as progress:
                return testbed.verify_mutants(wanted.faults, vectors=wanted.vectors,
                                              seed=wanted.seed, progress=progress)
        waveform = (testbed.waveform_engine, vcd) if vcd else None
        with meter(f"simulating {label}") as progress:
            return _verify(testbed, wanted, waveform, progress)


def _verify(testbed: Testbed, wanted: _Wanted, waveform: tuple | None,
            progress: Callable[[int, int], None] | None) -> Report:
    if wanted.method == "exhaustive":
        return testbed.verify_exhaustive(progress, waveform)
    if wanted.method == "full":
        return testbed.verify_full(wanted.seed, progress, waveform)
    return verify_vectors(testbed.params, vectors=wanted.vectors, seed=wanted.seed,
                          progress=progress, engine=testbed.engine(), waveform=waveform)


def _run_one(testbed: Testbed, wanted: _Wanted, vcd: Path | None) -> Report:
    """Simulate one operation."""
    core = testbed.params
    operands = tuple(wanted.operands.values())
    engine = testbed.waveform_engine() if vcd else testbed.engine()
    report = Report(params=core, engine=engine.name, vectors=1, seed=wanted.seed,
                    operation=operands)
    try:
        model = expected_results(core, [operands])[operands]
    except Mismatch as mismatch:
        return dataclasses.replace(report, message=str(mismatch))
    if vcd:
        # Operands may be secret. A file that is there keeps its permissions.
        vcd.touch(0o600)
    report = dataclasses.replace(report, model=model, waveform=vcd)
    try:
        result = simulate(core, [operands], seed=wanted.seed, engine=engine, waveform=vcd)
    except Mismatch as mismatch:
        return dataclasses.replace(report, message=str(mismatch))
    product = result.products[0]
    # Nothing came before a single operation, so it has no interval; it may have no key to load.
    cycles = {name: count for name, count in dataclasses.asdict(result.cycles[0]).items()
              if name != "interval" and (name != "load_key" or core.k_words)}
    wrong = "" if product == model else f"simulation gives {product:#x}, the model {model:#x}"
    return dataclasses.replace(report, ok=not wrong, cycles=cycles, message=wrong,
                               simulation=product)


def _repeat(chosen: list[str], wanted: _Wanted, report: Report) -> str:
    """Return the shortest command that shows a mismatch again."""
    operands = report.operands if report.alone else wanted.operands
    # A core that fails before there is a fault in it fails without one.
    method = "vectors" if wanted.method == "mutants" else wanted.method
    again = dataclasses.replace(wanted, method=method, operands=operands)
    return shlex.join(["montgomery", "verify", *chosen, *again.arguments])
