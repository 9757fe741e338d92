"""Where commands write: checked before they work, and nothing else is overwritten."""

import os

import pytest
from click.testing import CliRunner
from console import assert_refused
from measurements import rows

from explore.atomic import NotReplaceable, check_file, check_folder
from explore.cli import cli
from explore.data.frame import read, save

CORE = ("-a", "toy", "-n", "8")
#: Commands that take a file, and those that take a folder. None of them has anything to work on.
FILES = [("board", "run", "--port", "nowhere", "sign", "rows.jsonl", "--key", "rows.jsonl")]
FOLDERS = [("plot",), ("report",), ("export", *CORE), ("sweep", *CORE),
           ("board", "build", "icebreaker", *CORE)]


@pytest.fixture
def never(run, saved, monkeypatch):
    """Return a function that runs a command, which must not come so far as to do anything."""
    for name in ("_rows.rows_of", "_rows.rows_beside", "sweep.run", "export.write_files",
                 "board.Builder", "board_run.Client"):
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
