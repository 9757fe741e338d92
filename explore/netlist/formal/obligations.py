"""What there is to prove, found by registries: claims of blocks, and the streams of cores."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import itertools
import json
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import montgomery

from . import claims as _folder
from .claim import Checked, components, keeps_handshake
from .proof import Proof, Verdict

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

    from montgomery import CoreParameters

    from ...table import Table
    from .claim import Claim

__all__ = ["HANDSHAKE", "Obligation", "block_obligations", "claims", "core_obligations", "smallest",
           "tabulate"]


#: The claims about the stream of every core, by what :func:`keeps_handshake` calls them.
HANDSHAKE = {"valid": "valid stays until ready", "payload": "payload stays until ready"}
#: Largest value of a parameter that is tried to find the smallest core.
_LARGEST = 32


@dataclasses.dataclass(frozen=True, kw_only=True)
class Obligation:
    """Something to prove: what of what, with parameters of the core or block.

    ``create`` takes whether to assume what it relies on, and returns the hardware: a component,
    some of whose outputs are never to be high. The names of these begin with
    :data:`.claim.VIOLATED`; ``outputs`` are the ones that are meant, without that beginning, or all
    if it is empty. ``relies_on`` returns what is to be proved first.
    """

    name: str
    claim: str
    size: Mapping[str, Any]
    create: Callable[[bool], Component]
    relies_on: Callable[[], Sequence[Obligation]] = tuple
    outputs: tuple[str, ...] = ()


@functools.cache
def claims() -> tuple[Claim, ...]:
    """Return the claims of all blocks."""
    names = sorted(info.name for info in pkgutil.iter_modules(_folder.__path__))
    return tuple(claim for name in names
                 for claim in importlib.import_module(f"{_folder.__name__}.{name}").CLAIMS)


def block_obligations(*, small: bool = False) -> Iterator[Obligation]:
    """Yield the claims of all blocks, block by block; if ``small``, with their smallest sizes only.
    """
    for claim in claims():
        for size in claim.sizes[:1] if small else claim.sizes:
            yield _of_block(claim, size)


def _of_block(claim: Claim, size: Mapping[str, Any]) -> Obligation:
    return Obligation(name=claim.name, claim=claim.text, size=size,
                      create=lambda relying: claim.hardware(size))


def core_obligations(name: str, params: CoreParameters) -> Iterator[Obligation]:
    """Yield that a core keeps the handshake of its port ``o``, whatever comes to port ``i``.

    Its name is that among the cores of all kinds.
    """
    known = [claim for claim in claims() if claim.known]
    for signal, text in HANDSHAKE.items():
        yield Obligation(
            name=name, claim=text, size=_unusual(params), outputs=(signal,),
            relies_on=lambda: _claims_inside(params, known), create=lambda relying: Checked(
                params.create(), keeps_handshake, known=known if relying else ()))


def _claims_inside(params: CoreParameters, known: Iterable[Claim]) -> list[Obligation]:
    """Return claims of the blocks in a core, each once for each size."""
    from amaranth.hdl import Fragment

    inside = list(components(Fragment.get(params.create(), None)))
    found = {(claim.text, str(block)): _of_block(claim, json.loads(block)) for claim in known
             for block in sorted({json.dumps(claim.size_of(each)) for each in inside
                                  if claim.create in type(each).__mro__})}
    return list(found.values())


def _unusual(params: CoreParameters) -> dict[str, Any]:
    """Return the parameters of a core that are not the defaults."""
    return {field.name: getattr(params, field.name) for field in dataclasses.fields(params)
            if getattr(params, field.name) != field.default}


def smallest(cls: type[CoreParameters], **given: Any) -> CoreParameters:
    """Return the core whose parameters have the smallest legal sum, but for those that are given.

    Parameters that are no numbers, or may be 0, have their defaults. :exc:`TypeError` or
    :exc:`ValueError` is raised if nothing goes with what is given.
    """
    free = [field for field in dataclasses.fields(cls) if field.name not in given
            and field.type is int and field.metadata["minimum"]
            and field.metadata["choices"] is None]
    least = [field.metadata["minimum"] for field in free]
    for extra in range(_LARGEST):
        for more in itertools.product(range(extra + 1), repeat=len(free)):
            if sum(more) != extra:
                continue
            values = {field.name: low + part
                      for field, low, part in zip(free, least, more, strict=True)}
            try:
                return cls(**values, **given)
            except ValueError:
                continue
    # For the message.
    return cls(**{"width": montgomery.core.LEAST_WIDTH} | given)


_CAPTION = ("What is proved holds in every clock from the initial state on. What is bounded has no "
            "counterexample of so many clocks, which is no proof")


def tabulate(proofs: Sequence[Proof]) -> Table:
    """Return a table with a row for each proof."""
    from ...table import Head, Table

    columns = [Head(name=name, title=title, numeric=False)
               for name, title in (("name", "Core or block"), ("size", "Size"), ("claim", "Claim"),
                                   ("verdict", "Verdict"))]
    columns.append(Head(name="seconds", title="Time", unit="s"))
    return Table(caption=_CAPTION, columns=columns, rows=[
        [proof.name, " ".join(f"{name}={value}" for name, value in proof.size.items()),
         proof.claim, _verdict(proof), f"{proof.seconds:.1f}"] for proof in proofs])


def _verdict(proof: Proof) -> str:
    blocks = dict.fromkeys(label.partition(" ")[0] for label in proof.relies_on)
    given = f", given {' and '.join(blocks)}" if blocks else ""
    if proof.verdict == Verdict.PROVED:
        return f"proved by {proof.method}{given}"
    return f"{proof.verdict}: {proof.depth} clocks"
