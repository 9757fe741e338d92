"""What random operands, resets and pauses hardly ever show, and a verification tries."""

import random

import pytest
from toy import Toy
from toy_broken import Broken
from toy_key import Keyed
from toy_points import Model

from explore.simulation import simulate, stimulus, verify
from explore.simulation.kinds import adapter, random_vectors, rare
from explore.simulation.resets import resets_near_words
from montgomery.core import check_operands, traits
from montgomery.divsteps import Parameters as Inverter
from montgomery.generic.key_agreement import Parameters as KeyAgreement
from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.wide.base_multiplication import Parameters as BaseMultiplier
from montgomery.wide.ecdsa_verification import Parameters as EcdsaVerifier


def digits(scalar, bits, window):
    """Return the signed digits of the whole windows of a scalar, the lowest first."""
    found = []
    for place in range(0, bits - window + 1, window):
        own = sum((scalar >> place + bit & 1) << bit for bit in range(window - 1))
        top = scalar >> place + window - 1 & 1
        found.append(own - (top << window - 1) + (place and scalar >> place - 1 & 1))
    return found


@pytest.mark.parametrize(("bits", "window"), [(256, 5), (255, 4), (64, 2), (16, 5)])
def test_each_digit_has_each_value_at_each_place(bits, window):
    rows = [digits(scalar, bits, window) for scalar in rare.recoded(bits, window, everywhere=True)]
    every = set(range(-1 << window - 1, (1 << window - 1) + 1))
    for place, column in enumerate(zip(*rows, strict=True)):
        assert set(column) == (every if place else every - {1 << window - 1})
    assert len(rows) < 2 * len(every)


@pytest.mark.parametrize(("bits", "window"), [(256, 10), (521, 8), (16, 10)])
def test_there_are_few_scalars_where_each_digit_is_at_one_place(bits, window):
    scalars = list(rare.recoded(bits, window, everywhere=False))
    found = {digit for scalar in scalars for digit in digits(scalar, bits, window)}
    lowest_alone = {1 << window - 1} if bits < 2 * window else set()
    assert found == set(range(-1 << window - 1, (1 << window - 1) + 1)) - lowest_alone
    assert len(scalars) <= (2 << window) // (bits // window) + 8


def below(number, limit, bits, word, *, lower=0, same=0):
    """Compare words, the lowest one first, while some bits do not count where one may be lower, or
    where both may be the same.
    """
    less = False
    for low in range(0, bits, word):
        one, other = (each >> low & (1 << word) - 1 for each in (number, limit))
        less = one & ~lower < other & ~lower or ((one ^ other) & ~same == 0 and less)
    return less


@pytest.mark.parametrize("name", ["P-256", "P-384"])
def test_each_bit_alone_decides_some_comparison(name):
    limit, bits = WEIERSTRASS[name].n, WEIERSTRASS[name].width
    numbers = [limit + sign * ((1 << place) - less)
               for sign, place, most in rare.by_one_bit(limit, bits, 16) for less in (1, most)]
    assert all(below(each, limit, bits, 16) == (each < limit) for each in numbers)
    for bit in range(16):
        for ignored in ({"lower": 1 << bit}, {"same": 1 << bit}):
            assert any(below(each, limit, bits, 16, **ignored) != (each < limit)
                       for each in numbers)


def test_halves_of_scalars_are_short_and_have_each_digit():
    n = WEIERSTRASS["secp256k1"].n
    cube = next(found for base in range(2, 9) if (found := pow(base, (n - 1) // 3, n)) != 1)
    assert (cube * cube + cube + 1) % n == 0
    scalars = list(rare.halved(n))
    assert all(0 <= scalar < n for scalar in scalars)
    # A small multiple of the root is added to a small number in some of them.
    small = {second for scalar in scalars for second in range(-3, 4)
             if min((scalar - cube * second) % n, (cube * second - scalar) % n) < 1 << 130}
    assert len(set(scalars)) > 100
    assert small <= set(range(-3, 4))


@pytest.mark.parametrize(("bits", "word"), [(256, 16), (255, 16), (521, 24)])
def test_numbers_around_a_limit_differ_in_one_bit_of_each_word(bits, word):
    limit = (1 << bits) - 12345
    found = set(rare.around(limit, bits, word))
    assert all(0 <= number < 1 << bits for number in found)
    for low in range(0, bits, word):
        for place in (low, min(low + word, bits) - 1):
            assert {1 << place, limit - (1 << place)} <= found


CORES = [Model(width=curve.width, curve=name) for name, curve in WEIERSTRASS.items()
         if name in ("P-256", "secp256k1", "toy-16")]


@pytest.mark.parametrize("params", CORES, ids=lambda params: params.curve)
def test_rare_operands_are_legal_and_have_the_right_result(params):
    kind = adapter(params)
    vectors = kind.rare()
    assert vectors == kind.rare()
    assert 0 < len(kind.rare(20)) < len(vectors)
    for vector in random.Random(0).sample(vectors, 40):
        check_operands(params, *vector)
        assert kind.contradiction(params.compute(*vector), *vector) == ""


@pytest.mark.parametrize("params", CORES, ids=lambda params: params.curve)
def test_what_is_only_just_refused_differs_in_each_bit_of_a_word_and_in_each_word(params):
    curve, bits = params.domain, params.word_width * params.field_words
    seen = set()
    for vector, words in adapter(params).narrowly_refused():
        check_operands(params, *vector)
        number = sum(word << params.word_width * place for place, word in enumerate(words))
        x, y = number >> bits & (1 << bits) - 1, number >> 2 * bits
        assert not curve.contains(x, y)
        seen.add((y * y - x**3 - curve.a * x - curve.b) * params._difference_scale % curve.p)
    places = {difference.bit_length() - 1 for difference in seen
              if difference and difference & difference - 1 == 0}
    assert {place // params.word_width for place in places} == set(range(params.field_words))
    assert {place % params.word_width for place in places} == set(range(params.word_width))


@pytest.mark.parametrize(("core", "valid"), [
    (EcdsaVerifier(width=256), True), (KeyAgreement(width=15), False),
    (BaseMultiplier(width=256, curve="Ed25519"), False), (Inverter(width=32), False)])
def test_models_have_the_right_results_of_rare_operands(core, valid):
    kind = adapter(core)
    results = []
    for vector in kind.rare(8):
        results.append(core.compute(*vector))
        assert kind.contradiction(results[-1], *vector) == ""
    if valid:
        assert 0.25 < sum(results) / len(results) < 0.95


def test_a_result_must_not_wait_for_the_words_of_another_operation():
    report = verify(Broken(width=24, fault="waits"))
    assert not report.ok
    assert "no word went in or out" in report.message
    assert verify(Broken(width=24)).ok


@pytest.mark.parametrize("params", [Toy(width=24), Keyed(width=24)])
def test_a_part_of_another_operation_may_follow_the_last_one(params):
    vectors = random_vectors(params, 1, 0) * 3
    plain, longer = (simulate(params, vectors, beyond=words) for words in (0, 2))
    assert longer.products == plain.products
    assert [len(words) for words in stimulus(params, vectors, beyond=2).words] == [
        params.i_words, params.i_words, params.i_words + 2]


def test_resets_are_near_the_words_and_fit_in_the_clocks():
    """The second of two operations is interrupted, and the first one has another result."""
    params = Toy(width=64)
    vectors = random_vectors(params, 9, 0)
    expected = {vector: params.compute(*vector) for vector in vectors}
    cycles = params.cycles
    ready, before = cycles.load + cycles.compute, traits(params).initiation or cycles.interval
    for clocks in (1 << 40, 20_000):
        found = list(resets_near_words(params, vectors, expected, clocks))
        assert sum(reset.prelude + len(reset.vectors) * ready for reset in found) <= clocks
        assert len(found) == len({reset.prelude for reset in found}) > 10
        for reset in found:
            first, second = reset.vectors
            assert expected[first] != expected[second]
    every = {reset.prelude - before for reset in
             resets_near_words(params, vectors, expected, 1 << 40)}
    for place in (cycles.load, ready):
        assert every >= set(range(place - 8, place + 8))
    assert every >= set(range(1, 9))


def test_resets_are_near_words_that_move_inside_of_a_core():
    params = EcdsaVerifier(width=256)
    vectors = [(7,) * 5, (8,) * 5]
    clocks = {reset.prelude - traits(params).initiation for reset in resets_near_words(
        params, vectors, dict(zip(vectors, (0, 1), strict=True)), 1 << 40)}
    for place in traits(params).moves:
        assert params.cycles.load < place < params.cycles.compute
        assert clocks >= set(range(place - 8, place + 8))


def test_an_operation_with_a_key_follows_itself_after_a_reset():
    params = Keyed(width=64)
    vectors = random_vectors(params, 9, 0)
    expected = {vector: params.compute(*vector) for vector in vectors}
    assert all(len(reset.vectors) == 1 for reset in
               resets_near_words(params, vectors, expected, 20_000))
