"""Where commands write: checked before they work, and nothing else is overwritten."""

import ctypes
import json
import os

import pytest
from click.testing import CliRunner
from console import assert_refused
from measurements import rows

from explore.atomic import NotReplaceable, check_file, check_folder
from explore.cli import cli
from explore.data.frame import read, save
from explore.store import Store

pytestmark = pytest.mark.usefixtures("sketched")

CORE = ("-a", "toy", "-n", "8")
#: Commands that take a file, and those that take a folder. None of them has anything to work on.
FILES = [("board", "run", "--port", "nowhere", "sign", "rows.jsonl", "--key", "rows.jsonl")]
FOLDERS = [("plot",), ("report",), ("export", *CORE), ("sweep", *CORE),
           ("board", "build", "icebreaker", *CORE)]


@pytest.fixture
def never(run, saved, monkeypatch):
    """Return a function that runs a command, which must not come so far as to do anything."""
    for name in ("_rows.rows_of", "_rows.rows_beside", "sweep.run", "export.write_files",
                 "board.Builder", "board.Client"):
        monkeypatch.setattr(f"explore.commands.{name}", None)
    return run


@pytest.mark.parametrize("command", FILES, ids=" ".join)
def test_files_that_cannot_be_written(never, tmp_path, command):
    os.mkfifo("pipe")
    os.symlink("rows.jsonl", "link")
    before = (tmp_path / "rows.jsonl").read_bytes()
    for output, message in (("no/file", "needs the folder no, which does not exist"),
                            ("/dev/null", "is a device, pipe or socket"),
                            ("pipe", "is a device, pipe or socket"),
                            ("link", "is a symbolic link to rows.jsonl"),
                            ("-", "must name a place, not '-'"),
                            ("", "must name a place, not ''"),
                            ("rows.jsonl/file", "needs a folder, but rows.jsonl is none")):
        assert_refused(never(*command, "--output", output), message)
    assert_refused(never(*command, "--output", "."), "but . is a folder")
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
    with pytest.raises(NotReplaceable):
        check_folder(file / "folder")


def test_rows_of_other_points_are_not_dropped(tmp_path, fakes, monkeypatch):
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    output = tmp_path / "kept"
    output.mkdir()
    save(rows(), output / "rows.jsonl")
    before = (output / "rows.jsonl").read_bytes()

    def sweep(*more):
        return CliRunner().invoke(cli, ["sweep", *CORE, "-t", "ice40-hx8k", "--seeds", "2",
                                        "--store", str(tmp_path / "store"), "--output",
                                        str(output), *more])

    for more in ((), ("--dry-run",)):
        assert_refused(sweep(*more), f"holds {len(rows())} rows of other points, which this sweep "
                                     "would drop; name another folder with --output, or drop them "
                                     "with --replace")
        assert (output / "rows.jsonl").read_bytes() == before
    assert sweep("--replace").exit_code == 0
    assert [row["seed"] for row in read(output / "rows.jsonl")] == [1, 2]
    # The same again drops none, and fewer seeds one.
    assert sweep().exit_code == 0
    assert_refused(sweep("--seeds", "1"), "holds 1 rows of other points")


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
    "store prune -a alpha --yes", "board build icebreaker -a toy -n 8",
    "board simulate -a toy -n 8"])
def test_a_store_must_be_writable(unwritable, command):
    status, said = unwritable(*command.split())
    assert status == 2
    assert said.endswith("make it and its folder writable, or copy the folder and name the copy "
                         "with --store\n")
    assert said.count("\n") == 1
