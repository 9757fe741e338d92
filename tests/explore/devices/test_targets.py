import pytest

from explore.devices import families, placers, target, targets
from montgomery.technology import technologies

AREA = {"lut": 1, "ff": 1, "dsp": 0, "bram": 0}


@pytest.mark.parametrize("device", targets().values(), ids=targets())
def test_entries_are_complete(device):
    assert targets()[device.name] is device
    if device.placer is None:
        assert (device.clock_limit_mhz, device.limits, device.device_args) == (None, (), ())
    else:
        assert device.placer in placers()
        assert device.family.suffixes
        assert device.family.carries
        assert device.clock_limit_mhz > 100
    assert families()[device.family.name] is device.family
    assert device.technology in technologies()
    for limit in device.limits:
        assert limit.what in ("clock", "dsp", "bram")
        assert limit.source
    for option in device.options.values():
        assert option.default in option.choices
        assert option.where in ("setup", "synth", "place", "sites", "constraint")
        assert device.placer or option.where not in ("place", "constraint")
        assert len({type(choice) for choice in option.choices}) == 1


@pytest.mark.parametrize(("name", "cells", "area"), [
    ("ecp5-25k", {"LUT4": 5, "CCU2C": 3, "TRELLIS_DPR16X4": 2, "PFUMX": 4, "L6MUX21": 2,
                  "TRELLIS_FF": 9, "MULT18X18D": 1, "DP16KD": 2},
     {"lut": 5 + 6 + 12, "ff": 9, "dsp": 1, "bram": 2}),
    ("ice40-up5k", {"SB_LUT4": 5, "SB_CARRY": 3, "SB_DFF": 1, "SB_DFFESR": 2, "SB_DFFNSS": 4,
                    "SB_MAC16": 1, "SB_RAM40_4K": 2, "SB_RAM40_4KNW": 1},
     {"lut": 5, "ff": 7, "dsp": 1, "bram": 3}),
    ("gowin-gw2a-18", {"LUT1": 1, "LUT3": 2, "LUT4": 4, "ALU": 8, "MUX2_LUT5": 9, "RAM16SDP4": 2,
                       "DFF": 3, "DFFRE": 4, "MULT18X18": 2, "MULT36X36": 1, "SDPX9B": 1, "SP": 2},
     {"lut": 7 + 8 + 12, "ff": 7, "dsp": 6, "bram": 3}),
    ("xc7", {"LUT1": 1, "LUT2": 10, "LUT6": 100, "INV": 3, "CARRY4": 9, "MUXF7": 2, "FDRE": 8,
             "FDSE": 1, "RAM32M": 2, "RAM64M": 1, "RAM64X1D": 1, "RAM256X1S": 1, "SRL16E": 5,
             "SRLC32E": 1, "DSP48E1": 2, "RAMB18E1": 1, "RAMB36E1": 3},
     {"lut": 114 + 12 + 2 + 4 + 6, "ff": 9, "dsp": 2, "bram": 7}),
    ("xc4v", {"LUT4": 7, "MUXCY": 4, "XORCY": 4, "MUXF5": 1, "RAM16X1D": 3, "RAM32X1S": 1,
              "FDRE": 2, "DSP48": 1, "RAMB16": 1},
     {"lut": 7 + 6 + 2, "ff": 2, "dsp": 1, "bram": 1}),
    ("xc2v", {"MULT18X18": 2, "MULT18X18S": 1, "RAMB16_S18_S18": 2},
     {"lut": 0, "ff": 0, "dsp": 3, "bram": 2}),
    ("gatemate-a1", {"CC_LUT1": 1, "CC_LUT2": 2, "CC_L2T4": 4, "CC_L2T5": 3, "CC_MX2": 5,
                     "CC_MX4": 1, "CC_ADDF": 9, "CC_DFF": 7, "CC_BUFG": 1, "CC_BRAM_20K": 1,
                     "CC_BRAM_40K": 2},
     {"lut": 7 + 6 + 5 + 2 + 9, "ff": 7, "dsp": 0, "bram": 5}),
    ("cyclonev", {"MISTRAL_ALUT2": 3, "MISTRAL_ALUT_ARITH": 8, "MISTRAL_NOT": 1, "MISTRAL_FF": 5,
                  "MISTRAL_MUL18X18": 2, "MISTRAL_M10K": 4, "MISTRAL_MLAB": 6},
     {"lut": 18, "ff": 5, "dsp": 2, "bram": 4}),
])
def test_area(name, cells, area):
    assert target(name).family.count(cells) == area


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
    asked = {**options, "constraint_mhz": 150}
    arguments = device.place_arguments(asked, 7)
    assert (arguments.count("--freq"), arguments[arguments.index("--freq") + 1]) == (1, "150")
    assert (device.constraint_mhz(options), device.constraint_mhz(asked)) == (257, 150)


def test_how_many_a_device_holds():
    area = {"lut": 500, "ff": 550, "dsp": 1, "bram": 1}
    assert target("ecp5-85k").copies(area) == 83640 // 550
    assert target("ecp5-25k").copies(area) == 28
    assert target("ice40-hx8k").copies(area) == 0
    assert target("ice40-up5k").copies({**area, "bram": 5}) == 6
    assert target("xc7").copies(area) is None
    assert target("ecp5-85k").copies({"lut": 0, "ff": 0, "dsp": 0, "bram": 0}) is None
