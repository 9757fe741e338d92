"""What verification and documents know of each kind of core, a module for each kind."""

from __future__ import annotations

import functools
import importlib

from montgomery import CoreParameters
from montgomery.core import kind_of

from .base import Adapter, Document, Example, Whole

__all__ = ["Adapter", "Document", "Example", "Whole", "adapter"]


@functools.lru_cache(maxsize=64)
def adapter(params: CoreParameters) -> Adapter:
    """Return the :class:`Adapter` of a core."""
    module = kind_of(params).adapter or f"{__name__}.{kind_of(params).name}"
    return importlib.import_module(module).Adapter(params)
