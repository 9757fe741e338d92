"""The folder of a store, the only one that this program writes to unasked."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path

from ..atomic import NotReplaceable, atomic_write

__all__ = ["DATABASE", "StoreError", "check", "default_path", "is_real", "mark", "remove",
           "subfolder"]

#: Name of the database in a store.
DATABASE = "store.sqlite"

_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# Store of the montgomery explorer. Deleting this folder loses measurements, nothing else.
# See https://bford.info/cachedir/
"""
_TAG_NAME = "CACHEDIR.TAG"


class StoreError(ValueError):
    """A folder that cannot be used as a store."""


def default_path() -> Path:
    """Return the folder that ``MONTGOMERY_STORE`` names, or else one in the user's cache."""
    if path := os.environ.get("MONTGOMERY_STORE"):
        return Path(path)
    import platformdirs

    return Path(platformdirs.user_cache_dir("montgomery", appauthor=False))


def check(path: Path) -> bool:
    """Return whether a folder is a store, without touching it.

    Raises
    ------
    StoreError
        If it holds what this program did not make, or is no folder.
    """
    try:
        if (path / _TAG_NAME).read_text(errors="replace") == _TAG:
            return True
    except OSError:
        pass
    try:
        entries = [entry.name for entry in path.iterdir()
                   if not entry.name.startswith(f".{_TAG_NAME}.")]
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _unusable(path, error) from None
    if DATABASE in entries:
        # Somebody removed the tag, so that backups have the folder. The database tells whose it is.
        return True
    if entries:
        raise StoreError(f"{path} is not a montgomery store (it contains {min(entries)}); name "
                         "another folder with --store")
    return False


def mark(path: Path) -> None:
    """Make a folder, if need be, and mark it as a store, if it is empty.

    Raises
    ------
    StoreError
        If it holds what this program did not make, or cannot be made.
    """
    if check(path):
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: a folder that is half marked would be refused for ever.
        with atomic_write(path / _TAG_NAME) as partial:
            partial.write_text(_TAG)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise _unusable(path, error) from None
    except NotReplaceable as error:
        raise StoreError(str(error)) from None


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"A store must be a folder that can be written, not {path} "
                      f"({error.strerror}); name another one with --store")


def subfolder(root: Path, *names: str) -> Path:
    """Return a folder in a store, made if need be; none on the way to it is a symbolic link.

    Raises
    ------
    StoreError
        If something else is in the place of one of them.
    """
    path = root
    for name in names:
        path /= name
        with contextlib.suppress(FileExistsError):
            path.mkdir()
        # What another process just removed, because it was empty, is no reason to complain here.
        if path.is_symlink() or (os.path.lexists(path) and not path.is_dir()):
            raise StoreError(f"{path} must be a folder of the store, and no symbolic link; move "
                             "it elsewhere, or name another store with --store")
    return path


def is_real(path: Path) -> bool:
    """Return whether there is a regular file; a symbolic link is none."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def remove(path: Path) -> None:
    """Remove a file, or a folder with its contents, as far as possible; follow no link."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
