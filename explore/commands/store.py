"""``montgomery store``: the contents of a store, their check, and their removal."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ..data.labels import core_name
from ..errors import Refusal
from ..lookup import known
from ..store import Store, default_path, examine
from ._answer import SCHEMA, Answer
from ._options import names, widths
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
          archs: tuple[str, ...], widths_: tuple[str, ...], targets: tuple[str, ...], yes: bool,
          dry_run: bool) -> Answer:
    """Remove files and outcomes that are not needed, and show how much space is freed."""
    path = _path(store_path)
    wanted = {"architecture": names("-a", archs), "width": list(map(str, widths(widths_))),
              "target": names("-t", targets)}
    rows, said = {}, []
    if any(wanted.values()):
        rows, said = _forget(wanted, path, yes=yes, dry_run=dry_run)
    if rows and not (rows["removed"] or dry_run):
        return Answer({"schema": SCHEMA, **rows}, said, 1)
    freed = examine.prune(path, older_than_days=older_than, failed=failed,
                  artefacts=artefacts, dry_run=dry_run)
    counts = {kind: freed.counts[kind] for kind in _KINDS}
    return Answer(
        {"schema": SCHEMA, "bytes": freed.bytes, "busy": sorted(freed.busy), **counts, **rows},
        [*said, *(f"{count:8} {_KINDS[kind]}" for kind, count in counts.items() if count),
         f"{size(freed.bytes)} {'would be' if dry_run else 'were'} freed"],
        notes=[f"montgomery: {len(freed.busy)} keys were left, since another process uses them"]
        if freed.busy else [])


def _forget(wanted: Mapping[str, Iterable[str]], path: Path, *, yes: bool, dry_run: bool
           ) -> tuple[dict[str, Any], list[str]]:
    """Remove the rows that match all that is wanted, after a question; return what was done."""
    with Store(path).open(create=False, writable=not dry_run) as store:
        found = _matching(store.rows(), wanted, path)
        cores = Counter(map(_name, found.values()))
        lines = [f"  {name}: {_rows(count)}" for name, count in cores.items()]
        removed = not dry_run and (yes or _confirmed(lines, _rows(len(found)), path))
        if removed:
            store.forget_rows(found)
    done = "would be removed" if dry_run else "removed" if removed else "kept"
    return ({"rows": len(found), "cores": dict(cores), "removed": removed},
            [*(lines if yes or dry_run else []), f"{_rows(len(found))} {done}"])


def _rows(count: int) -> str:
    return f"{count} row{'s' if count != 1 else ''}"


def _confirmed(lines: Iterable[str], rows: str, path: Path) -> bool:
    """Show what would be removed, and ask whether it may be."""
    for line in lines:
        click.echo(line, err=True)
    try:
        return click.confirm(f"Remove {rows} from {path}?", err=True)
    except click.Abort as abort:
        # Click hides that the input ended.
        if isinstance(abort.__context__, EOFError):
            click.echo(err=True)
            raise click.UsageError(f"Nobody answers whether {rows} may be removed; give "
                                   "--yes") from None
        raise


def _name(row: _Row) -> str:
    """Return the name of a row's core among those of all kinds, even of a kind that is gone."""
    try:
        return core_name(row)
    except KeyError:
        return str(row.get("arch"))


def _matching(rows: Mapping[str, _Row], wanted: Mapping[str, Iterable[str]],
              path: Path) -> dict[str, _Row]:
    """Return the rows that match all that is asked for, by identity."""
    found = dict(rows)
    for what, values in wanted.items():
        texts = {identity: {_name(row), *(str(row.get(each)) for each in ("arch", "kind"))}
                 if what == "architecture" else {str(row.get(what))}
                 for identity, row in rows.items()}
        every = sorted(set().union(*texts.values()))
        for value in values:
            known(f"measured {what}", value, every)
        if values:
            found = {identity: row for identity, row in found.items()
                     if not texts[identity].isdisjoint(values)}
    if not found:
        raise Refusal(f"No row in {path} matches all of these options; leave one out")
    return found
