"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["NotReplaceable", "atomic_write", "check_file", "check_folder"]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_READ_WRITE = stat.S_IRUSR | stat.S_IWUSR


class NotReplaceable(ValueError):
    """Something that is no regular file is in the place of a file that is to be written."""


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a path beside ``path`` to write to, which takes its place when all went well.

    Whatever goes wrong, a file that was there before stays as it was, and nothing else remains. Any
    number of processes may write the same file at once: each succeeds, and the last one wins.

    A new file has the permissions that ``open()`` would give it; a file that is replaced keeps its
    own. A symbolic link is refused: to replace the link would quietly leave the file that it names
    as it was, and to follow it could overwrite a file that nobody named.

    Raises
    ------
    NotReplaceable
        If anything but a regular file is in its place.
    OSError
        If it cannot be written, with ``path`` as its ``filename``.
    """
    mode = _mode(path)
    # Unguessable, and new: two writers never share it, and no planted link has its name.
    partial = path.with_name(f".{path.name[:50]}.{secrets.token_hex(8)}.part")
    with _named(path):
        descriptor = os.open(partial, _NEW, 0o666)
    try:
        try:
            if mode is not None:
                # At once, so that the contents of a private file are not public meanwhile.
                _change_mode(descriptor, mode | _READ_WRITE)
        finally:
            os.close(descriptor)
        yield partial
        if mode is not None and mode != mode | _READ_WRITE:
            _change_mode(partial, mode)
        with _named(path):
            os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def check_file(path: Path) -> None:
    """Refuse a path to which :func:`atomic_write` could not write: before the work, not after it.

    Raises
    ------
    NotReplaceable
        If the folder of the file does not exist or cannot be written to, or something that is no
        regular file has the name.
    """
    _mode(path)
    if not path.parent.is_dir():
        if os.path.lexists(path.parent):
            raise NotReplaceable(f"Output {path} needs a folder, but {path.parent} is none; name "
                                 "another file")
        raise NotReplaceable(f"Output {path} needs the folder {path.parent}, which does not exist; "
                             "make it, or name another file")
    _probe(path.parent, path)


def check_folder(path: Path) -> None:
    """Refuse a folder that cannot be made or written to: before the work, not after it.

    Raises
    ------
    NotReplaceable
        If so, or if there is something else of that name.
    """
    for folder in (path, *path.parents):
        if os.path.lexists(folder):
            if not folder.is_dir():
                what = "a file" if folder.is_file() else "no folder"
                raise NotReplaceable(f"Output must be a folder, but {folder} is {what}; name "
                                     "another")
            return _probe(folder, path)


def _probe(folder: Path, path: Path) -> None:
    try:
        with tempfile.TemporaryDirectory(prefix=".", dir=folder):
            pass
    except OSError as error:
        raise NotReplaceable(f"Output {path} cannot be written, since {folder} takes no new files "
                             f"({error.strerror}); name another") from None


def _mode(path: Path) -> int | None:
    """Return the permissions of the file that is to be replaced, or None if there is none."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(mode):
        raise NotReplaceable(f"Output must be a regular file, but {path} is a symbolic link to "
                             f"{os.readlink(path)}; name that file itself, or remove the link")
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a device, pipe or socket"
        raise NotReplaceable(f"Output must be a regular file, but {path} is {what}; name another")
    return mode & 0o777


def _change_mode(file: int | Path, mode: int) -> None:
    # Some file systems have no permissions.
    with contextlib.suppress(OSError, NotImplementedError):
        os.chmod(file, mode)


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Have errors name the file that was asked for, rather than the one beside it."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
