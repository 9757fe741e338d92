"""The version of this project."""

from __future__ import annotations

import functools
import importlib.metadata

__all__ = ["project_version"]


@functools.cache
def project_version() -> str:
    """Return the version of this project, if it is installed."""
    try:
        return importlib.metadata.version("montgomery")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
