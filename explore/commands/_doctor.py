"""What is installed, what runs, and how to get what does not."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import itertools
import os
import platform
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Finding", "examine"]

_PROJECT = "montgomery"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    group : str
        ``python``, ``package``, ``tool`` or ``store``.
    version : str or None
        None if it is missing or has none.
    detail : str
        Where it is, or what it is for.
    ok : bool
        Whether it can be used.
    needed : bool
        Whether a sweep needs it.
    fix : str
        What to do if it is not ``ok``, else empty.
    """

    group: str
    name: str
    version: str | None = None
    detail: str = ""
    ok: bool = True
    needed: bool = True
    fix: str = ""


def _python() -> Iterator[Finding]:
    yield Finding(group="python", name=platform.python_implementation(), detail=sys.executable,
                  version=platform.python_version(), ok=sys.version_info >= (3, 11),
                  fix="install Python 3.11 or newer")


def _packages() -> Iterator[Finding]:
    try:
        yield Finding(group="package", name=_PROJECT, detail="this project",
                      version=importlib.metadata.version(_PROJECT))
        requirements = importlib.metadata.requires(_PROJECT) or []
    except importlib.metadata.PackageNotFoundError:
        yield Finding(group="package", name=_PROJECT, ok=False, detail="this project",
                      fix="run 'pip install .' in the project's folder")
        return
    try:
        from packaging.requirements import Requirement
    except ImportError:
        yield Finding(group="package", name="packaging", ok=False,
                      detail="which reads the list of packages",
                      fix="run 'pip install packaging', then this again")
        return
    needed, of_extras = set(), {}
    extras = importlib.metadata.metadata(_PROJECT).get_all("Provides-Extra") or []
    for requirement in map(Requirement, requirements):
        marker = requirement.marker
        if marker is None or marker.evaluate({"extra": ""}):
            needed.add(requirement.name)
            yield _package(requirement.name, requirement.specifier, [])
            continue
        for extra in extras:
            if marker.evaluate({"extra": extra}):
                _, own = of_extras.setdefault(requirement.name, (requirement.specifier, []))
                own.append(extra)
    for name, (specifier, own) in of_extras.items():
        if name not in needed:
            yield _package(name, specifier, own)


def _package(name: str, specifier: Any, extras: Sequence[str]) -> Finding:
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = None
    wanted = f"{name}{specifier}"
    return Finding(group="package", name=name, version=version, needed=not extras,
                   detail=f"for the extra{'s' * (len(extras) > 1)} "
                          f"{' and '.join(map(repr, extras))}" if extras else "",
                   ok=version is not None and version in specifier,
                   fix=f"run 'pip install \"{wanted}\"'")


def _tools(announce: Callable[[str], None]) -> Iterator[Finding]:
    from ..devices import placers
    from ..errors import DiskFull, ToolMissing
    from ..outcome import StageFailed
    from ..store import StoreError
    from ..tools.find import find, package_of, variable
    from ..tools.toolbox import Toolbox, announcing

    announce("running the tools")
    toolbox = Toolbox(emit=announcing(announce))
    for name, extra in {"yosys": "", **placers()}.items():
        try:
            tool = find(name)
        except ToolMissing as error:
            yield Finding(group="tool", name=name, ok=False, needed=not extra,
                          fix=str(error))
            continue
        program = os.environ.get(variable(name))
        detail = f"{variable(name)}={program}" if program else f"package {package_of(name)}"
        version, fix = tool.version, ""
        try:
            version = _number(toolbox.ask(name))
        except (ToolMissing, StoreError) as error:
            fix = str(error)
        except (StageFailed, DiskFull, OSError) as error:
            fix = f"it does not run ({error}); reinstall it, or name another in {variable(name)}"
        yield Finding(group="tool", name=name, detail=detail, version=version, ok=not fix,
                      needed=not extra, fix=fix)


def _compiler() -> Iterator[Finding]:
    from ..errors import ToolMissing
    from ..tools.compiler import ADVICE, find_compiler

    name, purpose = "C++ compiler", "for quick simulation"
    try:
        compiler = find_compiler()
    except ToolMissing as error:
        yield Finding(group="tool", name=name, ok=False, detail=purpose, fix=str(error))
        return
    if compiler is None:
        yield Finding(group="tool", name=name, ok=False, needed=False, detail=purpose, fix=ADVICE)
    else:
        number = re.search(r"\d+(\.\d+)+", compiler.version)
        yield Finding(group="tool", name=name, detail=f"{shlex.join(compiler.command)}, {purpose}",
                      version=number.group() if number else compiler.version)


def _verilator() -> Iterator[Finding]:
    from ..errors import ToolMissing
    from ..tools.verilator import ADVICE, find_verilator

    name, purpose = "Verilator", "for quick simulation of large cores"
    try:
        found = find_verilator()
    except ToolMissing as error:
        yield Finding(group="tool", name=name, ok=False, detail=purpose, fix=str(error))
        return
    if found is None:
        yield Finding(group="tool", name=name, ok=False, needed=False, detail=purpose, fix=ADVICE)
    else:
        yield Finding(group="tool", name=name, detail=f"{found.source}, {purpose}",
                      version=found.version)


def _number(text: str) -> str:
    """Return the number in what a tool says of its version, or all of it if there is none."""
    number = re.search(r"\d+(\.\d+)+\S*\b", text)
    return number.group() if number else text


def _environment() -> Iterator[Finding]:
    from ..tools.find import check_environment

    try:
        check_environment()
    except ValueError as error:
        yield Finding(group="python", name="environment", ok=False, fix=str(error))


def _store(path: Path | None) -> Iterator[Finding]:
    from ..atomic import NotReplaceable, check_folder
    from ..store import SCHEMA, Store, StoreError

    try:
        store = Store(path)
    except StoreError as error:
        yield Finding(group="store", name="none", ok=False, fix=str(error))
        return
    existing = next(parent for parent in [store.path.absolute(), *store.path.absolute().parents]
                    if os.path.exists(parent))
    free = shutil.disk_usage(existing).free / 1e9
    room = f"{free:.1f} GB free"
    if not store.exists:
        try:
            check_folder(store.path)
            writable = True
        except NotReplaceable:
            writable = False
        yield Finding(group="store", name=str(store.path), ok=writable,
                      detail=f"not made yet, {room}",
                      fix=f"{existing} is not a folder that can be written; name another with "
                          "--store or MONTGOMERY_STORE")
        return
    try:
        with store.open(create=False, writable=False):
            yield Finding(group="store", name=str(store.path), version=f"schema {SCHEMA}",
                          detail=f"{len(store.rows())} rows, {room}")
    except StoreError as error:
        yield Finding(group="store", name=str(store.path), ok=False, detail=room, fix=str(error))


def examine(store: Path | None, announce: Callable[[str], None]) -> Iterator[Finding]:
    """Yield what is found, as it is found.

    Parameters
    ----------
    store : path or None
        Folder of the store, or None for the usual one; it is not created.
    announce : callable
        Called with a line of text before something that takes long.
    """
    for finding in itertools.chain(_python(), _environment(), _packages(), _tools(announce),
                                   _compiler(), _verilator(), _store(store)):
        yield dataclasses.replace(finding, fix="") if finding.ok else finding
