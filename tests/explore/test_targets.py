import pytest

from explore.names import UnknownName
from explore.targets import target, targets
from explore.tools import TOOLS

AREA = {"lut": 1, "ff": 1, "dsp": 0, "bram": 0}


@pytest.mark.parametrize("device", targets().values(), ids=str)
def test_entries_are_complete(device):
    assert targets()[device.name] is device
    assert device.architecture.placer in TOOLS
    assert device.clock_limit_mhz > 100
    for limit in device.limits:
        assert limit.what in ("clock", "dsp", "bram")
        assert limit.source
    for option in device.options.values():
        assert option.default in option.choices
        assert option.where in ("setup", "synth", "place")
        assert len({type(choice) for choice in option.choices}) == 1


def test_names():
    assert {"ice40-hx8k", "ice40-up5k", "ecp5-25k", "ecp5-45k", "ecp5-85k", "ecp5-85k-7",
            "ecp5-85k-8"} <= set(targets())
    with pytest.raises(UnknownName, match="did you mean 'ecp5-85k'"):
        target("ecp5-86k")


@pytest.mark.parametrize(("name", "cells", "area"), [
    ("ecp5-25k", {"LUT4": 5, "CCU2C": 3, "TRELLIS_DPR16X4": 2, "PFUMX": 4, "L6MUX21": 2,
                  "TRELLIS_FF": 9, "MULT18X18D": 1, "DP16KD": 2},
     {"lut": 5 + 6 + 12, "ff": 9, "dsp": 1, "bram": 2}),
    ("ice40-up5k", {"SB_LUT4": 5, "SB_CARRY": 3, "SB_DFF": 1, "SB_DFFESR": 2, "SB_DFFNSS": 4,
                    "SB_MAC16": 1, "SB_RAM40_4K": 2, "SB_RAM40_4KNW": 1},
     {"lut": 5, "ff": 7, "dsp": 1, "bram": 3}),
])
def test_area(name, cells, area):
    assert target(name).architecture.count(cells) == area


def test_usable_frequency_is_the_smallest_limit_of_what_is_used():
    device = target("ecp5-85k-8")
    assert device.usable_mhz(100, AREA) == 100
    assert device.usable_mhz(500, AREA) == 370
    assert device.usable_mhz(500, {**AREA, "bram": 1}) == 272
    assert device.usable_mhz(500, {**AREA, "bram": 1, "dsp": 4}) == 225


def test_options_reach_the_tools():
    device = target("ecp5-25k")
    options = {"abc": "flow3", "widelut": "no", "placer_weight": 30}
    assert device.synth_commands("top", options) == [
        "scratchpad -copy abc9.script.flow3 abc9.script", "synth_ecp5 -top top -nowidelut"]
    assert device.place_arguments(options, 7) == [
        "--25k", "--package", "CABGA381", "--speed", "6", "--lpf-allow-unconstrained",
        "--freq", "257", "--timing-allow-fail", "--seed", "7", "--placer-heap-timingweight", "30"]
