"""Finding a C++ compiler."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from ..errors import ToolMissing, going_on
from ..outcome import StageFailed
from .processes import Processes
from .run import CONSOLE, read_log, run_tool

__all__ = ["ADVICE", "Compiler", "find_compiler"]

#: What to say where there is none.
ADVICE = ("no C++ compiler was found, so cores are simulated by Amaranth's own simulator, which "
          "takes some hundred times as long; install g++ or clang, or run 'pip install ziglang'")

_ASK_S = 120
_ZIGLANG = ("-m", "ziglang", "c++")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Compiler:
    """A compiler that runs.

    Attributes
    ----------
    command : tuple of str
        The command, to which arguments in the style of g++ are appended.
    version : str
        The first line that it prints about its version.
    """

    command: tuple[str, ...]
    version: str

    @functools.cached_property
    def identity(self) -> str:
        """A hash of the compiler and its options, the same wherever the same is installed.

        It covers the executable file or the version of the package, the options in CXX, and the
        version that the compiler prints.
        """
        if self.command[1:3] == _ZIGLANG[:2]:
            what = f"ziglang {importlib.metadata.version('ziglang')}"
        else:
            with open(self.command[0], "rb") as file:
                what = hashlib.file_digest(file, "sha256").hexdigest()
        whole = [what, *self.command[1:], self.version]
        return hashlib.sha256("\0".join(whole).encode()).hexdigest()


def find_compiler() -> Compiler | None:
    """Return the compiler that CXX names, else g++, clang++ or that of the ziglang package.

    None if there is no compiler, or if CXX is set but empty, which asks for none.

    Raises
    ------
    ToolMissing
        If CXX names a program that does not run as a compiler.
    """
    named = os.environ.get("CXX")
    if named is None:
        return _usual(os.environ.get("PATH", ""))
    command = shlex.split(named)
    if not command:
        return None
    path = shutil.which(command[0])
    if path is None:
        raise ToolMissing(f"CXX names {command[0]!r}, which is not an executable; correct it, or "
                          "unset it to have a compiler found")
    try:
        return _asked((path, *command[1:]))
    except (OSError, StageFailed) as error:
        raise ToolMissing(f"CXX names {named!r}, which does not run as a compiler "
                          f"({_reason(error)}); correct it, or unset it") from None


@functools.cache
def _usual(search_path: str) -> Compiler | None:
    """Return the first of the usual compilers that is found on ``search_path``."""
    candidates = [(path,) for name in ("g++", "clang++")
                  if (path := shutil.which(name, path=search_path))]
    if importlib.util.find_spec("ziglang"):
        candidates.append((sys.executable, *_ZIGLANG))
    for command in candidates:
        try:
            return _asked(command)
        except (OSError, StageFailed):
            continue
    return None


@functools.cache
def _asked(command: tuple[str, ...]) -> Compiler:
    with (going_on(f"{command[0]} cannot be run"),
          tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as path):
        # It is gone in a moment: a supervisor would take longer to start.
        run_tool("it", [*command, "--version"], Path(path), Processes(), _ASK_S)
        said = read_log(Path(path, CONSOLE)).decode(errors="replace")
    if not said.strip():
        raise StageFailed("it says no version")
    return Compiler(command=command, version=said.strip().splitlines()[0])


def _reason(error: Exception) -> str:
    """Return the last line that a compiler printed, or else how it ended."""
    said = error.failure.log if isinstance(error, StageFailed) else ""
    return said.rpartition("\n")[2] or str(error)
