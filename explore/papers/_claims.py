"""Judges the claims of the papers by the measurements, each with both figures."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..devices import targets
from ..outcome import Status
from ..points.point import full_name
from ..table import Cell, Table, heads
from . import documents

if TYPE_CHECKING:
    import pandas

__all__ = ["claims"]

#: A figure that is worse by at most this factor reproduces.
_TOLERANCE = 1.1


def claims(source: str, points: pandas.DataFrame) -> Table | None:
    """Return the table of the claims of a source: its figure, the measured one, and the verdict.

    A claim that needs what was not measured has the command that measures it as its remark. The
    result is None if the source makes no claim, or none can be judged by the medians.
    """
    document = documents()[source]
    cores = {name: _Core(**core) for name, core in document.get("cores", {}).items()}
    found = [_judged(points, **{**claim, "cores": [cores[name] for name in claim["cores"]]})
             for claim in document.get("claims", ())]
    if all(row[2] is None for row in found):
        return None
    return Table(
        caption=f"Claims of the paper. A figure that is at most {_TOLERANCE:.2g} times as bad "
                "reproduces. Times and clocks are on other silicon than the paper's.",
        columns=heads({"claim": "Claim", "theirs": "Paper", "ours": "Here", "unit": "Unit",
                       "where": "Measured on", "verdict": "Reproduces", "remark": "Remark"},
                      texts="claim unit where verdict remark"),
        rows=found)


@dataclasses.dataclass(frozen=True)
class _Core:
    """What a claim is about; parameters that are not named may be any.

    Its target is, unless named, the largest device, on which most cores were placed.
    """

    arch: str
    width: int
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    kind: str = "multiplier"
    target: str = "ecp5-85k"

    def among(self, points: pandas.DataFrame) -> pandas.DataFrame:
        """Return the point with the shortest latency, or if none was placed, the fewest LUTs."""
        wanted = {"arch": self.arch, "kind": self.kind, "width": self.width,
                  "target": self.target,
                  **{f"param_{name}": value for name, value in self.params.items()}}
        for name, value in wanted.items():
            points = points[points[name] == value] if name in points else points[:0]
        points = points[points["status"].isin([str(Status.OK), str(Status.AREA_ONLY)])]
        timed = points["latency_us"].notna().any()
        return points.sort_values("latency_us" if timed else "lut", kind="stable")[:1]

    @property
    def mark(self) -> tuple[str, str, int, str]:
        """What rows that were not chosen are known by."""
        return self.kind, self.arch, self.width, self.target

    @property
    def command(self) -> str:
        """The sweep that measures it."""
        form = "".join(f"-p {name}={value} " for name, value in self.params.items())
        return (f"montgomery sweep -a {full_name(self.kind, self.arch)} -n {self.width} {form}"
                f"-t {self.target}")


def _judged(points: pandas.DataFrame, *, says: str, theirs: Sequence[float], ours: str,
            cores: Sequence[_Core], unit: str = "", more_is_better: bool = False,
            remark: str = "") -> list[Cell]:
    """Return the row of a claim.

    ``theirs`` is the paper's figure, or two of which the quotient is meant. Ours is an expression
    over the columns of the point of the core, or the quotient of those of two cores. If more is
    better, the claim holds for larger figures as well, and not for smaller ones.
    """
    first, *second = theirs
    figure = first / math.prod(second)
    found = [core.among(points) for core in cores]
    lacking = [core for core, point in zip(cores, found, strict=True) if point.empty]
    if lacking:
        left_out = points.attrs.get("left_out", ())
        unknown = [core.command for core in lacking if core.mark not in left_out]
        return [says, figure, None, unit, None,
                "not measured yet" if unknown else "not among the rows chosen",
                "; ".join(dict.fromkeys(unknown))]
    value, *others = (_value(ours, point) for point in found)
    measured = value / math.prod(others)
    ratio = figure / measured if more_is_better else measured / figure
    return [says, figure, measured, unit, ", ".join(dict.fromkeys(core.target for core in cores)),
            "yes" if ratio <= _TOLERANCE else "no", remark]


def _value(expression: str, point: pandas.DataFrame) -> float:
    """Return the value of an expression for a point; ``slices`` are an estimate."""
    if expression == "slices":
        row = point.iloc[0].to_dict()
        return targets()[row["target"]].family.slices(row)
    return float(point.eval(expression, engine="python").iloc[0])
