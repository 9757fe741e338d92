"""Intel Cyclone V."""

from __future__ import annotations

from ._shared import abc_flow, area_only, multipliers
from .model import Family

__all__ = ["TARGETS"]

# An adaptive logic module is two of these LUTs. A multiplier counts as one whatever its size: a
# block holds three of 9 bits, two of 18 or one of 27.
_CYCLONE5 = Family(
    name="cyclonev", synth="synth_intel_alm -family cyclonev -noiopad -noclkbuf",
    lut_name="ALUT",
    area={"MISTRAL_ALUT*": {"lut": 1}, "MISTRAL_NOT": {"lut": 1}, "MISTRAL_MLAB": {"lut": 1},
          "MISTRAL_FF": {"ff": 1}, "MISTRAL_MUL*": {"dsp": 1}, "MISTRAL_M10K": {"bram": 1}},
    options={"abc": abc_flow("flow3"), "multipliers": multipliers(logic=("-nodsp",))})

TARGETS = (area_only(_CYCLONE5, "intel-cyclone5", "Intel Cyclone V"),)
