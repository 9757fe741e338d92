"""Registers that synthesis keeps apart."""

import pytest
from amaranth.back import rtlil
from bench import run

from montgomery.cox_rower.local import LocalRegister
from montgomery.technology import technologies


def test_a_clock_late():
    register = LocalRegister(5)

    async def testbench(ctx):
        before = 0
        for value in (3, 31, 0, 8):
            ctx.set(register.i, value)
            assert ctx.get(register.o) == before
            await ctx.tick()
            before = value
        assert ctx.get(register.o) == before

    run(register, testbench)


@pytest.mark.parametrize(("name", "instances"), [("ecp5", 5), ("ice40", 0)])
def test_instances(name, instances):
    text = rtlil.convert(LocalRegister(5), platform=technologies()[name], emit_src=False)
    assert text.count("cell \\TRELLIS_FF ") == instances
