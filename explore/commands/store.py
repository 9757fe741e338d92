"""``montgomery store``: the contents of a store, their check, and their removal."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from montgomery.core import plural

from ..data.labels import core_name
from ..lookup import known
from ..store import Store, default_path, examine
from ._answer import SCHEMA, Answer
from ._options import names
from ._progress import size

__all__ = ["check", "info", "prune"]

_Row = Mapping[str, Any]

_KINDS = {"leftovers": "leftovers of processes that were killed",
          "unnamed": "folders of files that no outcome names",
          "outcomes": "outcomes", "files": "large files of other outcomes"}


def _path(store_path: Path | None) -> Path:
    return store_path or default_path()


def info(store_path: Path | None) -> Answer:
    """Show the contents of the store, and their sizes."""
    found = examine.info(_path(store_path))
    return Answer({"schema": SCHEMA, **found}, _described(found))


def _described(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines on the contents of a store."""
    outcomes = found["outcomes"]
    yield f"{found['path']}, version {found['version']}"
    yield f"database   {size(found['database_bytes'])}"
    yield f"artefacts  {size(found['artefacts_bytes'])} in {found['artefacts']} files"
    yield f"rows       {found['rows']}"
    pruned = f", {found['pruned']} without their large files" if found["pruned"] else ""
    yield f"outcomes   {sum(each['count'] for each in outcomes)}{pruned}"
    for each in outcomes:
        yield f"  {each['stage']:11}{each['status']:12}{each['count']:8}"
    if found["oldest"]:
        yield f"computed   {found['oldest']} to {found['newest']}"


def check(store_path: Path | None) -> Answer:
    """Read every file and entry of the store, and list those that have changed since."""
    path = _path(store_path)
    found = examine.check(path)
    note = f"montgomery: nothing in {path} is damaged"
    if found:
        count = "1 thing is" if len(found) == 1 else f"{len(found)} things are"
        note = (f"montgomery: {count} damaged in {path}; a sweep makes again what it needs, and "
                f"without {path} all of it, but for the rows in its folder of --output")
    return Answer({"schema": SCHEMA, "path": str(path), "ok": not found,
                   "damaged": [dataclasses.asdict(each) for each in found]},
                  map(str, found), int(bool(found)), [note])


def prune(store_path: Path | None, older_than: float | None, failed: bool, artefacts: bool,
          archs: tuple[str, ...], dry_run: bool) -> Answer:
    """Remove files and outcomes that are not needed, and show how much space is freed."""
    path = _path(store_path)
    rows, said = _forget(names("-a", archs), path, dry_run) if archs else ({}, [])
    freed = examine.prune(path, older_than_days=older_than, failed=failed,
                          artefacts=artefacts, dry_run=dry_run)
    counts = {kind: freed.counts[kind] for kind in _KINDS}
    return Answer(
        {"schema": SCHEMA, "bytes": freed.bytes, "busy": sorted(freed.busy), **counts, **rows},
        [*said, *(f"{count:8} {_KINDS[kind]}" for kind, count in counts.items() if count),
         f"{size(freed.bytes)} {'would be' if dry_run else 'were'} freed"],
        notes=[f"montgomery: {len(freed.busy)} keys were left, since another process uses them"]
        if freed.busy else [])


def _forget(wanted: Sequence[str], path: Path, dry_run: bool) -> tuple[dict[str, Any], list[str]]:
    """Remove the rows of cores or kinds; return what was done, and the lines that say it."""
    with Store(path).open(create=False, writable=not dry_run) as store:
        rows = store.rows()
        called = {identity: {_name(row), str(row.get("arch")), str(row.get("kind"))}
                  for identity, row in rows.items()}
        for name in wanted:
            known("measured architecture", name, sorted(set().union(*called.values())))
        found = {identity: row for identity, row in rows.items()
                 if not called[identity].isdisjoint(wanted)}
        if not dry_run:
            store.forget_rows(found)
    cores = Counter(map(_name, found.values()))
    lines = [f"  {name}: {plural(count, 'row')}" for name, count in cores.items()]
    done = "would be removed" if dry_run else "removed"
    return ({"rows": len(found), "cores": dict(cores), "removed": not dry_run},
            [*lines, f"{plural(len(found), 'row')} {done}"])


def _name(row: _Row) -> str:
    """Return the name of a row's core among those of all kinds, even of a kind that is gone."""
    try:
        return core_name(row)
    except KeyError:
        return str(row.get("arch"))
