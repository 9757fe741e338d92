"""Bundles: rows with all that a stranger needs to measure them again."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..data.rowfiles import save
from ..errors import Refusal
from ..fingerprint import PROJECT
from ..table import markdown_text
from .repeat import packages_of

__all__ = ["WheelsMissing", "write_bundle"]

_NAME = "montgomery"

_README = """# Measurements to be repeated

`rows.jsonl` holds {count} measurements of FPGA cores. This folder has what made them:

- `sources/`: the sources of the cores, and of the program that measures them.
- `requirements.txt`: all other packages, with the SHA-256 of each wheel. They are for Python
  {python} on {machine}.
- `SHA256SUMS`: the hashes of all files here.

To measure all rows again, or a single one, and compare:

    sha256sum --check --quiet SHA256SUMS
    ./repeat.sh
    ./repeat.sh rows.jsonl:1

Each line says whether the figures of a row came out the same. The packages come from the Python
Package Index. To do without a network later, run

    python3 -m pip download --no-deps --dest wheels -r requirements.txt

and set `PIP_NO_INDEX=1` and `PIP_FIND_LINKS=$PWD/wheels` for `repeat.sh`.

Versions of the programs: {versions}.
"""
_REPEAT = """#!/bin/sh
# Measures rows again and compares them: all rows, or those that are named as rows.jsonl:NUMBER.
set -eu
cd "$(dirname "$0")"
if ! test -e venv/ready; then
    python3 -m venv venv
    venv/bin/python -m pip install --no-deps --require-hashes -r requirements.txt
    touch venv/ready
fi
export PYTHONPATH="$PWD/sources" MONTGOMERY_STORE="$PWD/store"
for row in "${@:-rows.jsonl}"; do
    venv/bin/python -m explore.cli repro "$row"
done
"""


class WheelsMissing(RuntimeError):
    """Wheels that pip cannot name; the text is one line."""


def write_bundle(rows: Sequence[Mapping[str, Any]], folder: Path) -> dict[str, str]:
    """Write a bundle to an empty folder, and return the SHA-256 of each wheel that it names.

    The same rows, sources and wheels give the same files.

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
    wheels = _wheels(tools)
    _write(folder / "requirements.txt", "".join(
        f"{requirement} --hash=sha256:{digest}  # {file}\n"
        for file, (requirement, digest) in wheels.items()))
    save([dict(row) for row in rows], folder / "rows.jsonl")
    _copy_sources(folder / "sources")
    versions = sorted({f"{name} {version}" for row in rows
                       for name, version in (row.get("versions") or {}).items()})
    _write(folder / "README.md", _README.format(
        count=len(rows), python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}",
        versions=", ".join(map(markdown_text, versions))))
    script = folder / "repeat.sh"
    _write(script, _REPEAT)
    script.chmod(0o755)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    _write(folder / "SHA256SUMS", "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in files))
    return {file: digest for file, (_, digest) in wheels.items()}


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


def _wheels(tools: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return what this project requires, as pip finds it: requirement and SHA-256 of each wheel.

    Parameters
    ----------
    tools : dict from str to str
        Versions of packages of tools; all others have the versions that are installed.

    Raises
    ------
    WheelsMissing
        If pip does not find one of them.
    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    versions = {canonicalize_name(each.name): each.version
                for each in importlib.metadata.distributions()} | dict(tools)
    pins = {name: f"{name}=={version}" for name, version in versions.items() if name != _NAME}
    required = [Requirement(text) for text in importlib.metadata.requires(_NAME) or ()]
    needed = {*tools, *(canonicalize_name(each.name) for each in required
                        if each.marker is None or each.marker.evaluate({"extra": ""}))}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("\n".join(pins[name] for name in pins.keys() - needed))
        constraints.flush()
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet",
             "--only-binary", ":all:", "--disable-pip-version-check", "--report", "-",
             "--constraint", constraints.name,
             *(pins.get(name, name) for name in sorted(needed))],
            capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        raise WheelsMissing(f"pip install failed ({(said or ['no reason given'])[0]}); the wheels "
                            "come from an index, so look at the network and at PIP_* variables")
    found = {}
    for each in json.loads(done.stdout)["install"]:
        facts, origin = each["metadata"], each["download_info"]
        found[origin["url"].rpartition("/")[2]] = (f"{facts['name']}=={facts['version']}",
                                                   origin["archive_info"]["hashes"]["sha256"])
    return dict(sorted(found.items(), key=lambda wheel: wheel[0].lower()))


def _copy_sources(folder: Path) -> None:
    """Copy the packages of this project, and what says that they are installed."""
    top = Path(__file__).parents[2]
    for package in PROJECT:
        shutil.copytree(top / package, folder / package,
                        ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    # Python finds the version of a project in such a folder.
    facts = importlib.metadata.metadata(_NAME)
    about = folder / f"{_NAME}-{facts['Version']}.dist-info"
    about.mkdir()
    _write(about / "METADATA", "".join(f"{name}: {facts[name]}\n" for name in (
        "Metadata-Version", "Name", "Version")))


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
