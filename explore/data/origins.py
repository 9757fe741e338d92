"""Measurements by any name: a store, a file, a folder of results, or a revision of git."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..lookup import UnknownName
from ..tools.git import files_of, revision
from .frame import load
from .rows import ResultsError, rows_path

if TYPE_CHECKING:
    import pandas

__all__ = ["load_named"]

#: The folder of a revision that counts if none is named.
_RESULTS = "results"


def load_named(name: str) -> pandas.DataFrame:
    """Return the measurements that a name stands for, as :func:`explore.data.frame.load` does.

    Parameters
    ----------
    name : str
        The path of a store, of a file of rows, or of a folder with files ``rows.jsonl``, or
        ``program`` for the rows that come with the program. If there is no such path:
        ``REVISION`` or ``REVISION:PATH`` of the git repository of the working directory, where
        PATH, a file or a folder, is ``results`` unless it is given.

    Raises
    ------
    UnknownName
        If there is nothing of that name.
    StoreError, ResultsError, ToolMissing
        If it cannot be read.
    """
    if rows_path(name).exists():
        return load(rows_path(name))
    start, _, path = name.partition(":")
    commit = revision(start)
    if commit is None:
        raise UnknownName(f"'{name}' is neither a file or folder nor a revision of git here; name "
                          "a store, results, or REVISION:PATH")
    with tempfile.TemporaryDirectory(prefix="montgomery-revision-") as folder:
        count = 0
        for file, contents in files_of(commit, path or _RESULTS):
            if Path(file).name == "rows.jsonl" or file == path:
                # Files that do not end in rows.jsonl were named.
                place = Path(folder, str(count), "rows.jsonl")
                place.parent.mkdir()
                place.write_bytes(contents)
                count += 1
        if not count:
            raise ResultsError(f"Revision {start} holds no rows.jsonl in {path or _RESULTS}; name "
                               "another place as REVISION:PATH")
        return load(folder)
