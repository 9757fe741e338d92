"""The version of a core: what its sources say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..fingerprint import fingerprint

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["VERSION", "core_version"]

#: Characters of a version.
VERSION = 12


def core_version(params: CoreParameters) -> str:
    """Return the version of a core, which is another one when its code is another one."""
    return fingerprint(*params.modules())[:VERSION]
