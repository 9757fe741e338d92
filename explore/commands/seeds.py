"""``montgomery seeds``: seeds of nextpnr for a design of one's own."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

import click

from ..devices import target as device_of
from ..errors import Refusal
from ..pipeline.executor import default_jobs
from ..pipeline.seeds import Seed, chance, tried
from ._answer import SCHEMA, Answer

__all__ = ["seeds"]

#: Time limit of each placement.
_TIMEOUT_S = 3600
#: Share of the trials in which the number of seeds that is advised is to suffice.
_SURE = 0.95


def seeds(design: Path, arguments: tuple[str, ...], target: str, mhz: float, most: int,
          jobs: int | None) -> Answer:
    """Place a design with one seed after another, until one reaches a clock frequency."""
    device = device_of(target)
    if device.placer is None:
        raise Refusal(f"Nothing places on {target}; take a target with a placer, such as ecp5-85k")
    found: list[Seed] = []
    for each in tried(design, device, mhz, arguments, most=most, jobs=jobs or default_jobs(),
                      timeout_s=_TIMEOUT_S):
        click.echo(f"seed {each.seed}: {each.message or f'{each.fmax_mhz:g} MHz'}", err=True)
        found.append(each)
    return _answer(found, mhz, device.placer)


def _answer(found: Sequence[Seed], mhz: float, placer: str) -> Answer:
    placed = [each for each in found if each.fmax_mhz is not None]
    if not placed:
        raise Refusal(f"{placer} placed the design with none of {len(found)} seeds: "
                      f"{found[0].message}")
    best = max(placed, key=lambda each: each.fmax_mhz)
    met, share = best.fmax_mhz >= mhz, chance(found, mhz)
    lines = [f"Seed {best.seed} reaches {best.fmax_mhz:g} MHz, with --seed {best.seed}" if met else
             f"None of {len(found)} seeds reaches {mhz:g} MHz; seed {best.seed} is the best, with "
             f"{best.fmax_mhz:g} MHz"]
    if share is not None:
        reached = [each.fmax_mhz for each in placed]
        lines += [f"The {len(placed)} seeds reach {statistics.mean(reached):.4g} MHz on average, "
                  f"with a standard deviation of {statistics.stdev(reached):.3g} MHz: a seed "
                  f"reaches {mhz:g} MHz with a chance of "
                  f"{'less than 0.01' if share < 1e-4 else f'{100 * share:.2g}'} %{_advice(share)}"]
    document = {"schema": SCHEMA, "mhz": mhz, "best": best.seed, "reached": met, "chance": share,
                "seeds": list(map(dataclasses.asdict, found))}
    return Answer(document, lines, 0 if met else 1)


def _advice(share: float) -> str:
    """Return how many seeds are needed, where more than one are and it is no matter of luck."""
    if not 1e-4 <= share < _SURE:
        return ""
    return f"; {math.ceil(math.log(1 - _SURE) / math.log(1 - share))} seeds do with {_SURE:.0%}"
