"""Formulas of short Weierstrass curves, beside the curve's own arithmetic."""

import random

import pytest

from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.points.jacobian import DOUBLE_TO_JACOBIAN
from montgomery.points.listing import evaluate, parse
from montgomery.points.weierstrass import formulas, has_point_at

SEED = 1986
TOY = WEIERSTRASS["toy-16"]
EACH = pytest.mark.parametrize("curve", WEIERSTRASS.values(), ids=WEIERSTRASS)


def _values(curve, **points):
    names = {"b": curve.b, "b3": 3 * curve.b % curve.p, "a": curve.a}
    for letters, (x, y, z) in points.items():
        names |= dict(zip(letters, (x, y, z), strict=True))
    return names


@EACH
def test_formulas(curve):
    """With points at infinity, in the doublings that end in Jacobian coordinates too."""
    rng, p, listings = random.Random(SEED), curve.p, formulas(curve)

    def projective(scalar):
        z = rng.randrange(1, p)
        x, y = curve.multiply(scalar, curve.base) or (0, 1)
        return (x * z % p, y * z % p, z) if scalar % curve.n else (0, z, 0)

    def compute(text, names):
        evaluate(parse(text), names, None, lambda a, b: a * b % p, p)
        return names

    def same(names, scalar):
        x, y, z = projective(scalar)
        assert any((names["X"], names["Y"], names["Z"]))
        for name, other in (("X", x), ("Y", y)):
            assert (names[name] * z - other * names["Z"]) % p == 0

    for first in (0, 1, 2, 3, curve.n - 1, 5, *(rng.randrange(curve.n) for _ in range(9))):
        for times in (1, 2, 5):
            same(compute(listings.doublings(times), _values(curve, XYZ=projective(first))),
                 first << times)
        for second in (0, 1, curve.n - 2, 7):
            same(compute(listings.add, _values(
                curve, XYZ=projective(first), PQR=projective(second))), first + second)
    x, y = curve.base
    for wrong in (0, 1):
        names = _values(curve) | {"x": x, "y": y + wrong}
        assert (compute(listings.on_curve, names)["e"] == 0) != wrong


def test_which_numbers_are_coordinates():
    squares = {y * y % TOY.p for y in range(TOY.p)}
    for x in range(500):
        assert has_point_at(TOY, x) == ((x**3 + TOY.a * x + TOY.b) % TOY.p in squares)


@pytest.mark.parametrize("name", ["P-256", "P-384", "toy-16"])
def test_no_point_is_lost_in_jacobian_coordinates(name):
    """The new Z is 0 where X = Z, which is so at no point of these curves."""
    assert formulas(WEIERSTRASS[name]).double == DOUBLE_TO_JACOBIAN
    assert not has_point_at(WEIERSTRASS[name], 1)
