"""Operands that a verification tries: legal ones, and what a core must refuse."""

import random

import pytest
from toy_points import Model, Points

from explore.simulation.kinds import adapter, edge_vectors, random_vectors, rare
from montgomery.core import check_operands, from_words
from montgomery.divsteps import Parameters as Inverter
from montgomery.generic.key_agreement import Parameters as KeyAgreement
from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.wide.base_multiplication import Parameters as BaseMultiplier
from montgomery.wide.ecdsa_verification import Parameters as EcdsaVerifier

P256 = WEIERSTRASS["P-256"]
MODELS = [Model(width=curve.width, curve=name) for name, curve in WEIERSTRASS.items()]
VERIFIER = EcdsaVerifier(width=256)
SEED = 6090


def tried(params):
    """Return what is tried of a core, by name."""
    kind = adapter(params)
    return {"edges": kind.edges(), "solved": kind.solved(), "rare": kind.rare(32),
            "random": random_vectors(params, 8, SEED), "longest": [kind.longest()]}


@pytest.mark.parametrize("params", [
    Points(), *MODELS, VERIFIER, KeyAgreement(width=15), Inverter(width=32),
    BaseMultiplier(width=256, curve="Ed25519")], ids=str)
def test_all_operands_are_legal_and_the_same_each_time_and_the_model_is_right(params):
    kind, found = adapter(params), tried(params)
    assert tried(params) == found
    for vectors in found.values():
        for vector in random.Random(0).sample(list(vectors), min(len(vectors), 40)):
            check_operands(params, *vector)
            assert kind.contradiction(params.compute(*vector), *vector) == ""


def test_some_of_many_rare_operands_are_fewer_and_some_signatures_are_valid():
    kind = adapter(VERIFIER)
    vectors = kind.rare(8)
    assert 0 < len(kind.rare(20)) < len(vectors)
    results = [kind.golden(*vector) for vector in vectors]
    assert 0.25 < sum(results) / len(results) < 0.95


def test_scalars_and_coordinates_have_the_ends_of_their_ranges():
    params, n = Model(width=256), P256.n
    edges = edge_vectors(params)
    assert len(edges) <= 24  # an operation takes tens of thousands of clocks
    assert {scalar for scalar, *point in edges if tuple(point) == P256.base} >= {
        0, 1, 2, 3, n - 2, n - 1, n, n + 1, (n - 1) // 2, (n + 1) // 2, 2**256 - 1, 2**255, 2**128}
    assert (1, P256.gx, P256.p - P256.gy) in edges
    products = [params.compute(*vector) for vector in adapter(params).solved()]
    for coordinates in (*([vector[place] for vector in edges] for place in (1, 2)),
                        [each % 2**256 for each in products], [each >> 256 for each in products]):
        assert min(coordinates) < 16
        assert max(coordinates) > P256.p - 16


@pytest.mark.parametrize("word_width", [16, 24, 64])
def test_what_must_be_refused_is_no_point(word_width):
    params = Model(width=256, word_width=word_width)
    words = params.field_words
    wrong, scalars = set(), set()
    for vector, sent in adapter(params).refused(random.Random(SEED)):
        check_operands(params, *vector)
        scalar, x, y = (from_words(sent[at:at + words], word_width)
                        for at in range(0, 3 * words, words))
        with pytest.raises(ValueError, match=r"^Operand"):
            params.compute(scalar, x, y)
        scalars.add(scalar)
        wrong.add((x, y))
    assert (0, 0) in wrong
    assert scalars >= {0, 1, P256.n}
    # The coordinates of a point, but not below p, and on the curve with -y² in place of y².
    assert any(P256.contains(x - P256.p, y) for x, y in wrong)
    assert any(P256.contains(x, y - P256.p) for x, y in wrong)
    assert any((-y * y - x**3 - P256.a * x - P256.b) % P256.p == 0 for x, y in wrong)


@pytest.mark.parametrize("params", [each for each in MODELS if each.curve in (
    "P-256", "secp256k1", "toy-16")], ids=lambda params: params.curve)
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


# Numbers of which they are made

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
