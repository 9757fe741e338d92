"""The command ``montgomery merge``."""

import json
import sqlite3

import pytest
from console import assert_refused
from measurements import row

from explore.board.selftest import hardware_row, identity_of
from explore.outcome import Outcome
from explore.pipeline.run import plan
from explore.pipeline.run import run as measure
from explore.pipeline.stage import hash_of
from explore.pipeline.stages import stages
from explore.points.expand import expand
from explore.points.point import Point
from explore.store import Store
from explore.store.tables import checksum


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
        store.remember_rows(_named(row()))
        _commit(store, {"stage": "x"})
    with Store(tmp_path / "b") as store:
        store.remember_rows(_named(row(), row(seed=2)))
    return tmp_path


def _named(*rows):
    """Return rows by the identities that they had when they were measured."""
    return {Point(arch=each["arch"], kind=each["kind"], target=each["target"],
                  params=(*each["params"].items(), ("width", each["width"])),
                  options=(*each["options"].items(),)).identity(each["seed"]): each
            for each in rows}


def _commit(store, spec, key=None):
    """Store an outcome, under its own key if None, and return the key."""
    key = key or hash_of(spec)
    store.commit(key, spec, Outcome(date="2026-01-02T03:04:05+00:00"), store.workspace(key))
    return key


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
             "bytes": 0, "linked_bytes": 0, "damaged": [], "refused": [], "busy": []}]}


def test_what_is_left_out_is_told_in_a_line_each(run, sites):
    database = sqlite3.connect(sites / "a" / "store.sqlite")
    with database:
        database.execute("UPDATE outcomes SET spec = 'x'")
    database.close()
    with Store(sites / "b") as store:
        key = _commit(store, {"stage": "y"})
    with Store(sites / "store") as store:
        lock = store.lock(key)
        result = run("merge", "a", "b")
        lock.release()
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"montgomery: 1 damaged entry of a was left out, such as outcome "
        f"{hash_of({'stage': 'x'})}: its entry in the database is not what was stored; "
        "'montgomery store check --store a' lists what is damaged",
        "montgomery: 1 outcome of b was left out, since another process computes the same; the "
        "same command takes what is still missing at its end"]
    assert result.stdout.count("\n") == 2


def _moved(database, table, column):
    """Swap the keys of two entries of a table, with checksums that fit."""
    (first, *one), (second, *two) = database.execute(f"SELECT * FROM {table} LIMIT 2").fetchall()
    database.execute(f"DELETE FROM {table} WHERE {column} IN (?, ?)", (first, second))
    for entry in ([first, *two[:-1]], [second, *one[:-1]]):
        marks = ", ".join("?" * (len(entry) + 1))
        database.execute(f"INSERT INTO {table} VALUES ({marks})", (*entry, checksum(*entry)))


@pytest.mark.parametrize(("table", "column", "what"), [
    ("outcomes", "key", "its key is not the hash of its specification"),
    ("rows", "identity", "its identity is not that of its point and seed")])
def test_what_lies_under_another_key_is_refused(run, fakes, tmp_path, table, column, what):
    points = expand(["toy"], [8], {}, ["ice40-hx8k"])
    with Store(tmp_path / "a") as store:
        measure(dict.fromkeys(points, 2), store=store)
        with store.database.write() as database:
            _moved(database, table, column)
    result = run("merge", "a", "--store", "all")
    assert result.exit_code == 1
    line, = result.stderr.splitlines()
    assert line.startswith("montgomery: 2 entries of a were refused, such as ")
    assert line.endswith(f": {what}; a sweep measures again what is missing")
    with Store(tmp_path / "all") as store:
        assert len(store.rows()) == (0 if table == "rows" else 2)


@pytest.mark.parametrize("spec", [
    {"stage": "place", "a": 1}, {"stage": "unknown"}, {"stage": ["place"]}, {}])
def test_a_key_is_of_all_that_a_specification_says(run, sites, spec):
    with Store(sites / "b") as store:
        _commit(store, spec)
    assert run("merge", "b").exit_code == 0
    with Store(sites / "b") as store:
        _commit(store, spec | {"b": 2}, hash_of(spec | {"b": 3}))
    assert run("merge", "b").exit_code == 1


@pytest.mark.parametrize("changes", [
    {"seed": 2}, {"width": 65}, {"arch": "beta"}, {"params": {"style": "fancy"}},
    {"target": "ecp5-25k"}, {"target": "unknown"}, {"options": {"weight": 11}}, {"kind": "hash"},
    {"kind": "no kind"}, {"params": [1]}, {"status": "on_board"}, {"seed": None}])
def test_a_row_of_another_point_is_refused(run, sites, changes):
    identity, = _named(row(width=32))
    with Store(sites / "b") as store:
        store.remember_rows({identity: row(width=32) | changes})
    result = run("merge", "b")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert f"1 entry of b was refused, such as row {identity}: its identity" in result.stderr


def test_rows_of_boards_and_of_earlier_versions_are_taken(run, sites):
    on_board = hardware_row({"arch": "alpha", "kind": "multiplier", "width": 8, "params": {},
                             "board": "ulx3s", "clock_hz": 1e8, "cycles_compute": 9, "seed": 0,
                             "vectors": 1})
    # Parameters and options of today did not exist when it was measured.
    earlier = row("toy", 8, params={}) | {"options": {}}
    with Store(sites / "b") as store:
        store.remember_rows({identity_of(on_board): on_board, **_named(earlier)})
    assert run("merge", "b").exit_code == 0
    with Store(sites / "store") as store:
        assert len(store.rows()) == 4


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
