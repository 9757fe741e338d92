"""Finds external programs, and says whether those of YoWASP have compiled themselves.

A YoWASP package does so when it first runs on a machine. It takes about a minute, and the machine
code is kept in a folder of the user's.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..errors import Refusal, ToolMissing
from ..lookup import known
from ..store.folder import user_cache
from . import launch

__all__ = ["Tool", "check_cache", "check_environment", "find", "is_compiled", "launched",
           "makes_bitstreams", "package_of", "packaged", "project_version", "variable"]

#: How the names of all tools that place begin, each of which has a package of its own.
_NEXTPNR = "nextpnr-"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that can be run, by a command to which its arguments are appended."""

    name: str
    command: tuple[str, ...]
    #: Unknown for a program, which has to be asked for it.
    version: str | None
    #: A name for messages: the package and its version, or the path of the program.
    source: str
    #: Of a package, its function as ``module:function``, and the folder with the files of the tool.
    entry: str = ""
    folder: Path | None = None
    #: The executable file of a program, whatever links lead to it.
    program: Path | None = None


def launched(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command that runs another one so that it ends with this process."""
    return (*_launcher(), "exec", *command)


def _launcher() -> tuple[str, ...]:
    # Without the module site, nothing on the way changes Python; the tool finds what is found here.
    path = os.pathsep.join(filter(None, sys.path))
    return sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), path


def variable(name: str) -> str:
    """Return the environment variable that names a tool, which is Amaranth's."""
    return name.upper().replace("-", "_")


def makes_bitstreams(name: str) -> bool:
    """Return whether a tool is a packer, which runs after yosys and nextpnr."""
    return name != "yosys" and not name.startswith(_NEXTPNR)


def package_of(name: str) -> str:
    """Return the name of the YoWASP package that has a tool: a packer is in that of its nextpnr."""
    if not makes_bitstreams(name):
        return f"yowasp-{name}"
    from boards.families import families

    packers = {family.packer: family.placer for family in families().values()}
    known("tool", name, ["yosys", *packers.values(), *packers])
    return f"yowasp-{packers[name]}"


def find(name: str) -> Tool:
    """Return a tool: the program its environment variable names, or else the YoWASP package.

    :exc:`ToolMissing` says that there is neither of them.
    """
    package = package_of(name)
    program = os.environ.get(variable(name))
    if program is not None:
        path = shutil.which(program)
        if path is None:
            raise ToolMissing(f"{variable(name)} names {program!r}, which is not an executable; "
                              f"correct it, or unset it to use {package}")
        path = os.path.abspath(path)
        return Tool(name=name, command=launched([path]), version=None, source=path,
                    program=Path(path).resolve())
    return packaged(name)


@functools.cache
def installed(package: str) -> str:
    """Return the version of an installed package, which stays the same within a process."""
    return importlib.metadata.version(package)


@functools.cache
def project_version() -> str:
    """Return the version of this project, if it is installed."""
    try:
        return installed("montgomery")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


@functools.cache
def _folder(module: str) -> Path:
    return Path(importlib.util.find_spec(module).origin).parent


def packaged(name: str) -> Tool:
    """Return the tool of a YoWASP package, whatever the tool's variable names."""
    package = package_of(name)
    try:
        version = installed(package)
    except importlib.metadata.PackageNotFoundError:
        raise ToolMissing(f"{name} is missing; install it with 'pip install {package}', or name "
                          f"an executable in {variable(name)}") from None
    module = package.replace("-", "_")
    entry = f"{module}:run_{name.replace('-', '_')}"
    return Tool(name=name, command=(*_launcher(), "wasm", entry), version=f"{version} (YoWASP)",
                source=f"{package} {version}", entry=entry,
                folder=_folder(module))


def check_environment() -> None:
    """Refuse variables that change Amaranth or its builds without a trace in the results."""
    for name in os.environ:
        if name.startswith("AMARANTH_") and name != "AMARANTH_USE_YOSYS":
            raise Refusal(f"{name} is set, which changes builds without a trace in the "
                          f"results; unset it and give tool options as options of a point")


def is_compiled(tool: Tool) -> bool:
    """Return whether the machine code of a tool exists; a program always has it.

    The code may belong to an older runtime; then the package compiles itself again.
    """
    if tool.folder is None:
        return True
    name = f"{tool.name}.wasm"
    try:
        with (tool.folder / name).open("rb") as file:
            digest = hashlib.file_digest(file, "sha1").hexdigest()
    except OSError:
        # It is for the run of the tool to say what is wrong with it.
        return True
    return (_cache() / tool.folder.name / name / digest).is_file()


def check_cache(tool: Tool) -> None:
    """Refuse to compile a tool, which takes long, if its machine code cannot be kept."""
    folder = _cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ToolMissing(
            f"{tool.name} compiles itself when it first runs, but {folder} cannot be written "
            f"({error.strerror}); set HOME or XDG_CACHE_HOME to a folder that can") from None


def _cache() -> Path:
    # The package asks for the home even if it is not used.
    usual = user_cache("YoWASP")
    return Path(os.environ.get("YOWASP_CACHE_DIR") or usual)
