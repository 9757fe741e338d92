"""Takes files of one store into another."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from .artefacts import Damaged, digest

__all__ = ["take_file"]

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def take_file(source: Path, path: Path, stored: str, folder: os.stat_result) -> tuple[int, int]:
    """Make a new file that holds what a stored one does, and check its contents.

    It is a hard link if owner, group and permissions are those of a new file in the folder.

    Parameters
    ----------
    stored : str
        SHA-256 of what the file held when it was stored.
    folder : os.stat_result
        The status of the folder of the new file.

    Returns
    -------
    tuple of int
        Its size, and the part of it that is a hard link.

    Raises
    ------
    Damaged
        If the file is not the one that was stored.
    """
    linked = _link(source, path, folder)
    try:
        # Of a link, since the name may be that of another file by now.
        descriptor = os.open(path if linked else source, _READ)
        with open(descriptor, "rb") as file:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            data = file.read() if regular else b""
    except OSError as error:
        raise Damaged(f"{source} cannot be read ({error.strerror})") from None
    if not regular or digest(data) != stored:
        raise Damaged(f"{source} is not the file that was stored")
    if not linked:
        with path.open("xb") as file:
            file.write(data)
    return len(data), len(data) if linked else 0


def _link(source: Path, path: Path, folder: os.stat_result) -> bool:
    """Make a hard link, if it is as a new file in the folder would be; return whether."""
    with contextlib.suppress(OSError, NotImplementedError):
        status = source.lstat()
        if _owned(status) == _owned(folder) and status.st_dev == folder.st_dev:
            os.link(source, path, follow_symlinks=False)
            return True
    return False


def _owned(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_uid, status.st_gid, status.st_mode & 0o666
