"""Points multiplied around any multiplier: the whole at few bits, parts of it, and the code."""

import random

import pytest

from explore.simulation import verify
from explore.simulation.kinds import adapter
from montgomery.generic import key_agreement, scalar_multiplication
from montgomery.generic.engine_code import powers
from montgomery.generic.point_layout import SPARE, WINDOW
from montgomery.generic.point_segment import differences
from montgomery.numbers.catalogue import CURVES, MONTGOMERY, WEIERSTRASS
from montgomery.points.ladder import LADDER
from montgomery.points.listing import Operation, parse
from montgomery.points.weierstrass import formulas

SEED = 2016
POINTS, AGREEMENT = scalar_multiplication.Parameters, key_agreement.Parameters
#: What multiplies. Of each kind the first one is quick; with small words there are more clocks.
_QUICK = ("mmm_mx_1d", 16, {})
_SLOW = [("mmm_mx_1d pe_width=4", 8, {"parts": 2}), ("single_dsp", 16, {}), ("single_dsp", 4, {}),
         ("multi_step pe_width=4 steps=2", 4, {"arrays": 3}),
         ("dsp_systolic digit_width=4", 8, {"parts": 2, "arrays": 2}),
         ("dsp_systolic digit_width=4 quotient=delayed", 4, {"arrays": 2})]
_SLOW_POINTS = [("mmm_mx_1d pe_width=4", 4, {}), ("dsp_systolic digit_width=4", 4, {}),
                ("multi_step pe_width=4 steps=2", 12, {"parts": 3, "arrays": 2}),
                ("dsp_systolic digit_width=4 quotient=delayed", 12, {"parts": 3})]
AROUND = [pytest.param(cls, width, *case, marks=[] if case is _QUICK else pytest.mark.thorough)
          for cls, width, cases in ((POINTS, 16, [_QUICK, *_SLOW, *_SLOW_POINTS]),
                                    (AGREEMENT, 15, [_QUICK, *_SLOW])) for case in cases]
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


@pytest.mark.parametrize(("cls", "width", "multiplier", "word_width", "more"), AROUND)
def test_a_core_agrees_with_its_model(cls, width, multiplier, word_width, more, compiled):
    params = cls(width=width, multiplier=multiplier, word_width=word_width, **more)
    report = verify(params, vectors=20 if cls is POINTS else 4, seed=SEED,
                    engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time


@pytest.mark.parametrize(CASES, [*LARGE, *LADDERS])
def test_the_model_agrees_with_python(cls, curve, multiplier, word_width, more):
    print("seed", SEED)
    params, rng = _core(cls, curve, multiplier, word_width, more), random.Random(SEED)
    curve = params.domain
    if cls is AGREEMENT:
        most = (1 << 8 * curve.octets) - 1
        vectors = [(0, curve.u), (most, curve.u), (most, most), (0, curve.p + 2),
                   (rng.randrange(most), rng.randrange(most))]
    else:
        vectors = [(scalar, *curve.base) for scalar in (
            0, 1, curve.n - 1, (1 << curve.width) - 1, rng.randrange(curve.n))]
    for vector in vectors:
        assert params.compute(*vector) == adapter(params).golden(*vector)


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


@pytest.mark.parametrize("exponent", [
    1, 5, 0b1110111, *(curve.p - 2 for curve in WEIERSTRASS.values())])
def test_powers(exponent):
    lengths, steps = powers(exponent)
    assert lengths == [1 << place for place in range(len(lengths))]
    found = 0
    for place, (squarings, length) in enumerate(steps):
        found = (found << squarings if place else 0) + (1 << length) - 1
    assert found == exponent


@pytest.mark.parametrize(("cls", "given", "message"), [
    (POINTS, {"width": 20}, r"Width must be that of a curve, 16, 256, 384 or 521, not 20; choose "
                            r"another width"),
    (POINTS, {"width": 256, "curve": "P-384"}, r"Width must be that of P-384, 384, not 256; choose "
                                               r"another width"),
    (AGREEMENT, {"width": 256}, r"Width must be that of a curve, 15, 255 or 448, not 256; choose "
                                r"another width"),
    (AGREEMENT, {"width": 255, "curve": "Curve448"}, r"Width must be that of Curve448, 448, not "
                                                     r"255; choose another width"),
    (POINTS, {"width": 256, "multiplier": "mmm_mx_2d"}, r"The multiplier must take a number in "
                                                        r"several words, not in one; .*"),
    (POINTS, {"width": 256, "multiplier": "wide"}, r"The multiplier must take any modulus, .*"),
    *((cls, {"width": width, "word_width": 17, "parts": 2, "multiplier": "single_dsp"},
       r"Words must be 2 of the multiplier, of 8 bits, not 17; choose word_width=16")
      for cls, width in ((POINTS, 256), (AGREEMENT, 255))),
    (POINTS, {"width": 256, "multiplier": DELAYED},
     r"Word width 16 must be a multiple of digit_width 18; .*"),
    (POINTS, {"width": 256, "multiplier": "dsp_systolic", "parts": 3},
     r"In words of the multiplier, of word_width / parts = 5 bits: Word width 5 must be .*"),
    (POINTS, {"width": 256, "multiplier": "multi_step subtraction=final"},
     r"The multiplier must give results below twice the modulus, .*"),
    (POINTS, {"width": 256, "curve": "brainpoolP256r1", "word_width": 32,
              "multiplier": "dsp_systolic quotient=delayed digit_width=16"},
     r"The 320 bits of a number of the multiplier must leave more room above the prime; .*"),
])
def test_what_is_refused(cls, given, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        cls(**given)


def test_the_first_curve_of_a_width_is_the_default():
    assert [POINTS(width=width).domain.name for width in (16, 256)] == ["toy-16", "P-256"]
