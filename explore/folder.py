"""The one folder that this program writes in."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["StoreError", "check", "default_path", "mark"]

_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# Store of the montgomery explorer. Deleting this folder loses measurements, nothing else.
# See https://bford.info/cachedir/
"""


class StoreError(ValueError):
    """A folder that cannot be used as a store."""


def default_path() -> Path:
    """Return the folder of ``MONTGOMERY_STORE``, or else one among the user's caches."""
    if path := os.environ.get("MONTGOMERY_STORE"):
        return Path(path)
    import platformdirs

    return Path(platformdirs.user_cache_dir("montgomery", appauthor=False))


def check(path: Path) -> bool:
    """Return whether a folder is this program's; without touching it.

    Raises
    ------
    StoreError
        If it holds what this program did not make, or is no folder.
    """
    try:
        if (path / "CACHEDIR.TAG").read_text(errors="replace") == _TAG:
            return True
    except OSError:
        pass
    try:
        foreign = [entry.name for entry in path.iterdir()
                   if not entry.name.startswith(".CACHEDIR.TAG.")]
    except FileNotFoundError:
        return False
    except (NotADirectoryError, PermissionError) as error:
        raise _unusable(path, error) from None
    if foreign:
        raise StoreError(f"A store must be empty or made by this program, but {path} "
                         f"holds {min(foreign)}; name another folder with --store")
    return False


def mark(path: Path) -> None:
    """Make a folder, if need be, and mark it as this program's, if it is empty.

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
        with tempfile.NamedTemporaryFile("w", dir=path, prefix=".CACHEDIR.TAG.",
                                         delete=False) as file:
            file.write(_TAG)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise _unusable(path, error) from None
    os.replace(file.name, path / "CACHEDIR.TAG")


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"A store must be a folder that can be written, not {path} "
                      f"({error.strerror}); name another one with --store")
