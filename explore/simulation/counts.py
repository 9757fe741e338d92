"""The columns of a row that verification fills."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["read_counts"]


def read_counts(facts: Mapping[str, Any], file: Callable[[str], bytes]) -> dict[str, Any]:
    """Return the columns ``constant_time`` and ``cycles_*`` of a verified core.

    Parameters
    ----------
    facts : dict
        ``cycles``, the measured counts in clocks by name, and ``constant_time``.
    """
    cycles = facts["cycles"]
    return {"constant_time": facts["constant_time"],
            **{f"cycles_{name}": cycles.get(name)
               for name in ("load", "compute", "unload", "interval", "initiation")}}
