"""Simulated boards, each compiled once for all tests, and commands on a model of a board."""

import json
import time

import pytest
from click.testing import CliRunner
from model_board import ModelBoard
from wire import BAUD, Wire

from explore.board.simulated import SimulatedBoard, board_library
from explore.cli import cli
from explore.store import Store
from explore.tools.compiler import find_compiler


@pytest.fixture(scope="session")
def shared_store(kept_folder):
    """Return the path of a store that all runs share."""
    return kept_folder / "store-of-boards"


@pytest.fixture(scope="session")
def libraries(shared_store, tmp_path_factory):
    made = {}

    def library(parameters):
        if parameters not in made:
            with Store(shared_store) as store:
                made[parameters] = board_library(
                    store, parameters, tmp_path_factory.mktemp("board"), find_compiler(),
                    baud=BAUD)
        return made[parameters]

    return library


@pytest.fixture
def switch_on(libraries):
    """Return a function that switches a simulated board on."""
    if find_compiler() is None:
        pytest.skip("there is no C++ compiler")
    boards = []

    def switch_on(parameters):
        boards.append(SimulatedBoard(libraries(parameters)))
        return boards[-1]

    yield switch_on
    for board in boards:
        board.close()


@pytest.fixture
def wired(switch_on, monkeypatch):
    """Return a function that switches a board on, and returns the line to it; its time is ours."""
    def wired(parameters, **options):
        wire = Wire(switch_on(parameters), **options)
        monkeypatch.setattr(time, "monotonic", wire.time)
        return wire

    return wired


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return a function that runs ``board run`` on a model of a core, in an empty folder.

    It returns what the command prints as JSON, or its one line of complaint.
    """
    monkeypatch.chdir(tmp_path)

    def command(core, *arguments, status=0):
        monkeypatch.setattr("explore.commands.board.Client",
                            lambda port, baud: ModelBoard(core))
        done = CliRunner().invoke(cli, ["board", "run", "--port", "model", *arguments, "--json"])
        assert done.exit_code == status, done.stderr
        if done.stdout:
            return json.loads(done.stdout)
        *_, line = done.stderr.splitlines()
        return line.removeprefix("montgomery: ")

    return command
