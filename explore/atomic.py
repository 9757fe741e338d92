"""Writes files atomically, and checks paths before they are written."""

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
    """A path that :func:`atomic_write` cannot or must not replace."""


@contextlib.contextmanager
def atomic_write(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield a temporary path in the same folder; the file there replaces ``path`` at the end.

    After an exception, ``path`` is unchanged, and the temporary file is removed. If several
    processes write the same file at once, all succeed, and the last one determines its contents.

    A new file has the permissions that ``open()`` would give it; a replaced file keeps its own. If
    ``private``, either is for its owner alone. A symbolic link is refused, since replacing it would
    not change the file that it names, and following it could overwrite a file that the user did not
    name.

    Raises
    ------
    NotReplaceable
        If ``path`` exists and is not a regular file.
    OSError
        If the file cannot be written. Its ``filename`` is ``path``.
    """
    replaced = _mode(path)
    mode = _READ_WRITE if private else replaced
    # The name is random: two writers never share it, and nobody can plant a link of this name.
    partial = path.with_name(f".{path.name[:50]}.{secrets.token_hex(8)}.part")
    with _named(path):
        descriptor = os.open(partial, _NEW, 0o666)
    try:
        try:
            if mode is not None:
                # Before writing, so that the contents of a private file are never public.
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
    """Refuse, before the work is done, a path to which :func:`atomic_write` could not write.

    Raises
    ------
    NotReplaceable
        If the folder of the file does not exist or cannot be written to, or if ``path`` exists and
        is not a regular file.
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
    """Refuse, before the work is done, a folder that cannot be made or written to.

    Raises
    ------
    NotReplaceable
        If the folder cannot be made or written to, or if ``path`` is not a folder.
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
    """Return the permissions of the file to be replaced; None if there is no file."""
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
    """Make errors name ``path`` rather than the temporary file."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
