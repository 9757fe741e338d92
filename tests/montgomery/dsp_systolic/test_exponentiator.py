"""The exponentiator around the systolic array: its clocks and windows."""

import pytest
from bench import stream

from montgomery import exponentiators
from montgomery.core import cycles_of

Parameters = exponentiators()["dsp_systolic"]


def test_algorithm_5_is_a_window_of_one_bit():
    """Equation 3 of the paper."""
    params = Parameters(width=1024, window=1)
    for bits in (1, 2, 1024):
        assert params.multiplications(3, 1 << (bits - 1), (1 << 1024) - 1) == 2 * bits + 2


@pytest.mark.parametrize(("options", "clocks"), [
    ({"width": 1024, "quotient": "plain"}, 280_000),
    ({"width": 1024, "quotient": "delayed", "word_width": 18}, 168_000),
    ({"width": 256, "quotient": "delayed", "word_width": 18}, 17_000)], ids=str)
def test_clocks(options, clocks):
    params = Parameters(**options)
    assert params.cycles.compute <= clocks


def test_a_window_whose_table_is_too_large():
    assert Parameters(width=4096, window=5)
    with pytest.raises(ValueError, match="Width 4096 must leave the memory at most 32768 words, "
                       "not 32896; choose a larger word_width or a smaller window"):
        Parameters(width=4096, window=6)


def test_an_exponent_may_be_64_bits_longer_than_the_modulus():
    """For a host that adds a multiple of the order of the group."""
    params = Parameters(width=12, word_width=6, window=3, quotient="delayed")
    modulus = 4093  # a prime
    vectors = [(5, exponent, modulus)
               for exponent in (77 + 4092 * (1 << 63), (1 << 76) - 1, 1 << 75)]
    for base, exponent, _ in vectors:
        assert params.compute(base, exponent, modulus) == pow(base, exponent, modulus)
    patience = 2 * cycles_of(params, *vectors[0]).interval
    assert stream(params, vectors, patience=patience) == [pow(*vector) for vector in vectors]
