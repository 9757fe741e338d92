"""Bundles: rows with all that a stranger needs to measure them again."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..data.rowfiles import save
from ..errors import Refusal
from ..fingerprint import PROJECT
from ..table import markdown_text
from .repeat import packages_of
from .wheels import Wheel, pins, wheels

__all__ = ["write_bundle"]

_README = """# Measurements to be repeated

`rows.jsonl` holds {count} measurements of FPGA cores. This folder has what made them:

- `sources/`: the sources of the cores, and of the program that measures them.
- `requirements.txt`: all other packages, with the SHA-256 of each wheel{kept}. They are for Python
  {python} on {machine}.
- `SHA256SUMS`: the hashes of all files here.

To measure all rows again, or a single one, and compare:

    sha256sum --check --quiet SHA256SUMS
    ./repeat.sh
    ./repeat.sh rows.jsonl:1

Each line says whether the figures of a row came out the same. {offline}

Versions of the programs: {versions}.
"""
_REPEAT = """#!/bin/sh
# Measures rows again and compares them: all rows, or those that are named as rows.jsonl:NUMBER.
set -eu
cd "$(dirname "$0")"
if ! test -e venv/ready; then
    python3 -m venv venv
    venv/bin/python -m pip install --no-deps --require-hashes{offline} -r requirements.txt
    touch venv/ready
fi
export PYTHONPATH="$PWD/sources" MONTGOMERY_STORE="$PWD/store"
for row in "${{@:-rows.jsonl}}"; do
    venv/bin/python -m explore.cli repro "$row"
done
"""


def write_bundle(rows: Sequence[Mapping[str, Any]], folder: Path, *, keep_wheels: bool
                 ) -> list[Wheel]:
    """Write a bundle to an empty folder, and return the wheels that it names.

    The same rows, sources and wheels give the same files.

    Parameters
    ----------
    keep_wheels : bool
        Whether the wheels lie in the bundle, so that it can be used without a network.

    Raises
    ------
    ValueError
        If the rows were measured by several versions of one program, or by programs that are no
        packages.
    WheelsMissing
        If pip does not find the packages.
    """
    tools = _tools(rows)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "wheels" if keep_wheels else None
    if kept is not None:
        kept.mkdir()
    needed = wheels(pins(tools), folder=kept)
    lines = [f"{wheel.requirement} --hash=sha256:{wheel.sha256}  # {wheel.file}"
             for wheel in needed]
    _write(folder / "requirements.txt", "".join(f"{line}\n" for line in lines))
    save([dict(row) for row in rows], folder / "rows.jsonl")
    _copy_sources(folder / "sources")
    versions = sorted({f"{name} {version}" for row in rows
                       for name, version in (row.get("versions") or {}).items()})
    _write(folder / "README.md", _README.format(
        count=len(rows), kept=", which lie in `wheels/`" if keep_wheels else "",
        python=platform.python_version(), machine=f"{platform.system()} {platform.machine()}",
        offline="No network is needed." if keep_wheels else
        "The packages come from the Python Package Index.",
        versions=", ".join(map(markdown_text, versions))))
    script = folder / "repeat.sh"
    _write(script, _REPEAT.format(
        offline=" --no-index --find-links wheels" if keep_wheels else ""))
    script.chmod(0o755)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    _write(folder / "SHA256SUMS", "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in files))
    return needed


def _tools(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the version of each package of a tool that measured rows."""
    found: dict[str, str] = {}
    for row in rows:
        for requirement in packages_of(row):
            name, _, version = requirement.partition("==")
            if found.setdefault(name, version) != version:
                raise Refusal(f"The rows of a bundle must be measured by one version of {name}, "
                              f"not by {found[name]} and {version}; choose rows, or measure "
                              "the older ones again")
    return found


def _copy_sources(folder: Path) -> None:
    """Copy the packages of this project, and what says that they are installed."""
    top = Path(__file__).parents[2]
    for package in PROJECT:
        shutil.copytree(top / package, folder / package,
                        ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    # Python finds the version of a project in such a folder.
    facts = importlib.metadata.metadata("montgomery")
    about = folder / f"montgomery-{facts['Version']}.dist-info"
    about.mkdir()
    _write(about / "METADATA", "".join(f"{name}: {facts[name]}\n" for name in (
        "Metadata-Version", "Name", "Version")))


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
