"""The command ``montgomery merge``."""

import json
import sqlite3

import pytest
from console import assert_refused
from measurements import row

from explore.outcome import Outcome
from explore.pipeline.run import plan
from explore.pipeline.run import run as measure
from explore.pipeline.stages import stages
from explore.points.expand import expand
from explore.store import Store


def test_what_two_sites_measured_is_not_run_again(run, fakes, tmp_path):
    parts = {"a": expand(["toy"], [8], {}, ["ice40-hx8k", "ecp5-25k"]),
             "b": expand(["toy", "wrong"], [16], {"style": ["fancy"]}, ["ice40-hx8k"])}
    rows = []
    for name, points in parts.items():
        with Store(tmp_path / name) as store:
            rows += measure(dict.fromkeys(points, 2), store=store)
    result = run("merge", "a", "b", "--store", "all")
    assert (result.exit_code, result.stderr) == (0, "")
    assert fakes.calls
    fakes.forget()
    both = dict.fromkeys([point for points in parts.values() for point in points], 2)
    with Store(tmp_path / "all") as store:
        assert plan(both, store=store).to_run == dict.fromkeys(stages(), 0)
        assert measure(both, store=store) == rows
    assert fakes.calls == []
    assert run("store", "check", "--store", "all").exit_code == 0
    assert run("table", "--store", "all", "--format", "csv").stdout.count("\n") == 5


@pytest.fixture
def sites(run, tmp_path):
    """Return a folder with two stores, which have one row in common."""
    with Store(tmp_path / "a") as store:
        store.remember_rows({"a": row()})
        store.commit("aa", {"stage": "x"}, _outcome(), store.workspace("aa"))
    with Store(tmp_path / "b") as store:
        store.remember_rows({"a": row(), "b": row(seed=2)})
    return tmp_path


def _outcome():
    return Outcome(date="2026-01-02T03:04:05+00:00")


def test_summary(run, sites):
    lines = run("merge", "a", "b", "--dry-run").stdout.splitlines()
    assert lines[0] == ("a: 1 outcome with 0 bytes of files and 1 row would be taken; 0 outcomes "
                        "and 0 rows are there already")
    assert not (sites / "store").exists()
    lines = run("merge", "a", "b").stdout.splitlines()
    assert lines == [
        "a: 1 outcome with 0 bytes of files and 1 row were taken; 0 outcomes and 0 rows were there "
        "already", "b: 0 outcomes with 0 bytes of files and 1 row were taken; 0 outcomes and 1 row "
        "were there already"]
    result = run("merge", "a", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "schema": 1, "path": str(sites / "store"), "dry_run": False, "stores": [
            {"path": "a", "outcomes": 0, "outcomes_there": 1, "rows": 0, "rows_there": 1,
             "bytes": 0, "linked_bytes": 0, "damaged": [], "busy": []}]}


def test_what_is_left_out_is_told_in_a_line_each(run, sites):
    database = sqlite3.connect(sites / "a" / "store.sqlite")
    with database:
        database.execute("UPDATE outcomes SET spec = 'x'")
    database.close()
    with Store(sites / "b") as store:
        store.commit("bb", {"stage": "x"}, _outcome(), store.workspace("bb"))
    with Store(sites / "store") as store:
        lock = store.lock("bb")
        result = run("merge", "a", "b")
        lock.release()
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "montgomery: 1 damaged entry of a was left out, such as outcome aa: its entry in the "
        "database is not what was stored; 'montgomery store check --store a' lists what is damaged",
        "montgomery: 1 outcome of b was left out, since another process computes the same; the "
        "same command takes what is still missing at its end"]
    assert result.stdout.count("\n") == 2


@pytest.mark.parametrize(("version", "message"), [
    ("1", "A store to merge must be of version 2, but b is of version 1; 'montgomery store prune "
          "--store b' makes it one of version 2"),
    ("3", "A store must be of version 2 or before, but b/store.sqlite is of version 3; use the "
          "version of this program that made it, or leave it out")])
def test_other_versions_are_refused_before_anything_is_taken(run, sites, version, message):
    with Store(sites / "b") as store, store.database.write() as database:
        for table in ("rows", "tools", "outcomes"):
            # Schema 1 had neither checksums nor pruned outcomes.
            database.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
        database.execute("DROP TABLE pruned")
        database.execute("UPDATE meta SET value = ?", (version,))
    assert_refused(run("merge", "a", "b"), message)
    assert not (sites / "store").exists()


def test_foreign_folder_and_itself(run, sites):
    (sites / "folder").mkdir()
    assert_refused(run("merge", "a", "folder"), "must be a folder that 'montgomery sweep' made, "
                                                "and folder is none; name the folder")
    assert_refused(run("merge", "a", "a", "--store", "b"), "a and a are one store; name it once")
    assert_refused(run("merge", "a", "--store", "a"), "a and a are one store; name it once")
    assert_refused(run("merge", "none"), "'none' does not exist")
    assert_refused(run("merge"), "merge needs STORE")
    assert not (sites / "store").exists()
