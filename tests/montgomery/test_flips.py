"""Flips of bits while a small core signs, whose halves have a memory each."""

import pytest
from flips import Signer

from explore.simulation.kinds import adapter
from explore.tools.compiler import find_compiler
from montgomery import rsa_crt
from montgomery.core import cycles_of, to_words

MESSAGE = 17


@pytest.fixture(scope="module")
def signer(tmp_path_factory):
    if find_compiler() is None:
        pytest.skip("there is no C++ compiler")
    params = rsa_crt()["dsp_systolic"](width=20, word_width=8, window=2, arrays=2)
    return Signer(params, 4, tmp_path_factory.mktemp("flips") / "core")


@pytest.fixture
def right(signer):
    """The words of a signature."""
    params = signer.params
    return to_words(adapter(params).golden(MESSAGE, *signer.key), params.word_width,
                    params.result_words)


@pytest.mark.thorough
def test_no_flip_of_a_register_gives_a_wrong_signature(signer):
    outcomes = signer.flips(60)
    assert sum(outcomes["first"].values()) == 60
    assert outcomes["first"]["refused"] > 2
    assert not outcomes["wrong"]


@pytest.mark.parametrize("memory", ["lane_0.memory", "lane_1.memory"])
def test_halves_of_different_messages_are_refused(signer, right, memory):
    """One half alone signs another message, and finds no fault in that."""
    params = signer.params
    place = next(place.index for place in signer.places
                 if place.memory and place.name.startswith(memory))
    low = params.columns.number("message", 1)
    for word in range(2):
        bit = params.word_width * (low + (word << params.columns.bits))
        (_, refused), (_, signed) = signer.sign((MESSAGE, MESSAGE), place, bit, 2)
        assert set(refused) == {0xff}
        assert signed == right


def test_no_flip_has_another_column_leave(signer, right):
    """While the result leaves, the numbers of the key are in other columns of the same memory."""
    place = next(place for place in signer.places if place.name == "lane_0.column")
    cycles = cycles_of(signer.params, MESSAGE, *signer.key)
    for bit in range(place.bits):
        for clock in range(cycles.compute - 4, cycles.compute + cycles.unload, 3):
            (_, words), _ = signer.sign((MESSAGE, MESSAGE), place.index, bit, clock)
            assert {*right, 0xff}.issuperset(words), (bit, clock)
