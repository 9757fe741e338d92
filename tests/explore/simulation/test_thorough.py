"""What a compiled verification finds beyond a quick one: by resets, pauses and keys of its own."""

import dataclasses
import itertools

import pytest
from compiled_cores import core_library
from toy import Toy
from toy_broken import Broken
from toy_key import Keyed

from explore.simulation import CompiledEngine, simulate, stimulus, verify
from explore.tools.compiler import find_compiler
from montgomery.core import results_of, to_words
from montgomery.dsp_systolic.rsa_crt import Parameters as Rsa

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")


@pytest.fixture
def compiled_engine(store, tmp_path, quick_compiler):
    """Return a function that compiles a core."""
    return lambda params: CompiledEngine(core_library(store, params, tmp_path, find_compiler()))


class Watched:
    """An engine whose runs are known, and whose results may be changed."""

    def __init__(self, engine, change=list):
        self.name, self.stimuli = engine.name, []
        self._engine, self._change = engine, change

    def run(self, stimulus, *args):
        self.stimuli.append(stimulus)
        trace = self._engine.run(stimulus, *args)
        return dataclasses.replace(trace, words=[self._change(words) for words in trace.words])


@pytest.mark.parametrize(("params", "says"), [
    (Broken(width=8), ""),
    (Broken(width=8, fault="slow"), "clocks between independent results after pauses"),
    (Broken(width=8, fault="reset"), "expected "),
    (Broken(width=8, fault="standstill"), "expected "),
    (Keyed(width=8), ""),
], ids=["right", "slow", "reset", "standstill", "keyed"])
def test_a_compiled_verification_finds(params, says, compiled_engine):
    quick = verify(params)
    assert quick.ok, quick.message
    report = verify(params, engine=compiled_engine(params))
    assert report.ok == (not says), report.message
    assert says in report.message


def test_a_compiled_verification_offers_operands_before_there_is_a_key(compiled_engine):
    params = Keyed(width=8, fault="keyless")
    report = verify(params, engine=compiled_engine(params))
    assert not report.ok


def test_every_other_key_that_changes_comes_after_the_key_before():
    params = Keyed(width=8)
    vectors = [(1, 2, 7), (3, 4, 9), (0, 1, 9), (5, 6, 7)]
    sent = stimulus(params, vectors, superseded=True).keys
    seven, nine = params.encode_key(7), params.encode_key(9)
    assert sent == [seven, [*seven, *nine], [], [*nine, *seven]]


@pytest.mark.parametrize(("blocked", "taken"), [(False, 2), (True, 0)])
def test_no_word_of_a_result_is_taken_before_a_reset_of_a_blocked_core(blocked, taken):
    params = Toy(width=8)
    sums = []

    def watch(done, _):
        sums.append(done)

    simulate(params, [(1, 2, 7)] * 4, prelude=32, blocked=blocked, progress=watch)
    assert sums == [*range(1, taken + 1), 1, 2, 3, 4]


def test_the_environment_does_not_pause_once_it_is_calm():
    params = Toy(width=8)
    vectors = [(1, 2, 7)] * 6
    wild, calm, quiet = (simulate(params, vectors, seed=1, o_gap=0.5, i_gap=0.5, burst=9, **options)
                         if options else simulate(params, vectors)
                         for options in ({"calm": 0}, {"calm": 3}, {}))
    assert wild.cycles[:3] == calm.cycles[:3]
    assert calm.cycles[-1] == quiet.cycles[-1] != wild.cycles[-1]


def test_any_two_conditions_meet_in_a_run(compiled_engine):
    engine = Watched(compiled_engine(Keyed(width=8)))
    assert verify(Keyed(width=8), engine=engine).ok
    conditions = {
        "another key": lambda each: any(each.superseded), "operands beside a key": lambda each:
        each.eager, "long pauses": lambda each: each.burst > 1 and each.o_gap > 0,
        "pauses of keys alone": lambda each: each.k_gap > 0 and each.i_gap == each.o_gap == 0,
        "a reset": lambda each: each.prelude > 0, "a receiver that waits before it": lambda each:
        each.blocked, "one that hesitates": lambda each: each.hesitant}
    exclusive = {"long pauses", "pauses of keys alone"}
    for one, other in itertools.combinations(conditions, 2):
        meet = any(conditions[one](each) and conditions[other](each) for each in engine.stimuli)
        assert meet or {one, other} == exclusive, (one, other)


@pytest.mark.thorough
def test_a_core_that_checks_must_refuse_wrong_keys(compiled):
    """Keys that are wrong for one factor or both, by one in the lowest digit and the highest."""
    params = Rsa(width=20, word_width=8, window=2)
    engine = compiled.engine(params)
    refusal = to_words(results_of(params).largest, results_of(params).width, params.result_words)
    assert verify(params, engine=engine).ok
    refused = []

    def give_away(words):
        refused.append(words == refusal)
        return [0] * len(words) if words == refusal else words

    report = verify(params, engine=Watched(engine, give_away))
    assert any(refused)
    assert not report.ok
    assert "expected a refusal, found 0x0" in report.message
    always = verify(params, engine=Watched(engine, lambda words: refusal))
    assert not always.ok
    assert "found a refusal" in always.message
