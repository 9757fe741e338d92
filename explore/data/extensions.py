"""Stages and columns of other packages, which declare them by entry points."""

from __future__ import annotations

import functools
import importlib.metadata
from types import ModuleType

from ..errors import Refusal

__all__ = ["GROUP", "extensions"]

#: The group of entry points, each of which is a module.
GROUP = "montgomery.stages"


@functools.cache
def extensions() -> tuple[ModuleType, ...]:
    """Return the modules that installed packages declare, by the names of their entry points.

    A module has ``STAGES``, as those of :mod:`explore.pipeline.stages`, or ``COLUMNS``, further
    columns of a row, or both.

    Raises
    ------
    Refusal
        If one cannot be imported.
    """
    found = []
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda each: each.name):
        try:
            found.append(entry.load())
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            raise Refusal(f"{entry.value}, an entry point of the group {GROUP}, cannot be "
                          f"imported: {text}; mend or uninstall its package") from error
    return tuple(found)
