"""Stores that are merged into one."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import sqlite3
import time

import pytest
from measurements import row

from explore.data.seal import is_sealed
from explore.outcome import Failure, Outcome, Retry, Status
from explore.store import Store, StoreError
from explore.store.artefacts import digest
from explore.store.examine import check
from explore.store.merge import merge
from explore.store.prune import prune

#: Keys of these tests are no hashes.
CHECKS = {"is_key": lambda key, spec: spec["stage"] == "place",
          "is_identity": lambda identity, row: row["arch"] == "alpha", "is_sound": is_sealed}
LARGE, KEPT = "netlist.json.gz", "report.json.gz"


def commit(store, key, text="text", names=(LARGE, KEPT), retry=None, limit_s=None, stage="place"):
    workspace = store.workspace(key)
    for name in names:
        (workspace / name).write_text(f"{name} {text}")
    failure = retry and Failure(status=Status.TIMEOUT, message="late", retry=retry, limit_s=limit_s)
    outcome = Outcome(failure=failure, facts={"text": text},
                      files={name: digest(f"{name} {text}") for name in names},
                      date="2026-01-02T03:04:05+00:00")
    store.commit(key, {"stage": stage}, outcome, workspace)
    return outcome


@pytest.fixture
def other(tmp_path):
    """Another store, which stays open as that of a sweep does."""
    with Store(tmp_path / "other") as opened:
        yield opened


@pytest.fixture
def merged(store, other):
    """Return a function that merges one store into the other, and returns the report."""
    return lambda **options: merge(store.path, [other.path], **CHECKS, **options)[0]


def contents(folder):
    """Return the bytes of each file of a store but those that SQLite makes to read."""
    return {path: path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and not path.name.endswith("-shm")}


def test_outcomes_files_and_rows_are_taken(store, other, merged):
    outcomes = [commit(other, "aa"), commit(other, "ab", names=())]
    own = commit(store, "ac")
    other.remember_rows({"a": row(seed=1), "b": row(seed=2)})
    store.remember_rows({"b": row(seed=2), "c": row(seed=3)})
    before = contents(other.path)
    report = merged()
    assert [store.outcome(key) for key in ("aa", "ab", "ac")] == [*outcomes, own]
    assert (store.files("aa") / LARGE).read_text() == f"{LARGE} text"
    assert {each["seed"] for each in store.rows()} == {1, 2, 3}
    assert (report.outcomes, report.outcomes_there, report.rows, report.rows_there) == (2, 0, 1, 1)
    assert report.bytes == sum(path.stat().st_size for path in store.files("aa").iterdir())
    assert check(store.path) == []
    assert contents(other.path) == before
    report = merged()
    assert (report.outcomes, report.outcomes_there, report.rows, report.rows_there) == (0, 2, 0, 2)
    assert not os.listdir(store.path / "locks")


def test_files_are_linked_where_nothing_differs_by_that(store, other, merged):
    commit(other, "aa")
    (other.files("aa") / LARGE).chmod(0o600)
    report = merged()
    same = {name: (store.files("aa") / name).samefile(other.files("aa") / name)
            for name in (LARGE, KEPT)}
    assert same == {LARGE: False, KEPT: True}
    assert (store.files("aa") / LARGE).stat().st_mode & 0o777 != 0o600
    assert report.linked_bytes == (store.files("aa") / KEPT).stat().st_size
    # The files of one store outlive the other one.
    shutil.rmtree(other.path)
    assert check(store.path) == []


@pytest.mark.parametrize("link", [True, False])
def test_what_is_damaged_is_left_out_and_stays_as_it_is(store, other, merged, monkeypatch, link):
    if not link:
        def refuse(*arguments, **options):
            raise PermissionError("links are not permitted here")

        monkeypatch.setattr(os, "link", refuse)
    for key in ("aa", "ab", "ac", "ad", "ae", "af"):
        commit(other, key)
    (other.files("aa") / LARGE).write_text("garbled")
    (other.files("ab") / LARGE).unlink()
    (other.files("ac") / LARGE).unlink()
    (other.files("ac") / LARGE).symlink_to("/etc/passwd")
    (other.files("ad") / LARGE).unlink()
    os.mkfifo(other.files("ad") / LARGE)
    other.remember_rows({"a": row(seed=1), "b": row(seed=2)})
    with contextlib.closing(sqlite3.connect(other.path / "store.sqlite")) as database, database:
        database.execute("UPDATE outcomes SET outcome = replace(outcome, 'text', 'test') "
                         "WHERE key = 'ae'")
        database.execute("UPDATE rows SET row = replace(row, 'alpha', 'beta') "
                         "WHERE identity = 'b'")
    report = merged()
    assert {each.name for each in report.damaged} == {"aa", "ab", "ac", "ad", "ae", "b"}
    assert (report.outcomes, report.rows) == (1, 1)
    assert (report.bytes, report.linked_bytes > 0) == (len(LARGE + KEPT) + 10, link)
    assert not report.is_complete
    assert store.outcome("af") is not None
    assert [store.outcome(each.name) for each in report.damaged] == [None] * 6
    assert check(store.path) == []
    assert (other.files("aa") / LARGE).read_text() == "garbled"
    # It can be taken when it was made again.
    commit(other, "aa", "again")
    assert merged().outcomes == 1
    assert store.outcome("aa").facts["text"] == "again"


@pytest.mark.parametrize("dry_run", [True, False])
def test_what_has_another_key_than_its_own_is_refused(store, other, merged, dry_run):
    own = commit(store, "ab", "own", retry=Retry.ALWAYS)
    for key, stage in (("aa", "place"), ("ab", "synth"), ("ac", "verify")):
        commit(other, key, stage=stage)
    other.remember_rows({"a": row(), "b": row("beta"), "c": row(seed=2)})
    report = merged(dry_run=dry_run)
    assert [str(each) for each in report.refused] == [
        "outcome ab: its key is not the hash of its specification",
        "outcome ac: its key is not the hash of its specification",
        "row b: its identity is not that of its point and seed"]
    assert (report.outcomes, report.rows, report.damaged, report.is_complete) == (1, 2, [], False)
    assert [store.outcome(key) for key in ("ab", "ac")] == [own, None]
    assert "beta" not in [each["arch"] for each in store.rows()]
    assert len(store.rows()) == (0 if dry_run else 2)


@pytest.mark.parametrize(("own", "new", "taken"), [
    ({}, {}, False), ({"retry": Retry.NEVER}, {}, False),
    ({"retry": Retry.ALWAYS}, {}, True), ({}, {"retry": Retry.ALWAYS}, False),
    ({"retry": Retry.LONGER, "limit_s": 60}, {}, True),
    ({"retry": Retry.LONGER, "limit_s": 60}, {"retry": Retry.LONGER, "limit_s": 90}, True),
    ({"retry": Retry.LONGER, "limit_s": 90}, {"retry": Retry.LONGER, "limit_s": 60}, False)])
def test_an_outcome_stays_unless_a_sweep_would_try_again(store, other, merged, own, new, taken):
    commit(store, "aa", "own", **own)
    commit(other, "aa", "new", **new)
    assert merged().outcomes == taken
    text = "new" if taken else "own"
    assert store.outcome("aa").facts["text"] == text
    assert (store.files("aa") / KEPT).read_text() == f"{KEPT} {text}"
    assert check(store.path) == []


def test_pruned_outcomes(store, other, merged):
    for each, key in ((store, "aa"), (other, "aa"), (other, "ab")):
        commit(each, key)
    other.close()
    prune(other.path, artefacts=True)
    assert (merged().outcomes, store.outcome("aa") is not None) == (1, True)
    assert store.outcome("ab") is None
    assert store.outcome("ab", needed=[KEPT]) is not None
    assert check(store.path) == []
    with other.open():
        commit(other, "ab")
        assert merged().outcomes == 1
        assert store.outcome("ab") is not None
    assert store.database.read("SELECT * FROM pruned") == []


def unsealed(**more):
    return {**row(**more), "lut": 7}


@pytest.mark.parametrize(("own", "new", "taken"), [
    (None, row(), True), (None, unsealed(), True), (row(), row(), False),
    (row(), {**row(lut=1), "date": "2026-01-02"}, True),
    ({**row(), "date": "2026-01-02T01:00:00+02:00"},
     {**row(lut=1), "date": "2026-01-02T00:00:00+00:00"}, True),
    ({**row(), "date": "2026-01-02"}, row(lut=1), False),
    (row(), {**row(lut=1), "date": "yesterday"}, False),
    (row(), {**unsealed(), "date": "2026-02-01"}, False),
    ({**unsealed(), "date": "2026-02-01"}, row(), True),
    (unsealed(), {**unsealed(width=8), "date": "2026-02-01"}, True)])
def test_the_later_sound_row_stays(store, other, merged, own, new, taken):
    if own is not None:
        store.remember_rows({"a": own})
    other.remember_rows({"a": new})
    assert merged(dry_run=True).rows == taken
    assert merged().rows == taken
    assert store.rows() == [new if taken else own]


def test_dry_run_counts_each_once_and_changes_nothing(tmp_path, other):
    commit(other, "aa")
    other.remember_rows({"a": row()})
    with Store(tmp_path / "third") as third:
        for key in ("aa", "ab"):
            commit(third, key)
        third.remember_rows({"a": row(), "b": row(seed=2)})
    new = tmp_path / "new"
    sources = [other.path, tmp_path / "third"]
    would = merge(new, sources, **CHECKS, dry_run=True)
    assert not new.exists()
    done = merge(new, sources, **CHECKS)
    assert [(each.outcomes, each.rows, each.bytes) for each in done] == [
        (each.outcomes, each.rows, each.bytes) for each in would] == [
        (1, 1, done[0].bytes), (1, 1, done[0].bytes)]
    before = contents(new)
    again = merge(new, sources, **CHECKS, dry_run=True)
    assert [(each.outcomes, each.outcomes_there) for each in again] == [(0, 1), (0, 2)]
    assert contents(new) == before


def test_what_another_process_computes_is_left_to_it(store, other, merged):
    for key in ("aa", "ab"):
        commit(other, key)
    lock = store.lock("aa")
    report = merged()
    assert (report.busy, report.outcomes) == (["aa"], 1)
    lock.release()
    assert (merged().busy, store.outcome("aa") is not None) == ([], True)


def test_one_store_is_not_merged_into_itself(store, other, tmp_path):
    (tmp_path / "link").symlink_to(store.path)
    for sources in ([store.path], [other.path, tmp_path / "link"], [other.path, other.path]):
        with pytest.raises(StoreError, match=r"must differ, but .* are one store; name it once"):
            merge(store.path, sources, **CHECKS)


def _killed_at(path, sources, name, count):
    """Merge in this process, and kill it when it calls a function of ``os`` for the nth time."""
    real, calls = getattr(os, name), []

    def fatal(*arguments, **options):
        calls.append(None)
        if len(calls) == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)

    setattr(os, name, fatal)
    merge(path, sources, **CHECKS)


@pytest.mark.parametrize(("name", "count"), [
    ("link", 30), ("link", 231), ("replace", 1), ("replace", 50), ("replace", 130),
    ("close", 20), ("close", 120)])
def test_killed_merge_leaves_a_whole_store_and_goes_on(store, other, merged, name, count):
    outcomes = {key: commit(other, key) for key in map("{:03x}".format, range(150))}
    outcomes |= {key: commit(other, key, names=()) for key in ("x", "y")}
    process = multiprocessing.get_context("fork").Process(
        target=_killed_at, args=(store.path, [other.path], name, count))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert check(store.path) == []
    there = sum(store.outcome(key) is not None for key in outcomes)
    report = merged()
    assert (report.outcomes, report.outcomes_there) == (152 - there, there)
    assert {key: store.outcome(key) for key in outcomes} == outcomes
    prune(store.path)
    assert {path.name for path in (store.path / "artefacts").glob("*/*")} == {*outcomes} - {*"xy"}
    assert check(store.path) == []


def _commit_again_and_again(path, keys):
    with Store(path) as store:
        for turn in range(1000):
            for key in keys:
                commit(store, key, f"turn {turn}")


def test_a_store_that_a_sweep_writes_meanwhile(store, other, merged):
    keys = [f"{index:02x}" for index in range(40)]
    writer = multiprocessing.get_context("fork").Process(
        target=_commit_again_and_again, args=(other.path, keys), daemon=True)
    writer.start()
    taken = 0
    try:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            merged()
            for key in keys:
                store.forget(key)
            report = merged()
            assert check(store.path) == []
            assert report.outcomes == sum(store.outcome(key) is not None for key in keys)
            taken += report.outcomes
    finally:
        writer.kill()
        writer.join()
    assert taken
