"""Keeps figures, which are drawn again only after a change of rows, program or files."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
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
    place = hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()
    note, source = memory / f"{place[:32]}.json", _source(rows)
    try:
        names, noted = json.loads(note.read_text(encoding="utf-8"))
        paths = [folder / name for name in names]
        if noted == [source, signature(paths)]:
            return paths
    except (OSError, ValueError, TypeError):
        pass
    paths = draw()
    memory.mkdir(parents=True, exist_ok=True)
    with atomic_write(note) as partial:
        partial.write_text(json.dumps([[path.name for path in paths],
                                       [source, signature(paths)]]), encoding="utf-8")
    return paths


def _source(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a hash of the rows, the program and the libraries."""
    libraries = [importlib.metadata.version(name) for name in _LIBRARIES]
    program = [signature(files_below(folder)) for folder in _PROJECT]
    whole_source = [[seal(row) for row in rows], libraries, program, platform.python_version()]
    return hashlib.sha256(json.dumps(whole_source).encode()).hexdigest()
