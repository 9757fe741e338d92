"""Everything that can be named on the command line or in a file, and cores that failed to be.

It comes from the registries, which are imported when a name is listed, completed or checked:
``--help`` must not wait for them.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import hashlib
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

import click

__all__ = ["GROUPS", "everything", "keys", "tell_rejected"]

#: Whose files and folders say what can be named.
_PACKAGES = ("boards", "explore", "montgomery")


def _kinds() -> dict[str, dict]:
    from montgomery import KINDS

    return {name: {"summary": f"{kind.operation}: {kind.formula}" if kind.formula else
                   "without a model", "group": kind.group, "nouns": kind.nouns,
                   "prefix": kind.prefix, "has_model": bool(kind.formula)}
            for name, kind in KINDS.items()}


def _cores(kind: str) -> dict[str, dict]:
    from montgomery import KINDS
    from montgomery.core import about

    return {name: {
        "summary": about(cls).summary, "source": about(cls).source,
        "operands": dict(KINDS[kind].inputs),
        "parameters": {field.name: {
            "type": cast("type", field.type).__name__, "required": required,
            "default": None if required else field.default,
            **{key: field.metadata[key] for key in ("help", "minimum", "maximum", "choices")},
        } for field in dataclasses.fields(cls)
            for required in (field.default is dataclasses.MISSING,)}}
        for name, cls in KINDS[kind].cores().items()}


def _targets() -> dict[str, dict]:
    from ..devices import targets

    return {name: {
        "summary": target.summary, "family": target.family.name, "lut_name": target.lut_name,
        "placer": target.placer, "clock_limit_mhz": target.clock_limit_mhz,
        "capacity": target.capacity,
        "limits": [dataclasses.asdict(limit) for limit in target.limits],
        "options": {key: {"default": option.default, "choices": list(option.choices),
                          "help": option.help} for key, option in target.options.items()},
    } for name, target in targets().items()}


def _boards() -> dict[str, dict]:
    from boards.catalogue import boards

    return {name: {**dataclasses.asdict(board), "target": board.target, "obstacle": board.obstacle,
                   "adapter": board.adapter and dataclasses.asdict(board.adapter)}
            for name, board in boards().items()}


def _presets() -> dict[str, dict]:
    from ..points.spec import presets

    return {name: dataclasses.asdict(spec) for name, spec in presets().items()}


def _rivals() -> dict[str, dict]:
    from ..points.rivals import rivals

    return {rival.name: {
        "summary": rival.summary, "repository": rival.repository, "commit": rival.commit,
        "licence": rival.licence, "note": rival.note, "fetch": rival.fetch} for rival in rivals()}


def _stages() -> dict[str, dict]:
    from ..pipeline.stages import stages

    return {name: {"summary": (stage.__doc__ or "").partition("\n")[0].rstrip(".")}
            for name, stage in stages().items()}


def _plots() -> dict[str, dict]:
    from ..plots._drawing import plots

    return {name: {"summary": plot.summary} for name, plot in plots().items()}


def _table_formats() -> dict[str, dict]:
    from ..table import FORMATS

    return {name: {"summary": render.__doc__.splitlines()[0]} for name, render in FORMATS.items()}


def _columns() -> dict[str, dict]:
    from ..data.columns import COLUMNS
    from ..data.summary import quantities

    shown = quantities()
    return {column.name: {
        "title": column.header, "type": str(column.type), "unit": column.unit,
        "meaning": column.meaning, "table": column.name in shown}
        for column in dict.fromkeys((*COLUMNS, *shown.values()))}


def keys(module: str, mapping: str) -> Callable[[], dict[str, str]]:
    """Return a function that returns the keys of a mapping in a module."""
    return lambda: dict.fromkeys(getattr(importlib.import_module(module), mapping), "")


#: What is listed beside cores, as functions that look it up.
GROUPS: dict[str, Callable[[], dict[str, dict]]] = {
    "kinds": _kinds, "targets": _targets, "boards": _boards, "presets": _presets,
    "rivals": _rivals, "stages": _stages, "plots": _plots,
    "plot_formats": lambda: {name: {} for name in keys("explore.plots._drawing", "FORMATS")()},
    "table_formats": _table_formats, "columns": _columns}


def everything() -> dict[str, Callable[[], dict[str, dict]]]:
    """Return the groups of ``montgomery list``, each as a function that looks it up.

    What was looked up before is known while the files of the packages stay as they are. Otherwise
    it is imported, which takes long.
    """
    look = (lambda _, make: make()) if "montgomery" in sys.modules else _known()
    kinds = look("kinds", _kinds)
    groups: dict[str, Callable[[], dict]] = {
        **{kind["group"]: functools.partial(_cores, name) for name, kind in kinds.items()},
        **GROUPS}
    return {name: functools.cache(functools.partial(look, name, make))
            for name, make in groups.items()}


def _known() -> Callable[[str, Callable[[], dict[str, dict]]], dict[str, dict]]:
    """Return a function from a group, and what looks it up, to the entries of the group.

    At the end of the program, entries that are new are written to a file in the user's cache.
    """
    import platformdirs

    mark, path, found = _mark(), Path(), {}
    # Without a home there is no cache.
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        place = hashlib.sha256(str(_folder()).encode()).hexdigest()[:16]
        path = platformdirs.user_cache_path("montgomery-fingerprints") / f"names-{place}.json"
        document = json.loads(path.read_bytes())
        found = document["groups"] if document["mark"] == mark else {}
    before = len(found)

    def write() -> None:
        from ..atomic import atomic_write

        if len(found) > before and _are_of_this_package():
            with contextlib.suppress(OSError, ValueError):
                path.parent.mkdir(parents=True, exist_ok=True)
                with atomic_write(path) as partial:
                    partial.write_text(json.dumps({"mark": mark, "groups": found}))

    def look(group: str, make: Callable[[], dict[str, dict]]) -> dict[str, dict]:
        if group not in found:
            found[group] = make()
        return found[group]

    atexit.register(write)
    return look


def _folder() -> Path:
    return Path(__file__).parents[2]


def _mark() -> str:
    """Return a hash that changes with each file of the packages, and with what is installed."""
    said = [sys.version, os.environ.get("MONTGOMERY_CORES", "")]
    folders = [str(_folder() / name) for name in _PACKAGES]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.name.endswith((".py", ".toml")):
                    status = entry.stat()
                    said.append(f"{entry.path} {status.st_mtime_ns} {status.st_size}")
    for place in sys.path:
        with contextlib.suppress(OSError):
            said.append(f"{place} {os.stat(place).st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(said)).encode("utf-8", "surrogatepass")).hexdigest()


def _are_of_this_package() -> bool:
    """Return whether all that can be named is in the folders of the packages, and is valid."""
    import montgomery
    from montgomery.registry import rejected

    from ..data.columns import extensions

    return (len(montgomery.__path__) == 1 and not extensions()
            and not any(each.looks_like_core for each in rejected()))


def tell_rejected(groups: Iterable[str] | None = None) -> None:
    """Say on stderr which files were written to be cores and are none, and why.

    Nothing is said if groups are listed, but no kind of core among them. With ``--debug``,
    tracebacks show where an import fails.
    """
    from montgomery import KINDS
    from montgomery.registry import rejected

    if groups is not None and not {kind.group for kind in KINDS.values()}.intersection(groups):
        return
    debug = getattr(click.get_current_context().find_root().command, "debug", False)
    for each in rejected():
        if not each.looks_like_core:
            continue
        if debug and each.error:
            traceback.print_exception(each.error)
        click.echo(f"note: {each}", err=True)
