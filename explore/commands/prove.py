"""``montgomery prove``: formal proofs of blocks, and of the streams of cores."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import Refusal
from ._activity import announce, meter
from ._answer import Answer, answering
from ._command import Command
from ._names import BLOCKS, CORES, KINDS, PARAMETERS, TABLE_FORMAT
from ._options import assignments, core_file_option, names, store_option
from ._types import Integer, OutputFolder

if TYPE_CHECKING:
    from ..netlist.formal import Obligation, Proof

__all__ = ["command"]

#: The file of proofs, and the column of it that names the core or block.
_ROWS, _KEY = "proofs.jsonl", ("name",)


@click.command(cls=Command, short_help="Prove properties of blocks and cores formally.")
@core_file_option
@click.option("--block", "blocks", metavar="NAME,...", multiple=True, type=BLOCKS,
              help="Prove the claims about these blocks, such as Resolver.  [default: all blocks, "
                   "if neither -a nor --kind is given]")
@click.option("-a", "--arch", "archs", metavar="NAME,...", multiple=True, type=CORES,
              help="Prove the handshake of these cores, such as mmm_mx_1d or "
                   "exponentiation.generic.  [default: all cores, if --block is not given]")
@click.option("--kind", "kinds", metavar="NAME,...", multiple=True, type=KINDS,
              help="Prove the handshake of the cores of these kinds, such as multiplier.")
@click.option("-n", "--width", metavar="BITS", type=Integer(0),
              help="Width of the cores.  [default: the smallest]")
@click.option("-p", "--param", "params", metavar="KEY=VALUE", multiple=True, type=PARAMETERS,
              help="A parameter of the core that -a names, such as word_width=8; repeatable.  "
                   "[default: the smallest]")
@click.option("--seconds", default=60, show_default=True, metavar="S", type=Integer(1, 86_400),
              help="Time limit of each method of proof.")
@click.option("--depth", default=40, show_default=True, metavar="CLOCKS", type=Integer(1, 100_000),
              help="Number of clocks in which a counterexample is searched for, where there is no "
                   "proof.")
@click.option("--format", "format", default="terminal", show_default=True, metavar="NAME",
              type=TABLE_FORMAT, help="terminal, markdown, csv or latex (for booktabs).")
@click.option("--output", type=OutputFolder(), metavar="FOLDER",
              help="Write proofs.jsonl and proofs.md to a folder too, and keep what they say of "
                   "other cores and blocks.")
@store_option
@answering
def command(blocks: tuple[str, ...], archs: tuple[str, ...], kinds: tuple[str, ...],
            width: int | None, params: tuple[str, ...], seconds: int, depth: int, format: str,
            output: Path | None, store_path: Path | None) -> Answer:
    """Prove claims about blocks, and the handshake of the streams of cores.

    A block is proved against its specification on integers. A core is proved to keep every word on
    offer at port o until the word is taken, whatever comes to port i and whenever a reset comes.
    The proofs are for small sizes. Yosys makes a model of the hardware, and ABC, a part of yosys,
    proves it: by an inductive invariant, which property-directed reachability (PDR) finds, or by
    signals that are always equal. Where ABC finds no proof in time, bounded model checking (BMC)
    searches for a counterexample clock by clock. The verdict is then 'bounded', which is no
    proof. The store keeps what is known of the same hardware.

    \b
    montgomery prove -a mmm_mx_1d
    montgomery prove -a mmm_mx_1d -n 8 -p arrangement=row
    montgomery prove --core my_core.py
    montgomery prove --block Resolver,Tally
    montgomery prove --kind exponentiator --seconds 600 --depth 200

    The exit status is 1 if there is a counterexample, or if nothing could be decided.
    """
    from ..data.keyed import read_keyed
    from ..netlist.formal import Verdict, tabulate
    from ..pipeline.on_demand import SingleStages
    from ..pipeline.proving import Proofs
    from ..store import Store
    from ..table import render
    from ..tools.toolbox import Toolbox, announcing

    if output is not None:
        # What is no such file is refused before the work.
        read_keyed(output / _ROWS, _KEY)
    wanted = _wanted(names("--block", blocks), names("-a", archs), names("--kind", kinds), width,
                     params)
    proofs: list[Proof] = []
    with Store(store_path) as store:
        Toolbox(store, emit=announcing(announce)).warm("yosys", packaged=True)
        with SingleStages(store) as computed, meter("proofs") as progress:
            prover = Proofs(computed, seconds=seconds, depth=depth)
            for number, obligation in enumerate(wanted):
                progress(number, len(wanted))
                proofs.append(prover.prove(obligation))
            progress(len(wanted), len(wanted))
    ok = all(proof.verdict in (Verdict.PROVED, Verdict.BOUNDED) for proof in proofs)
    if output is not None:
        _write(output, proofs)
    return Answer({"ok": ok, "proofs": [proof.to_json() for proof in proofs]},
                  render(tabulate(proofs), format).splitlines(), 0 if ok else 1,
                  itertools.chain.from_iterable(map(_complaint, proofs)))


def _write(folder: Path, proofs: list[Proof]) -> None:
    """Write proofs, and keep those of other cores and blocks in the folder."""
    from ..atomic import atomic_write
    from ..data.keyed import update
    from ..netlist.formal import Proof, tabulate
    from ..table import render
    from ..tools.find import packaged

    versions = {"versions": {"yosys": packaged("yosys").version}}
    rows = update(folder / _ROWS, _KEY, [proof.to_json() | versions for proof in proofs])
    with atomic_write(folder / "proofs.md") as partial:
        partial.write_text(render(tabulate(list(map(Proof.from_json, rows))), "markdown"),
                           encoding="utf-8")


def _complaint(proof: Proof) -> Iterator[str]:
    from ..netlist.formal import Verdict

    if proof.counterexample:
        found = proof.counterexample
        yield (f"montgomery: {proof.label} violates '{proof.claim}' ({found.violated}) after "
               f"{len(found.clocks)} clocks; the last of them are:")
        for line in found.lines():
            yield f"  {line}"
    elif proof.verdict == Verdict.UNDECIDED:
        yield (f"montgomery: {proof.label}: '{proof.claim}' was not decided in time; give more "
               "--seconds")


def _wanted(blocks: list[str], archs: list[str], kinds: list[str], width: int | None,
            params: Iterable[str]) -> list[Obligation]:
    from montgomery import KINDS as KINDS_OF_CORES

    from ..lookup import known
    from ..netlist.formal import block_obligations

    of_blocks = list(block_obligations())
    for block in blocks:
        known("block", block, sorted({each.name for each in of_blocks}))
    for kind in kinds:
        known("kind", kind, KINDS_OF_CORES)
    if params and len(archs) != 1:
        raise click.UsageError("-p is for the core that -a names; name one core with -a")
    if blocks and width is not None and not (archs or kinds):
        raise click.UsageError("-n is for cores; name one with -a, or leave -n out")
    everything = not (blocks or archs or kinds)
    found = [each for each in of_blocks if everything or each.name in blocks]
    if archs or kinds or everything:
        found += _of_cores(archs, kinds, width, params)
    return found


def _of_cores(archs: list[str], kinds: list[str], width: int | None,
              params: Iterable[str]) -> Iterator[Obligation]:
    from montgomery import KINDS as KINDS_OF_CORES

    from ..netlist.formal import core_obligations, smallest
    from ..points.expand import kind_and_name

    chosen = list(map(kind_and_name, archs)) or [
        (kind.name, name) for kind in KINDS_OF_CORES.values() for name in kind.cores()
        if (kind.name in kinds if kinds else kind.formula)]
    for kind, name in chosen:
        full_name = KINDS_OF_CORES[kind].full_name(name)
        if kinds and kind not in kinds:
            raise click.UsageError(f"{full_name} is of none of the kinds {', '.join(kinds)}; leave "
                                   "--kind out")
        if not KINDS_OF_CORES[kind].formula:
            raise Refusal(f"Proofs are of the streams of cores, and {full_name} is a design, which "
                          "has none")
        cls = KINDS_OF_CORES[kind].cores()[name]
        given = {} if width is None else {"width": width}
        yield from core_obligations(full_name, smallest(
            cls, **given, **_values(cls, full_name, params)))


def _values(cls: type, full_name: str, params: Iterable[str]) -> dict[str, object]:
    """Return the parameters that are given, with their types."""
    from ..lookup import known
    from ..points.expand import parse_value

    types = {field.name: field.type for field in dataclasses.fields(cls) if field.name != "width"}
    found: dict[str, object] = {}
    for name, values in assignments("-p", params).items():
        wanted = types[known(f"parameter of {full_name}", name, types)]
        if len(values) != 1:
            raise click.UsageError(f"-p {name} takes one value here, not {len(values)}")
        found[name] = parse_value(name, values[0], wanted)
    return found
