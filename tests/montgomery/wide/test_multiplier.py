"""What is particular to the wide multiplier: a modulus that is fixed, and operations in a row."""

import itertools

import pytest
from bench import Simulated, transfer

from explore.simulation import edge_vectors, random_vectors
from montgomery import exponentiators
from montgomery.core import traits
from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.technology import technologies
from montgomery.wide.multiplier import Parameters

SEED = 2048
P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1


def test_parameters():
    for width, rule, nearest in ((255, "256 or more", 256), (385, "384 or less", 384)):
        with pytest.raises(ValueError, match=rf"^Width must be {rule}, not {width}; the nearest "
                                             rf"legal value is {nearest}$"):
            Parameters(width=width)
    for width, modulus, message in (
            (257, "P-256", "Width must be 256 for P-256, not 257; choose another width"),
            (384, "P-256", "Width must be 256 for P-256, not 384; choose P-384, which has 384"),
            (256, "P-384", "Width must be 384 for P-384, not 256; choose P-256, which has 256")):
        with pytest.raises(ValueError, match=rf"^{message}$"):
            Parameters(width=width, modulus=modulus)
    with pytest.raises(ValueError, match=r"^Modulus must be one of P-256, P-384, not 'P-521'$"):
        Parameters(width=256, modulus="P-521")
    with pytest.raises(ValueError, match=r"^Digits per clock must be 2 for P-384, not 4; choose "
                                         r"digits_per_clock=2$"):
        Parameters(width=384, modulus="P-384", digits_per_clock=4)
    with pytest.raises(ValueError, match=r"^Digits per clock must be one of 2, 4, not 3$"):
        Parameters(width=256, digits_per_clock=3)
    for digits, blocks in ((2, 32), (4, 64)):
        params = Parameters(width=256, digits_per_clock=digits)
        assert params.only_modulus == P256
        assert traits(params).blocks(technologies()["ecp5"]) == blocks
    params = Parameters(width=384, modulus="P-384")
    assert (params.only_modulus, params.dataflow.interval) == (WEIERSTRASS["P-384"].p, 12)
    assert traits(params).blocks(technologies()["ecp5"]) == 48


@pytest.mark.parametrize("method", ["compute", "encode"])
def test_another_modulus_is_refused(method):
    with pytest.raises(ValueError, match=rf"^The modulus must be {P256:#x}, which the core is "
                                         r"built for, not 7; choose a core for any modulus$"):
        getattr(Parameters(width=256), method)(1, 1, 7)


def test_engines_for_any_modulus_refuse_it():
    with pytest.raises(ValueError, match=r"^The multiplier must take any modulus, and wide is "
                                         r"built for one; choose another one$"):
        exponentiators()["generic"](width=256, multiplier="wide")


def test_the_modulus_is_in_no_message():
    params = Parameters(width=256)
    assert [field.name for field in params.operands.fields] == ["x", "y"]
    assert params.k_words == 0
    assert params.encode(1, 2, P256) == [1 | 2 << 16, *[0] * 16]


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
