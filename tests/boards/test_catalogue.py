import importlib
import inspect
import pkgutil

import amaranth_boards
import pytest
from amaranth.build import Platform

from boards.catalogue import ADAPTERS, Adapter, boards


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
    assert (board.uart, board.programmer, board.clock_mhz) == (True, True, 12.0)
    assert type(board.create()).__name__ == board.platform == "ICEBreakerPlatform"


@pytest.mark.parametrize(("name", "target", "clock"), [
    ("icebreaker", "ice40-up5k", "clk12"), ("ice40_hx8k_b_evn", "ice40-hx8k", "clk12"),
    ("ulx3s_12f", "ecp5-12k", "clk25"),
    ("ulx3s_85f", "ecp5-85k", "clk25"), ("versa_ecp5", "ecp5-45k-8", "clk100"),
    ("orangecrab_r0_2_85f", "ecp5-85k-8", "clk"), ("orangecrab_r0_2", "ecp5-25k-8", "clk"),
    ("colorlight_5a75b_r7_0", "ecp5-25k", "clk25")])
def test_boards_that_can_be_built_for(name, target, clock):
    board = boards()[name]
    assert (board.target, board.clock, board.obstacle) == (target, clock, "")
    assert board.uart or board.adapter


def test_boards_that_cannot_be_built_for_say_why():
    assert boards()["upduino_v2"].obstacle == (
        "SB_HFOSC on its FPGA is too inaccurate for a serial port")
    assert boards()["tang_nano_9k"].obstacle == (
        "its FPGA must be of ecp5 or ice40, not gw1nr-9c")
    assert boards()["tang_nano_9k"].target == ""


@pytest.mark.parametrize("name", ADAPTERS)
def test_adapters_have_pins_of_their_board(name):
    board = boards()[name]
    platform = board.create()
    board.adapter.attach(platform, board.family)
    # Which raises an exception when two of them have a pin in common.
    for resource in ("adapter", board.clock, *(["adapter_high"] if board.adapter.high else [])):
        platform.request(resource, 0, dir="-")
    assert not board.uart


def test_adapter_on_the_command_line():
    assert (Adapter.of("pmod_0:1, pmod_0:2").rx, Adapter.of("3,4").tx) == ("pmod_0:1", "4")
    for text in ("pmod_0:1", "1,1", "1,2,3", "1,"):
        with pytest.raises(ValueError, match=r"^UART pins must be two different pins, RX,TX, not"):
            Adapter.of(text)
    with pytest.raises(ValueError, match=r"^Pin 'pmod_9:1' is on no connector of the board; these "
                                         r"are pmod_0, pmod_1, pmod_2$"):
        Adapter.of("pmod_9:1,pmod_0:2").attach(boards()["icebreaker"].create(), "ice40")


def test_a_platform_that_cannot_be_made_stays_visible():
    assert boards()["tang_mega_138k_pro_dock"].problem == "Supplied part name is invalid"
    assert boards()["tang_mega_138k_pro_dock"].obstacle.startswith("amaranth-boards cannot be used")
