"""What is particular to the wide multiplier: a modulus that is fixed, and operations in a row."""

import itertools

import pytest
from bench import Simulated, transfer

from explore.simulation import edge_vectors, random_vectors
from montgomery.core import traits
from montgomery.wide.multiplier import Parameters

SEED = 2048


@pytest.mark.parametrize(("per_clock", "word_width", "words", "initiation"), [
    (2, 1, 257, 257), (2, 16, 17, 17), (2, 24, 11, 11), (2, 32, 9, 10), (2, 64, 5, 9),
    (2, 128, 3, 8), (2, 257, 1, 8), (4, 16, 17, 17), (4, 64, 5, 8), (4, 128, 3, 8), (4, 257, 1, 7)])
def test_operations_in_a_row(per_clock, word_width, words, initiation):
    params = Parameters(width=256, word_width=word_width, digits_per_clock=per_clock)
    assert params.cycles.compute == {2: 23, 4: 21}[per_clock]
    _run_in_a_row(params, words, initiation)


@pytest.mark.parametrize(("word_width", "words", "initiation"), [
    (1, 385, 385), (16, 25, 25), (48, 9, 12), (385, 1, 12)])
def test_operations_in_a_row_of_384_bits(word_width, words, initiation):
    params = Parameters(width=384, modulus="P-384", word_width=word_width)
    assert params.cycles.compute == 28
    _run_in_a_row(params, words, initiation)


def _run_in_a_row(params, words, initiation):
    """Without pauses, and with results that nobody takes for a while."""
    assert (params.result_words, traits(params).initiation) == (words, initiation)
    count = 4 if words > 100 else 8
    vectors = [*edge_vectors(params)[:2], *random_vectors(params, count, SEED)][-count:]
    sent = [word for vector in vectors for word in params.encode(*vector)]
    core = Simulated(params.create())
    for stalled in (0, 300):
        done = transfer(core, sent, words * count,
                        get_after=lambda index, clocks=stalled: 0 if index else clocks)
        found = [params.decode(done.words[first:first + words])
                 for first in range(0, words * count, words)]
        assert found == [params.compute(*vector) for vector in vectors], f"seed {SEED}"
        if not stalled:
            firsts = done.received[::words]
            assert {after - before for before, after in itertools.pairwise(firsts)} == {
                initiation}
