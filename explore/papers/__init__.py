"""Figures that others published, to be laid beside measured ones.

A module of this package is a source: a paper, or a group of cores. Its ``FIGURES`` are a tuple of
:class:`Published`. Nothing here was measured by this project unless a figure says so.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Mapping

from ..lookup import modules_of

__all__ = ["Published", "published"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Published:
    """A row of a table, as far as it is of use.

    Attributes
    ----------
    source : str
        Who says so.
    table : str
        Where in the source.
    core : str
        What it is about.
    kind : str
        A name in :data:`montgomery.KINDS`, or what it is otherwise.
    width : int or None
        Bits of the modulus; None for what holds for all.
    device : str
        What it was synthesised or placed for, by which tools.
    figures : dict from str to float
        By the names of the columns of a row where they mean the same, and else with the unit in
        the name: ``slices``, ``throughput_mibps`` (of 2**20 bits).
    note : str
        What has to be known to compare it, and what is inconsistent in the source.
    """

    source: str
    table: str
    core: str
    kind: str
    width: int | None
    device: str
    figures: Mapping[str, float]
    note: str = ""

    @property
    def name(self) -> str:
        """What it is about; one of our cores by its name among those of all kinds."""
        from montgomery import KINDS

        kind = KINDS.get(self.kind)
        return kind.full_name(self.core) if kind and self.core in kind.cores() else self.core


def published() -> dict[str, tuple[Published, ...]]:
    """Return what each module of this package holds, by its name."""
    return {name: importlib.import_module(f"{__name__}.{name}").FIGURES
            for name in modules_of(sys.modules[__name__])}
