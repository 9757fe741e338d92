"""The files that a core reads while it is imported, made or modelled, beside its modules.

Their names and contents are facts of an outcome, which counts for as long as they are the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..fingerprint import SourcesChanged, files
from ..store.artefacts import digest

__all__ = ["READS", "are_unchanged", "files_read", "watch"]

#: Name of the fact.
READS = "reads"
#: From each file that was read to its hash at that time, and the files of the code that read it.
_read: dict[str, tuple[str, set[str]]] = {}


def watch() -> None:
    """Have this process take note of the files that it reads from now on."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not isinstance(arguments[0], str | bytes | os.PathLike):
        return
    _, mode, flags = arguments
    path = os.path.abspath(os.fsdecode(arguments[0]))
    writes = flags & (os.O_WRONLY | os.O_RDWR) or set(mode or "") & {*"wxa+"}
    if writes or path.endswith((".py", ".pyc")):
        return
    frame, callers = sys._getframe(1), set()
    while frame is not None:
        callers.add(frame.f_code.co_filename)
        frame = frame.f_back
    # Not while this very function reads.
    if __file__ not in callers and (found := _digest(path)):
        _read[path] = found, callers | _read.get(path, ("", set()))[1]


def _digest(path: str) -> str | None:
    try:
        return digest(Path(path).read_bytes()) if os.path.isfile(path) else None
    except OSError:
        return None


def files_read(modules: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return what modules and those that they import have read, as a fact; none if nothing.

    Raises
    ------
    SourcesChanged
        If a file has changed since.
    """
    own = files(*modules).keys() if _read else set()
    packages = {*map(_package, own)}
    # What is not there any more was written by the core itself. A library that is imported for a
    # core reads files of its own, which lie elsewhere on every machine.
    found = {path: known for path, (known, callers) in _read.items()
             if own & callers and os.path.isfile(path) and _package(path) in {"", *packages}}
    if changed := [path for path, known in found.items() if _digest(path) != known]:
        raise SourcesChanged(changed)
    return {READS: found} if found else {}


def _package(path: str) -> str:
    """Return the folder of the installed package to which a file belongs; empty for other files."""
    folder, installed, name = path.partition(f"{os.sep}site-packages{os.sep}")
    return f"{folder}{installed}{name.partition(os.sep)[0]}" if installed else ""


def are_unchanged(facts: Mapping[str, Any]) -> bool:
    """Return whether all files that an outcome with these facts depends on are as they were."""
    return all(_digest(path) == known for path, known in facts.get(READS, {}).items())
