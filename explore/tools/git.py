"""Reads revisions of a git repository."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from ..errors import ToolMissing

__all__ = ["GitError", "files_of", "revision"]


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


def _top() -> str:
    """Return the folder of the repository that the working directory is in."""
    return _git("rev-parse", "--show-toplevel").decode().strip()


def revision(name: str) -> str | None:
    """Return the hash of the commit that a name stands for; None if there is no such commit.

    Raises
    ------
    ToolMissing
        If there is no git.
    """
    if not name or name.startswith("-"):
        return None
    try:
        found = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except GitError:
        return None
    return found.decode().strip()


def files_of(commit: str, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the contents of each file of a commit at or below a path.

    Raises
    ------
    GitError, ToolMissing
        If they cannot be read.
    """
    top = _top()
    for entry in _git("ls-tree", "-r", "-z", commit, "--", path, folder=top).split(b"\0"):
        facts, _, name = entry.decode().partition("\t")
        if name and facts.split()[1] == "blob":
            yield name, _git("cat-file", "blob", facts.split()[2], folder=top)
