"""``montgomery verify``: one core against its integer model, in simulation."""

from __future__ import annotations

import dataclasses
import shlex
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import Refusal
from ._activity import announce, during, meter
from ._answer import Answer, answering
from ._command import grouped
from ._names import OPTIONS, TARGET
from ._operands import OperandCommand, flag
from ._options import (
    CORE_FILES,
    check_jobs,
    core_options,
    given,
    one_point,
    scheduler_option,
    store_option,
)
from ._types import Integer, OutputFile
from ._verified import differences, summary

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..pipeline.mutants import MutantReport
    from ..pipeline.testbed import Testbed
    from ..points.point import Point
    from ..simulation import Report

__all__ = ["command"]

#: All of them are made before the first one is simulated.
_MOST_VECTORS = 10_000_000
#: Random operations up to which a core is compiled as for a sweep, and their runs.
_FEW, _RUNS = 200, 8
#: What ``--engine`` takes.
_ENGINES = ("auto", "verilator", "cxxrtl", "amaranth")


@dataclasses.dataclass(frozen=True)
class _Wanted:
    """What to simulate."""

    vectors: int
    seed: int
    operands: Mapping[str, int]
    exhaustive: bool
    full: bool
    mutants: int | None
    jobs: int | None
    engine: str = "auto"

    def __post_init__(self) -> None:
        one = bool(self.operands)
        if one + self.exhaustive + self.full + (self.mutants is not None) > 1:
            raise click.UsageError("--exhaustive, --full, --mutants and the numbers of one "
                                   "operation (--x, --y, --modulus and so on) exclude each other; "
                                   "give one of them")

    @property
    def arguments(self) -> list[str]:
        """What repeats it on the command line; of a single operation, that."""
        if self.exhaustive:
            return ["--exhaustive"]
        if self.operands:
            return [text for name, value in self.operands.items()
                    for text in (flag(name), hex(value))]
        mode = ["--full"] if self.full else ["--vectors", str(self.vectors)]
        if self.mutants is not None:
            mode += ["--mutants", str(self.mutants)]
        return [*mode, "--seed", str(self.seed)]

    def operations(self, core: CoreParameters) -> int | None:
        """Return about how many operations of a core are simulated; None if as in a sweep."""
        from montgomery.core import kind_of

        if self.operands:
            return 1
        if self.exhaustive:
            return 8 ** core.width // 6
        if self.full:
            return 2 * core.width if kind_of(core).name == "multiplier" else 1
        return _RUNS * self.vectors if self.vectors > _FEW else None


@click.command(cls=OperandCommand, operands_before="target",
               short_help="Simulate a core and compare it with its integer model.")
@core_options
@grouped("Operations to simulate",
         (["--vectors"], {
             "default": 8, "show_default": True, "type": Integer(1), "metavar": "N",
             "help": "Number of random operations, in addition to edge cases."}),
         (["--seed"], {"default": 0, "show_default": True, "type": Integer(0), "metavar": "N",
                       "help": "Seed of the random operations."}),
         (["--exhaustive"], {
             "is_flag": True,
             "help": "Simulate all operands of all odd moduli instead, for widths of at most 10 "
                     "bits. 7 bits take about 15 seconds, and each further bit eight times as "
                     "long."}),
         (["--full"], {
             "is_flag": True,
             "help": "Simulate a whole exponentiation or private-key operation instead, with "
                     "numbers of full length."}),
         (["--mutants"], {
             "metavar": "N", "type": Integer(1, 10_000),
             "help": "Put N faults into the core, one at a time, and count how many of them the "
                     "verification finds."}))
@click.option("--post-synth", "target", metavar="NAME", type=TARGET,
              help="Simulate the netlist that yosys makes for this target, such as ecp5-25k; "
                   "'montgomery list targets' names the targets.")
@click.option("-o", "--option", "options", metavar="KEY=VALUE", multiple=True, type=OPTIONS,
              help="An option of yosys for --post-synth, such as multipliers=logic; 'montgomery "
                   "list NAME' names the options of a target.")
@click.option("--engine", type=click.Choice(_ENGINES), default="auto", show_default=True,
              help="The simulator. verilator and cxxrtl compile the core; auto takes the one that "
                   "is predicted to be quicker in all, or amaranth where there is no C++ compiler.")
@click.option("--vcd", metavar="FILE", type=OutputFile(),
              help="Write the waveform of a mismatch, or of the one operation, as VCD.")
@click.option("-j", "--jobs", type=Integer(1), metavar="N",
              help="Number of processes for --exhaustive and --mutants.  [default: number of "
                   "processors]")
@scheduler_option("Compile, synthesise and run --exhaustive")
@store_option
@answering
def command(arch: str, width: str, params: tuple[str, ...], vectors: int, seed: int,
            exhaustive: bool, full: bool, mutants: int | None, target: str | None,
            options: tuple[str, ...], engine: str, vcd: Path | None, jobs: int | None,
            scheduler: str | None, store_path: Path | None, **operands: int | None) -> Answer:
    """Simulate a core and compare its results and clock counts with its integer model.

    Edge cases and random operations run one after the other, back to back, and once more back to
    back while all streams pause at random. If there is a C++ compiler, the core is compiled for
    simulation, by Verilator if that is worth while, and the store keeps the compiled core; then the
    core is also reset in each phase of an operation, and does an exponentiation of full length. If
    the numbers of one operation are given, such as --x, --y and --modulus for a multiplier, that
    operation alone runs and its result is printed. These numbers are decimal, or hexadecimal after
    0x.

    \b
    montgomery verify -a mmm_mx_1d -n 256 --vectors 100
    montgomery verify -a mmm_mx_1d -n 6 --exhaustive
    montgomery verify -a mmm_cs_1d -n 512 --full
    montgomery verify -a mmm_mx_1d -n 64 --x 0x1234 --y 5 --modulus 0xfedcba9876543211 --vcd x.vcd
    montgomery verify -a mmm_op_1d -n 32 --post-synth ecp5-25k
    montgomery verify -a mmm_op_1d -n 11 --mutants 200

    The exit status is 1 if the core disagrees with its model.
    """
    from montgomery.core import check_operands

    from ..pipeline.mutants import MutantReport

    single = {name: value for name, value in operands.items() if value is not None}
    wanted = _Wanted(vectors, seed, single, exhaustive, full, mutants, jobs, engine)
    if mutants is not None and (vcd is not None or target is not None):
        raise click.UsageError("--mutants goes with neither --vcd nor --post-synth; leave them out")
    if target is not None and engine in ("verilator", "amaranth"):
        raise click.UsageError(f"CXXRTL simulates --post-synth, not {engine}; leave --engine out")
    if mutants is not None and engine == "amaranth":
        raise click.UsageError("--mutants needs a compiled core, which amaranth does not simulate; "
                               "leave --engine out")
    if given("vectors") and (exhaustive or full or single):
        raise click.UsageError("--vectors is for random operations; it goes with neither "
                               "--exhaustive, --full nor a single operation; leave it out")
    if vectors > _MOST_VECTORS:
        raise click.UsageError(f"--vectors must be {_MOST_VECTORS:,} or less, not {vectors}")
    if given("seed") and (exhaustive or single):
        raise click.UsageError("--seed is for random operations; it goes with neither --exhaustive "
                               "nor a single operation; leave it out")
    if jobs is not None and not exhaustive and mutants is None:
        raise click.UsageError("-j is for --exhaustive and --mutants; add one of them, or leave "
                               "-j out")
    check_jobs(jobs, scheduler)
    if options and target is None:
        raise click.UsageError("-o is for the tools that --post-synth runs; name a target with it")
    point = one_point("verify", arch, width, params, target, options)
    core = point.parameters()
    if single:
        from montgomery.core import input_names

        if set(single) != set(input_names(core)):
            *others, last = map(flag, input_names(core))
            raise click.UsageError(f"One operation of {arch} takes all of {', '.join(others)} and "
                                   f"{last}, and no other number")
        operands = {name: single[name] for name in input_names(core)}
        wanted = dataclasses.replace(wanted, operands=operands)
        try:
            check_operands(core, *wanted.operands.values())
        except (TypeError, ValueError) as error:
            raise Refusal(str(error)) from error
    if exhaustive:
        from ..simulation.exhaustive import check_width

        check_width(core)
    report = _simulate(point, wanted, post_synth=target is not None, store_path=store_path, vcd=vcd,
                       scheduler=scheduler)
    if isinstance(report, MutantReport):
        return Answer(report.to_json(), [summary(report)])
    if not report.ok:
        files = click.get_current_context().meta[CORE_FILES]
        chosen = [*(word for file in files for word in ("--core", file)), "-a", arch, "-n", width,
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
        from montgomery.core import input_names

        flags = ", ".join(map(flag, input_names(core)))
        notes += ["No mismatch, so no waveform was written; give the operands of an operation "
                  f"({flags}) to have that one written"]
    return Answer(report.to_json(), [summary(report)] if report.ok else [],
                  0 if report.ok else 1, notes)


def _simulate(point: Point, wanted: _Wanted, *, post_synth: bool, store_path: Path | None,
              vcd: Path | None, scheduler: str | None) -> Report | MutantReport:
    from ..pipeline.testbed import Testbed
    from ..store import Store

    label = f"{point.name} with {point.width} bits"
    with Store(store_path) as store, tempfile.TemporaryDirectory() as folder:
        testbed = Testbed(store, point, Path(folder), engine=wanted.engine,
                          operations=wanted.operations(point.parameters()), post_synth=post_synth,
                          announce=announce, scheduler=scheduler, jobs=wanted.jobs)
        if testbed.advice:
            click.echo(f"montgomery: {testbed.advice}", err=True)
        if wanted.operands:
            with during(f"simulating {label}"):
                return _run_one(testbed, wanted, vcd)
        # Before there is a line of progress, which what is announced would break.
        testbed.prepare(mutants=wanted.mutants is not None)
        if wanted.mutants is not None:
            with meter(f"faults in {label}") as progress:
                return testbed.verify_mutants(wanted.mutants, vectors=wanted.vectors,
                                              seed=wanted.seed, progress=progress)
        waveform = (testbed.waveform_engine, vcd) if vcd else None
        with meter(f"simulating {label}") as progress:
            return _verify(testbed, wanted, waveform, progress)


def _verify(testbed: Testbed, wanted: _Wanted, waveform: tuple | None,
            progress: Callable[[int, int], None] | None) -> Report:
    from ..simulation import verify

    if wanted.exhaustive:
        return testbed.verify_exhaustive(progress, waveform)
    if wanted.full:
        return testbed.verify_full(wanted.seed, progress, waveform)
    return verify(testbed.params, vectors=wanted.vectors, seed=wanted.seed, progress=progress,
                  engine=testbed.engine(), waveform=waveform)


def _run_one(testbed: Testbed, wanted: _Wanted, vcd: Path | None) -> Report:
    """Simulate one operation."""
    from ..simulation import Mismatch, Report, expected_results, simulate
    from ..simulation.report import Single

    core = testbed.params
    operands = tuple(wanted.operands.values())
    engine = testbed.waveform_engine() if vcd else testbed.engine()
    report = Report(params=core, engine=engine.name, vectors=1, seed=wanted.seed,
                    operation=operands)
    try:
        model = expected_results(core, [operands])[operands]
    except Mismatch as mismatch:
        return dataclasses.replace(report, message=str(mismatch))
    report = dataclasses.replace(report, single=Single(model=model), waveform=vcd)
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
                               single=Single(model=model, simulation=product))


def _repeat(chosen: list[str], wanted: _Wanted, report: Report) -> str:
    """Return the shortest command that shows a mismatch again."""
    again = dataclasses.replace(wanted, mutants=None)
    if report.fault and report.fault.alone:
        again = dataclasses.replace(again, operands=report.operands, exhaustive=False, full=False)
    return shlex.join(["montgomery", "verify", *chosen, *again.arguments])
