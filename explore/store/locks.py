"""Locks that the system releases when their holder ends, even if it is killed."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from .folder import StoreError

__all__ = ["FolderLock", "KeyLock"]

#: Time limit in seconds for waiting while another process repairs a store.
_PATIENCE_S = 60
_POLL_S = 0.05
#: Number of attempts to lock a file that other processes remove meanwhile.
_ATTEMPTS = 1000
_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def _flock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock a file and return True, or return False if another process holds the lock."""
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK):
            return False
        raise
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
    again. So two processes never hold the lock at once, and only killed processes leave files.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path, self._descriptor = path, descriptor

    @classmethod
    def acquire(cls, path: Path) -> KeyLock | None:
        """Return the lock, or None if another process holds it.

        A symbolic link in the place of the file is removed, and not followed.

        Raises
        ------
        StoreError
            If the file is another one in each of many attempts.
        """
        for _ in range(_ATTEMPTS):
            descriptor = _opened(path)
            if descriptor is None:
                continue
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
        raise StoreError(f"{path} cannot be locked, since it is another file each time; name "
                         "another store with --store")

    @classmethod
    def is_held(cls, path: Path) -> bool:
        """Return whether any process holds the lock; change nothing."""
        try:
            descriptor = os.open(path, os.O_RDONLY | _OPEN)
        except OSError:
            return False
        try:
            return not _flock(descriptor, shared=True)
        finally:
            _close(descriptor)

    def release(self) -> None:
        """Release the lock; do nothing if it is already released."""
        if self._descriptor < 0:
            return
        descriptor, self._descriptor = self._descriptor, -1
        try:
            if _is_at(self._path, descriptor):
                with contextlib.suppress(OSError):
                    self._path.unlink()
        finally:
            _close(descriptor)


def _opened(path: Path) -> int | None:
    """Open the file of a lock, or make it; return None if the caller must try again."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _OPEN, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            path.unlink(missing_ok=True)
            return None
        if error.errno not in (errno.EACCES, errno.EPERM):
            raise
        # The file of another user can be locked if it can be read.
        try:
            descriptor = os.open(path, os.O_RDONLY | _OPEN)
        except FileNotFoundError:
            if not os.access(path.parent, os.W_OK):
                raise error from None
            return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        path.unlink(missing_ok=True)
        return None
    return descriptor


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


class FolderLock:
    """A shared lock on a store that is in use, so that no process replaces its database.

    It locks the folder itself, and therefore leaves no file. It has no effect in network file
    systems in which folders cannot be locked.

    Raises
    ------
    StoreError
        If another process has held the store alone for a minute.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._descriptor = path, -1
        with contextlib.suppress(OSError, ImportError):
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        self._share()

    def _share(self) -> None:
        if self._descriptor < 0:
            return
        end = time.monotonic() + _PATIENCE_S
        with contextlib.suppress(OSError, ImportError):
            while not _flock(self._descriptor, shared=True):
                if time.monotonic() > end:
                    self.release()
                    raise StoreError(f"The store in {self._path} is being repaired or pruned by "
                                     "another process; wait for its end, or name another store "
                                     "with --store")
                time.sleep(_POLL_S)

    @contextlib.contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Hold the store alone, without other processes.

        Parameters
        ----------
        what : str
            Beginning of the message of an error.

        Raises
        ------
        StoreError
            If another process has the store open.
        """
        try:
            alone = self._descriptor < 0 or _flock(self._descriptor)
        except OSError:
            alone = True
        try:
            if not alone:
                raise StoreError(f"{what} while no other process uses the store, but one uses "
                                 f"{self._path}; wait for its end")
            yield
        finally:
            self._share()

    def release(self) -> None:
        if self._descriptor >= 0:
            _close(self._descriptor)
            self._descriptor = -1
