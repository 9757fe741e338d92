"""Events, by which a sweep reports its progress."""

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
        ``plan``: the number of stages is known.
        ``forecast``: ``label`` is a line on the amount and the time of the work.
        ``warm``: the first run of a tool begins (status ``running``; only if the tool compiles
        itself then) or has ended (status ``ok``).
        ``start``, ``finish``: a stage begins or has ended.
        ``measured``: all rows of a point are complete.
        ``wait``: another sweep on this store is computing a stage.
        ``note``: ``label`` is a message to the user.
    key : str
        Key of the outcome; for ``warm``, the name of the tool.
    label : str
        Short text that describes the event.
    stage : str
        A name in :func:`explore.pipeline.stages.stages`, if the event is about a stage.
    status : str
        For ``finish``, the status of the stage, which is ``skipped`` if an earlier stage failed;
        otherwise ``running``, ``ok`` or empty.
    done, total : int
        Number of finished stages, and of all stages.
    seconds : float
        Time that the stage took when it was computed, in this sweep or before.
    cached : bool
        Whether the outcome was in the store.
    host : str
        For ``start``, the machine on which the stage begins, empty for this one. For ``finish``,
        the machine that computed it.
    rows : tuple of dict
        For ``measured``, all rows of the point.
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
    host: str = ""
    rows: tuple[Mapping[str, Any], ...] = ()
