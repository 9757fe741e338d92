"""Figures that others published, for comparison with measured ones.

A module of this package is a source: a paper, or a group of cores. Its ``FIGURES`` are a tuple of
:class:`Published`. Nothing here was measured by this project unless a figure says so.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Mapping
from typing import Any

from ..data.rates import rate_of
from ..lookup import modules_of

__all__ = ["Published", "published"]


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
    width: int | None
    device: str
    figures: Mapping[str, float]
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


def published() -> dict[str, tuple[Published, ...]]:
    """Return what each module of this package holds, by its name."""
    return {name: importlib.import_module(f"{__name__}.{name}").FIGURES
            for name in modules_of(sys.modules[__name__])}
