"""Clocks against the ranges of the data sheets, recomputed here from the parameters alone."""

from fractions import Fraction

import pytest

from boards.catalogue import boards
from boards.clock import Direct, clock_for, pll_of
from boards.families.ecp5 import EcpPll
from boards.families.ice40 import IcePll
from boards.pll import ClockError

BOARDS = {name: board for name, board in boards().items() if not board.obstacle}
#: Below, at and above what PLLs can do, and what designs ask for.
FREQUENCIES = (3.2, 8, 12, 15.9, 16, 16.2, 25, 33.3, 47.999, 48, 61.7, 99.9, 100, 133.33, 185,
               200.1, 256.9, 275, 302, 370, 400, 500)


def output_of(pll, input_mhz):
    """Return the frequency, having checked all that leads to it."""
    if isinstance(pll, IcePll):
        assert pll.divr in range(16)
        assert pll.divf in range(128)
        assert pll.divq in range(1, 7)
        detector = Fraction(input_mhz, pll.divr + 1)
        oscillator = detector * (pll.divf + 1)
        output = oscillator / 2**pll.divq
        assert 10 <= input_mhz <= 133
        assert 10 <= detector <= 133
        assert 533 <= oscillator <= 1066
        assert 16 <= output <= 275
        assert pll.filter_range == 1 + sum(detector >= limit for limit in (17, 26, 44, 66, 101))
    else:
        assert isinstance(pll, EcpPll)
        assert all(divider in range(1, 129)
                   for divider in (pll.clki_div, pll.clkop_div, pll.clkos_div))
        assert pll.clkfb_div in range(1, 81)
        detector = Fraction(input_mhz, pll.clki_div)
        feedback = detector * pll.clkfb_div
        oscillator = feedback * pll.clkop_div
        output = oscillator / pll.clkos_div
        assert 8 <= input_mhz <= 400
        assert 10 <= detector <= 400
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
        except ClockError:
            assert wanted < own
            continue
        if isinstance(clock, Direct):
            assert clock.output_mhz == own
        else:
            assert output_of(clock, own) == clock.output_mhz
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
    assert clock_for(BOARDS["icebreaker"], 12) == Direct(input_mhz=Fraction(12))
    # Between that and the slowest output of the PLL there is nothing.
    assert clock_for(BOARDS["icebreaker"], 15) == Direct(input_mhz=Fraction(12))


def test_boards_without_a_usable_pll():
    assert pll_of(BOARDS["nandland_go"]) is None
    assert clock_for(BOARDS["nandland_go"], 100) == Direct(input_mhz=Fraction(25))
    # Its 8 MHz are too slow for the phase detector.
    assert clock_for(BOARDS["supercon19badge"], 100) == Direct(input_mhz=Fraction(8))


def test_too_slow_a_clock_is_refused_with_the_nearest():
    with pytest.raises(ClockError, match=r"^Clock of icebreaker must be 12 MHz or more, not 3; the "
                                         r"nearest one is 12$"):
        clock_for(BOARDS["icebreaker"], 3)
    with pytest.raises(ClockError, match=r"must be 3\.125 MHz or more, not 3; the nearest one is "
                                         r"3\.125$"):
        clock_for(BOARDS["ulx3s_85f"], 3)


@pytest.mark.parametrize(("cls", "settings", "message"), [
    (IcePll, {"divr": 0, "divf": 40, "divq": 3}, r"^PLL oscillator in MHz must be 533 to 1066, not "
     r"492 \(FPGA-DS-02029 and FPGA-DS-02008, sysCLOCK PLL timing\)$"),
    (IcePll, {"divr": 1, "divf": 100, "divq": 3}, r"^PLL phase detector in MHz must be 10 to 133"),
    (IcePll, {"divr": 0, "divf": 128, "divq": 3}, r"^DIVF must be 0 to 127, not 128"),
    (IcePll, {"divr": 0, "divf": 46, "divq": 6}, r"^PLL output in MHz must be 16 to 275"),
    (EcpPll, {"clki_div": 1, "clkfb_div": 81, "clkop_div": 1, "clkos_div": 1}, r"^CLKFB_DIV"),
    (EcpPll, {"clki_div": 1, "clkfb_div": 40, "clkop_div": 1, "clkos_div": 2},
     r"^PLL feedback in MHz must be 8 to 400, not 480"),
    (EcpPll, {"clki_div": 2, "clkfb_div": 4, "clkop_div": 20, "clkos_div": 2},
     r"^PLL phase detector in MHz must be 10 to 400, not 6 \(FPGA-DS-02012")])
def test_settings_out_of_range_are_refused(cls, settings, message):
    with pytest.raises(ClockError, match=message):
        cls(input_mhz=Fraction(12), **settings)
