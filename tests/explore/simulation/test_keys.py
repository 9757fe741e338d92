"""Keys: all simulators send them alike, and a verification finds what cores do wrong with them."""


import pytest
from toy_key import Keyed

from explore.pipeline.on_demand import core_library
from explore.simulation import CompiledEngine, random_vectors, simulate, stimulus, verify
from explore.tools.compiler import find_compiler

#: Ports of one number of 32 bits, and of more.
CORES = [Keyed(width=13, word_width=8), Keyed(width=70, word_width=35)]
WAYS = ({}, {"chained": True}, {"seed": 5, "i_gap": 0.4, "o_gap": 0.6, "k_gap": 0.5},
        {"seed": 6, "k_gap": 0.5, "prelude": 30})


@pytest.mark.parametrize("params", CORES, ids=str)
def test_a_key_is_sent_where_it_changes_and_operands_are_not_sent_where_they_are_results(params):
    operations = [(1, 2, 7), (3, 4, 7), (0, 1, 9), (5, 6, 7)]
    sent = stimulus(params, operations)
    assert list(map(bool, sent.keys)) == [True, False, True, True]
    assert sent.keys[0] == sent.keys[3] == params.encode_key(7)
    vectors = [(1, 2, 7), (5, 5, 7), (5, 1, 7), (2, 5, 7)]
    words = stimulus(params, vectors, kept=[5, 5, 5, 5]).words
    assert [len(each) for each in words] == [params.words, 1, params.words, params.words]
    assert words[0] == params.encode(1, 2)
    assert words[2] == params.encode(None, 1, 7)


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("params", CORES, ids=str)
def test_simulators_send_the_same_keys_clock_for_clock(params, store, tmp_path, quick_compiler):
    vectors = random_vectors(params, 5, 3)
    vectors[2:2] = [(0, 1, vectors[1][2])]
    library = core_library(store, params, tmp_path, find_compiler())
    for options in WAYS:
        assert (simulate(params, vectors, engine=CompiledEngine(library), **options)
                == simulate(params, vectors, **options)), options


@pytest.mark.parametrize(("fault", "says"), [
    ("touches", "expected"), ("keeps", "expected"), ("first", "expected"),
    ("beside", "but the formula says"), ("looks", "expected")])
def test_a_wrong_use_of_keys_and_kept_results_is_found(fault, says):
    report = verify(Keyed(width=13, word_width=8, fault=fault))
    assert not report.ok
    assert says in report.message
