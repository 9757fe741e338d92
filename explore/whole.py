"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

__all__ = ["whole"]


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a path beside ``path`` to write to, which takes its place when all went well.

    Whatever goes wrong, a file that was there before stays as it was, and nothing else remains.
    """
    partial = path.with_name(f".{path.name}.part")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
