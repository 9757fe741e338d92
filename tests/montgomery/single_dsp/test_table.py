"""The paper's Table I, line by line."""

import random

import pytest
from bench import operate, run

from montgomery import architectures
from montgomery.core import to_words
from montgomery.single_dsp.micro_ops import DIGIT, OPERANDS, TABLE

SEED = 1
#: Column "Multiplier" of Table I: lines from k + 6 on, by the clocks since then. Between the lines
#: named here are those of the other digits.
TABLE_I = {"0": "X_0 Y_i", "1": "q M_0", "2": "X_1 Y_i", "3": "q M_1", "2 d": "X_d Y_i",
           "2 d + 1": "q M_d", "2 d + 2": "X_0 Y_{i+1}", "2 d + 5": "q", "2 d + 8": "X_0 Y_{i+1}"}
#: Clocks by which a line is earlier here.
EARLIER = {"2 d + 5": 2, "2 d + 8": 2}
#: The pair in which nothing is multiplied.
HOLE = "", ""


def _products(d):
    """Return the products of one iteration, and the first one of the next, by clock."""
    pairs = [(0, "pair_0"), (1, "pair_1"), *((j, "rest") for j in range(2, d)), (d, "flush"),
             (0, "special"), (0, None), (0, "pair_0")]
    lines = []
    for j, pair in pairs:
        for product in HOLE if pair is None else [line[0] for line in TABLE[pair]]:
            lines.append(product.replace("_j", f"_{j}"))
    return lines


@pytest.mark.parametrize("d", [4, 5, 9])
def test_products_of_an_iteration(d):
    lines = _products(d)
    for clock, product in TABLE_I.items():
        here = eval(clock.replace("2 d", f"2 * {d}")) - EARLIER.get(clock, 0)
        # Of the next iteration, whose Y_i is Y_{i+1} here.
        found = lines[here].replace("Y_i", "Y_{i+1}") if "2 d + 8" in clock else lines[here]
        assert found == product.replace("_d", f"_{d}"), clock
    assert lines[4:2 * d] == [line for j in range(2, d) for line in (f"X_{j} Y_i", f"q M_{j}")]


def test_what_the_multiplier_and_the_adder_have():
    """Each line of the table with numbers, in the clocks of a product, and the digits of S."""
    params = architectures()["single_dsp"](width=37, word_width=8)
    rng, radix, d = random.Random(SEED), 1 << 8, params.digits
    modulus = params.random_modulus(rng)
    x, y = (rng.randrange(2 * modulus) for _ in range(2))
    component = params.create()
    datapath, sequencer = component.processor.datapath, component.processor.sequencer
    seen, begun = [], []

    async def watch(ctx):
        ctx.set(component.o.ready, 0)
        while len(begun) < d or len(seen) < begun[-1] + 2 * d + 2 + DIGIT:
            *_, a, b, digit, pair_0, odd = await ctx.tick().sample(
                datapath.multiplier.a, datapath.multiplier.b, datapath.digit, sequencer.pair_0,
                sequencer.odd)
            if pair_0 and not odd:
                begun.append(len(seen))
            seen.append((a, b, digit))

    async def testbench(ctx):
        words, _ = await operate(ctx, component, params, (x, y, modulus))
        assert params.decode(words) == params.compute(x, y, modulus)

    run(component, watch, testbench)
    x_digits, m_digits = (to_words(number, 8, d + 1) for number in (x, modulus))
    inverse = params.constants(modulus)["negated_inverse"]
    s = 0
    for clock, y_i in zip(begun, to_words(y, 8, d), strict=True):
        t = (x_digits[0] * y_i + s) % radix
        q = t * inverse % radix
        s = (s + x * y_i + q * modulus) // radix
        products = [factor for j in range(d + 1)
                    for factor in (x_digits[j] * y_i, q * m_digits[j])]
        first = clock + OPERANDS
        assert [a * b for a, b, _ in seen[first:first + 2 * d + 2]] == products
        a, b, _ = seen[first - 3]
        assert a * b == t * inverse
        written = [seen[clock + DIGIT + 2 * j][2] for j in range(1, d + 1)]
        assert written == to_words(s, 8, d)
