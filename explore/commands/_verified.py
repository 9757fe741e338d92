"""What ``montgomery verify`` says of simulations, and formal proofs of blocks and of streams."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from montgomery import KINDS
from montgomery.core import kind_of, name_of

from ..atomic import atomic_write
from ..data.rows import read_keyed, update
from ..errors import Refusal
from ..lookup import UnknownName, known, unknown
from ..netlist import formal
from ..pipeline.mutation import MutantReport
from ..pipeline.on_demand import SingleStages
from ..pipeline.proving import Proofs
from ..points.expand import kind_and_name, parse_value
from ..simulation import Report
from ..simulation.kinds import adapter
from ..store import Store
from ..table import render
from ..tools.find import packaged
from ..tools.toolbox import Toolbox, announcing
from ._answer import Answer
from ._options import assignments, names, widths
from ._progress import announce, meter

__all__ = ["differences", "prove", "summary"]

#: The file of proofs, and the column of it that names the core or block.
_ROWS, _KEY = "proofs.jsonl", ("name",)


def prove(arch: str | None, width: str | None, params: Iterable[str], *, seconds: int, depth: int,
          output: Path | None, store_path: Path | None) -> Answer:
    """Prove claims about the cores, kinds of cores and blocks that ``arch`` names."""
    if output is not None:
        # What is no such file is refused before the work.
        read_keyed(output / _ROWS, _KEY)
    wanted = list(_wanted(names("-a", [arch] if arch else []), width, params))
    proofs: list[formal.Proof] = []
    with Store(store_path) as store:
        Toolbox(store, emit=announcing(announce)).warm("yosys", packaged=True)
        with SingleStages(store) as computed, meter("proofs") as progress:
            prover = Proofs(computed, seconds=seconds, depth=depth)
            for number, obligation in enumerate(wanted):
                progress(number, len(wanted))
                proofs.append(prover.prove(obligation))
            progress(len(wanted), len(wanted))
    ok = all(proof.verdict in (formal.Verdict.PROVED, formal.Verdict.BOUNDED) for proof in proofs)
    if output is not None:
        _write(output, proofs)
    return Answer({"ok": ok, "proofs": [proof.to_json() for proof in proofs]},
                  render(formal.tabulate(proofs), "terminal").splitlines(), 0 if ok else 1,
                  itertools.chain.from_iterable(map(_complaint, proofs)))


def _write(folder: Path, proofs: list[formal.Proof]) -> None:
    """Write proofs, and keep those of other cores and blocks in the folder."""
    versions = {"versions": {"yosys": packaged("yosys").version}}
    rows = update(folder / _ROWS, _KEY, [proof.to_json() | versions for proof in proofs])
    with atomic_write(folder / "proofs.md") as partial:
        table = formal.tabulate(list(map(formal.Proof.from_json, rows)))
        partial.write_text(render(table, "markdown"), encoding="utf-8")


def _complaint(proof: formal.Proof) -> Iterator[str]:
    if proof.counterexample:
        found = proof.counterexample
        yield (f"montgomery: {proof.label} violates '{proof.claim}' ({found.violated}) after "
               f"{len(found.clocks)} clocks; the last of them are:")
        for line in found.lines():
            yield f"  {line}"
    elif proof.verdict == formal.Verdict.UNDECIDED:
        yield (f"montgomery: {proof.label}: '{proof.claim}' was not decided in time; give more "
               "--seconds")


def _wanted(named: list[str], width: str | None, params: Iterable[str]
            ) -> Iterator[formal.Obligation]:
    """Yield what is to be proved; of all blocks and cores, if none is named."""
    of_blocks = list(formal.block_obligations())
    blocks = {each.name for each in of_blocks}
    chosen: dict[tuple[str, str], None] = {}
    for kind in KINDS.values():
        if kind.name in named or (not named and kind.formula):
            chosen |= dict.fromkeys((kind.name, name) for name in kind.cores())
    for name in named:
        if name not in blocks and name not in KINDS:
            try:
                chosen[kind_and_name(name)] = None
            except UnknownName:
                raise unknown("core, kind or block", name, [*blocks, *KINDS, *(
                    kind.full_name(core) for kind in KINDS.values() for core in kind.cores())]
                    ) from None
    if params and len(chosen) != 1:
        raise click.UsageError("-p is for the core that -a names; name one core with -a")
    if width is not None and not chosen:
        raise click.UsageError("-n is for cores; name one with -a, or leave -n out")
    sizes = widths([width]) if width is not None else []
    if len(sizes) > 1:
        raise Refusal(f"A proof takes one width, not {len(sizes)}; give one to -n")
    yield from (each for each in of_blocks if not named or each.name in named)
    for kind_name, name in chosen:
        kind = KINDS[kind_name]
        full_name = kind.full_name(name)
        if not kind.formula:
            raise Refusal(f"Proofs are of the streams of cores, and {full_name} is a design, which "
                          "has none")
        cls = kind.cores()[name]
        given = {"width": sizes[0]} if sizes else {}
        yield from formal.core_obligations(full_name, formal.smallest(
            cls, **given, **_values(cls, full_name, params)))


def _values(cls: type, full_name: str, params: Iterable[str]) -> dict[str, object]:
    """Return the parameters that are given, with their types."""
    types = {field.name: field.type for field in dataclasses.fields(cls) if field.name != "width"}
    found: dict[str, object] = {}
    for name, values in assignments("-p", params).items():
        wanted = types[known(f"parameter of {full_name}", name, types)]
        if len(values) != 1:
            raise click.UsageError(f"-p {name} takes one value here, not {len(values)}")
        found[name] = parse_value(name, values[0], wanted)
    return found


# Simulations

#: Texts for :attr:`Report.constant_time`.
_CONSTANT = {True: "; the same for all", False: "; depending on the operands", None: ""}

#: Names of the simulators.
_SIMULATORS = {"verilator": "Verilator", "cxxrtl": "CXXRTL", "amaranth": "Amaranth's simulator"}


def summary(report: Report | MutantReport) -> str:
    """Return the text of a report that found no difference between core and model."""
    core = report.params
    kind = kind_of(core)
    name = f"{kind.full_name(name_of(core))} with {core.width} bits"
    if isinstance(report, MutantReport):
        return _score(report, name)
    lines = [f"{name} agrees with its model"]
    clocks = ", ".join(f"{name} {count}" for name, count in (report.cycles or {}).items())
    if report.model is not None:
        lines += [f"  {kind.formula}, from simulation and model: "
                  f"{adapter(core).told(report.model)}",
                  f"  clocks: {clocks}"]
        return "\n".join(lines)
    if report.clocks is not None:
        bits = report.exponent_bits
        lines += [f"  {f'exponentiation: {bits} bits' if bits else f'longest {kind.operation}'}, "
                  f"{report.clocks:,} clocks"]
    lines += [f"  {kind.operation}s: {report.vectors:,}"]
    if report.cycles:
        if bits := adapter(core).longest_exponent:
            clocks += f" for an exponent of {bits} ones"
        lines += [f"  clocks: {clocks}{_CONSTANT[report.constant_time]}"]
    lines += [f"  simulated by {_SIMULATORS[report.engine]} at {report.cycles_per_second:,.0f} "
              "clocks per second"]
    return "\n".join(lines)


def differences(message: str) -> str:
    """Return the message of a mismatch with those clock counts alone that differ."""
    # Simulation does not say it in this way, since its code is part of what a measurement is.
    return re.sub(r"Measured Cycles\((.*?)\), but the formula says Cycles\((.*?)\)", _differing,
                  message)


def _differing(match: re.Match) -> str:
    measured, formula = (dict(part.split("=") for part in counts.split(", "))
                         for counts in match.groups())
    return "; ".join(f"{name}: measured {count}, the formula says {formula[name]}"
                     for name, count in measured.items() if count != formula[name])


def _score(report: MutantReport, name: str) -> str:
    counts = report.counts
    different = counts["killed"] + counts["missed"]
    lines = [f"{name}: verification finds {counts['killed']} of the {different} faults that are "
             f"known to make a difference ({report.score:.1%})",
             f"  faults put into the core, one at a time: {sum(counts.values())}"]
    for fate, meaning in (("missed", "missed: only a verification many times as long finds them"),
                          ("equivalent", "harmless: proved to change nothing"),
                          ("undetected", "unknown: found by neither, and not proved harmless")):
        if counts[fate]:
            lines += [f"  {counts[fate]} {meaning}"]
            lines += [f"    {mutant}" for mutant in report.fates[fate] if fate != "equivalent"]
    return "\n".join(lines)
