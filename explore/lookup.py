"""Looking up what a user named, with the nearest name when there is no such thing."""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Iterable
from types import ModuleType

__all__ = ["UnknownName", "known", "modules_of", "nearest"]


class UnknownName(ValueError):
    """A name that stands for nothing; the message is one line that offers the nearest one."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the one of ``names`` that is spelled most like ``name``, if one is at all alike."""
    matches = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return matches[0] if matches else None


def known(what: str, name: str, names: Iterable[str]) -> str:
    """Return ``name``.

    Raises
    ------
    UnknownName
        If it is not one of ``names``; ``what`` is the noun of the message.
    """
    names = list(names)
    if name in names:
        return name
    if not names:
        raise UnknownName(f"Unknown {what} '{name}'; there is none yet")
    similar = nearest(name, names)
    fix = f"did you mean '{similar}'?" if similar else f"known are {', '.join(names)}"
    raise UnknownName(f"Unknown {what} '{name}'; {fix}")


def modules_of(package: ModuleType) -> list[str]:
    """Return the names of the modules of a package, but for those that begin with ``_``, sorted."""
    return sorted(info.name for info in pkgutil.iter_modules(package.__path__)
                  if not info.name.startswith("_"))
