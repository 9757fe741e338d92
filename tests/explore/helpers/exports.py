"""Exported cores, and the programs that take them."""

import shutil
import subprocess

import pytest

from explore.export import export
from explore.points.expand import expand
from montgomery import KINDS

__all__ = ["CORES", "exported", "needs_icarus", "point", "ran"]

CORES = {kind.full_name(name): cls for kind in KINDS.values()
         for name, cls in sorted(kind.cores().items())}

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None,
                                  reason="Icarus Verilog is not installed")


def point(arch, width=9, target="ecp5-25k", **params):
    """Return a core with a width, or with the least width that it has, for a device."""
    least = CORES[arch].__dataclass_fields__["width"].metadata["minimum"]
    found, = expand([arch], [max(width, least)],
                    {name: [value] for name, value in params.items()}, [target])
    return found


def exported(folder, arch, width=9, target=None, params=None, vectors=1, **more):
    """Return the files of a core for a device, or else of plain Verilog."""
    chosen = point(arch, width, target or "ecp5-25k", **(params or {}))
    return export(chosen, folder, name="core", vectors=vectors, generic=target is None,
                  **more).files


def ran(*command, folder, **more):
    """Return how a command ends, and what it says."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, **more)
