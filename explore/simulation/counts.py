"""The columns of a row that verification fills."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["read_counts"]


def read_counts(facts: Mapping[str, Any], file: Callable[[str], bytes]) -> dict[str, Any]:
    """Return the columns ``constant_time``, ``engine`` and ``cycles_*`` of a verified core.

    The facts are ``cycles``, the measured counts in clocks by name, ``constant_time``, and
    ``engine``, the name of the simulator.
    """
    cycles = facts["cycles"]
    return {"constant_time": facts["constant_time"], "engine": facts["engine"],
            # A core without keys takes no clocks to load one.
            "cycles_load_key": cycles.get("load_key"),
            **{f"cycles_{name}": cycles.get(name)
               for name in ("load", "compute", "unload", "interval", "initiation")}}
