"""The kind of cores for scalar multiplication: operands, words and results."""

import dataclasses

import pytest

from montgomery import KINDS
from montgomery.core import (
    Cycles,
    cycles_of,
    expected_words,
    input_names,
    kind_of,
    results_of,
    to_words,
    traits,
)
from montgomery.kinds.scalar_multiplication import ScalarMultiplier
from montgomery.numbers.catalogue import WEIERSTRASS

P256 = WEIERSTRASS["P-256"]
X, Y = P256.base
ONES = 2**256 - 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Core(ScalarMultiplier):
    """One that gives its point."""

    cycles = Cycles(load=48, compute=1, unload=32, interval=80)

    def compute(self, scalar, x, y):
        self._check_operands(scalar, x, y)
        return x | y << self.field_words * self.word_width

    def create(self):
        raise NotImplementedError


def test_the_width_alone_suffices():
    params = Core(width=256)
    assert (params.curve, params.domain, params.k_words) == ("P-256", P256, 0)
    assert input_names(params) == tuple(KINDS["scalar_multiplication"].inputs)
    assert kind_of(params).full_name("core") == "scalar_multiplication.core"
    with pytest.raises(ValueError, match=r"^Width must be 521 or less, not 600; the nearest legal "
                                         r"value is 521$"):
        Core(width=600)
    with pytest.raises(ValueError, match=r"^Curve must be one of P-256, .*, not 'P-257'$"):
        Core(width=256, curve="P-257")


@pytest.mark.parametrize(("word_width", "words"), [(1, 256), (16, 16), (24, 11), (255, 2)])
def test_words(word_width, words):
    params = Core(width=256, word_width=word_width)
    assert (params.field_words, params.i_words, params.result_words) == (
        words, 3 * words, 2 * words)
    assert params.encode(ONES, X, Y) == [
        word for number in (ONES, X, Y) for word in to_words(number, word_width, words)]
    result = params.compute(3, X, Y)
    sent = expected_words(params, 3, X, Y)
    assert sent == [*to_words(X, word_width, words), *to_words(Y, word_width, words)]
    assert params.decode(sent) == result == X + (Y << words * word_width)


@pytest.mark.parametrize(("kind", "core"), [
    (kind, core) for kind in ("scalar_multiplication", "base_multiplication")
    for core in KINDS[kind].cores().values()])
def test_every_core_checks_and_takes_the_same_clocks(kind, core):
    params = core(width=core.__dataclass_fields__["width"].metadata["minimum"])
    point = params.domain.base if kind == "scalar_multiplication" else ()
    assert traits(params).checks
    assert cycles_of(params, 0, *point) == params.cycles


def test_the_base_point_does_not_come_in():
    params = KINDS["base_multiplication"].cores()["wide"](width=256)
    assert params.encode(ONES) == [0xFFFF] * 16
    assert params.decode(expected_words(params, 1)) == X | Y << 256
    with pytest.raises(ValueError, match=r"^Operand scalar must be from 0 to 2\*\*256 - 1, not -1; "
                                         r"reduce it modulo the order of P-256"):
        params.encode(-1)
    with pytest.raises(ValueError, match=r"^The product must be a point of P-256, but was not, "):
        params.decode([0xFFFF] * 32)


def test_a_result_of_ones_is_a_refusal_and_0_is_infinity():
    params = Core(width=256)
    assert params.decode([0] * 32) == 0
    with pytest.raises(ValueError, match=r"^Operands x and y must be a point of P-256, but were "
                                         r"not, and the core gave nothing; send both coordinates "
                                         r"of one point$"):
        params.decode([0xFFFF] * 32)


@pytest.mark.parametrize("scalar", [0, 1, P256.n, P256.n + 1, ONES])
def test_any_scalar_of_the_width_is_taken(scalar):
    assert Core(width=256).encode(scalar, X, P256.p - Y)


@pytest.mark.parametrize("method", ["compute", "encode"])
@pytest.mark.parametrize(("operands", "message"), [
    ((-1, X, Y), r"Operand scalar must be from 0 to 2\*\*256 - 1, not -1; reduce it modulo the "
                 r"order of P-256"),
    ((ONES + 1, X, Y), r"Operand scalar must be .*, not a number of 257 bits; reduce it modulo "
                       r"the order of P-256"),
    ((1, -1, Y), r"Operand x must be from 0 to p - 1, where p is the prime of P-256, not -1; give "
                 r"the coordinate of a point"),
    ((1, X, Y + P256.p), "Operand y must be from 0 to p - 1, .*, not a number of 257 bits; .*"),
    ((1, X, Y + 1), r"Operands x and y must be a point of P-256, but are not on the curve; give "
                    r"both coordinates of one point"),
    ((1, 0, 0), "Operands x and y must be a point of P-256, .*"),
])
def test_what_is_no_point_is_refused(method, operands, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        getattr(Core(width=256), method)(*operands)


@pytest.mark.parametrize("wrong", [None, 1.0, True, "1"])
def test_what_is_no_integer_is_refused(wrong):
    for place, name in enumerate(("scalar", "x", "y")):
        operands = [1, X, Y]
        operands[place] = wrong
        with pytest.raises(TypeError, match=f"^Operand {name} must be an integer, not "):
            Core(width=256).encode(*operands)


@pytest.mark.parametrize(("name", "given"), [
    ("wide", {}), ("wide", {"curve": "secp256k1"}),
    ("wide", {"in_flight": 2, "digits_per_clock": 4}), ("generic", {})])
def test_a_model_says_of_what_is_no_point_what_the_hardware_says(name, given, monkeypatch):
    params = KINDS["scalar_multiplication"].cores()[name](width=256, **given)
    x, y = params.domain.base
    with pytest.raises(ValueError, match="on the curve"):
        params.compute(3, x, y + 1)
    monkeypatch.setattr(type(params), "_check_operands", lambda *operands: None)
    assert params.compute(3, x, y + 1) == results_of(params).largest
