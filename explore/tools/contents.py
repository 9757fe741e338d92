"""Hashes of the files of a tool, and quick signatures that show changes of them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

__all__ = ["files_below", "hash_files", "signature"]


def files_below(folder: Path) -> list[Path]:
    """Return the files of a package in a fixed order, except those that Python makes."""
    return sorted(Path(root, name) for root, _, names in os.walk(folder, followlinks=True)
                  for name in names if not name.endswith(".pyc"))


def hash_files(files: Iterable[Path], folder: Path) -> str:
    """Return a hash of the contents of files, and of their names relative to ``folder``."""
    whole = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            contents = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.relative_to(folder).as_posix()}\0{contents}\n".encode())
    return whole.hexdigest()


def signature(files: Iterable[Path]) -> str:
    """Return a text that changes when a file changes, without reading the files."""
    signs = hashlib.sha256()
    for path in files:
        found = os.stat(path)
        signs.update(repr((str(path), found.st_size, found.st_mtime_ns, found.st_ctime_ns,
                           found.st_dev, found.st_ino, stat.S_IMODE(found.st_mode))).encode())
    return signs.hexdigest()
