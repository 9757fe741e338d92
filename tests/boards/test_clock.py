"""Clocks against the ranges of the data sheets, recomputed here from the parameters alone."""

from fractions import Fraction

import pytest
from amaranth.hdl import Const, Fragment, Module, Signal

from boards.catalogue import boards
from boards.clock import Clock, clock_for
from boards.families import families

BOARDS = {name: board for name, board in boards().items() if not board.obstacle}
#: Below, at and above what PLLs can do, and what designs ask for.
FREQUENCIES = (3.2, 8, 12, 15.9, 16, 16.2, 25, 33.3, 47.999, 48, 61.7, 99.9, 100, 133.33, 185,
               200.1, 256.9, 275, 302, 370, 400, 500)


def cell_of(board, clock):
    """Return the type of a clock's PLL, and its parameters by name."""
    m, platform = Module(), board.create()
    port = platform.request(board.clock, dir="-")
    families()[board.family].pll.connect(m, clock, port, Signal(), Signal(), board)
    Fragment.get(m, platform)
    return m.submodules.pll.type, {
        name: value.value if isinstance(value, Const) else value
        for name, value in m.submodules.pll.parameters.items()}


def output_of(board, clock):
    """Return the frequency, having checked all that leads to it."""
    input_mhz = clock.input_mhz
    cell, pll = cell_of(board, clock)
    if cell.startswith("SB_PLL40"):
        assert pll["DIVR"] in range(16)
        assert pll["DIVF"] in range(128)
        assert pll["DIVQ"] in range(1, 7)
        detector = input_mhz / (pll["DIVR"] + 1)
        oscillator = detector * (pll["DIVF"] + 1)
        output = oscillator / 2**pll["DIVQ"]
        assert 10 <= input_mhz <= 133
        assert 10 <= detector <= 133
        assert 533 <= oscillator <= 1066
        assert 16 <= output <= 275
        assert pll["FILTER_RANGE"] == 1 + sum(detector >= limit for limit in (17, 26, 44, 66, 101))
    else:
        assert all(pll[name] in range(1, 129) for name in ("CLKI_DIV", "CLKOP_DIV", "CLKOS_DIV"))
        # Project Trellis knows no feedback divider above 80.
        assert pll["CLKFB_DIV"] in range(1, 81)
        detector = input_mhz / pll["CLKI_DIV"]
        feedback = detector * pll["CLKFB_DIV"]
        oscillator = feedback * pll["CLKOP_DIV"]
        output = oscillator / pll["CLKOS_DIV"]
        assert 8 <= input_mhz <= 400
        assert 10 <= detector <= 400
        # Both an output and an input of the PLL.
        assert 8 <= feedback <= 400
        assert 400 <= oscillator <= 800
        assert Fraction("3.125") <= output <= 400
    return output


@pytest.mark.parametrize("name", BOARDS)
def test_clocks_keep_to_the_data_sheet_and_are_never_too_fast(name):
    board = BOARDS[name]
    own = Fraction(str(board.clock_mhz))
    for wanted in map(Fraction, map(str, FREQUENCIES)):
        try:
            clock = clock_for(board, float(wanted))
        except ValueError:
            assert wanted < own
            continue
        assert clock.input_mhz == own
        assert (own if clock.direct else output_of(board, clock)) == clock.output_mhz
        assert clock.output_mhz <= wanted
        assert clock.frequency_hz == pytest.approx(float(clock.output_mhz) * 1e6)


def test_ice40_settings_are_the_best_of_all():
    wanted, best = Fraction(93), Fraction(0)
    for divr in range(16):
        for divf in range(128):
            for divq in range(1, 7):
                detector = Fraction(100, divr + 1)
                oscillator = detector * (divf + 1)
                if detector >= 10 and 533 <= oscillator <= 1066:
                    output = oscillator / 2**divq
                    best = max(best, output if output <= wanted else 0)
    assert clock_for(BOARDS["blackice"], 93).output_mhz == best


def test_the_boards_own_clock_takes_no_pll():
    assert clock_for(BOARDS["icebreaker"], 12) == Clock(input_mhz=Fraction(12))
    # Between that and the slowest output of the PLL there is nothing.
    assert clock_for(BOARDS["icebreaker"], 15) == Clock(input_mhz=Fraction(12))


def test_boards_without_a_usable_pll():
    assert clock_for(BOARDS["nandland_go"], 100) == Clock(input_mhz=Fraction(25))
    # Its 8 MHz are too slow for the phase detector.
    assert clock_for(BOARDS["supercon19badge"], 100) == Clock(input_mhz=Fraction(8))


def test_too_slow_a_clock_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match=r"^Clock of icebreaker must be 12 MHz or more, not 3; the "
                                         r"nearest one is 12$"):
        clock_for(BOARDS["icebreaker"], 3)
    with pytest.raises(ValueError, match=r"must be 3\.125 MHz or more, not 3; the nearest one is "
                                         r"3\.125$"):
        clock_for(BOARDS["ulx3s_85f"], 3)
