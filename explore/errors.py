"""Errors that end a command, whatever it was about to do."""

from __future__ import annotations

__all__ = ["DiskFull", "ToolMissing", "WrongSite"]


class ToolMissing(RuntimeError):
    """A tool that is needed and cannot be run."""


class DiskFull(RuntimeError):
    """No room to go on with; what is stored so far is whole."""


class WrongSite(RuntimeError):
    """A stage was to run where the tools or sources are others than those it was specified for."""
