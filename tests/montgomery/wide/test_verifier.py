"""What computes with numbers modulo the order of a curve, for the verification of signatures."""

import random
import types

import pytest
from bench import Simulated, transfer

from montgomery.core import from_words, to_words
from montgomery.wide.datapath.ranges import BASE
from montgomery.wide.ecdsa_verification import Verdict
from montgomery.wide.units import order_arithmetic
from montgomery.wide.units.order_arithmetic import OrderArithmetic, scalars
from montgomery.wide.units.order_inverse import OrderInverse, clocks, half_inverse

SEED = 1991
#: A prime of 107 bits, of which few words are inverted in little time.
SMALL = (1 << 107) - 1


def _rng():
    print("seed", SEED)
    return random.Random(SEED)


@pytest.mark.parametrize("pause", [0, 3])
def test_inverses(pause):
    rng, inverse = _rng(), OrderInverse(SMALL, BASE)
    core, words = Simulated(inverse), inverse.words
    numbers = [rng.randrange(SMALL), 3] if pause else [1, 2, SMALL - 1, 0, SMALL + 5]
    for number in numbers:
        done = transfer(core, to_words(number, BASE, words), words, patience=20_000,
                        put_after=lambda index: pause, get_after=lambda index: index and pause)
        assert from_words(done.words, BASE) == half_inverse(number, SMALL)
        assert done.received[0] - done.sent[-1] == clocks(SMALL, BASE)


@pytest.mark.parametrize(("words", "verdict"), [
    ([0] * 16, 0), ([0xFFFF] * 16, 0), ([0] * 15 + [1], 1), ([0xFFFF] * 15 + [0xFFFE], 1),
    ([0xFFFF] * 15 + [0], 1), ([1] + [0] * 15, 1), ([0x7FFF] * 16, 1),
    ([0] * 24, 0), ([0xFFFF] * 24, 0), ([0] * 23 + [1], 1), ([0xFFFF] * 16 + [0] * 8, 1)])
def test_verdicts(words, verdict):
    done = transfer(Verdict(len(words)), 2 * words, 2, get_after=lambda index: 2 * index)
    assert done.words == [verdict] * 2
    assert done.received[0] - done.sent[len(words) - 1] == 1


def test_numbers_for_the_engine():
    """Of a signature with numbers at the ends of their ranges, and when the next one is taken."""
    # Of few words, so that there are few clocks, and of all bits, as the orders of the curves are.
    curve = types.SimpleNamespace(name="P-384", width=112, n=(1 << 112) - 75, p=(1 << 112) - 60)
    n, count = curve.n, curve.width // BASE
    z, r, s, x, y = given = 1 << curve.width - 1, 14, n - 1, 5, 7
    words = [word for number in given for word in to_words(number, BASE, count)]
    done = transfer(OrderArithmetic(curve), [*words, 7], 6 * count, patience=100_000)
    of_base, scalar = scalars(z, r, s, n)
    assert done.words == [word for number in (scalar, of_base, x, y, r, n)
                          for word in to_words(number, BASE, count)]
    assert done.received[-1] - done.sent[-2] == order_arithmetic.clocks(n)
    assert done.sent[-1] - done.sent[0] == order_arithmetic.interval(n)
