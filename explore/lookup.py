"""Looking up what a user named, with the nearest names when there is no such thing."""

from __future__ import annotations

import difflib
import pkgutil
import re
from collections.abc import Iterable, Mapping
from types import ModuleType

__all__ = ["UnknownName", "alike", "known", "meant", "modules_of", "unknown"]


class UnknownName(ValueError):
    """A name that stands for nothing; the message is one line that offers the nearest ones."""


def alike(name: str, names: Iterable[str], about: Mapping[str, str] | None = None) -> list[str]:
    """Return those of ``names`` that ``name`` may stand for; none if it is like none of them.

    They are those that differ in case and punctuation alone, or else those that begin with it, or
    have it in them, or in their text in ``about``, or else the one that is spelled most like it,
    as a whole or after its last dot.
    """
    names, plain = list(names), _plain(name)
    texts = {each: _plain(each) for each in names}
    descriptions = {each: _plain((about or {}).get(each, "")) for each in names}
    for found in ([each for each in names if plain and texts[each] == plain],
                  [each for each in names if len(plain) > 1 and texts[each].startswith(plain)],
                  [each for each in names if len(plain) > 1 and plain in texts[each]],
                  [each for each in names if len(plain) > 1 and plain in descriptions[each]]):
        if found:
            return found
    ends = {each: each.rpartition(".")[2] for each in names}
    nearest = difflib.get_close_matches(name.lower(), [*names, *ends.values()], n=1, cutoff=0.6)
    return [each for each in names if each in nearest] or [
        each for each in names if ends[each] in nearest]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text.casefold())


def meant(names: Iterable[str]) -> str:
    """Return the question whether one of ``names`` was meant."""
    *others, last = (f"'{name}'" for name in names)
    return f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?"


def known(what: str, name: str, names: Iterable[str],
          about: Mapping[str, str] | None = None) -> str:
    """Return ``name`` if it is one of ``names``, or raise what :func:`unknown` returns."""
    names = list(names)
    if name not in names:
        raise unknown(what, name, names, about)
    return name


def unknown(what: str, name: str, names: Iterable[str],
            about: Mapping[str, str] | None = None) -> UnknownName:
    """Return the exception for a name that is not one of ``names``.

    ``what`` is the noun of the message; :func:`alike` uses ``about``.
    """
    names = list(names)
    if not names:
        return UnknownName(f"Unknown {what} '{name}'; there is none yet")
    similar = alike(name, names, about)
    fix = meant(similar) if similar else f"known are {', '.join(names)}"
    return UnknownName(f"Unknown {what} '{name}'; {fix}")


def modules_of(package: ModuleType) -> list[str]:
    """Return the names of the modules of a package, but for those that begin with ``_``, sorted."""
    return sorted(info.name for info in pkgutil.iter_modules(package.__path__)
                  if not info.name.startswith("_"))
