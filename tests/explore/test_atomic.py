import os
import stat
from pathlib import Path

import pytest

from explore.atomic import NotReplaceable, atomic_write


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


def test_file_appears_whole(tmp_path):
    path = tmp_path / "rows.jsonl"
    with atomic_write(path) as partial:
        partial.write_text("first")
        assert not path.exists()
        assert partial.parent == tmp_path
    assert [each.name for each in tmp_path.iterdir()] == ["rows.jsonl"]
    assert path.read_text() == "first"


def test_nothing_changes_if_it_fails(tmp_path):
    path = tmp_path / "file"
    for before in ([], ["file"]):
        with pytest.raises(TypeError):
            write(path, 1)
        assert [each.name for each in tmp_path.iterdir()] == before
        write(path, "before")
    assert path.read_text() == "before"


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


def test_symbolic_link_is_refused(tmp_path):
    victim, link = tmp_path / "victim", tmp_path / "link"
    for contents in (None, "precious"):
        if contents:
            victim.write_text(contents)
        else:
            link.symlink_to(victim)
        with pytest.raises(NotReplaceable, match=r"must be a regular file, but .*/link is a "
                                                 r"symbolic link to .*/victim; name that"):
            write(link, "other")
    assert victim.read_text() == "precious"
    assert link.is_symlink()


def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for path, what in ((tmp_path / "folder", "a folder"), (tmp_path / "pipe", "a device, pipe"),
                       (Path("/dev/null"), "a device, pipe")):
        with pytest.raises(NotReplaceable, match=f"{path} is {what}"):
            write(path, "")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "pipe"]
