"""Measurements by any name: a store, a file, a folder of results, or a revision of git."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ToolMissing
from ..lookup import UnknownName
from .frame import load
from .rows import ResultsError, rows_path

if TYPE_CHECKING:
    import pandas

__all__ = ["GitError", "files_of", "load_named", "revision"]


#: The folder of a revision that counts if none is named.
_RESULTS = "results"


def load_named(name: str) -> pandas.DataFrame:
    """Return the measurements that a name stands for, as :func:`explore.data.frame.load` does.

    It is the path of a store, of a file of rows, or of a folder with files ``rows.jsonl``, or
    ``program`` for the rows that come with the program. If there is no such path, it is
    ``REVISION`` or ``REVISION:PATH`` of the git repository of the working directory, where PATH, a
    file or a folder, is ``results`` unless it is given.
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


class GitError(ValueError):
    """A revision that cannot be read; the message is one line."""


def _git(*arguments: str, folder: str | None = None) -> bytes:
    program = shutil.which("git")
    if program is None:
        raise ToolMissing("git is missing; install it, or name files instead of revisions")
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise GitError(said[-1] if said else f"git {arguments[0]} failed")
    return done.stdout


def revision(name: str) -> str | None:
    """Return the hash of the commit that a name stands for; None if there is no such commit."""
    if not name or name.startswith("-"):
        return None
    try:
        found = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except GitError:
        return None
    return found.decode().strip()


def files_of(commit: str, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the contents of each file of a commit at or below a path."""
    top = _git("rev-parse", "--show-toplevel").decode().strip()
    for entry in _git("ls-tree", "-r", "-z", commit, "--", path, folder=top).split(b"\0"):
        facts, _, name = entry.decode().partition("\t")
        if name and facts.split()[1] == "blob":
            yield name, _git("cat-file", "blob", facts.split()[2], folder=top)
