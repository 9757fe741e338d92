"""Rows of earlier versions: of another core, or of another flow, than this program has today.

The version of a core is what its sources say; sources that make the same RTLIL are one version, if
that is known. The flow is what this program adds to it: the chain
around the core, the arguments of the tools, and what is counted and computed from their reports.
Versions of the tools are no part of it; rows have those beside.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..devices import targets
from ..fingerprint import fingerprint, own_fingerprint
from ..points.point import cores

if TYPE_CHECKING:
    import pandas

    from montgomery import CoreParameters

__all__ = ["CORES", "EARLIER", "OUTSIDE", "VERSION", "are_earlier", "core_version", "designs",
           "flow_version", "has_earlier", "known_cores", "origins"]

#: Name of the file of cores, in the folder of rows.
CORES = "cores.jsonl"
#: Characters of a version.
VERSION = 12
#: What stands after the name of a core that has changed since it was measured.
EARLIER = "†"
#: What stands after the name of a core that is not of this package.
OUTSIDE = "‡"
#: The modules that make a figure of a core, by what they do. Devices count by what they say.
_FLOW = ("explore.netlist.harness", "explore.netlist.floorplan", "explore.devices.sites",
         "explore.pipeline.stages.synth", "explore.pipeline.stages.place",
         "explore.pipeline.runner", "explore.tools.launch", "explore.data.derived")
#: A clock above all limits, and areas that show all limits of a device.
_FASTEST_MHZ = 10_000.0
_AREAS = [dict.fromkeys(("lut", "ff", "dsp", "bram"), number) for number in (0, 1)]


def core_version(params: CoreParameters) -> str:
    """Return the version of a core, which is another one when its code is another one."""
    from montgomery.registry import modules

    return _version(tuple(modules(params)))


@functools.cache
def _version(modules: tuple[str, ...]) -> str:
    return fingerprint(*modules)[:VERSION]


def flow_version(target: str, options: Mapping[str, Any]) -> str | None:
    """Return the version of the flow for a device under the options of a point.

    It is None for a device that there is not, and empty for options that cannot be any more.
    """
    return _flow_version(target, json.dumps(options, sort_keys=True))


@functools.lru_cache(4096)
def _flow_version(target: str, options_: str) -> str | None:
    device, options = targets().get(target), json.loads(options_)
    if device is None:
        return None
    family = device.family
    try:
        cells = device.option_args(options, "sites")
        says = [own_fingerprint(*_FLOW), device.synth_commands("core", options),
                device.synth_commands("harness", options, pins=True),
                device.placer and device.place_arguments(options, 0), dict(device.files),
                [device.sites.get(cell) for cell in cells], device.technology,
                {name: dict(weights) for name, weights in family.area.items()},
                family.suffixes, family.carries, device.capacity and dict(device.capacity),
                [device.usable_mhz(_FASTEST_MHZ, area) for area in _AREAS]]
    except KeyError:
        return ""
    text = json.dumps(says, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:VERSION]


def known_cores(folder: Path) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield the lines of the file of cores in a folder of rows, each with the entry that it is.

    The entry is None unless the line carries its seal; there are no lines if there is no file. See
    :class:`explore.pipeline.knowledge.CoreFile`.
    """
    try:
        lines = (folder / CORES).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        try:
            entry = json.loads(line)
            seal, text = entry.pop("seal"), json.dumps(entry, sort_keys=True)
            is_whole = seal == hashlib.sha256(text.encode()).hexdigest()[:40]
        except (ValueError, LookupError, AttributeError, TypeError):
            is_whole = False
        yield line, entry if is_whole else None


def designs(folder: Path) -> set[tuple[str, str]]:
    """Return versions of cores, each with the hash of an RTLIL that the sources of it make.

    An edit of sources that makes the same hardware leaves figures what they are.
    """
    return {(entry["version"], entry["outcome"]["facts"]["rtlil"])
            for _, entry in known_cores(folder) if entry and "version" in entry}


def are_earlier(rows: Iterable[Mapping[str, Any]],
                designs: Callable[[], Collection[tuple[str, str]]] = frozenset) -> list[bool]:
    """Return, for each row, whether its core or its flow has changed since it was measured.

    A core has not if its sources of today are known to make the RTLIL that was synthesised: by
    ``designs``, called if a row is of other sources, which returns versions of cores, each with the
    hash of an RTLIL that its sources make.
    """
    known: dict[tuple, bool] = {}
    found = []
    for row in rows:
        versions = row["versions"]
        mark = (row["kind"], row["arch"], *row["params"].values(), versions.get("core"),
                "origin" in versions, row.get("design"))
        if mark not in known:
            known[mark] = _is_of_another_core(row, designs)
        found.append(known[mark] or _is_of_another_flow(row))
    return found


def _is_of_another_core(row: Mapping[str, Any],
                        designs: Callable[[], Collection[tuple[str, str]]]) -> bool:
    versions, today = row["versions"], _today(row)
    # Rows of a core from outside are read without it.
    if versions.get("core") in (None, today) or (today is None and "origin" in versions):
        return False
    return (today, row.get("design")) not in designs()


def _is_of_another_flow(row: Mapping[str, Any]) -> bool:
    today = flow_version(row["target"], row["options"])
    # Rows that no stage of today can be due to, such as those of boards, have no recipe.
    return bool(row.get("recipe")) and today is not None and row["versions"].get("flow") != today


def origins(rows: pandas.DataFrame) -> list[str]:
    """Return, for each row, where its core comes from; empty texts for cores of this package."""
    return [versions.get("origin", "") for versions in rows.get("versions", [{}] * len(rows))]


def has_earlier(rows: pandas.DataFrame) -> bool:
    """Return whether a frame has rows of earlier versions; one of rows just measured has none."""
    return "earlier" in rows and bool(rows["earlier"].any())


def _today(row: Mapping[str, Any]) -> str | None:
    """Return the version of the core of a row as it is now; None if there is no such core."""
    from montgomery import architectures
    from montgomery.core import about

    core = cores(row["kind"]).get(row["arch"])
    if core is None:
        return None
    # The parameters make no difference but for the core inside, and to check them takes long.
    named = [value.partition(" ")[0] for value in row["params"].values() if isinstance(value, str)]
    inside = [architectures()[name] for name in named if name in architectures()]
    return _version(tuple(each.__module__ for each in (core, *inside * about(core).wraps)))
