"""Toy architectures in place of the registry, and tools that do as they are told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import toy
from click.testing import CliRunner
from fake_tools import FakeTools
from measurements import rows
from registry_rows import registry_rows

import explore
import montgomery
from explore.cli import cli
from explore.data.frame import save
from explore.store import Store

pytest.register_assert_rewrite("console")

@pytest.fixture(autouse=True)
def shielded(monkeypatch):
    """Shield the user's own store and variables."""
    for name in os.environ:
        if name.startswith(("AMARANTH_", "YOSYS", "NEXTPNR_", "MONTGOMERY_", "VERILATOR")):
            monkeypatch.delenv(name)


@pytest.fixture
def registered():
    """Return the cores of each kind, by name, in place of the real ones: toys, all multipliers."""
    return {"multiplier": {name.lower(): getattr(toy, name) for name in toy.__all__}}


@pytest.fixture(autouse=True)
def registry(request, registered, monkeypatch):
    """Replace the architectures by toys, but for tests of the real cores."""
    if not request.node.get_closest_marker("real_cores"):
        monkeypatch.setattr(montgomery.registry, "cores", lambda kind: registered.get(kind, {}))
    return registered["multiplier"]


@pytest.fixture
def fakes(tmp_path, monkeypatch):
    home = tmp_path / "tools"
    home.mkdir()
    tools = FakeTools(home)
    for name, value in tools.variables.items():
        monkeypatch.setenv(name, value)
    # Nothing is compiled either: Amaranth's simulator is quick for a toy.
    monkeypatch.setenv("CXX", "")
    return tools


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in an empty folder and returns its result."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONTGOMERY_STORE", str(tmp_path / "store"))
    # What the commands set themselves is to vanish with the test.
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    return lambda *arguments: CliRunner().invoke(cli, [str(each) for each in arguments])


@pytest.fixture
def sketched(monkeypatch):
    """Have sweeps leave files without contents in place of plots, which take longer than they."""
    def write(names, rows, folder, formats=("svg", "png")):
        paths = [folder / f"{name}.{suffix}" for name in names for suffix in formats]
        for path in paths:
            path.touch()
        return paths

    monkeypatch.setattr("explore.commands._sweeps.write", write)


@pytest.fixture
def alone(tmp_path):
    """Return a function that runs a command in a process of its own, in an empty folder.

    Modules in the folder are found there. Amaranth's simulator is quick for a core of 8 bits.
    """
    paths = [Path(explore.__file__).parents[1], tmp_path]
    usual = os.environ | {"CXX": "", "MONTGOMERY_STORE": str(tmp_path / "store"),
                          "PYTHONPATH": os.pathsep.join(map(str, paths))}

    def call(*arguments, program="explore.cli", **environment):
        return subprocess.run([sys.executable, "-P", "-m", program, *map(str, arguments)],
                              cwd=tmp_path, env=usual | environment, capture_output=True, text=True)

    return call


@pytest.fixture
def saved(tmp_path):
    """Return the path of a file with all made-up rows."""
    path = tmp_path / "rows.jsonl"
    save(rows(), path)
    return path


@pytest.fixture(scope="session")
def saved_registry(tmp_path_factory):
    """Return the path of a file with made-up rows of the cores that there are."""
    path = tmp_path_factory.mktemp("registry") / "rows.jsonl"
    save(registry_rows(), path)
    return path
