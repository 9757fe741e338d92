"""Sums in carry chains of cells, proved equal to sums that synthesis makes."""

import functools
import random

import pytest
from bench import run
from cxxrtl import CHAINS, prove_equal

from montgomery.blocks.carry_chain import ChosenSum, GatedSum, LoadedSum, OptionalSum

#: What is connected, so that no more is asked for than each contract says.
PORTS = {
    OptionalSum: ".a(a), .b(b), .has_a(x), .negative(y & x), .total(total)",
    LoadedSum: ".a(y ? a : 0), .b(b), .other(c), .carry(x & y), .keeps(y), .total(total)",
}


@pytest.mark.parametrize("width", [1, 2, 18])
def test_a_sum_with_a_choice(width):
    block, rng = ChosenSum(width), random.Random(width)

    async def testbench(ctx):
        for _ in range(100):
            a, b, c = (rng.choice((0, (1 << width) - 1, rng.getrandbits(width)))
                       for _ in range(3))
            choose, carry = rng.getrandbits(1), rng.getrandbits(1)
            for name, value in {"a": a, "b": b, "c": c, "choose": choose, "carry": carry}.items():
                ctx.set(getattr(block, name), value)
            assert ctx.get(block.total) == a + (b if choose else c) + carry

    run(block, testbench)


def test_a_sum_with_a_choice_is_proved_equal(tmp_path):
    """There are as many cells as bits with both carries need."""
    widths = (1, 2, 5, 18)
    prove_equal(tmp_path, "ecp5", CHAINS,
                {width: functools.partial(ChosenSum, width) for width in widths},
                cells={width: f"-assert-count {(width + 3) // 2} {{}}/t:CCU2C"
                       for width in widths})


def test_gated_sums_are_proved_equal(tmp_path):
    sizes = {f"{a}_{b}_{negate}": functools.partial(GatedSum, a, b, negate=bool(negate))
             for a, b in ((3, 4), (5, 2), (8, 8)) for negate in (0, 1)}
    prove_equal(tmp_path, "ecp5", CHAINS, sizes,
                cells=dict.fromkeys(sizes, "-assert-min 1 {}/t:CCU2C"))


@pytest.mark.parametrize("chain", PORTS)
def test_sums_are_proved_equal(chain, tmp_path):
    widths = (3, 6)
    prove_equal(tmp_path, "ecp5", CHAINS,
                {width: functools.partial(chain, width) for width in widths},
                connected={width: (f"input [{width - 1}:0] a, b, c, input x, y, "
                                   f"output [{width - 1}:0] total", PORTS[chain])
                           for width in widths},
                cells=dict.fromkeys(widths, "-assert-min 1 {}/t:CCU2C"))
