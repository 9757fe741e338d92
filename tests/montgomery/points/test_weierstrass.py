"""Formulas of short Weierstrass curves, beside the curve's own arithmetic."""

import random

import pytest

from montgomery.curves import CURVES
from montgomery.points.listing import evaluate, parse
from montgomery.points.weierstrass import DOUBLE_JACOBIAN, DOUBLE_TO_JACOBIAN, TO_PROJECTIVE

SEED = 1986
P256 = CURVES["P-256"]
P = P256.p


def _root(number):
    return pow(number, (P + 1) // 4, P)


def _of_x(x):
    """Return y of the points with x; one whose square is something else where there are none."""
    return _root((x**3 + P256.a * x + P256.b) % P)


def _doubled(times):
    return DOUBLE_TO_JACOBIAN + DOUBLE_JACOBIAN * (times - 1) + TO_PROJECTIVE


def _after(listing, x, y, z):
    numbers = {"X": x, "Y": y, "Z": z, "b": P256.b, "b3": 3 * P256.b}
    evaluate(parse(listing), numbers, {}, lambda a, b: a * b % P, P)
    return tuple(numbers[name] % P for name in "XYZ")


def _multiples():
    rng = random.Random(SEED)
    for scalar in (1, 2, 3, P256.n - 1, *(rng.randrange(P256.n) for _ in range(20))):
        yield P256.multiply(scalar, P256.base)


def test_no_point_is_lost_in_jacobian_coordinates():
    """The new Z is 0 where X = Z, which is so at no point of the curve."""
    assert _of_x(1) ** 2 % P != (1 + P256.a + P256.b) % P


@pytest.mark.parametrize("point", [*_multiples(), (0, _of_x(0))])
@pytest.mark.parametrize("doublings", [1, 2, 5])
def test_doublings_between_both_coordinates(point, doublings):
    print("seed", SEED)
    assert point[1] ** 2 % P == (point[0] ** 3 + P256.a * point[0] + P256.b) % P
    z = random.Random(SEED).randrange(1, P)
    x, y = (number * z % P for number in point)
    x, y, z = _after(_doubled(doublings), x, y, z)
    inverse = pow(z, -1, P)
    assert (x * inverse % P, y * inverse % P) == P256.multiply(1 << doublings, point)


@pytest.mark.parametrize("doublings", [1, 2, 5])
def test_the_point_at_infinity_stays(doublings):
    x, y, z = _after(_doubled(doublings), 0, 5, 0)
    assert (x, z) == (0, 0)
    assert y != 0
