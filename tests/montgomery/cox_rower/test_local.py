"""Registers that synthesis keeps apart."""

import pytest
from amaranth.back import rtlil

from montgomery.cox_rower.rower import LocalRegister
from montgomery.technology import technologies


@pytest.mark.parametrize(("name", "instances"), [("ecp5", 5), ("ice40", 0)])
def test_instances(name, instances):
    text = rtlil.convert(LocalRegister(5), platform=technologies()[name], emit_src=False)
    assert text.count("cell \\FD1S3AX ") == instances
