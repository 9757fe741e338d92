"""``montgomery verify``: one core against its integer model, in simulation."""

from __future__ import annotations

import dataclasses
import shlex
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._operands import OperandCommand, flag
from ._options import announce, given, json_option, meter, one_point, print_json, store_option
from ._outputs import OutputFile
from ._verified import summary

if TYPE_CHECKING:
    from ..pipeline.mutation import MutantReport
    from ..pipeline.testbed import Testbed
    from ..points.point import Point
    from ..simulation import Report

__all__ = ["command"]

#: All of them are made before the first one is simulated.
_MOST_VECTORS = 10_000_000


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

    def __post_init__(self) -> None:
        one = bool(self.operands)
        if one + self.exhaustive + self.full + (self.mutants is not None) > 1:
            raise click.UsageError("--exhaustive, --full, --mutants and a single operation "
                                   "(--x, --y, --modulus or --base, --exponent, --modulus …) "
                                   "exclude each other")

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


@click.command(cls=OperandCommand, operands_before="target",
               short_help="Simulate one core against its integer model.")
@click.option("-a", "--arch", required=True, metavar="NAME", help="Core, of any kind.")
@click.option("-n", "--width", "width", required=True, metavar="BITS", help="Width.")
@click.option("-p", "--param", "params", metavar="KEY=VALUE", multiple=True, help="Parameter.")
@click.option("--vectors", default=8, show_default=True, type=click.IntRange(min=1),
              help="Random operations, beside the edge cases.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0),
              help="Of the random operations.")
@click.option("--exhaustive", is_flag=True,
              help="All operands of all moduli instead, for a small width.")
@click.option("--full", is_flag=True,
              help="A whole exponentiation or decryption instead, with numbers of full length.")
@click.option("--mutants", metavar="N", type=click.IntRange(1, 10_000),
              help="Count instead how many of N faults, built into the core, are found.")
@click.option("--post-synth", "target", metavar="TARGET",
              help="Simulate the netlist that yosys makes for this target.")
@click.option("-o", "--option", "options", metavar="KEY=VALUE", multiple=True,
              help="Option of yosys for --post-synth, as in 'sweep'.")
@click.option("--vcd", metavar="FILE", type=OutputFile(),
              help="Write the waveform of a mismatch, or of the single multiplication.")
@click.option("-j", "--jobs", type=click.IntRange(min=1),
              help="Processes for --exhaustive.  [default: one a processor]")
@store_option
@json_option
def command(arch: str, width: str, params: tuple[str, ...], vectors: int, seed: int,
            exhaustive: bool, full: bool, mutants: int | None, target: str | None,
            options: tuple[str, ...], vcd: Path | None, jobs: int | None, store_path: Path | None,
            as_json: bool, **operands: int | None) -> int:
    """Simulate one core against its integer model, with its cycle counts.

    Edge cases and random operands run one after the other, those of a multiplier then back to back,
    and once more back to back while both streams stall at random. With --x, --y and --modulus (of
    an exponentiator: --base, --exponent and --modulus; of a decryption: --message, --exponent-p,
    --exponent-q, --p and --q) only that operation runs, and its result is printed. The core is
    compiled where there is a C++ compiler, and kept in the store.

    \b
    montgomery verify -a mmm_mx_1d -n 256 --vectors 100
    montgomery verify -a mmm_mx_1d -n 6 --exhaustive
    montgomery verify -a mmm_cs_1d -n 512 --full
    montgomery verify -a mmm_mx_1d -n 64 --x 0x1234 --y 5 --modulus 0xfedcba9876543211 --vcd x.vcd
    montgomery verify -a mmm_op_1d -n 32 --post-synth ecp5-25k
    montgomery verify -a mmm_op_1d -n 11 --mutants 200

    Exit status 1 if the core does not do what its model says.
    """
    single = {name: value for name, value in operands.items() if value is not None}
    wanted = _Wanted(vectors, seed, single, exhaustive, full, mutants, jobs)
    if mutants is not None and (vcd is not None or target is not None):
        raise click.UsageError("--mutants goes with neither --vcd nor --post-synth")
    if given("vectors") and (exhaustive or full or single):
        raise click.UsageError("--vectors is for random operations; it goes with neither "
                               "--exhaustive, --full nor a single operation")
    if vectors > _MOST_VECTORS:
        raise click.UsageError(f"--vectors must be {_MOST_VECTORS:,} or less, not {vectors}")
    if given("seed") and (exhaustive or single):
        raise click.UsageError("--seed is for random operations; it goes with neither --exhaustive "
                               "nor a single operation; leave it out")
    if jobs is not None and not exhaustive:
        raise click.UsageError("-j is for --exhaustive; add that, or leave -j out")
    if options and target is None:
        raise click.UsageError("-o is for the tools that --post-synth runs; name a target with it")
    point = one_point("verify", arch, width, params, target, options)
    core = point.parameters()
    if single:
        if set(single) != set(core.inputs):
            *others, last = map(flag, core.inputs)
            raise click.UsageError(f"One operation of {arch} takes all of {', '.join(others)} and "
                                   f"{last}, and nothing else")
        wanted = dataclasses.replace(wanted, operands={name: single[name] for name in core.inputs})
        core.check_operands(*wanted.operands.values())
    if exhaustive:
        from ..simulation.exhaustive import check_width

        check_width(core)
    report = _simulate(point, wanted, post_synth=target is not None, store_path=store_path, vcd=vcd)
    if not report.ok:
        chosen = ["-a", arch, "-n", width, *(f"-p{text}" for text in params),
                  *(["--post-synth", target] if target else []), *(f"-o{text}" for text in options)]
        report = dataclasses.replace(report, command=_repeat(chosen, wanted, report))
    if as_json:
        print_json(report.to_json())
    elif report.ok:
        click.echo(summary(report))
    if not report.ok:
        click.echo(f"montgomery: {point.name} with {core.width} bits fails: {report.message}; "
                   f"repeat it with: {report.command}", err=True)
    if vcd is not None and report.waveform:
        click.echo(f"Waveform: {report.waveform}", err=True)
    elif vcd is not None:
        click.echo("No mismatch, so no waveform was written", err=True)
    return 0 if report.ok else 1


def _simulate(point: Point, wanted: _Wanted, *, post_synth: bool, store_path: Path | None,
              vcd: Path | None) -> Report | MutantReport:
    from ..pipeline.testbed import Testbed
    from ..store import Store

    label = f"{point.name} {point.width} bits"
    with Store(store_path) as store, tempfile.TemporaryDirectory() as folder:
        testbed = Testbed(store, point, Path(folder), post_synth=post_synth, announce=announce)
        if testbed.advice:
            click.echo(f"montgomery: {testbed.advice}", err=True)
        if wanted.operands:
            return _run_one(testbed, wanted, vcd)
        # Before there is a line of progress, which what is announced would break.
        testbed.prepare(mutants=wanted.mutants is not None)
        if wanted.mutants is not None:
            with meter(label) as progress:
                return testbed.verify_mutants(wanted.mutants, vectors=wanted.vectors,
                                              seed=wanted.seed, progress=progress)
        waveform = (testbed.waveform_engine, vcd) if vcd else None
        with meter(label) as progress:
            return _verify(testbed, wanted, waveform, progress)


def _verify(testbed: Testbed, wanted: _Wanted, waveform: tuple | None,
            progress: Callable[[int, int], None] | None) -> Report:
    from ..pipeline.run import default_jobs
    from ..simulation import verify, verify_exponentiation
    from ..simulation.exhaustive import verify_exhaustive

    core = testbed.params
    if wanted.exhaustive:
        return verify_exhaustive(core, library=testbed.library, jobs=wanted.jobs or default_jobs(),
                                 progress=progress, waveform=waveform)
    common = {"seed": wanted.seed, "progress": progress, "engine": testbed.engine(),
              "waveform": waveform}
    if wanted.full:
        return verify_exponentiation(core, **common)
    return verify(core, vectors=wanted.vectors, **common)


def _run_one(testbed: Testbed, wanted: _Wanted, vcd: Path | None) -> Report:
    """Simulate one operation."""
    from ..simulation import Mismatch, Report, simulate
    from ..simulation.report import Single

    core = testbed.params
    operands = tuple(wanted.operands.values())
    model = core.compute(*operands)
    engine = testbed.waveform_engine() if vcd else testbed.engine()
    report = Report(params=core, engine=engine.name, vectors=1, seed=wanted.seed,
                    operation=operands, single=Single(model=model), waveform=vcd)
    try:
        result = simulate(core, [operands], seed=wanted.seed, engine=engine, waveform=vcd)
    except Mismatch as mismatch:
        return dataclasses.replace(report, message=str(mismatch))
    product = result.products[0]
    # Nothing came before a single operation, so it has no interval.
    cycles = {name: count for name, count in dataclasses.asdict(result.cycles[0]).items()
              if name != "interval"}
    wrong = "" if product == model else f"simulation gives {product:#x}, the model {model:#x}"
    return dataclasses.replace(report, ok=not wrong, cycles=cycles, message=wrong,
                               single=Single(model=model, simulation=product))


def _repeat(chosen: list[str], wanted: _Wanted, report: Report) -> str:
    """Return the shortest command that shows a mismatch again."""
    again = dataclasses.replace(wanted, mutants=None)
    if report.fault and report.fault.alone:
        again = dataclasses.replace(again, operands=report.operands, exhaustive=False, full=False)
    return shlex.join(["montgomery", "verify", *chosen, *again.arguments])
