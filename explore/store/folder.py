"""The folder of a store, which is the only folder that this program writes to unasked."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path
from typing import IO

from ..atomic import NotReplaceable, atomic_write
from ..errors import used_up

__all__ = ["DATABASE", "KeyLock", "StoreError", "check", "default_path", "is_plain", "is_real",
           "mark", "remove", "subfolder", "user_cache"]


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
    return user_cache("montgomery", ", or name a folder with --store or MONTGOMERY_STORE")


def user_cache(name: str, instead: str = "") -> Path:
    """Return the folder of a program in the user's cache.

    A user without a home is told what else can be done, which is ``instead``.
    """
    import platformdirs

    try:
        return Path(platformdirs.user_cache_dir(name, appauthor=False))
    except RuntimeError:
        raise StoreError(f"The cache of {name} needs a folder, but this user has no home; set HOME "
                         f"or XDG_CACHE_HOME to a folder that can be written{instead}") from None


def check(path: Path) -> bool:
    """Return whether a folder is a store; one that holds other files is a :exc:`StoreError`."""
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
        # The user may remove the tag, so that backups include the folder. The database decides.
        return True
    if entries:
        raise StoreError(f"{path} is not a montgomery store (it contains {min(entries)}); name "
                         "another folder with --store")
    return False


def mark(path: Path) -> None:
    """Mark a folder as a store; make it if there is none."""
    if check(path):
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
        # Atomically, since a folder with an incomplete tag would be refused for ever.
        with atomic_write(path / _TAG_NAME) as partial:
            partial.write_text(_TAG)
    except OSError as error:
        if used_up(error.errno, ""):
            raise
        raise _unusable(path, error) from None
    except NotReplaceable as error:
        raise StoreError(str(error)) from None


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"A store must be a folder that can be written, not {path} "
                      f"({error.strerror}); name another one with --store or MONTGOMERY_STORE")


def subfolder(root: Path, *names: str) -> Path:
    """Return a folder in a store, and make it and its parents if they do not exist."""
    path = root.joinpath(*names)
    path.mkdir(parents=True, exist_ok=True)
    return path


def is_plain(name: str) -> bool:
    """Return whether a name can be that of a file in a folder, and does not lead elsewhere."""
    return isinstance(name, str) and name not in ("", ".", "..") and not {"/", "\0"} & {*name}


def is_real(path: Path) -> bool:
    """Return whether ``path`` is a regular file, and not a symbolic link."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def remove(path: Path) -> None:
    """Remove a file, or a folder with its contents. Ignore errors, and follow no link."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


class KeyLock:
    """An exclusive lock, whose file exists only while it is held.

    Only the holder removes the file, before it unlocks it. A process that opened the file before
    that and locks it afterwards finds that the path no longer leads to the locked file, and tries
    again. So two processes never hold the lock at once. The file that a killed process leaves can
    be locked.
    """

    def __init__(self, path: Path, file: IO) -> None:
        self._path, self._file = path, file

    @classmethod
    def acquire(cls, path: Path) -> KeyLock | None:
        """Return the lock, or None if it is already held."""
        import fcntl

        while True:
            file = path.open("a")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                return None
            if _is_at(path, file):
                return cls(path, file)
            file.close()

    def release(self) -> None:
        """Release the lock; do nothing if it is already released."""
        import fcntl

        if not self._file.closed:
            if _is_at(self._path, self._file):
                self._path.unlink(missing_ok=True)
            # A forked child process may still have the file open, so closing it does not unlock it.
            fcntl.flock(self._file, fcntl.LOCK_UN)
            self._file.close()


def _is_at(path: Path, file: IO) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
