"""Cores in files outside this package: of the user, and of other packages that pip installed.

Each becomes a module of this package, so that all that finds, runs or compares the cores of this
package finds those as well. They are the files that the environment variable MONTGOMERY_CORES
names, and the modules that other packages declare as entry points of the group
``montgomery.cores``. A file is a module of Python, or a description in TOML of a core in Verilog,
for which :func:`montgomery.verilog.module.written` writes the module.
"""

import importlib.metadata
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .core import CoreParameters

__all__ = ["GROUP", "VARIABLE", "add", "extend", "fault_of", "origin_of"]

#: Paths of files, with the separator of paths of the system.
VARIABLE = "MONTGOMERY_CORES"
GROUP = "montgomery.cores"
_PACKAGE = __name__.rpartition(".")[0]


class _OneFile:
    """A finder for an entry of a package's path that is no folder, but the file of a module."""

    def __init__(self, entry: str) -> None:
        # Other programs ask for all sorts of entries, such as scripts that they run.
        path = getattr(sys.modules.get(_PACKAGE), "__path__", ())
        if entry not in path or not entry.endswith(".py"):
            raise ImportError(f"{entry} is not the file of a core")
        self._path = entry

    def find_spec(self, name: str, target: object = None) -> ModuleSpec | None:
        if name != f"{_PACKAGE}.{Path(self._path).stem}":
            return None
        return importlib.util.spec_from_file_location(
            name, self._path, loader=SourceFileLoader(name, self._path))

    def iter_modules(self, prefix: str = "") -> list[tuple[str, bool]]:
        """Return the name of the module, for :func:`pkgutil.iter_modules`."""
        return [(f"{prefix}{Path(self._path).stem}", False)]


def _named() -> list[str]:
    return [str(_module_of(Path(file).absolute()))
            for file in os.environ.get(VARIABLE, "").split(os.pathsep) if file]


def _module_of(file: Path) -> Path:
    """Return the file itself, or the module for a description; errors are those of :func:`add`."""
    if file.suffix != ".toml":
        return file
    from .verilog.module import written

    return written(file)


def add(file: str | os.PathLike) -> str:
    """Add the core of a file, also for programs that this one starts; return its module's name.

    :exc:`ValueError` says that there is no such file, that its name is not that of a new module of
    this package, or that it is a description with a fault.
    """
    path = Path(file).resolve()
    name = f"{_PACKAGE}.{path.stem}"
    if not path.is_file():
        raise ValueError(f"There is no file {file}")
    if path.suffix not in (".py", ".toml"):
        raise ValueError("A core is a file such as my_core.py or my_core.toml, and not "
                         f"{path.name}")
    path, named = _module_of(path), _named()
    if str(path) in named:
        return name
    if fault := fault_of(Path(file).name):
        raise ValueError(fault)
    os.environ[VARIABLE] = os.pathsep.join([*named, str(path)])
    sys.modules[_PACKAGE].__path__.append(str(path))
    return name


def fault_of(file: str) -> str:
    """Return why a new core cannot be in a file of that name; empty if it can."""
    name, suffix = Path(file).stem, Path(file).suffix
    if not name.isidentifier() or name.startswith("_"):
        return ("The file of a core has the name of the core, with letters, digits and _ such as "
                f"my_core{suffix}, and not {file}")
    if importlib.util.find_spec(f"{_PACKAGE}.{name}") is not None:
        return f"There is a module {_PACKAGE}.{name} already; choose another name than {name}"
    return ""


def extend(path: list[str]) -> None:
    """Add the files of all cores outside to the path of this package."""
    sys.path_hooks.append(_OneFile)
    path += _named()
    for entry in importlib.metadata.entry_points(group=GROUP):
        spec = importlib.util.find_spec(entry.value)
        if spec is not None and spec.origin is not None and spec.origin not in path:
            path.append(spec.origin)


def origin_of(core: "type[CoreParameters]") -> str:
    """Return where a core of a file outside comes from; empty for a core of this package.

    It is what the core names as its source, if it does.
    """
    from .core import about

    file = Path(sys.modules[core.__module__].__file__ or "")
    if not core.__module__.startswith(f"{_PACKAGE}.") or file.is_relative_to(Path(__file__).parent):
        return ""
    return " ".join(about(core).source.split()) or "a file of the user"
