"""Scalar multiplication around any multiplier: parts of it, and the whole at few bits."""

import random

import pytest

from explore.simulation import verify
from montgomery.generic.engine_code import powers
from montgomery.generic.point_layout import SPARE, WINDOW
from montgomery.generic.point_segment import differences
from montgomery.generic.scalar_multiplication import Parameters
from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.points.listing import Operation, evaluate, parse
from montgomery.points.weierstrass import formulas

SEED = 2016
TOY = WEIERSTRASS["toy-16"]
#: The first one is quick; with small words there are more clocks.
AROUND = [("mmm_mx_1d", 16, {}), *(pytest.param(*case, marks=pytest.mark.thorough) for case in (
    ("mmm_mx_1d pe_width=4", 4, {}), ("mmm_mx_1d pe_width=4", 8, {"parts": 2}),
    ("single_dsp", 16, {}), ("single_dsp", 4, {}),
    ("multi_step pe_width=4 steps=2", 4, {"arrays": 3}),
    ("multi_step pe_width=4 steps=2", 12, {"parts": 3, "arrays": 2}),
    ("dsp_systolic digit_width=4", 4, {}),
    ("dsp_systolic digit_width=4", 8, {"parts": 2, "arrays": 2}),
    ("dsp_systolic digit_width=4 quotient=delayed", 4, {"arrays": 2}),
    ("dsp_systolic digit_width=4 quotient=delayed", 12, {"parts": 3})))]
LARGE = [("P-256", "single_dsp", 17, {}), ("P-384", "mmm_mx_1d", 16, {}),
         ("P-521", "single_dsp", 17, {}),
         ("secp256k1", "dsp_systolic digit_width=18 quotient=delayed", 18, {"arrays": 2}),
         ("brainpoolP256r1", "multi_step", 32, {"parts": 2, "arrays": 2}),
         ("brainpoolP256r1", "dsp_systolic digit_width=18 quotient=delayed", 54,
          {"parts": 3, "arrays": 2})]


@pytest.mark.parametrize(("multiplier", "word_width", "more"), AROUND)
def test_a_core_agrees_with_its_model(multiplier, word_width, more, compiled):
    params = Parameters(width=16, multiplier=multiplier, word_width=word_width, **more)
    report = verify(params, vectors=20, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time


@pytest.mark.parametrize(("curve", "multiplier", "word_width", "more"), LARGE)
def test_the_model_multiplies_points(curve, multiplier, word_width, more):
    curve, rng = WEIERSTRASS[curve], random.Random(SEED)
    params = Parameters(width=curve.width, curve=curve.name, multiplier=multiplier,
                        word_width=word_width, **more)
    bits = word_width * params.field_words
    for scalar in (0, 1, curve.n - 1, (1 << curve.width) - 1, rng.randrange(curve.n)):
        x, y = curve.multiply(scalar, curve.base) or (0, 0)
        assert params.compute(scalar, *curve.base) == x | y << bits


@pytest.mark.parametrize(("curve", "multiplier", "word_width", "more"), [
    *LARGE, ("P-521", "single_dsp", 8, {})])
def test_fields_of_the_code_hold_what_they_say(curve, multiplier, word_width, more):
    params = Parameters(width=WEIERSTRASS[curve].width, curve=curve, multiplier=multiplier,
                        word_width=word_width, **more)
    for word in params.code.words:
        for name in word.keys() - {"value", "target"}:
            assert word[name] < 1 << params.code.layout[name].width, word


@pytest.mark.parametrize(("curve", "multiplier", "word_width", "more"), [
    *LARGE, ("P-256", "dsp_systolic digit_width=18 quotient=delayed", 54,
             {"parts": 3, "arrays": 2})])
def test_products_come_when_multipliers_take_them(curve, multiplier, word_width, more):
    # From one listing to the next, too.
    params = Parameters(width=WEIERSTRASS[curve].width, curve=curve, multiplier=multiplier,
                        word_width=word_width, **more)
    clock, starts, layout = 0, [], params.layout
    for word, _ in params.code.walk():
        starts += [clock] if word.get("product") else []
        clock += 1 + word.get("wait", 0)
    for first, other in zip(starts, starts[layout.arrays:], strict=False):
        assert other - first >= layout.timing.interval * layout.arrays
        assert other - first not in layout.closed


@pytest.mark.parametrize("curve", WEIERSTRASS.values(), ids=WEIERSTRASS)
def test_sums_are_neither_negative_nor_too_large(curve):
    # The bounds of all numbers of a listing, reached by numbers that are as large as they may be.
    params = Parameters(width=curve.width, curve=curve.name, multiplier="single_dsp")
    layout, listings = params.layout, formulas(curve)
    multiple, r = layout.multiple, params.inner.r
    add = listings.last + listings.add
    for text, most in ((listings.double, (8, 8)), (listings.again, (8, 8)), (add, (8, 8)),
                       (add, (8, 0)), (add, (0, 8)), (listings.double, (0, 0)),
                       (listings.again, (0, 0)), (listings.doublings(WINDOW), (8, 8))):
        lines = parse(text)
        rows = differences(lines, layout.ratio, ("X", "Y", "Z"))
        numbers = dict.fromkeys(("b", "b3", "a"), curve.p - 1)
        numbers |= dict.fromkeys("XYZ", most[0] * multiple) | dict.fromkeys(
            "PQR", most[1] * multiple)
        for line in lines:
            a, b = (numbers[name] if name else 0 for name in (line.a, line.b))
            if line.operation is Operation.PRODUCT:
                low, high = -(-a * b // r), (a * b + (r - 1) * multiple) // r
                value = high if most[0] else low
            else:
                value = (b << line.twice) + (-a if line.negative else a)
                value += multiple << rows[id(line)] - 1 if id(line) in rows else 0
            assert 0 <= value < multiple << SPARE + 1, line
            numbers[line.target] = value
        assert all(numbers[name] <= 8 * multiple for name in "XYZ")


def _values(curve, **points):
    names = {"b": curve.b, "b3": 3 * curve.b % curve.p, "a": curve.a}
    for letters, (x, y, z) in points.items():
        names |= dict(zip(letters, (x, y, z), strict=True))
    return names


@pytest.mark.parametrize("curve", WEIERSTRASS.values(), ids=WEIERSTRASS)
def test_formulas(curve):
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

    for first in (0, 1, 2, curve.n - 1, 5):
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


@pytest.mark.parametrize("exponent", [
    1, 5, 0b1110111, *(curve.p - 2 for curve in WEIERSTRASS.values())])
def test_powers(exponent):
    lengths, steps = powers(exponent)
    assert lengths == [1 << place for place in range(len(lengths))]
    found = 0
    for place, (squarings, length) in enumerate(steps):
        found = (found << squarings if place else 0) + (1 << length) - 1
    assert found == exponent


@pytest.mark.parametrize(("given", "message"), [
    ({"width": 20}, r"Width must be that of a curve, 16, 256, 384 or 521, not 20; choose another "
                    r"width"),
    ({"width": 256, "curve": "P-384"}, r"Width must be that of P-384, 384, not 256; choose another "
                                       r"width"),
    ({"width": 256, "multiplier": "mmm_mx_2d"}, r"The multiplier must take a number in several "
                                                r"words, not in one; .*"),
    ({"width": 256, "multiplier": "wide"}, r"The multiplier must take any modulus, .*"),
    ({"width": 256, "word_width": 17, "parts": 2, "multiplier": "single_dsp"},
     r"Words must be 2 of the multiplier, of 8 bits, not 17; choose word_width=16"),
    ({"width": 256, "multiplier": "dsp_systolic quotient=delayed digit_width=18"},
     r"Word width 16 must be a multiple of digit_width 18; .*"),
    ({"width": 256, "multiplier": "dsp_systolic", "parts": 3},
     r"In words of the multiplier, of word_width / parts = 5 bits: Word width 5 must be .*"),
    ({"width": 256, "multiplier": "multi_step subtraction=final"},
     r"The multiplier must give results below twice the modulus, .*"),
    ({"width": 256, "curve": "brainpoolP256r1", "word_width": 32,
      "multiplier": "dsp_systolic quotient=delayed digit_width=16"},
     r"The 320 bits of a number of the multiplier must leave more room above the prime; .*"),
])
def test_what_is_refused(given, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        Parameters(**given)


def test_the_first_curve_of_a_width_is_the_default():
    assert Parameters(width=16).domain is TOY
    assert Parameters(width=256).domain is WEIERSTRASS["P-256"]
