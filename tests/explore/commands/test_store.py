"""The command ``montgomery store``, and stores of which some rows are damaged."""

import contextlib
import datetime
import json
import os
import sqlite3

import pytest
from console import assert_refused
from measurements import row, rows

from explore.outcome import Failure, Outcome, Retry, Status
from explore.store import SCHEMA, Store
from explore.store.artefacts import digest

pytestmark = pytest.mark.usefixtures("sketched")

NOW = datetime.datetime.now(datetime.UTC)


def commit(store, key, stage="synth", days=0, failed=False, names=()):
    workspace = store.workspace(key)
    for name in names:
        (workspace / name).write_text(f"{key} {name}".ljust(1000))
    failure = Failure(status=Status.NO_FIT, message="no", retry=Retry.NEVER) if failed else None
    store.commit(key, {"stage": stage}, Outcome(
        failure=failure, date=(NOW - datetime.timedelta(days=days)).isoformat(),
        files={name: digest(f"{key} {name}".ljust(1000)) for name in names}), workspace)


@pytest.fixture
def filled(store):
    """A store of which no process works."""
    commit(store, "old", days=100, names=["netlist.json.gz", "core.json.gz"])
    commit(store, "new", names=["netlist.json.gz", "core.json.gz"])
    commit(store, "placed", stage="place", days=1, names=["report.json.gz"])
    commit(store, "failed", stage="place", days=2, failed=True)
    store.remember_rows({"a": {"x": 1}, "b": {"x": 2}})
    store.remember_tool("yosys", "1")
    store.close()
    return store.path


def known(path):
    with Store(path) as store:
        return {key for key in ("old", "new", "placed", "failed") if store.outcome(key)}


def test_info(run, filled):
    text = run("store", "info").stdout
    assert text.startswith(f"{filled}, version {SCHEMA}\n")
    assert "artefacts  5.0 kB in 5 files\nrows       2\noutcomes   4\n" in text
    assert "  place      no_fit             1\n" in text
    document = json.loads(run("store", "info", "--json").stdout)
    assert document["artefacts_bytes"] == 5000
    assert document["database_bytes"] == (filled / "store.sqlite").stat().st_size
    assert document["outcomes"] == [
        {"stage": "place", "status": "no_fit", "count": 1},
        {"stage": "place", "status": "ok", "count": 1},
        {"stage": "synth", "status": "ok", "count": 2}]
    assert (document["rows"], document["version"], document["pruned"]) == (2, SCHEMA, 0)
    assert document["newest"] == NOW.isoformat()
    assert document["oldest"] == (NOW - datetime.timedelta(days=100)).isoformat()


def test_check_of_a_whole_store(run, filled):
    result = run("store", "check")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"montgomery: nothing in {filled} is damaged\n"
    assert json.loads(run("store", "check", "--json").stdout)["ok"]


def garble(path):
    path.write_text("garbled")


@pytest.mark.parametrize(("damage", "reason"), [
    (garble, "is not the file that was stored"), (os.unlink, "is missing"),
    (lambda path: (path.unlink(), path.mkdir()), "is missing"),
    (lambda path: (path.unlink(), path.symlink_to("/etc/passwd")), "is missing")])
def test_check_of_files(run, filled, damage, reason):
    path = Store(filled).files("new") / "netlist.json.gz"
    damage(path)
    result = run("store", "check")
    assert result.exit_code == 1
    assert result.stdout == f"outcome new: {path} {reason}\n"
    assert f"1 thing is damaged in {filled}; a sweep makes again what it needs" in result.stderr


def test_check_of_entries(run, filled):
    with Store(filled) as store, store.database.write() as database:
        database.execute("UPDATE rows SET row = '{}' WHERE identity = 'a'")
        database.execute("UPDATE outcomes SET key = '../../x' WHERE key = 'old'")
        database.execute("UPDATE tools SET version = '2'")
    result = run("store", "check", "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert [each["table"] for each in document["damaged"]] == ["outcomes", "rows", "tools"]
    with Store(filled) as store:
        assert [*store.rows().values()] == [{"x": 2}]


def test_check_of_the_database(run, filled):
    data = (filled / "store.sqlite").read_bytes()
    (filled / "store.sqlite").write_bytes(b"garbled!" + data[8:])
    assert_refused(run("table"), "cannot be read (file is not a database); delete it, or name")
    result = run("store", "check")
    assert (result.exit_code, result.stdout[:10]) == (1, "database: ")
    (filled / "store.sqlite").unlink()
    # What of the files no outcome names any more, can go.
    assert_refused(run("store", "prune"), "No measurements in")
    with Store(filled):
        pass
    assert json.loads(run("store", "prune", "--json").stdout)["unnamed"] == 3


def test_prune_leftovers(run, filled):
    with Store(filled) as store:
        left, used = store.workspace("killed"), store.workspace("used")
        (left / "file").write_text("x" * 500)
        (store.path / "locks").mkdir()
        (store.path / "locks" / "killed").touch()
        unnamed = store.files("unnamed")
        unnamed.mkdir(parents=True)
        (unnamed / "file").write_text("x" * 300)
        lock = store.lock("used")
        for dry in (["--dry-run"], []):
            document = json.loads(run("store", "prune", "--json", *dry).stdout)
            assert document == {"schema": 1, "bytes": 800, "busy": ["used"], "leftovers": 1,
                                "unnamed": 1, "outcomes": 0, "files": 0}
            assert left.exists() == unnamed.exists() == bool(dry)
        assert used.exists()
        lock.release()
        assert "left" not in run("store", "prune").stderr
        assert not used.exists()
    assert known(filled) == {"old", "new", "placed", "failed"}
    assert run("store", "check").exit_code == 0


@pytest.mark.parametrize(("options", "gone"), [
    (["--older-than", "30"], {"old"}), (["--older-than", "1.5"], {"old", "failed"}),
    (["--failed"], {"failed"}), (["--failed", "--older-than", "50"], {"old", "failed"}),
    (["--older-than", "0"], {"old", "new", "placed", "failed"}), ([], set())])
def test_prune_outcomes(run, filled, options, gone):
    dry = json.loads(run("store", "prune", "--json", "--dry-run", *options).stdout)
    assert known(filled) == {"old", "new", "placed", "failed"}
    done = json.loads(run("store", "prune", "--json", *options).stdout)
    assert dry["outcomes"] == done["outcomes"] == len(gone)
    assert done["bytes"] >= dry["bytes"] >= 2000 * ("old" in gone)
    assert known(filled) == {"old", "new", "placed", "failed"} - gone
    assert not any(Store(filled).files(key).exists() for key in gone)
    with Store(filled) as store:
        assert len(store.rows()) == 2
    assert run("store", "check").exit_code == 0


def test_prune_artefacts(run, filled):
    assert "5 large" not in run("store", "prune", "--artefacts", "--dry-run").stdout
    result = run("store", "prune", "--artefacts")
    assert result.stdout == "       2 large files of other outcomes\n2.0 kB were freed\n"
    with Store(filled) as store:
        assert [path.name for path in store.files("new").iterdir()] == ["core.json.gz"]
        assert store.outcome("placed") is not None
    assert run("store", "check").exit_code == 0
    assert "outcomes   4, 2 without their large files" in run("store", "info").stdout
    assert run("store", "prune", "--artefacts").stdout == "0 bytes were freed\n"
    # What is computed again is whole.
    with Store(filled) as store:
        commit(store, "new", names=["netlist.json.gz", "core.json.gz"])
        (store.files("new") / "netlist.json.gz").unlink()
    assert "netlist.json.gz is missing" in run("store", "check").stdout


def test_prune_leaves_what_another_process_computes(run, filled):
    with Store(filled) as store:
        lock = store.lock("old")
        document = json.loads(run("store", "prune", "--older-than", "1.5", "--json").stdout)
        assert (document["outcomes"], document["busy"]) == (1, ["old"])
        assert store.outcome("old") is not None
        assert store.outcome("failed") is None
        lock.release()


def test_prune_follows_no_link(run, filled, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").touch()
    Store(filled).files("xyz").parent.mkdir()
    for path in (Store(filled).files("xyz"), Store(filled).files("xyz").with_name(".xyz.1"),
                 filled / "artefacts" / "zz"):
        path.symlink_to(victim)
    assert run("store", "prune").exit_code == 0
    assert (victim / "file").exists()
    assert list(Store(filled).files("xyz").parent.iterdir()) == []


@pytest.fixture
def measured(store):
    """A store with rows of two cores, one of which is in no file any more."""
    store.remember_rows({str(index): each for index, each in enumerate(
        [row("t_hw", width, target, seed, params={"digit": digit, "fast": digit == 8})
         for width in (32, 64) for target in ("ecp5-85k", "no-such-device") for seed in (1, 2)
         for digit in (4, 8)] + rows() + [row("toy", 32, params={"word_width": 8})])})
    commit(store, "new", names=["netlist.json.gz"])
    store.remember_tool("yosys", "1")
    store.close()
    return store.path


def contents(path):
    """Return all that a store holds, the rows apart."""
    with Store(path).open(create=False, writable=False) as opened:
        return [*opened.rows().values()], [opened.database.read(f"SELECT * FROM {table}")
                               for table in ("outcomes", "tools")]


@pytest.mark.parametrize(("names", "gone"), [
    ("t_hw", 16), ("t_hw,beta", 34), ("multiplier", len(rows()) + 17)])
def test_rows_of_cores_are_forgotten(run, measured, names, gone):
    """Even of devices that there are no more; their outcomes stay."""
    before, others = contents(measured)
    for dry in (["--dry-run"], []):
        document = json.loads(run("store", "prune", "-a", names, *dry, "--json").stdout)
        assert (document["rows"], document["removed"]) == (gone, not dry)
        left, outcomes = contents(measured)
        assert outcomes == others
        assert len(left) == len(before) - (0 if dry else gone)
    assert not {*names.split(",")} & {row[name] for row in left for name in ("arch", "kind")}
    assert run("store", "check").exit_code == 0


def test_rows_that_are_forgotten_are_in_no_table(run, measured):
    assert run("store", "prune", "-a", "t_hw").stdout == (
        "  t_hw: 16 rows\n16 rows removed\n0 bytes were freed\n")
    table = run("table", "--format", "csv").stdout
    assert "alpha" in table
    assert "t_hw" not in table
    assert_refused(run("table", "-a", "t_hw"), "Unknown measured architecture 't_hw'")


READING = ("table", "plot lut_width --format svg --output out", "recommend --bits 64 --json",
           "report --format markdown --output out", "compare store store", "store info --json",
           "store prune -a alpha --dry-run", "doctor")


def damage(path):
    """Change a figure of one row."""
    with contextlib.closing(sqlite3.connect(path / "store.sqlite")) as database, database:
        changed = database.execute("UPDATE rows SET row = replace(row, '\"lut\": ', '\"lut\": 1') "
                                   "WHERE rowid IN (SELECT rowid FROM rows LIMIT 1)")
        assert changed.rowcount == 1


@pytest.mark.parametrize("command", READING)
def test_each_command_says_it(run, store, command):
    made = rows()
    store.remember_rows({f"identity {index}": each for index, each in enumerate(made)})
    store.close()
    whole = run(*command.split())
    damage(store.path)
    found = run(*command.split())
    assert found.exit_code == whole.exit_code
    place = "store" if "compare" in command else store.path
    said = f"note: 1 of {len(made)} rows of the store {place} are damaged"
    assert found.stderr.count(said) == (2 if "compare" in command else 1)
    assert said not in found.stdout
    if "--json" in command:
        json.loads(found.stdout)


def test_a_sweep_mends_it(run, fakes, tmp_path):
    words = ("sweep", "-a", "toy", "-n", "8", "-t", "ice40-hx8k", "--seeds", "2")
    assert run(*words).exit_code == 0
    damage(tmp_path / "store")
    found = run(*words, "--json")
    assert found.exit_code == 0
    assert len(json.loads(found.stdout)["rows"]) == 2
    assert "note: " not in run("table", "--from", "store").stderr
