"""Figures that others published, and what they claim, for comparison with measured ones.

A TOML file of this package is a source: a paper, or a group of cores. Each of its ``tables`` is
rows of :class:`Published`, of which nothing was measured by this project unless a figure says so. A
key that is no attribute of them is a figure. A list has the value of each row, and a value that
stands alone is that of all; so is one above the tables. :mod:`explore.papers._claims` describes
``claims`` and ``cores``.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..data.rates import rate_of

__all__ = ["Published", "documents", "published"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Published:
    """A row of a published table.

    ``source`` are the authors, and ``device`` is also the tools that synthesised or placed the
    core. The width is None if the row holds for all widths. ``figures`` go by the names of the
    columns of a row where they mean the same, and else with the unit in the name: ``slices``,
    ``throughput_mibps`` (of 2**20 bits). Where an exponent is shorter than the modulus,
    ``exponent_bits`` is its length.

    ``params`` are those of a core that is here, as in the source. The note has facts that a
    comparison needs, and inconsistencies of the source. ``constant_time`` says whether the time is
    the same for all secrets, None if the source does not say.
    """

    source: str
    table: str
    core: str
    kind: str
    device: str
    figures: Mapping[str, float]
    width: int | None = None
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    note: str = ""
    curve: str = ""
    constant_time: bool | None = None

    @property
    def is_here(self) -> bool:
        """Whether the core is one of this package."""
        from montgomery import KINDS

        return self.core in KINDS[self.kind].cores()

    @property
    def name(self) -> str:
        """What it is about; one of our cores by its name among those of all kinds."""
        from montgomery import KINDS

        return KINDS[self.kind].full_name(self.core) if self.is_here else self.core

    @property
    def rate(self) -> str:
        """Name of the operations in a second that users count, as :func:`.rate_of` has it."""
        return rate_of(self.kind)

    @property
    def operations_per_s(self) -> float | None:
        """Such operations in a second, one after the other; None if the row does not tell."""
        if not self.rate or self.figures.get("exponent_bits", self.width) != self.width:
            return None
        if self.rate in self.figures:
            return self.figures[self.rate]
        return 1e6 / self.figures["latency_us"] if "latency_us" in self.figures else None


_ATTRIBUTES = {field.name for field in dataclasses.fields(Published)}


@functools.cache
def documents() -> dict[str, dict[str, Any]]:
    """Return what each file of this package says, by its name without the ending."""
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
            for path in sorted(Path(__file__).parent.glob("*.toml"))}


@functools.cache
def published() -> dict[str, tuple[Published, ...]]:
    """Return the rows of each source."""
    return {name: tuple(row for table in document["tables"] for row in _rows(
                {key: value for key, value in document.items()
                 if not isinstance(value, list) and key != "cores"} | table))
            for name, document in documents().items()}


def _rows(table: Mapping[str, Any]) -> Iterator[Published]:
    count = max(len(value) if isinstance(value, list) else 1 for value in table.values())
    columns = {name: value if isinstance(value, list) else [value] * count
               for name, value in table.items()}
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        yield Published(
            figures={name: value for name, value in row.items() if name not in _ATTRIBUTES},
            **{name: value for name, value in row.items() if name in _ATTRIBUTES})
