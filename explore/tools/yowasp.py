"""Whether a YoWASP package has compiled itself, as it does when it first runs on a machine.

It takes about a minute, and the machine code is kept in a folder of the user's.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .find import Tool

__all__ = ["is_compiled"]


def is_compiled(tool: Tool) -> bool:
    """Return whether the machine code of a tool exists; a program always has it.

    The code may belong to an older runtime; then the package compiles itself again.
    """
    if tool.folder is None:
        return True
    name = f"{tool.name}.wasm"
    try:
        with (tool.folder / name).open("rb") as file:
            digest = hashlib.file_digest(file, "sha1").hexdigest()
    except OSError:
        # It is for the run of the tool to say what is wrong with it.
        return True
    return (_cache() / tool.folder.name / name / digest).is_file()


def _cache() -> Path:
    if path := os.environ.get("YOWASP_CACHE_DIR"):
        return Path(path)
    import platformdirs

    return Path(platformdirs.user_cache_dir("YoWASP", appauthor=False))
