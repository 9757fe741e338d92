"""Key agreement around any multiplier: the whole at few bits, and the code for X25519 and X448."""

import random

import pytest

from explore.simulation import verify
from montgomery.generic.key_agreement import Parameters
from montgomery.generic.point_segment import differences
from montgomery.numbers.catalogue import MONTGOMERY
from montgomery.points.ladder import LADDER
from montgomery.points.listing import Operation, parse

SEED = 7748
#: The first one is quick; with small words there are more clocks.
AROUND = [("mmm_mx_1d", 16, {}), *(pytest.param(*case, marks=pytest.mark.thorough) for case in (
    ("mmm_mx_1d pe_width=4", 8, {"parts": 2}), ("single_dsp", 16, {}), ("single_dsp", 4, {}),
    ("multi_step pe_width=4 steps=2", 4, {"arrays": 3}),
    ("dsp_systolic digit_width=4", 8, {"parts": 2, "arrays": 2}),
    ("dsp_systolic digit_width=4 quotient=delayed", 4, {"arrays": 2})))]
LARGE = [(255, "single_dsp", 17, {}), (255, "multi_step", 32, {"parts": 2, "arrays": 2}),
         (448, "single_dsp", 17, {}),
         (448, "dsp_systolic digit_width=18", 36, {"parts": 2, "arrays": 2})]


@pytest.mark.parametrize(("multiplier", "word_width", "more"), AROUND)
def test_a_core_agrees_with_its_model(multiplier, word_width, more, compiled):
    params = Parameters(width=15, multiplier=multiplier, word_width=word_width, **more)
    report = verify(params, vectors=4, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time


@pytest.mark.parametrize(("width", "multiplier", "word_width", "more"), LARGE)
def test_the_model_agrees_with_python(width, multiplier, word_width, more):
    print("seed", SEED)
    params = Parameters(width=width, multiplier=multiplier, word_width=word_width, **more)
    curve, rng = params.domain, random.Random(SEED)
    most = (1 << 8 * curve.octets) - 1
    for scalar, u in ((0, curve.u), (most, curve.u), (most, most), (0, curve.p + 2),
                      (rng.randrange(most), rng.randrange(most))):
        assert params.compute(scalar, u) == curve.agree(scalar, u)


@pytest.mark.parametrize(("width", "multiplier", "word_width", "more"), LARGE)
def test_fields_of_the_code_hold_what_they_say(width, multiplier, word_width, more):
    params = Parameters(width=width, multiplier=multiplier, word_width=word_width, **more)
    for word in params.code.words:
        for name in word.keys() - {"value", "target"}:
            assert word[name] < 1 << params.code.layout[name].width, word


@pytest.mark.parametrize("width", sorted(curve.width for curve in MONTGOMERY.values()))
def test_sums_are_neither_negative_nor_too_large(width):
    # The bounds of all numbers of a step, reached by numbers that are as large as they may be.
    params = Parameters(width=width, multiplier="single_dsp")
    layout, lines = params.layout, parse(LADDER.replace(" short", ""))
    multiple, r, points = layout.multiple, params.inner.r, ("X2", "X3", "Z2", "Z3")
    rows = differences(lines, layout.ratio, points)
    for kept in (0, 8):
        numbers = dict.fromkeys((*points, "u"), kept * multiple) | {"k4": params.domain.p - 1}
        for line in lines:
            a, b = (numbers[name] if name else 0 for name in (line.a, line.b))
            if line.operation is Operation.PRODUCT:
                value = (a * b + (r - 1) * multiple) // r if kept else -(-a * b // r)
            else:
                value = (b << line.twice) + (-a if line.negative else a)
                value += multiple << rows[id(line)] - 1 if id(line) in rows else 0
            assert 0 <= value < multiple << 7, line
            numbers[line.target] = value
        assert all(numbers[name] <= 8 * multiple for name in points)


@pytest.mark.parametrize(("given", "message"), [
    ({"width": 256}, "Width must be that of a curve, 15, 255 or 448, not 256; choose another "
                     "width"),
    ({"width": 255, "curve": "Curve448"}, "Width must be that of Curve448, 448, not 255; choose "
                                          "another width"),
    ({"width": 255, "word_width": 17, "parts": 2, "multiplier": "single_dsp"},
     "Words must be 2 of the multiplier, of 8 bits, not 17; choose word_width=16"),
])
def test_what_is_refused(given, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        Parameters(**given)
