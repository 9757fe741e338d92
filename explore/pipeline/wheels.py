"""The packages that a measurement needs, as wheels with their hashes."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

__all__ = ["Wheel", "WheelsMissing", "pins", "wheels"]

_PROJECT = "montgomery"


class WheelsMissing(RuntimeError):
    """Wheels that pip cannot name or get; the text is one line."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Wheel:
    """A wheel.

    Attributes
    ----------
    requirement : str
        Name and version, as ``name==version``.
    file : str
        Name of the file.
    sha256 : str
        Hash of the file.
    """

    requirement: str
    file: str
    sha256: str


def pins(tools: Mapping[str, str]) -> list[str]:
    """Return the requirements of this project and all that these require, as ``name==version``.

    Parameters
    ----------
    tools : dict from str to str
        Versions of packages that differ from those installed, or that are needed besides.

    Raises
    ------
    WheelsMissing
        If something is not installed whose version nobody gives.
    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, str] = {}
    pending = [(each, "") for each in importlib.metadata.requires(_PROJECT) or ()]
    pending += [(name, "") for name in tools]
    while pending:
        text, extra = pending.pop()
        requirement = Requirement(text)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        if name in found and not requirement.extras:
            continue
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            if name not in tools:
                raise WheelsMissing(f"{name} is not installed; install it with 'pip install "
                                    f"{name}'") from None
            found[name] = tools[name]
            continue
        found[name] = tools.get(name, distribution.version)
        needs = distribution.requires or ()
        pending += [(each, own) for own in ("", *requirement.extras) for each in needs]
    return [f"{name}=={version}" for name, version in sorted(found.items())]


def wheels(requirements: Collection[str], *, folder: Path | None = None) -> list[Wheel]:
    """Return the wheels of requirements for this machine, as pip finds them.

    Parameters
    ----------
    folder : Path or None
        A folder for the wheels themselves; if None, they are named but not kept.

    Raises
    ------
    WheelsMissing
        If pip does not find one of them.
    """
    options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--quiet"]
    report = _pip("install", "--dry-run", "--ignore-installed", "--report", "-", *options,
                  *requirements)
    found = []
    for each in json.loads(report)["install"]:
        facts, origin = each["metadata"], each["download_info"]
        found.append(Wheel(requirement=f"{facts['name']}=={facts['version']}",
                           file=origin["url"].rpartition("/")[2],
                           sha256=origin["archive_info"]["hashes"]["sha256"]))
    if folder is not None:
        _pip("download", "--dest", str(folder), *options, *requirements)
    return sorted(found, key=lambda wheel: wheel.file.lower())


def _pip(*words: str) -> str:
    done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        raise WheelsMissing(f"pip {words[0]} failed ({(said or ['no reason given'])[-1]}); the "
                            "wheels come from an index, so look at the network and at PIP_* "
                            "variables")
    return done.stdout
