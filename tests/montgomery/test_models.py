"""Integer models against the definition of the Montgomery product."""

import random

import cases
import pytest

from explore.simulation import edge_vectors
from explore.simulation.kinds import adapter
from montgomery.arithmetic import shown
from montgomery.core import key_of, results_of

SEED = 3
MODELS = [case for case in cases.everywhere() if case.values[0].width not in range(6, 20)]


def _check(params, x, y, modulus, *, seed=None):
    product = params.compute(x, y, modulus)
    note = f"seed {seed}: {params!r} x={x:#x} y={y:#x} modulus={modulus:#x} gives {product:#x}"
    assert 0 <= product < params.bound(modulus), note
    assert (product * params.r - x * y) % modulus == 0, note
    return product


@pytest.mark.parametrize("params", [case for case in cases.few() if case.values[0].width == 4])
def test_every_product_of_width_4(params):
    for modulus in range(3, 16, 2):
        if adapter(params).usable(modulus) != modulus:
            continue
        for x in cases.operands(params, modulus):
            for y in cases.operands(params, modulus):
                _check(params, x, y, modulus)


@pytest.mark.parametrize("params", MODELS)
def test_edge_operands(params):
    width = params.width
    for modulus in map(adapter(params).usable, (3, (1 << width) - 1, (1 << (width - 1)) + 1)):
        bound = params.bound(modulus)
        edges = sorted({0, 1, modulus - 1, min(modulus, bound - 1), bound - 1})
        for x in edges:
            for y in edges:
                _check(params, x, y, modulus)


@pytest.mark.parametrize("params", MODELS)
def test_random_operands(params):
    rng = random.Random(SEED)
    for _ in range(30):
        modulus = rng.getrandbits(rng.randint(2, params.width)) | 1
        modulus = adapter(params).usable(max(modulus, 3))
        bound = params.bound(modulus)
        _check(params, rng.randrange(bound), rng.randrange(bound), modulus, seed=SEED)


@pytest.mark.parametrize("params", cases.few())
def test_products_chain(params):
    rng = random.Random(params.width)
    modulus = cases.top(params)
    x = y = params.bound(modulus) - 1
    for _ in range(50):
        x, y = _check(params, x, y, modulus, seed=params.width), rng.choice((x, y))


@pytest.mark.parametrize("params", cases.few())
def test_powers_by_way_of_the_domain(params):
    modulus = cases.top(params)
    for base in (2, 3, modulus - 1):
        power = params.r % modulus
        for exponent in range(20):
            assert power % modulus == pow(base, exponent, modulus) * params.r % modulus
            power = params.compute(power, base * params.r % modulus, modulus)


@pytest.mark.parametrize("params", MODELS)
def test_r_has_an_inverse_and_bounds_allow_every_residue(params):
    for _, _, modulus in edge_vectors(params):
        assert params.r % modulus
        assert modulus <= params.bound(modulus)


@pytest.mark.parametrize("params", cases.everywhere())
def test_words_are_of_the_stream(params):
    for vector in edge_vectors(params):
        words = params.encode(*vector)
        assert words
        assert all(0 <= word < 1 << params.operands.width for word in words)
        if params.k_words:
            words = params.encode_key(*key_of(params, *vector))
            assert words
            assert all(0 <= word < 1 << params.key_operands.width for word in words)


@pytest.mark.parametrize("params", cases.everywhere())
def test_as_many_words_for_every_operand(params):
    assert len({len(params.encode(*vector)) for vector in edge_vectors(params)}) == 1


@pytest.mark.parametrize("params", cases.few())
def test_decode_wants_the_words_of_one_result(params):
    count = params.result_words
    assert params.decode([0] * count) == 0
    for wrong in (0, count - 1, count + 1, 2 * count):
        if wrong != count:
            with pytest.raises(ValueError, match=f"has {count} words?, not {wrong}; "):
                params.decode([0] * wrong)


@pytest.mark.parametrize("params", cases.few())
def test_decode_wants_words_of_the_stream(params):
    bits = results_of(params).width
    top = 1 << bits
    params.decode([top - 1] * params.result_words)
    for wrong in (top, -1):
        with pytest.raises(ValueError, match=f"^Word 0 of a result must be from 0 to "
                                             f"2\\*\\*{bits} - 1, not {wrong}; "):
            params.decode([wrong, *[0] * (params.result_words - 1)])


@pytest.mark.sample(2, each_core=True)
@pytest.mark.parametrize("method", ["compute", "encode"])
@pytest.mark.parametrize("params", cases.few())
class TestRefusals:
    def test_moduli(self, params, method):
        call, width = getattr(params, method), params.width
        for modulus, error, message in (
                (4, ValueError, "must be odd, not 4; Montgomery's method needs an odd one"),
                (2, ValueError, "must be 3 or larger, not 2; the smallest modulus is 3"),
                (-7, ValueError, "must be 3 or larger, not -7"),
                ((1 << width) + 1, ValueError,
                 f"bits or fewer, not {width + 1}; choose width {width + 1}"),
                (7.0, TypeError, "must be an integer, not 7.0"),
                (None, TypeError, "must be an integer, not None")):
            if params.k_words and method == "encode" and modulus is None:
                continue  # the modulus of the key is not asked for
            with pytest.raises(error) as caught:
                call(1, 1, modulus)
            assert message in str(caught.value)
            assert "\n" not in str(caught.value)

    def test_keys(self, params, method):
        if params.k_words:
            with pytest.raises(ValueError, match="must be odd, not 4"):
                params.encode_key(4)
        else:
            with pytest.raises(TypeError, match="takes no key; send its inputs with each"):
                params.encode_key(3)

    @pytest.mark.parametrize("which", ["x", "y"])
    def test_operands(self, params, method, which):
        modulus = cases.top(params)
        bound = params.bound(modulus)
        highest = shown(bound - 1)
        operands = {"x": 1, "y": 1, "modulus": modulus}
        getattr(params, method)(**operands | {which: bound - 1})
        for value, error, message in (
                (bound, ValueError, f"must be from 0 to {highest}, not {shown(bound)}; "),
                (-1, ValueError, f"must be from 0 to {highest}, not -1; "),
                (1 << 5000, ValueError,
                 f"must be from 0 to {highest}, not a number of 5001 bits; "),
                (0.5, TypeError, "must be an integer, not 0.5"),
                (False, TypeError, "must be an integer, not False")):
            with pytest.raises(error) as caught:
                getattr(params, method)(**operands | {which: value})
            assert str(caught.value).startswith(f"Operand {which} {message}")
