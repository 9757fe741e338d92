"""Formulas of short Weierstrass curves, beside the curve's own arithmetic."""

import random

import pytest

from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.points.jacobian import DOUBLE_TO_JACOBIAN
from montgomery.points.listing import evaluate, parse
from montgomery.points.weierstrass import formulas, has_point_at

SEED = 1986
TOY = WEIERSTRASS["toy-16"]


def _after(curve, times, x, y, z):
    p, names = curve.p, {"b": curve.b, "b3": 3 * curve.b}
    names |= {"X": x, "Y": y, "Z": z}
    evaluate(parse(formulas(curve).doublings(times)), names, {}, lambda a, b: a * b % p, p)
    return tuple(names[name] % p for name in "XYZ")


def _points(curve):
    rng = random.Random(SEED)
    for scalar in (1, 2, 3, curve.n - 1, *(rng.randrange(curve.n) for _ in range(20))):
        yield curve.multiply(scalar, curve.base)
    p = curve.p
    for x in (0, p - 1, 2):
        y = pow(x**3 + curve.a * x + curve.b, (p + 1) // 4, p)
        if curve.contains(x, y):
            yield x, y


def test_which_numbers_are_coordinates():
    squares = {y * y % TOY.p for y in range(TOY.p)}
    for x in range(500):
        assert has_point_at(TOY, x) == ((x**3 + TOY.a * x + TOY.b) % TOY.p in squares)


@pytest.mark.parametrize("name", ["P-256", "P-384", "toy-16"])
def test_no_point_is_lost_in_jacobian_coordinates(name):
    """The new Z is 0 where X = Z, which is so at no point of these curves."""
    assert formulas(WEIERSTRASS[name]).double == DOUBLE_TO_JACOBIAN
    assert not has_point_at(WEIERSTRASS[name], 1)


@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("name", ["P-256", "P-384", "toy-16"])
def test_doublings_in_jacobian_coordinates(name, times):
    print("seed", SEED)
    curve, rng = WEIERSTRASS[name], random.Random(SEED)
    p = curve.p
    for point in _points(curve):
        z = rng.randrange(1, p)
        x, y, z = _after(curve, times, *(number * z % p for number in point), z)
        inverse = pow(z, -1, p)
        assert (x * inverse % p, y * inverse % p) == curve.multiply(1 << times, point)


@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("name", ["P-256", "P-384", "toy-16"])
def test_the_point_at_infinity_stays(name, times):
    x, y, z = _after(WEIERSTRASS[name], times, 0, 5, 0)
    assert (x, z) == (0, 0)
    assert y != 0
