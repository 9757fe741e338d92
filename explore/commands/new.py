"""``montgomery new``: a file with a core to begin with, and its test."""

from __future__ import annotations

import importlib.util
import os
import shlex
from pathlib import Path

import click

from montgomery import KINDS, outside

from ..atomic import atomic_write
from ..errors import Refusal
from ..points.rivals import is_rival, place, rivals

__all__ = ["new"]

_TEST = '''"""Verifies results and clocks of {name}, with pauses and resets."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("width", [8, 32, 64])
def test_results_and_clocks(width):
    subprocess.run([sys.executable, "-m", "explore.cli", "verify", "-a", "{file}", "-n",
                    str(width)], cwd=Path(__file__).parent, check=True)
'''


def new(name: str, output: Path) -> None:
    """Write NAME.py, a small core that works, and test_NAME.py, which verifies it."""
    if name == "rivals" or is_rival(name):
        _describe(name, output)
        return
    suffixes = [".toml", ".v"] if name.endswith(".toml") else [".py"]
    name = name.removesuffix(suffixes[0])
    if fault := outside.fault_of(f"{name}{suffixes[0]}"):
        raise Refusal(fault)
    if any(name in kind.cores() for kind in KINDS.values()):
        raise Refusal(f"There is a core {name} already; choose another name, such as my_{name}")
    # Beside it, programs of Python would find the core in place of that module.
    spec = importlib.util.find_spec(name)
    if spec is not None and Path(spec.origin or name).parent != output.absolute():
        raise Refusal(f"{name} is the name of a module of Python; choose another name, such as "
                      f"my_{name}")
    files = {output / f"{name}{suffix}": _example(suffix).replace("my_core", name)
             for suffix in suffixes}
    files[output / f"test_{name}.py"] = _TEST.format(name=name, file=f"{name}{suffixes[0]}")
    for path in files:
        if os.path.lexists(path):
            raise Refusal(f"{path} exists already; name another core, or another folder with "
                          "--output")
    output.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        with atomic_write(path) as partial:
            partial.write_text(text, encoding="utf-8")
        click.echo(path)


def _example(suffix: str) -> str:
    import montgomery

    folder = Path(montgomery.__file__).parent
    path = folder / "_example.py" if suffix == ".py" else folder / "verilog" / f"example{suffix}"
    return path.read_text(encoding="utf-8")


def _describe(name: str, folder: Path) -> None:
    """Describe a core of others, or all of them, whose sources are in a folder."""
    wanted = [rival for rival in rivals() if name in ("rivals", rival.name)]
    found = [str(path) for rival in wanted if (path := place(rival, folder))]
    if not found:
        folders = " or ".join(sorted({rival.folder for rival in wanted}))
        raise Refusal(f"{folder} has no folder {folders}; fetch one as 'montgomery list rivals' "
                      "says, and name the folder of it with --output")
    click.echo("\n".join(found))
    click.echo(shlex.join(["montgomery", "sweep", "-a", ",".join(found), "-n", "256", "-t",
                           "ecp5-85k", "--output", "rivals"]))
