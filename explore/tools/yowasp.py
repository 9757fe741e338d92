"""Whether a YoWASP package has compiled itself, as it does when it first runs on a machine.

It takes about a minute, and the machine code is kept in a folder of the user's.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ToolMissing
from ..store.folder import user_cache

if TYPE_CHECKING:
    from .find import Tool

__all__ = ["check_cache", "is_compiled"]


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


def check_cache(tool: Tool) -> None:
    """Refuse to compile a tool, which takes long, if its machine code cannot be kept.

    Raises
    ------
    ToolMissing
        If the folder cannot be written.
    """
    folder = _cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ToolMissing(
            f"{tool.name} compiles itself when it first runs, but {folder} cannot be written "
            f"({error.strerror}); set HOME or XDG_CACHE_HOME to a folder that can") from None


def _cache() -> Path:
    # The package asks for the home even if it is not used.
    usual = user_cache("YoWASP")
    return Path(os.environ.get("YOWASP_CACHE_DIR") or usual)
