import contextlib
import errno
import os
import re
import sqlite3
from pathlib import Path

import pytest
from measurements import row

from explore.errors import DiskFull
from explore.outcome import Outcome, StageFailed, Status
from explore.store import SCHEMA, Store
from explore.store.artefacts import digest
from explore.store.database import explained
from explore.store.folder import StoreError

SPEC = {"stage": "place"}
DATE = "2026-01-02T03:04:05+00:00"


def commit(store, key, text="file", *, seconds=0.0, failed=False, **facts):
    workspace = store.workspace(key)
    files = {}
    if text is not None:
        (workspace / "file").write_text(text)
        files = {"file": digest(text)}
    failure = StageFailed("no").failure if failed else None
    outcome = Outcome(failure=failure, facts=facts, files=files, seconds=seconds, date=DATE)
    store.commit(key, SPEC, outcome, workspace)
    return outcome


def execute(store, *statements):
    """Change the database behind the back of the store."""
    with contextlib.closing(sqlite3.connect(store.path / "store.sqlite")) as database, database:
        for statement in statements:
            database.execute(statement)


# Outcomes


def test_outcome_and_files(store):
    assert store.outcome("abc") is None
    committed = commit(store, "abc", fmax_mhz=1.5)
    assert store.outcome("abc") == committed
    assert (store.files("abc") / "file").read_text() == "file"
    assert list(store.files("abc").parent.iterdir()) == [store.files("abc")]


def test_commit_replaces(store):
    commit(store, "abc", "first")
    commit(store, "abc", "second", again=True)
    assert store.outcome("abc").facts["again"]
    assert (store.files("abc") / "file").read_text() == "second"


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
    workspace = store.workspace("abc")
    for name in ("kept", "other"):
        (workspace / name).write_text("text")
    (workspace / "folder").mkdir()
    (workspace / "folder" / "file").touch()
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


def test_forget(store):
    commit(store, "abc")
    commit(store, "abd")
    store.forget("abc")
    store.forget("unknown")
    assert store.outcome("abc") is None
    assert not store.files("abc").exists()
    assert store.outcome("abd") is not None


def test_reopened(store):
    commit(store, "abc")
    store.remember_rows({"a": {"x": 1}, "b": {"x": 2}})
    store.remember_rows({"a": {"x": 3}})
    store.remember_tool("yosys at /bin", "Yosys 1")
    with Store(store.path) as again:
        assert again.outcome("abc").status == Status.OK
        assert sorted(row["x"] for row in again.rows().values()) == [2, 3]
        assert again.tool_version("yosys at /bin") == "Yosys 1"
        assert again.tool_version("yosys at /usr") is None


def test_workspace_left_by_another_is_removed(store):
    left = store.workspace("abc")
    assert store.workspace("abc") != left
    assert not left.exists()


def test_nothing_is_made_before_it_is_opened(tmp_path):
    store = Store(tmp_path / "store")
    assert not store.exists
    assert not store.path.exists()
    with pytest.raises(StoreError, match=r"No measurements in .*; 'montgomery sweep' makes some"):
        store.open(create=False)
    assert not store.path.exists()


def test_foreign_folder(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match=r"is not a montgomery store \(it contains "
                                         r"thesis\.tex\); name another"):
        Store(tmp_path).open()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "store"):
        with pytest.raises(StoreError, match="must be a folder that can be written"):
            Store(path).open()


def test_disk_full_while_files_are_stored(store, monkeypatch):
    def replace(*_paths):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", replace)
        with pytest.raises(DiskFull, match=r"Disk is full: cannot write in .*store; free some"):
            commit(store, "abc")
    assert store.outcome("abc") is None
    assert not store.files("abc").exists()
    commit(store, "abc")
    assert (store.files("abc") / "file").exists()


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOENT, errno.ENOTDIR])
def test_folder_that_cannot_be_made(tmp_path, monkeypatch, number):
    def mkdir(path, *_, **__):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr("pathlib.Path.mkdir", mkdir)
    with pytest.raises(StoreError, match=rf"not .*new \({os.strerror(number)}\); name another"):
        Store(tmp_path / "new").open()


# Versions


@pytest.mark.parametrize("writable", [True, False])
def test_other_version(store, writable):
    commit(store, "abc")
    execute(store, f"PRAGMA user_version = {SCHEMA + 1}")
    store.close()
    with pytest.raises(StoreError) as caught:
        store.open(writable=writable)
    assert str(caught.value) == (
        f"{store.path}/store.sqlite is of another version of this program; delete it, or name "
        "another store with --store: a sweep reads the rows in its folder of --output as well")
    (store.path / "store.sqlite").unlink()
    with store.open():
        assert not store.rows()
        commit(store, "abc")


# Queries


def test_columns_can_be_queried(store):
    store.remember_rows({"a": row(), "b": row("beta", 128, "ice40-hx8k")})
    commit(store, "abc", seconds=2.5)
    commit(store, "abd", failed=True)
    assert store.database.read("SELECT key, stage, status, seconds, date FROM outcomes") == [
        ("abc", "place", "ok", 2.5, DATE), ("abd", "place", "tool_error", 0.0, DATE)]
    assert store.database.read(
        "SELECT kind, arch, width, target, seed, status FROM rows WHERE width > 100") == [
        ("multiplier", "beta", 128, "ice40-hx8k", 1, "ok")]


# Rows and tools


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


# Reading


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


# Errors of the system


def _error(code, text):
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(("error", "message"), [
    (_error(sqlite3.SQLITE_IOERR | 10 << 8, "disk I/O error"),
     "The disk with .* does not work as it should"),
    (_error(sqlite3.SQLITE_READONLY, "attempt to write a readonly database"),
     "cannot be opened or written .attempt to write"),
    (_error(sqlite3.SQLITE_BUSY, "database is locked"), "is in use by another process for too"),
    (_error(sqlite3.SQLITE_CANTOPEN, "unable to open database file"),
     "cannot be opened .*; make it .* writable, or copy the folder"),
    (_error(sqlite3.SQLITE_CORRUPT, "database disk image is malformed"),
     "cannot be read .*; delete it, or name another store"),
    (sqlite3.DatabaseError("no code"), "cannot be read")])
def test_errors_of_the_database(store, error, message):
    explanation = explained(error, store.path / "store.sqlite")
    assert isinstance(explanation, StoreError)
    assert re.search(message, str(explanation))
    assert str(store.path / "store.sqlite") in str(explanation)
    assert "--store" in str(explanation)


def test_full_disk_of_the_database(store, monkeypatch):
    assert isinstance(explained(_error(sqlite3.SQLITE_FULL, "full"), store.path), DiskFull)
    monkeypatch.setattr("explore.store.database._ROOM_BYTES", 1 << 60)
    assert isinstance(explained(_error(sqlite3.SQLITE_IOERR, "I/O"), store.path), DiskFull)


def test_database_that_another_process_holds(store, monkeypatch):
    monkeypatch.setattr("explore.store.database._PATIENCE_S", 0.2)
    with contextlib.closing(sqlite3.connect(store.path / "store.sqlite",
                                            isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Store(store.path) as again, \
                pytest.raises(StoreError, match="in use by another process for too long"):
            again.remember_tool("yosys", "1")
