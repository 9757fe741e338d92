"""Measures rows again, and says in what the new rows differ."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..data.columns import known_columns
from ..data.labels import present
from ..devices import target
from ..errors import Refusal
from ..points.expand import check_known
from ..points.point import Point
from ..store import Store
from ..tools.find import package_of
from .events import Event
from .run import run

__all__ = ["Repetition", "packages_of", "repeat", "repetition"]

#: Columns that say of what and how a row was measured, rather than what was found.
_BEFORE = ("arch", "kind", "width", "params", "target", "options", "seed")
#: Columns that depend on the code that measures, and may differ although all figures agree.
_CODE = ("recipe", "key", "log")
_CAUSES = ("design", "arguments", "versions")
_YOWASP = " (YoWASP)"
_VERSION = re.compile(r"[0-9]+(\.([0-9]+|(post|dev)[0-9]+))*")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Repetition:
    """A row, and the same measurement made again.

    Attributes
    ----------
    label : str
        The point and the seed.
    figures : dict
        From each column of a figure that differs to the old and the new value.
    causes : dict
        The same for the hash of the hardware, arguments and versions of programs.
    """

    label: str
    figures: Mapping[str, tuple[Any, Any]]
    causes: Mapping[str, tuple[Any, Any]]

    @property
    def is_same(self) -> bool:
        """Whether all figures are the same."""
        return not self.figures


def repetition(old: Mapping[str, Any], new: Mapping[str, Any]) -> Repetition:
    """Return in what two rows of one measurement differ.

    Columns of which the old row has no value, since an earlier version wrote it, do not count.
    """
    figures, causes = {}, {}
    for name, column in known_columns().items():
        if column.incidental or name in (*_BEFORE, *_CODE):
            continue
        before, after = old.get(name), new.get(name)
        if not present(before) or before == {}:
            continue
        if name in _CAUSES and isinstance(before, Mapping):
            after = after or {}
            for part, value in before.items():
                if value != after.get(part):
                    causes[part if name == "versions" else f"{name} of {part}"] = (
                        value, after.get(part))
        elif before != after:
            (causes if name in _CAUSES else figures)[name] = before, after
    label = f"{Point.from_row(old).label}, seed {old['seed']}"
    return Repetition(label=label, figures=figures, causes=causes)


def repeat(rows: Sequence[Mapping[str, Any]], *, store: Store, jobs: int | None = None,
           timeout_minutes: float | None = None,
           on_event: Callable[[Event], None] = lambda event: None) -> list[dict[str, Any]]:
    """Measure the points and seeds of rows, and return their new rows in the same order.

    Parameters
    ----------
    store : Store
        An open store, whose outcomes are used; an empty one for a repetition from the start.

    Raises
    ------
    ToolMissing, DiskFull, SourcesChanged, UnknownName, ValueError
        If something cannot be measured here.
    """
    asked: dict[Point, list[int]] = {}
    for point, seed in dict.fromkeys(map(_placement, rows)):
        check_known(point)
        asked.setdefault(point, []).append(seed)
    found = run(asked, store=store, jobs=jobs, timeout_minutes=timeout_minutes, on_event=on_event)
    new = {_placement(row): row for row in found}
    return [new[_placement(row)] for row in rows]


def _placement(row: Mapping[str, Any]) -> tuple[Point, int]:
    """Return the point and the seed of a row; seeds do not differ where nothing is placed."""
    point = Point.from_row(row)
    return point, int(row["seed"]) if target(point.target).placer else 1


def packages_of(row: Mapping[str, Any]) -> list[str]:
    """Return the YoWASP packages of the programs that measured a row, with their versions.

    Raises
    ------
    ValueError
        If a program of another origin measured it, or what stands for its version is none.
    """
    found = []
    placer = target(row["target"]).placer
    for program, name in (("yosys", "yosys"), ("nextpnr", placer)):
        version = (row.get("versions") or {}).get(program)
        if version is None or name is None:
            continue
        if not version.endswith(_YOWASP):
            raise Refusal(f"A row must be measured by YoWASP's {program} to be repeated with "
                          f"its own, not by {version}; install that one, and name it in a "
                          "variable such as YOSYS")
        version = version.removesuffix(_YOWASP)
        # pip takes other texts for paths, and runs what lies there.
        if not _VERSION.fullmatch(version):
            raise Refusal(f"The version of {program} in a row must be like 0.70.0.0.post1259, "
                          f"not {version!r}; correct the row, or leave it out")
        found.append(f"{package_of(name)}=={version}")
    return found
