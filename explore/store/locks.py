"""Locks that the system releases when their holder ends, even if it is killed."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["KeyLock"]


def _flock(descriptor: int) -> bool:
    """Lock a file and return True, or return False if another process holds the lock."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _close(descriptor: int) -> None:
    import fcntl

    # A forked child process may still have the file open, so closing it does not unlock it.
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


class KeyLock:
    """An exclusive lock, whose file exists only while it is held.

    Only the holder removes the file, before it unlocks it. A process that opened the file before
    that and locks it afterwards finds that the path no longer leads to the locked file, and tries
    again. So two processes never hold the lock at once. The file that a killed process leaves can
    be locked.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path, self._descriptor = path, descriptor

    @classmethod
    def acquire(cls, path: Path) -> KeyLock | None:
        """Return the lock, or None if it is already held."""
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                if not _flock(descriptor):
                    os.close(descriptor)
                    return None
                if _is_at(path, descriptor):
                    return cls(path, descriptor)
            except BaseException:
                _close(descriptor)
                raise
            _close(descriptor)

    def release(self) -> None:
        """Release the lock; do nothing if it is already released."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            if _is_at(self._path, descriptor):
                self._path.unlink(missing_ok=True)
            _close(descriptor)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
