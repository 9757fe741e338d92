"""Simulated boards, each compiled once for all tests."""

import pytest
from wire import BAUD

from explore.board.simulated import SimulatedBoard, board_library
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
