"""Keeps figures, which are drawn again only after a change of rows, program or files."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import platform
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..atomic import atomic_write
from ..data.seal import seal
from ..tools.contents import files_below, signature

__all__ = ["drawn"]

#: Libraries on which the contents of figures depend.
_LIBRARIES = ("matplotlib", "numpy", "pandas")
_PROJECT = Path(__file__).parents[1], Path(importlib.util.find_spec("montgomery").origin).parent


def drawn(rows: Iterable[Mapping[str, Any]], folder: Path, memory: Path,
          draw: Callable[[], list[Path]]) -> list[Path]:
    """Return the files with the figures of rows; draw them unless ``folder`` has them already.

    The folder has them if the last figures there were drawn from the same rows, by the same program
    with the same libraries, and none of the files was removed or changed since.

    Parameters
    ----------
    memory : Path
        Folder with one note per ``folder`` on its last figures. It is made if there is none.
    draw : callable
        Function that writes the files to ``folder`` and returns their paths.

    Raises
    ------
    OSError
        If a note cannot be written.
    """
    place = hashlib.sha256(str(folder.absolute()).encode("utf-8", "surrogateescape")).hexdigest()
    note, source = memory / f"{place[:32]}.json", _source(rows)
    if (kept := _kept(note, source, folder)) is not None:
        return kept
    paths = draw()
    memory.mkdir(parents=True, exist_ok=True)
    with atomic_write(note) as partial:
        partial.write_text(json.dumps({"source": source, "files": {
            path.name: _digest(path) for path in paths}}), encoding="utf-8")
    return paths


def _source(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a hash of the rows, the program and the libraries."""
    libraries = [importlib.metadata.version(name) for name in _LIBRARIES]
    program = [signature(files_below(folder)) for folder in _PROJECT]
    whole_source = [[seal(row) for row in rows], libraries, program, platform.python_version()]
    return hashlib.sha256(json.dumps(whole_source).encode()).hexdigest()


def _kept(note: Path, source: str, folder: Path) -> list[Path] | None:
    """Return the files that a note lists; None unless all are unchanged since their drawing.

    ``source`` is the hash that the note must have.
    """
    try:
        noted = json.loads(note.read_text(encoding="utf-8"))
        if noted["source"] != source:
            return None
        files = {folder / name: digest for name, digest in noted["files"].items()}
        same = all(_digest(path) == digest for path, digest in files.items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return list(files) if same else None


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
