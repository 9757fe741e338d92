"""Rows of earlier versions: the version of a core is what its sources say."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..fingerprint import fingerprint
from ..points.point import cores

if TYPE_CHECKING:
    import pandas

    from montgomery import CoreParameters

__all__ = ["EARLIER", "OUTSIDE", "VERSION", "are_earlier", "core_version", "has_earlier",
           "origins"]

#: Characters of a version.
VERSION = 12
#: What stands after the name of a core that has changed since it was measured.
EARLIER = "†"
#: What stands after the name of a core that is not of this package.
OUTSIDE = "‡"
_COLUMNS = ("kind", "arch", "width", "target", "params", "options", "versions")


def core_version(params: CoreParameters) -> str:
    """Return the version of a core, which is another one when its code is another one."""
    from montgomery.registry import modules

    return _version(tuple(modules(params)))


@functools.cache
def _version(modules: tuple[str, ...]) -> str:
    return fingerprint(*modules)[:VERSION]


def are_earlier(rows: pandas.DataFrame) -> list[bool]:
    """Return, for each row of a frame, whether its core has changed since it was measured."""
    known: dict[tuple, bool] = {}
    found = []
    for kind, arch, width, target, params, options, versions in zip(
            *(rows[name].tolist() for name in _COLUMNS), strict=True):
        version = versions.get("core")
        # Many rows share one mapping.
        mark = kind, arch, width, id(params), version
        if mark not in known:
            row = dict(zip(_COLUMNS, (kind, arch, width, target, params, options), strict=False))
            today = _today(row)
            # Rows of a core from outside are read without it.
            known[mark] = version not in (None, today) and not (
                today is None and "origin" in versions)
        found.append(known[mark])
    return found


def origins(rows: pandas.DataFrame) -> list[str]:
    """Return, for each row, where its core comes from; empty texts for cores of this package."""
    return [versions.get("origin", "") for versions in rows.get("versions", [{}] * len(rows))]


def has_earlier(rows: pandas.DataFrame) -> bool:
    """Return whether a frame has rows of earlier versions; one of rows just measured has none."""
    return "earlier" in rows and bool(rows["earlier"].any())


def _today(row: Mapping[str, Any]) -> str | None:
    """Return the version of the core of a row as it is now; None if there is no such core."""
    from montgomery import architectures
    from montgomery.core import about

    core = cores(row["kind"]).get(row["arch"])
    if core is None:
        return None
    # The parameters make no difference but for the core inside, and to check them takes long.
    named = [value.partition(" ")[0] for value in row["params"].values() if isinstance(value, str)]
    inside = [architectures()[name] for name in named if name in architectures()]
    return _version(tuple(each.__module__ for each in (core, *inside * about(core).wraps)))
