"""Finding a C++ compiler, and other programs that a variable may name."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ..errors import ToolMissing
from ..outcome import StageFailed

__all__ = ["ADVICE", "Compiler", "find_compiler", "first_line", "named_program"]

#: What to say where there is none.
ADVICE = ("no C++ compiler was found, so cores are simulated by Amaranth's own simulator, which "
          "takes some hundred times as long; install g++ or clang, or run 'pip install ziglang'")

_ASK_S = 120
_ZIGLANG = ("-m", "ziglang", "c++")
_Program = TypeVar("_Program")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Compiler:
    """A compiler that runs: a command, to which arguments in the style of g++ are appended.

    The version is the first line that it prints about it.
    """

    command: tuple[str, ...]
    version: str

    @functools.cached_property
    def identity(self) -> str:
        """A hash of the executable file or of the version of the package, of the options in CXX,
        and of the version that the compiler prints; the same wherever the same is installed.
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
    :exc:`ToolMissing` says that CXX names a program that does not run as a compiler.
    """
    return named_program("CXX", "a compiler", _asked,
                         lambda: _usual(os.environ.get("PATH", "")))


def named_program(variable: str, noun: str, ask: Callable[[tuple[str, ...]], _Program],
                  usual: Callable[[], _Program | None]) -> _Program | None:
    """Return what a variable names, else the usual one; None if the variable is set but empty.

    ``ask`` returns what a command is, or raises :exc:`OSError` or :exc:`StageFailed`.
    """
    named = os.environ.get(variable)
    if named is None:
        return usual()
    command = shlex.split(named)
    if not command:
        return None
    path = shutil.which(command[0])
    if path is None:
        raise ToolMissing(f"{variable} names {command[0]!r}, which is not an executable; correct "
                          f"it, or unset it to have {noun} found")
    try:
        return ask((os.path.abspath(path), *command[1:]))
    except (OSError, StageFailed) as error:
        raise ToolMissing(f"{variable} names {named!r}, which does not run as {noun} ({error}); "
                          "correct it, or unset it") from None


def first_line(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Return the first line that a command prints; StageFailed or OSError say why there is none."""
    try:
        # It is gone in a moment: a supervisor would take longer to start.
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=_ASK_S, text=True, errors="replace",
                              env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired as error:
        raise StageFailed(str(error)) from None
    said = done.stdout.strip().splitlines()
    if done.returncode or not said:
        raise StageFailed(said[-1] if said else f"it ended with status {done.returncode} and says "
                          "nothing")
    return said[0]


@functools.cache
def _usual(search_path: str) -> Compiler | None:
    """Return the first of the usual compilers that is found on ``search_path``."""
    candidates: list[tuple[str, ...]] = [
        (path,) for name in ("g++", "clang++") if (path := shutil.which(name, path=search_path))]
    if importlib.util.find_spec("ziglang"):
        candidates.append((sys.executable, *_ZIGLANG))
    for command in candidates:
        with contextlib.suppress(OSError, StageFailed):
            return _asked(command)
    return None


@functools.cache
def _asked(command: tuple[str, ...]) -> Compiler:
    return Compiler(command=command, version=first_line([*command, "--version"]))
