import contextlib
import errno
import os
import sqlite3
from pathlib import Path

import pytest

from explore.artefacts import digest
from explore.folder import StoreError, default_path
from explore.outcome import Failure, Outcome, Retry, StageFailed, Status
from explore.store import SCHEMA, Store, disk_full
from explore.tools import DiskFull

ROOT = Path(__file__).parents[2]
SPEC = {"stage": "place"}


def commit(store, key, text="file", **facts):
    workspace = store.workspace(key)
    files = {}
    if text is not None:
        (workspace / "file").write_text(text)
        files = {"file": digest(text)}
    outcome = Outcome(facts=facts, files=files, date="2026-01-02T03:04:05+00:00")
    store.commit(key, SPEC, outcome, workspace)
    return outcome


@pytest.fixture
def umask():
    """Return a function that sets the umask for one test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


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


def test_failed_outcome(store):
    failure = Failure(status=Status.TIMEOUT, message="a", retry=Retry.LONGER, limit_s=1.5)
    outcome = Outcome(failure=failure, seconds=1.5, versions={"yosys": "1"})
    store.commit("abc", SPEC, outcome, store.workspace("abc"))
    assert store.outcome("abc") == outcome


def test_outcome_without_files(store):
    committed = commit(store, "abc", text=None)
    assert store.outcome("abc") == committed
    assert not store.files("abc").exists()


def test_outcome_whose_files_are_gone(store):
    committed = commit(store, "abc")
    (store.files("abc") / "file").unlink()
    assert store.outcome("abc") is None
    assert store.outcome("abc", needed=["other"]) == committed
    assert store.outcome("abc", needed=["file"]) is None


@pytest.mark.parametrize("make", [
    lambda path: path.mkdir(), lambda path: path.symlink_to("/etc/passwd"), os.mkfifo])
def test_what_is_no_regular_file_is_no_file(store, make):
    commit(store, "abc")
    path = store.files("abc") / "file"
    path.unlink()
    make(path)
    assert store.outcome("abc") is None
    commit(store, "abc", "second")
    assert path.read_text() == "second"


@pytest.mark.parametrize("statement", [
    "UPDATE outcomes SET outcome = replace(outcome, '1.5', '2.5')",
    "UPDATE outcomes SET spec = replace(spec, 'place', 'synth')",
    "UPDATE outcomes SET checksum = ''", "UPDATE outcomes SET outcome = x'00ff'",
    "UPDATE outcomes SET outcome = CAST(x'00ff' AS TEXT)", "UPDATE outcomes SET spec = 1",
    "UPDATE outcomes SET outcome = ''"])
def test_damaged_outcome_is_unknown(store, statement):
    commit(store, "abc", fmax_mhz=1.5)
    execute(store, statement)
    assert store.outcome("abc") is None
    committed = commit(store, "abc", fmax_mhz=1.5)
    assert store.outcome("abc") == committed


def test_outcome_under_another_key_is_unknown(store):
    commit(store, "abc")
    execute(store, "UPDATE outcomes SET key = 'abd'")
    os.rename(store.files("abc"), store.files("abd"))
    assert store.outcome("abd") is None


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
        assert sorted(row["x"] for row in again.rows()) == [2, 3]
        assert again.tool_version("yosys at /bin") == "Yosys 1"
        assert again.tool_version("yosys at /usr") is None


def test_marked_as_cache(store):
    tag = (store.path / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_workspace_left_by_another_is_removed(store):
    left = store.workspace("abc")
    assert store.workspace("abc") != left
    assert not left.exists()


def test_lock_is_exclusive(store):
    with Store(store.path) as other:
        lock = store.lock("abc")
        assert other.lock("abc") is None
        other.lock("abd").release()
        lock.release()
        other.lock("abc").release()


def test_nothing_is_made_before_it_is_opened(tmp_path):
    store = Store(tmp_path / "store")
    assert not store.exists
    assert not store.path.exists()
    with pytest.raises(StoreError, match=r"No measurements in .*; 'montgomery sweep' makes some"):
        store.open(create=False)
    assert not store.path.exists()


def test_foreign_folder(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match=r"must be empty or made by this program, but .* holds "
                                         r"thesis\.tex; name another"):
        Store(tmp_path).open()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_foreign_cache(tmp_path):
    (tmp_path / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n# Cargo\n")
    with pytest.raises(StoreError, match=r"holds CACHEDIR\.TAG"):
        Store(tmp_path).open()


def test_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "store"):
        with pytest.raises(StoreError, match="must be a folder that can be written"):
            Store(path).open()


def test_other_version(store):
    with contextlib.closing(sqlite3.connect(store.path / "store.sqlite")) as database, database:
        database.execute("UPDATE meta SET value = 'future' WHERE name = 'schema'")
    with pytest.raises(StoreError, match=rf"must be of version {SCHEMA}, but .* is of version "
                                         r"future; delete the folder, or name another"):
        Store(store.path).open()


def test_rubbish_in_place_of_the_database(store):
    store.close()
    for path in store.path.glob("store.sqlite*"):
        path.write_bytes(b"rubbish" * 1000)
    with pytest.raises(StoreError, match="cannot be read"):
        Store(store.path).open()


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


@pytest.mark.parametrize("error", [PermissionError(errno.EACCES, "no"),
                                   sqlite3.OperationalError("no such table")])
def test_other_errors_are_not_a_full_disk(tmp_path, error):
    with pytest.raises(type(error)), disk_full(tmp_path):
        raise error


def test_default_path(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path().name == "montgomery"
    monkeypatch.setenv("MONTGOMERY_STORE", str(tmp_path / "elsewhere"))
    assert Store().path == tmp_path / "elsewhere"
