import importlib
import inspect
import pkgutil
import sys

import amaranth_boards
import pytest
from amaranth.build import Platform

from boards.catalogue import boards, find_boards

WORKING = """
from amaranth.build import Clock, Pins, Resource
from amaranth.vendor import LatticeICE40Platform

class Good_1_Platform(LatticeICE40Platform):
    device, package, default_clk = "iCE40HX8K", "CT256", "clk"
    resources = [Resource("clk", 0, Pins("J3", dir="i"), Clock(12e6))]
    connectors = []

class RaisingPlatform(Good_1_Platform):
    def __init__(self):
        raise RuntimeError("not\\ntoday")
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "some_boards"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "working.py").write_text(WORKING)
    (folder / "broken.py").write_text("import no_such_module")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("some_boards")
    for name in [name for name in sys.modules if name.startswith("some_boards")]:
        del sys.modules[name]


def test_every_platform_is_a_board_of_its_own_name():
    platforms = set()
    for info in pkgutil.iter_modules(amaranth_boards.__path__):
        if not info.ispkg:
            module = importlib.import_module(f"amaranth_boards.{info.name}")
            platforms |= {cls for cls in vars(module).values() if inspect.isclass(cls)
                          and issubclass(cls, Platform) and not inspect.isabstract(cls)
                          and cls.__module__ == module.__name__}
    assert {(board.module, board.platform) for board in boards().values()} == {
        (cls.__module__, cls.__name__) for cls in platforms}


def test_facts_of_a_known_board():
    board = boards()["icebreaker"]
    assert (board.family, board.device, board.package) == ("ice40", "iCE40UP5K", "SG48")
    assert (board.toolchain, board.open, board.uart, board.clock_mhz) == (
        "IceStorm", True, True, 12.0)
    assert type(board.create()).__name__ == board.platform == "ICEBreakerPlatform"


def test_vendors_without_family_or_device_still_have_both():
    for board in boards().values():
        assert board.problem or (board.family and board.device), board


def test_board_that_needs_a_vendors_tools_is_not_open():
    assert not boards()["de0nano"].open


def test_bad_modules_and_platforms_stay_visible_and_hide_no_others(package):
    found = find_boards(package)
    assert list(found) == ["broken", "good_1", "raising"]
    assert found["good_1"].device == "iCE40HX8K"
    assert found["broken"].problem == "ModuleNotFoundError: No module named 'no_such_module'"
    assert found["raising"].problem == "RuntimeError: not today"
    with pytest.raises(ValueError, match=r"^Board raising cannot be used: RuntimeError: not today"):
        found["raising"].create()
