"""Where commands write: places are checked first, files appear whole, others stay."""

import ctypes
import json
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner
from console import assert_refused
from measurements import rows

from explore.atomic import NotReplaceable, atomic_write, check_file, check_folder
from explore.cli import cli
from explore.data.frame import read, save
from explore.store import Store

pytestmark = pytest.mark.usefixtures("sketched")

CORE = ("-a", "toy", "-n", "8")
#: A command that takes a file, and those that take a folder. None of them has anything to work on.
FILE = ("board", "run", "--port", "nowhere", "sign", "rows.jsonl", "--key", "rows.jsonl")
FOLDERS = [("plot",), ("report",), ("export", *CORE), ("sweep", *CORE),
           ("board", "build", "icebreaker", *CORE)]


@pytest.fixture
def never(run, saved, monkeypatch):
    """Return a function that runs a command, which must not come so far as to do anything."""
    for name in ("_rows.rows_of", "_rows.rows_beside", "sweep.run", "export.write_files",
                 "board.Builder", "board.Client"):
        monkeypatch.setattr(f"explore.commands.{name}", None)
    return run


def test_files_that_cannot_be_written(never, tmp_path):
    os.mkfifo("pipe")
    os.symlink("rows.jsonl", "link")
    before = (tmp_path / "rows.jsonl").read_bytes()
    for output, message in (("no/file", "needs the folder no, which does not exist"),
                            ("/dev/null", "is a device, pipe or socket"),
                            ("pipe", "is a device, pipe or socket"),
                            ("link", "is a symbolic link to rows.jsonl"),
                            ("-", "must name a place, not '-'"),
                            ("", "must name a place, not ''"),
                            ("rows.jsonl/file", "needs a folder, but rows.jsonl is none"),
                            (".", "but . is a folder")):
        assert_refused(never(*FILE, "--output", output), message)
    assert (tmp_path / "rows.jsonl").read_bytes() == before


@pytest.mark.parametrize("command", FOLDERS, ids=" ".join)
def test_folders_that_cannot_be_written(never, command):
    for output, message in (("rows.jsonl/folder", "but rows.jsonl is a file"),
                            ("/proc/nope", "since /proc takes no new files"),
                            ("", "must name a place, not ''"), ("rows.jsonl", "is a file")):
        assert_refused(never(*command, "--output", output), message)


def test_places_that_can_be_written(tmp_path):
    file = tmp_path / "file"
    check_file(file)
    check_folder(tmp_path / "new" / "folder")
    assert list(tmp_path.iterdir()) == []
    file.write_text("as it was")
    check_file(file)
    assert file.read_text() == "as it was"


def test_rows_of_other_points_are_not_dropped(run, fakes, tmp_path):
    path = tmp_path / "kept" / "rows.jsonl"
    path.parent.mkdir()
    save(rows(), path)
    before = path.read_bytes()
    sweep = ("sweep", *CORE, "-t", "ice40-hx8k", "--seeds", "2", "--output", "kept")
    for more in ((), ("--dry-run",)):
        assert_refused(run(*sweep, *more), f"holds {len(rows())} rows of other points, which this "
                       "sweep would drop; name another folder with --output, or delete their lines")
        assert path.read_bytes() == before
    path.unlink()
    # The same again drops none, and fewer seeds one.
    for _ in range(2):
        assert run(*sweep).exit_code == 0
        assert [row["seed"] for row in read(path)] == [1, 2]
    assert_refused(run(*sweep, "--seeds", "1"), "holds 1 rows of other points")


_CAP_DAC_OVERRIDE = 1
_CAPABILITY_VERSION_3 = 0x20080522


def _obey_permissions():
    """Have the system apply the modes of files to this process, which may be root's."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    # Effective, permitted and inheritable, of the capabilities to 31 and of the others.
    sets = (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "capget")
    for index in range(3):
        sets[index] &= ~(1 << _CAP_DAC_OVERRIDE)
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")


@pytest.fixture
def unwritable(tmp_path):
    """Return a function that runs a command in another process, on a store of which nothing can be
    written, and returns its exit status and what it said on stderr."""
    path = tmp_path / "store"
    with Store(path) as store:
        store.remember_rows({str(index): row for index, row in enumerate(rows())})
    modes = {each: each.stat().st_mode for each in (path, *path.rglob("*"))}
    for each, mode in modes.items():
        each.chmod(mode & ~0o222)

    def run(*arguments):
        reader, writer = os.pipe()
        process = os.fork()
        if not process:
            try:
                os.chdir(tmp_path)
                _obey_permissions()
                assert not os.access(path, os.W_OK)
                result = CliRunner().invoke(cli, arguments, env={"MONTGOMERY_STORE": "store"})
                os.write(writer, json.dumps([result.exit_code, result.stderr]).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as file:
            said = file.read()
        os.waitpid(process, 0)
        assert {each: each.stat().st_mode for each in (path, *path.rglob("*"))} == {
            each: mode & ~0o222 for each, mode in modes.items()}
        return json.loads(said)

    yield run
    for each, mode in modes.items():
        each.chmod(mode)


@pytest.mark.parametrize("command", [
    "table", "recommend --bits 64", "store info", "sweep -a toy -n 8 -t ice40-hx8k",
    "sweep -a toy -n 8 -t ice40-hx8k --dry-run", "verify -a toy -n 8", "store prune",
    "store prune -a alpha", "board build icebreaker -a toy -n 8",
    "board simulate -a toy -n 8"])
def test_a_store_must_be_writable(unwritable, command):
    status, said = unwritable(*command.split())
    assert status == 2
    assert said.endswith("make it and its folder writable, or copy the folder and name the copy "
                         "with --store\n")
    assert said.count("\n") == 1


@pytest.fixture
def umask():
    """Return a function that sets the umask for one test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def write(path, text):
    with atomic_write(path) as partial:
        partial.write_text(text)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_appears_whole_or_stays_as_it_was(tmp_path):
    path = tmp_path / "file"
    with atomic_write(path) as partial:
        partial.write_text("first")
        assert not path.exists()
        assert partial.parent == tmp_path
    with pytest.raises(TypeError):
        write(path, 1)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "first"


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o002, 0o664), (0o077, 0o600)])
def test_new_file_follows_the_umask(tmp_path, umask, mask, expected):
    umask(mask)
    write(tmp_path / "file", "")
    assert mode(tmp_path / "file") == expected


@pytest.mark.parametrize("before", [0o600, 0o664, 0o755, 0o444])
def test_replaced_file_keeps_its_permissions(tmp_path, umask, before):
    path = tmp_path / "file"
    path.write_text("before")
    path.chmod(before)
    with atomic_write(path) as partial:
        # Never more than before, and the owner can write in any case.
        assert mode(partial) == before | 0o600
        partial.write_text("after")
    assert (mode(path), path.read_text()) == (before, "after")


def test_what_is_no_file_is_refused(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "link").symlink_to(victim)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for path, what in ((tmp_path / "link", f"a symbolic link to {victim}; name that"),
                       (tmp_path / "dangling", "a symbolic link to"),
                       (tmp_path / "folder", "a folder"), (tmp_path / "pipe", "a device, pipe"),
                       (Path("/dev/null"), "a device, pipe")):
        with pytest.raises(NotReplaceable, match=f"{path} is {what}"):
            write(path, "other")
    assert victim.read_text() == "precious"
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "dangling", "folder", "link", "pipe", "victim"]
