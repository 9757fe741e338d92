"""What is known of stages: only what is as it was written, and no longer than it stands."""

import dataclasses
from types import SimpleNamespace

import pytest

from explore.outcome import Failure, Outcome, Retry, Status
from explore.pipeline.knowledge import Knowledge

KEY = "0" * 40


def of(outcome, timeout_s=None):
    """Return a node with this outcome."""
    return SimpleNamespace(key=KEY, outcome=outcome, timeout_s=timeout_s, spec={},
                           reading=SimpleNamespace(failure=None),
                           stage=SimpleNamespace(transparent=False, covers=lambda *_: True))


def commit(store, outcome):
    store.commit(KEY, {"stage": "synth"}, outcome, store.workspace(KEY))


@pytest.mark.parametrize(("held", "made_again", "is_left"), [
    (False, False, False), (False, True, True), (True, False, True)])
def test_what_another_process_makes_is_not_forgotten(store, held, made_again, is_left):
    damaged = Outcome(facts={"netlist": "1"}, date="2026-01-01")
    commit(store, damaged)
    if made_again:
        commit(store, dataclasses.replace(damaged, date="2026-01-02"))
    lock = store.lock(KEY) if held else None
    Knowledge(store).forget(of(damaged))
    if lock:
        lock.release()
    assert (store.outcome(KEY) is not None) == is_left


@pytest.mark.parametrize(("retry", "limit_s", "is_kept"), [
    (Retry.ALWAYS, None, True), (Retry.LONGER, 60, True), (Retry.LONGER, 600, False)])
def test_a_failure_of_this_run_stands_unless_there_is_more_time(store, retry, limit_s, is_kept):
    known = Knowledge(store)
    failed = Outcome(failure=Failure(status=Status.TIMEOUT, message="", retry=retry, limit_s=60))
    known.keep(of(failed, timeout_s=70))
    found = known.outcome(of(None, timeout_s=limit_s))
    assert (found is failed) == is_kept
