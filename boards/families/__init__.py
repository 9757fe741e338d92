"""The families of FPGAs for which bitstreams are built.

A family is one module of this package, which has ``FAMILY``, a
:class:`~boards.family.Family`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Mapping

from ..family import Family

__all__ = ["families"]


@functools.cache
def families() -> Mapping[str, Family]:
    """Return the dictionary from name to :class:`~boards.family.Family`, sorted by name."""
    modules = sorted(info.name for info in pkgutil.iter_modules(sys.modules[__name__].__path__))
    found = [importlib.import_module(f"{__name__}.{name}").FAMILY for name in modules]
    return {family.name: family for family in found}
