"""The exponentiator around the systolic array: its clocks and windows."""

import pytest

from explore.kinds import adapter
from montgomery import exponentiators

Parameters = exponentiators()["dsp_systolic"]


def test_algorithm_5_is_a_window_of_one_bit():
    """Equation 3 of the paper."""
    params = Parameters(width=1024, window=1)
    for bits in (1, 2, 1024):
        assert params.multiplications(3, 1 << (bits - 1), (1 << 1024) - 1) == 2 * bits + 2


@pytest.mark.parametrize(("options", "clocks"), [
    ({"quotient": "plain"}, 290_000), ({"quotient": "scaled"}, 290_000),
    ({"quotient": "delayed", "word_width": 18}, 180_000)], ids=str)
def test_clocks_of_1024_bits(options, clocks):
    params = Parameters(width=1024, **options)
    assert params.cycles_of(*adapter(params).longest()).compute <= clocks


def test_a_window_whose_table_is_too_large():
    assert Parameters(width=4096, window=5)
    with pytest.raises(ValueError, match="Window 6 must leave the table of powers at most 16384 "
                       "words, not 16448; the nearest legal one is 5"):
        Parameters(width=4096, window=6)
