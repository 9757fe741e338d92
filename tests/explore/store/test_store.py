import contextlib
import errno
import os
import re
import sqlite3
from pathlib import Path

import pytest

from explore.errors import DiskFull
from explore.outcome import Outcome, StageFailed
from explore.store import SCHEMA, Store
from explore.store.artefacts import digest
from explore.store.database import explained
from explore.store.folder import StoreError

SPEC = {"stage": "place"}


def commit(store, key, text="file"):
    workspace, files = store.workspace(key), {}
    if text is not None:
        (workspace / "file").write_text(text)
        files = {"file": digest(text)}
    outcome = Outcome(facts={"fmax_mhz": 1.5}, files=files)
    store.commit(key, SPEC, outcome, workspace)
    return outcome


def execute(store, *statements):
    """Change the database behind the back of the store."""
    with contextlib.closing(sqlite3.connect(store.path / "store.sqlite")) as database, database:
        for statement in statements:
            database.execute(statement)


def test_what_is_stored_is_there_when_it_is_opened_again(store):
    committed = commit(store, "abc")
    commit(store, "abd")
    for forgotten in ("abd", "unknown"):
        store.forget(forgotten)
    store.remember_rows({"a": {"x": 1}, "b": {"x": 2}})
    store.remember_rows({"a": {"x": 3}})
    store.remember_tool("yosys at /bin", "Yosys 1")
    with Store(store.path) as again:
        assert (again.outcome("abc"), again.outcome("abd")) == (committed, None)
        assert (again.files("abc") / "file").read_text() == "file"
        assert list(store.files("abc").parent.iterdir()) == [store.files("abc")]
        assert sorted(row["x"] for row in again.rows().values()) == [2, 3]
        assert [again.tool_version(f"yosys at {path}") for path in ("/bin", "/usr")] == [
            "Yosys 1", None]


@pytest.mark.parametrize("make", [
    Path.touch, Path.mkdir, lambda path: path.symlink_to("/etc"),
    lambda path: (path / "folder" / "folder").mkdir(parents=True)])
@pytest.mark.parametrize("text", [None, "text"])
def test_commit_replaces_whatever_is_there(store, make, text):
    store.files("abc").parent.mkdir(parents=True)
    make(store.files("abc"))
    committed = commit(store, "abc", text)
    assert store.outcome("abc") == committed
    assert [path.name for path in store.files("abc").parent.iterdir()] == ["abc"] * bool(text)


def test_commit_keeps_what_the_outcome_names_alone(store):
    left = store.workspace("abc")
    workspace = store.workspace("abc")
    assert not left.exists()
    for name in ("kept", "other", "folder/file"):
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text("text")
    (workspace / "link").symlink_to("/etc")
    store.commit("abc", SPEC, Outcome(files={"kept": digest("text")}), workspace)
    assert [path.name for path in store.files("abc").iterdir()] == ["kept"]
    assert Path("/etc").is_dir()


@pytest.mark.parametrize("name", ["missing", "folder", "link", "../other", "", "."])
def test_commit_needs_the_files_that_the_outcome_names(store, name):
    workspace = store.workspace("abc")
    (workspace / "folder").mkdir()
    (workspace / "link").symlink_to("/etc/passwd")
    (workspace.parent / "other").touch()
    with pytest.raises(StageFailed, match="left no regular file"):
        store.commit("abc", SPEC, Outcome(files={name: "hash"}), workspace)
    store.discard(workspace)
    assert not workspace.exists()
    assert store.outcome("abc") is None


def test_what_cannot_be_a_store_is_left_as_it_is(tmp_path):
    store = Store(tmp_path / "store")
    with pytest.raises(StoreError, match=r"No measurements in .*; 'montgomery sweep' makes some"):
        store.open(create=False)
    assert not store.path.exists()
    (tmp_path / "thesis.tex").write_text("precious")
    for path, message in (
            (tmp_path, r"is not a montgomery store \(it contains thesis\.tex\); name another"),
            (tmp_path / "thesis.tex", "must be a folder that can be written"),
            (tmp_path / "thesis.tex" / "store", "must be a folder that can be written")):
        with pytest.raises(StoreError, match=message):
            Store(path).open()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["precious"]


def test_disk_full_while_files_are_stored(store, monkeypatch):
    def replace(*_paths):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", replace)
        with pytest.raises(DiskFull, match=r"Disk is full: cannot write in .*store; free some"):
            commit(store, "abc")
    assert store.outcome("abc") is None
    commit(store, "abc")
    assert (store.files("abc") / "file").exists()


@pytest.mark.parametrize("writable", [True, False])
def test_other_version(store, writable):
    commit(store, "abc")
    execute(store, f"PRAGMA user_version = {SCHEMA + 1}")
    store.close()
    with pytest.raises(StoreError) as caught:
        store.open(writable=writable)
    assert str(caught.value) == (
        f"{store.path}/store.sqlite is of another version of this program, or of another program; "
        "delete it, or name another store with --store: a sweep reads the rows in its folder of "
        "--output as well")
    (store.path / "store.sqlite").unlink()
    with store.open():
        assert not store.rows()
        commit(store, "abc")


def test_damaged_rows_and_tools_are_left_out(store, caplog):
    store.remember_rows({name: {"x": index} for index, name in enumerate("abcdef")})
    store.remember_tool("yosys", "1")
    execute(store, "UPDATE rows SET row = replace(row, '1', '7') WHERE identity = 'b'",
            "UPDATE rows SET row = x'00' WHERE identity = 'c'",
            "UPDATE rows SET identity = 'z' WHERE identity = 'd'",
            "UPDATE rows SET checksum = 0 WHERE identity = 'e'",
            "UPDATE tools SET version = '\"2\"'")
    assert [row["x"] for row in store.rows().values()] == [0, 5]
    assert caplog.messages == [
        f"4 of 6 rows of the store {store.path} are damaged and left out; 'montgomery store check' "
        "lists them, and a sweep makes them again"]
    assert store.tool_version("yosys") is None
    store.remember_tool("yosys", "2")
    assert store.tool_version("yosys") == "2"


def test_what_is_opened_to_read_is_not_written(store):
    commit(store, "abc")
    with Store(store.path).open(writable=False) as reader:
        assert reader.outcome("abc") is not None
        for write in (lambda: reader.remember_rows({"a": {}}), lambda: reader.forget("abc"),
                      lambda: reader.remember_tool("a", "b")):
            with pytest.raises(StoreError, match="cannot be opened or written"):
                write()
    with pytest.raises(StoreError, match="No measurements"):
        Store(store.path / "none").open(writable=False)


@pytest.mark.parametrize(("code", "message"), [
    (sqlite3.SQLITE_READONLY, "cannot be opened or written .no"),
    (sqlite3.SQLITE_BUSY, "is in use by another process for too"),
    (sqlite3.SQLITE_CANTOPEN, "cannot be opened .*; make it .* writable, or copy the folder"),
    (sqlite3.SQLITE_CORRUPT, "cannot be read .*; delete it, or name another store"),
    (None, "cannot be read"), (sqlite3.SQLITE_FULL, "Disk is full: cannot write in")])
def test_errors_of_the_database(store, code, message):
    error = sqlite3.OperationalError("no")
    if code is not None:
        error.sqlite_errorcode = code
    explanation = explained(error, store.path / "store.sqlite")
    assert re.search(message, str(explanation))
    assert isinstance(explanation, DiskFull if code == sqlite3.SQLITE_FULL else StoreError)
    assert "--store" in str(explanation) or code == sqlite3.SQLITE_FULL


def test_database_that_another_process_holds(store, monkeypatch):
    monkeypatch.setattr("explore.store.database._PATIENCE_S", 0.2)
    with contextlib.closing(sqlite3.connect(store.path / "store.sqlite",
                                            isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Store(store.path) as again, \
                pytest.raises(StoreError, match="in use by another process for too long"):
            again.remember_tool("yosys", "1")
