"""Fingerprints of source code, so that a result is kept until the code behind it changes."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

__all__ = ["closure", "fingerprint"]

_PROJECT = ("montgomery", "explore", "boards")


@functools.cache
def fingerprint(*modules: str) -> str:
    """Return a hash of the sources of modules and of all they import from this project.

    A module of another package counts as part of the project while it is named here itself, and so
    do its siblings. Imports inside functions count; files that a module reads do not.

    Parameters
    ----------
    modules : str
        Absolute names. Nothing is imported.

    Raises
    ------
    ModuleNotFoundError
        If one has no source file.
    """
    return hashlib.sha256(repr(sorted(_sources(modules).items())).encode()).hexdigest()


def closure(*modules: str) -> frozenset[str]:
    """Return the absolute names of the modules whose sources :func:`fingerprint` is a hash of.

    Parameters and exceptions are those of :func:`fingerprint`.
    """
    return frozenset(_sources(modules))


def _sources(modules: tuple[str, ...]) -> dict[str, str]:
    """Return the hash of each source by the name of its module."""
    own = {*_PROJECT, *(name.partition(".")[0] for name in modules)}
    found: dict[str, str] = {}
    pending = list(modules)
    while pending:
        name = pending.pop()
        if name in found:
            continue
        path, is_package = _locate(name)
        if path is None:
            if name in modules:
                raise ModuleNotFoundError(f"No source of module {name}", name=name)
            continue
        source = path.read_bytes()
        found[name] = hashlib.sha256(source).hexdigest()
        package = name if is_package else name.rpartition(".")[0]
        pending += [imported for imported in _imports(source, package)
                    if imported.partition(".")[0] in own]
    return found


def _locate(name: str) -> tuple[Path | None, bool]:
    """Return the file of a module and whether it is a package, without importing anything."""
    top, *rest = name.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or not spec.has_location:
        return None, False
    path = Path(spec.origin)
    is_package = spec.submodule_search_locations is not None
    for part in rest:
        if not is_package:
            return None, False
        folder = path.parent
        is_package = (folder / part / "__init__.py").is_file()
        path = folder / part / "__init__.py" if is_package else folder / f"{part}.py"
    # A name that is imported from a module need not be a module.
    return (path if path.is_file() else None), is_package


def _imports(source: bytes, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
                base = f"{parent}.{base}" if base else parent
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
