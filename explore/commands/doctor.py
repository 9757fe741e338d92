"""``montgomery doctor``: what is installed, what runs, and how to get what does not."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import itertools
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from ._answer import print_json
from ._progress import announce

__all__ = ["Finding", "doctor", "examine"]

_PROJECT = "montgomery"
#: The oldest major version of ghdl that converts VHDL rightly.
_GHDL = 5


@dataclasses.dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at; ``fix`` says what to do if it cannot be used, else it is empty.

    ``group`` is ``python``, ``package``, ``tool`` or ``store``; ``needed`` says whether a sweep
    needs it.
    """

    group: str
    name: str
    version: str | None = None
    detail: str = ""
    needed: bool = True
    fix: str = ""

    @property
    def ok(self) -> bool:
        """Whether it can be used."""
        return not self.fix


def doctor(store_path: Path | None, as_json: bool) -> int:
    """Check Python, packages, tools and the store, and say how to get what is missing."""
    findings = []
    for finding in examine(store_path, announce):
        findings.append(finding)
        mark = "ok" if finding.ok else "MISSING" if finding.needed else "absent"
        if not as_json:
            click.echo(f"{mark:8}{finding.group:8}{finding.name:36}{finding.version or '':24}"
                       f"{finding.detail}".rstrip())
        if not (as_json or finding.ok):
            click.echo(f"{'':16}{finding.fix}")
    healthy = all(finding.ok or not finding.needed for finding in findings)
    if as_json:
        print_json({"ok": healthy, "findings": [
            dataclasses.asdict(finding) | {"ok": finding.ok} for finding in findings]})
    return 0 if healthy else 1


def examine(store: Path | None, announce: Callable[[str], None]) -> Iterator[Finding]:
    """Yield what is found, as it is found; the store, the usual one if None, is not created."""
    return itertools.chain(_python(), _packages(), _tools(announce), _simulators(), _ghdl(),
                           _store(store))


def _python() -> Iterator[Finding]:
    from ..tools.find import check_environment

    yield Finding(group="python", name=platform.python_implementation(), detail=sys.executable,
                  version=platform.python_version())
    try:
        check_environment()
    except ValueError as error:
        yield Finding(group="python", name="environment", fix=str(error))


def _packages() -> Iterator[Finding]:
    from packaging.requirements import Requirement

    try:
        project = importlib.metadata.distribution(_PROJECT)
    except importlib.metadata.PackageNotFoundError:
        yield Finding(group="package", name=_PROJECT, detail="this project",
                      fix="run 'pip install .' in the project's folder")
        return
    yield Finding(group="package", name=_PROJECT, detail="this project", version=project.version)
    #: Each package with its versions and the extras that want it; "" for the project itself.
    wanted: dict[str, tuple[Any, list[str]]] = {}
    for each in map(Requirement, project.requires or []):
        _, own = wanted.setdefault(each.name, (each.specifier, []))
        own += [extra for extra in ("", *project.metadata.get_all("Provides-Extra", []))
                if each.marker is None or each.marker.evaluate({"extra": extra})]
    for name, (specifier, own) in wanted.items():
        if not own:
            continue
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            version = None
        fix = "" if version and version in specifier else f"run 'pip install \"{name}{specifier}\"'"
        yield Finding(group="package", name=name, version=version, needed="" in own, fix=fix,
                      detail="" if "" in own else f"for {' and '.join(map(repr, own))}")


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
        program = os.environ.get(variable(name))
        detail, version, fix = "", None, ""
        try:
            version = find(name).version
            detail = f"{variable(name)}={program}" if program else f"package {package_of(name)}"
            version = _number(toolbox.ask(name))
        except (ToolMissing, StoreError) as error:
            fix = str(error)
        except (StageFailed, DiskFull, OSError) as error:
            fix = f"it does not run ({error}); reinstall it, or name another in {variable(name)}"
        yield Finding(group="tool", name=name, detail=detail, version=version, needed=not extra,
                      fix=fix)


def _simulators() -> Iterator[Finding]:
    from ..errors import ToolMissing
    from ..tools import compiler, verilator

    for name, purpose, find, advice in (
            ("C++ compiler", "for quick simulation", compiler.find_compiler, compiler.ADVICE),
            ("Verilator", "for quick simulation of large cores", verilator.find_verilator,
             verilator.ADVICE)):
        try:
            found = find()
        except ToolMissing as error:
            yield Finding(group="tool", name=name, detail=purpose, fix=str(error))
            continue
        yield Finding(group="tool", name=name, needed=False, fix="" if found else advice,
                      version=_number(found.version) if found else None,
                      detail=f"{shlex.join(found.command)}, {purpose}" if found else purpose)


def _ghdl() -> Iterator[Finding]:
    program, version = shutil.which("ghdl"), None
    if program:
        said = subprocess.run([program, "--version"], capture_output=True, text=True,
                              errors="replace").stdout
        version = _number(said.partition("\n")[0]) or None
    fits = version is not None and int("0" + version.partition(".")[0]) >= _GHDL
    yield Finding(group="tool", name="ghdl", version=version, needed=False,
                  detail=f"{program}, for cores in VHDL" if program else "for cores in VHDL",
                  fix="" if fits else (
                      f"install version {_GHDL} or newer from https://github.com/ghdl/ghdl/releases;"
                      " an older one, such as that of Debian 12, leaves out parts of some "
                      "statements"))


def _number(text: str) -> str:
    """Return the number in what a tool says of its version, or all of it if there is none."""
    number = re.search(r"\d+(\.\d+)+\S*\b", text)
    return number.group() if number else text


def _store(path: Path | None) -> Iterator[Finding]:
    from ..atomic import NotReplaceable, check_folder
    from ..store import SCHEMA, Store, StoreError

    name, detail, version, fix = str(path or "store"), "", None, ""
    try:
        store = Store(path)
        name = str(store.path)
        if store.exists:
            with store.open(create=False, writable=False):
                version, detail = f"schema {SCHEMA}", f"{len(store.rows())} rows"
        else:
            detail = "not made yet"
            check_folder(store.path)
        existing = next(parent for parent in (store.path, *store.path.absolute().parents)
                        if os.path.exists(parent))
        detail += f", {shutil.disk_usage(existing).free / 1e9:.1f} GB free"
    except (StoreError, NotReplaceable) as error:
        fix = str(error)
    yield Finding(group="store", name=name, version=version, detail=detail, fix=fix)
