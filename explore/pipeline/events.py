"""What a sweep tells about its progress."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

__all__ = ["Event"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a sweep.

    Attributes
    ----------
    kind : str
        ``plan`` (how many stages there are), ``forecast`` (a line: how much is new, and how long
        it takes), ``warm`` (the first run of a tool: before it with status ``running``, if the tool
        compiles itself then, and after it with ``ok``), ``start`` and ``finish`` (of a stage),
        ``measured`` (of a point, the last row), ``wait`` (a stage that another sweep on this store
        is computing), ``note`` (something the user should know).
    key : str
        Of the outcome; the tool's name if ``warm``.
    label : str
        Short text: what is being done.
    stage : str
        A name in :func:`explore.pipeline.stages.stages`; empty if ``plan`` or ``warm``.
    status : str
        How a stage ended, ``skipped`` if one before it failed; else ``running`` or empty.
    done, total : int
        Stages that are finished, and all of them.
    seconds : float
        Time that the stage took when it was computed, in this sweep or before.
    cached : bool
        Whether the outcome was in the store.
    rows : tuple of dict
        All rows of the point, if ``measured``.
    """

    kind: str
    key: str = ""
    label: str = ""
    stage: str = ""
    status: str = ""
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    cached: bool = False
    rows: tuple[Mapping[str, Any], ...] = ()
