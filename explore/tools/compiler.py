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
import subprocess
import sys

from ..errors import ToolMissing

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
        To which arguments in the manner of g++ are appended.
    version : str
        The first line of what it says.
    """

    command: tuple[str, ...]
    version: str

    @functools.cached_property
    def identity(self) -> str:
        """A hash of what it is and is asked to do, the same wherever the same is installed.

        It is made of the executable file or of the version of the package, of the options in CXX,
        and of what the compiler says of its version.
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

    None if there is none of them, or if CXX is set but empty, which asks for that.

    Raises
    ------
    ToolMissing
        If CXX names something that does not run.
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
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ToolMissing(f"CXX names {named!r}, which does not run as a compiler "
                          f"({_reason(error)}); correct it, or unset it") from None


@functools.cache
def _usual(search_path: str) -> Compiler | None:
    """Return the first of the usual compilers; ``search_path`` is what they depend on."""
    candidates = [(path,) for name in ("g++", "clang++")
                  if (path := shutil.which(name, path=search_path))]
    if importlib.util.find_spec("ziglang"):
        candidates.append((sys.executable, *_ZIGLANG))
    for command in candidates:
        try:
            return _asked(command)
        except (OSError, subprocess.SubprocessError, ValueError):
            continue
    return None


@functools.cache
def _asked(command: tuple[str, ...]) -> Compiler:
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True,
                          errors="replace", timeout=_ASK_S, stdin=subprocess.DEVNULL).stdout
    if not said.strip():
        raise ValueError("it says no version")
    return Compiler(command=command, version=said.strip().splitlines()[0])


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = (error.stderr or error.stdout or "").strip().splitlines()
        return lines[-1] if lines else f"it ends with status {error.returncode}"
    return str(error)
