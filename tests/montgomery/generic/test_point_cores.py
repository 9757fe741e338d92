"""Points multiplied around any multiplier: their models, the code, and its numbers."""

import pytest

from explore.simulation.attempt import expected_results
from explore.simulation.kinds import adapter
from montgomery.generic import key_agreement, scalar_multiplication
from montgomery.generic.point_layout import SPARE, WINDOW
from montgomery.generic.point_segment import differences
from montgomery.numbers.catalogue import CURVES, MONTGOMERY, WEIERSTRASS
from montgomery.points.ladder import LADDER
from montgomery.points.listing import Operation, parse
from montgomery.points.weierstrass import formulas

POINTS, AGREEMENT = scalar_multiplication.Parameters, key_agreement.Parameters
DELAYED = "dsp_systolic digit_width=18 quotient=delayed"
LARGE = [(POINTS, curve, *more) for curve, *more in (
    ("P-256", "single_dsp", 17, {}), ("P-384", "mmm_mx_1d", 16, {}),
    ("P-521", "single_dsp", 17, {}), ("secp256k1", DELAYED, 18, {"arrays": 2}),
    ("brainpoolP256r1", "multi_step", 32, {"parts": 2, "arrays": 2}),
    ("brainpoolP256r1", DELAYED, 54, {"parts": 3, "arrays": 2}))]
LADDERS = [(AGREEMENT, curve, *more) for curve, *more in (
    ("Curve25519", "single_dsp", 17, {}),
    ("Curve25519", "multi_step", 32, {"parts": 2, "arrays": 2}), ("Curve448", "single_dsp", 17, {}),
    ("Curve448", "dsp_systolic digit_width=18", 36, {"parts": 2, "arrays": 2}))]
CASES = ("cls", "curve", "multiplier", "word_width", "more")


def _core(cls, curve, multiplier, word_width, more):
    return cls(width=CURVES[curve].width, curve=curve, multiplier=multiplier,
               word_width=word_width, **more)


@pytest.mark.parametrize(CASES, [*LARGE, *LADDERS])
def test_the_model_agrees_with_python(cls, curve, multiplier, word_width, more):
    params = _core(cls, curve, multiplier, word_width, more)
    expected_results(params, adapter(params).edges()[::4])


@pytest.mark.parametrize(CASES, [*LARGE, *LADDERS, (POINTS, "P-521", "single_dsp", 8, {})])
def test_fields_of_the_code_hold_what_they_say(cls, curve, multiplier, word_width, more):
    params = _core(cls, curve, multiplier, word_width, more)
    for word in params.code.words:
        for name in word.keys() - {"value", "target"}:
            assert word[name] < 1 << params.code.layout[name].width, word


@pytest.mark.parametrize(CASES, [*LARGE, (POINTS, "P-256", DELAYED, 54,
                                          {"parts": 3, "arrays": 2})])
def test_products_come_when_multipliers_take_them(cls, curve, multiplier, word_width, more):
    # From one listing to the next, too.
    params = _core(cls, curve, multiplier, word_width, more)
    clock, starts, layout = 0, [], params.layout
    for word, _ in params.code.walk():
        starts += [clock] if word.get("product") else []
        clock += 1 + word.get("wait", 0)
    for first, other in zip(starts, starts[layout.arrays:], strict=False):
        assert other - first >= layout.timing.interval * layout.arrays
        assert other - first not in layout.timing.closed


def _listings(curve):
    """Return listings, and how large the numbers of both points are, in multiples of the prime."""
    if curve.name in MONTGOMERY:
        return [(LADDER.replace(" short", ""), (kept, kept)) for kept in (0, 8)]
    listings = formulas(curve)
    add = listings.last + listings.add
    return [(listings.double, (8, 8)), (listings.again, (8, 8)), (add, (8, 8)), (add, (8, 0)),
            (add, (0, 8)), (listings.double, (0, 0)), (listings.again, (0, 0)),
            (listings.doublings(WINDOW), (8, 8))]


@pytest.mark.parametrize("curve", [*WEIERSTRASS.values(), *MONTGOMERY.values()],
                         ids=lambda curve: curve.name)
def test_sums_are_neither_negative_nor_too_large(curve):
    # The bounds of all numbers of a listing, reached by numbers that are as large as they may be.
    ladder = curve.name in MONTGOMERY
    params = (AGREEMENT if ladder else POINTS)(width=curve.width, curve=curve.name,
                                               multiplier="single_dsp")
    layout, multiple, r = params.layout, params.layout.multiple, params.inner.r
    points = ("X2", "X3", "Z2", "Z3") if ladder else ("X", "Y", "Z")
    for text, most in _listings(curve):
        lines = parse(text)
        rows = differences(lines, layout.ratio, points)
        numbers = dict.fromkeys(("b", "b3", "a", "k4"), curve.p - 1)
        numbers |= dict.fromkeys((*points, "u"), most[0] * multiple)
        numbers |= dict.fromkeys("PQR", most[1] * multiple)
        for line in lines:
            a, b = (numbers[name] if name else 0 for name in (line.a, line.b))
            if line.operation is Operation.PRODUCT:
                low, high = -(-a * b // r), (a * b + (r - 1) * multiple) // r
                value = high if most[0] else low
            else:
                value = (b << line.twice) + (-a if line.negative else a)
                value += multiple << rows[id(line)] - 1 if id(line) in rows else 0
            assert 0 <= value < multiple << (7 if ladder else SPARE + 1), line
            numbers[line.target] = value
        assert all(numbers[name] <= 8 * multiple for name in points)
