"""RSA with CRT on two DSP arrays side by side."""

import dataclasses
import random

import pytest

from explore.simulation import edge_vectors, random_vectors, verify
from montgomery.dsp_systolic.rsa_crt import Parameters
from montgomery.technology import technologies

SEED = 2025
ECP5 = technologies()["ecp5"]
#: Digits that fill their words and that do not, folded arrays, and windows of one bit.
SHAPES = [
    {"width": 16, "word_width": 7, "quotient": "scaled", "window": 1},
    {"width": 9, "word_width": 8, "quotient": "delayed"},
    {"width": 33, "word_width": 8, "quotient": "plain", "check": "none", "processing_elements": 3},
    {"width": 40, "word_width": 18, "quotient": "delayed", "processing_elements": 2, "window": 3},
]


def _shapes():
    return [pytest.param(Parameters(arrays=2, **shape),
                         id="-".join(str(value) for value in shape.values())) for shape in SHAPES]


@pytest.mark.parametrize("params", _shapes())
def test_models_agree_with_python(params):
    for vector in [*edge_vectors(params), *random_vectors(params, 20, SEED), params.longest]:
        assert params.compute(*vector) == params.golden(*vector), vector


@pytest.mark.sample(1)
@pytest.mark.parametrize("params", _shapes()[1:])
def test_cores_agree_with_their_models_and_formulas(params, compiled):
    report = verify(params, vectors=1, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time is True
    assert report.cycles == dataclasses.asdict(params.cycles_of(*params.longest))


@pytest.mark.parametrize("width", [1024, 2048])
def test_two_arrays_take_little_more_than_half_the_time(width):
    one, two = (Parameters(width=width, arrays=arrays) for arrays in (1, 2))
    p, q, *exponents = one.random_key(random.Random(SEED))
    operation = 1234, *exponents, p, q
    clocks = [params.cycles(*operation, exponent_bits=width // 2).compute for params in (one, two)]
    assert clocks[1] < 0.52 * clocks[0]
    assert one.encode_key(*operation[1:]) == two.encode_key(*operation[1:])
    assert two.multipliers(ECP5) == 2 * one.multipliers(ECP5)


@pytest.mark.parametrize("arrays", [0, 3])
def test_there_are_one_or_two_arrays(arrays):
    with pytest.raises(ValueError, match="Arrays must be"):
        Parameters(width=20, arrays=arrays)
