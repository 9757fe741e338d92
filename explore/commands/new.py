"""``montgomery new``: a file with a core to begin with, and its test."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import click

from ..atomic import atomic_write
from ..errors import Refusal
from ._command import Command

__all__ = ["command"]

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


@click.command(cls=Command, short_help="Write a core of your own to begin with, and its test.")
@click.argument("name")
@click.option("--verilog", is_flag=True, help="Write a core in Verilog, and the TOML file that "
              "describes it.")
@click.option("--output", default=".", metavar="DIR", type=click.Path(path_type=Path),
              help="Folder for the files, made if need be.  [default: the current folder]")
def command(name: str, verilog: bool, output: Path) -> None:
    """Write NAME.py, a small core that works, and test_NAME.py, which verifies it.

    The core takes one bit of x per clock. Change it to yours; docs/own_cores.md says what is
    required, and docs/verilog.md for a core in Verilog. No file is overwritten.

    \b
    montgomery new my_core
    montgomery verify -a my_core.py -n 32
    montgomery sweep -a my_core.py -n 32 -t ice40-hx8k
    """
    from montgomery import KINDS, outside

    suffixes = [".toml", ".v"] if verilog else [".py"]
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
