"""What a verification finds by resets, pauses and keys, most of it with a compiled core."""

import dataclasses
import itertools

import pytest
from toy import Toy
from toy_broken import Broken
from toy_key import Keyed
from toy_points import Points, Trusting

from explore.simulation import random_vectors, simulate, stimulus, verify
from explore.simulation.resets import resets_near_words
from montgomery.core import results_of, to_words, traits
from montgomery.dsp_systolic.rsa_crt import Parameters as Rsa
from montgomery.wide.ecdsa_verification import Parameters as EcdsaVerifier


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
    (Points(), ""), (Trusting(), "expected a refusal, found 0x0"),
], ids=["right", "slow", "reset", "standstill", "keyed", "points", "trusting"])
def test_a_compiled_verification_finds(params, says, engine):
    quick = verify(params)
    assert quick.ok, quick.message
    report = verify(params, engine=engine(params))
    assert report.ok == (not says), report.message
    assert says in report.message


def test_a_compiled_verification_offers_operands_before_there_is_a_key(engine):
    params = Keyed(width=8, fault="keyless")
    assert not verify(params, engine=engine(params)).ok


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


def test_any_two_conditions_meet_in_a_run(engine):
    watched = Watched(engine(Keyed(width=8)))
    assert verify(Keyed(width=8), engine=watched).ok
    conditions = {
        "another key": lambda each: any(each.superseded), "operands beside a key": lambda each:
        each.eager, "long pauses": lambda each: each.burst > 1 and each.o_gap > 0,
        "pauses of keys alone": lambda each: each.k_gap > 0 and each.i_gap == each.o_gap == 0,
        "a reset": lambda each: each.prelude > 0, "a receiver that waits before it": lambda each:
        each.blocked, "one that hesitates": lambda each: each.hesitant}
    exclusive = {"long pauses", "pauses of keys alone"}
    for one, other in itertools.combinations(conditions, 2):
        meet = any(conditions[one](each) and conditions[other](each) for each in watched.stimuli)
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


def test_a_result_must_not_wait_for_the_words_of_another_operation():
    report = verify(Broken(width=24, fault="waits"))
    assert not report.ok
    assert "no word went in or out" in report.message
    assert verify(Broken(width=24)).ok


@pytest.mark.parametrize("params", [Toy(width=24), Keyed(width=24)])
def test_a_part_of_another_operation_may_follow_the_last_one(params):
    vectors = random_vectors(params, 1, 0) * 3
    plain, longer = (simulate(params, vectors, beyond=words) for words in (0, 2))
    assert longer.products == plain.products
    assert [len(words) for words in stimulus(params, vectors, beyond=2).words] == [
        params.i_words, params.i_words, params.i_words + 2]


def test_resets_are_near_the_words_and_fit_in_the_clocks():
    """The second of two operations is interrupted, and the first one has another result."""
    params = Toy(width=64)
    vectors = random_vectors(params, 9, 0)
    expected = {vector: params.compute(*vector) for vector in vectors}
    cycles = params.cycles
    ready, before = cycles.load + cycles.compute, traits(params).initiation or cycles.interval
    for clocks in (1 << 40, 20_000):
        found = list(resets_near_words(params, vectors, expected, clocks))
        assert sum(reset.prelude + len(reset.vectors) * ready for reset in found) <= clocks
        assert len(found) == len({reset.prelude for reset in found}) > 10
        for reset in found:
            first, second = reset.vectors
            assert expected[first] != expected[second]
    every = {reset.prelude - before for reset in
             resets_near_words(params, vectors, expected, 1 << 40)}
    for place in (cycles.load, ready):
        assert every >= set(range(place - 8, place + 8))
    assert every >= set(range(1, 9))


def test_resets_are_near_words_that_move_inside_of_a_core():
    params = EcdsaVerifier(width=256)
    vectors = [(7,) * 5, (8,) * 5]
    clocks = {reset.prelude - traits(params).initiation for reset in resets_near_words(
        params, vectors, dict(zip(vectors, (0, 1), strict=True)), 1 << 40)}
    for place in traits(params).moves:
        assert params.cycles.load < place < params.cycles.compute
        assert clocks >= set(range(place - 8, place + 8))


def test_an_operation_with_a_key_follows_itself_after_a_reset():
    params = Keyed(width=64)
    vectors = random_vectors(params, 9, 0)
    expected = {vector: params.compute(*vector) for vector in vectors}
    assert all(len(reset.vectors) == 1 for reset in
               resets_near_words(params, vectors, expected, 20_000))
