"""Lists the contents of a store, and finds damage to them."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..outcome import Outcome
from .artefacts import digest
from .database import Damaged
from .folder import DATABASE, is_real
from .store import Store, decoded, decoded_row, is_intact, is_plain

__all__ = ["COLUMNS", "KEPT", "Damage", "again", "check", "database_bytes", "date_of", "entries",
           "info", "is_key", "moment", "outcomes", "reason", "size_of"]

#: Small files from which rows are made, and which are therefore kept.
KEPT = ("report.json.gz", "core.json.gz")
#: Columns of each table. The last one is the checksum of the others.
COLUMNS = {"outcomes": ("key", "spec", "outcome", "checksum"),
           "rows": ("identity", "row", "checksum"),
           "tools": ("identity", "version", "checksum")}

_CHUNK = 1000
_SINGULAR = {"outcomes": "outcome", "rows": "row", "tools": "version of a tool"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Damage:
    """An entry or a file that differs from what was stored.

    Attributes
    ----------
    table : str or None
        Table of the entry; None for the database as a whole.
    name : str
        Key or identity of the entry.
    reason : str
        The damage.
    rowid : int
        SQLite's number of the entry.
    """

    table: str | None = None
    name: str = ""
    reason: str
    rowid: int = 0

    def __str__(self) -> str:
        what = "database" if self.table is None else f"{_SINGULAR[self.table]} {self.name}"
        return f"{what}: {self.reason}"


def entries(store: Store, table: str) -> Iterator[tuple]:
    """Yield the number and the columns of each entry of a table."""
    last, columns = -(1 << 63), ", ".join(COLUMNS[table])
    while True:
        chunk = store.database.read(f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? "
                                    f"ORDER BY rowid LIMIT {_CHUNK}", last)
        yield from chunk
        if len(chunk) < _CHUNK:
            return
        last = chunk[-1][0]


def outcomes(store: Store) -> Iterator[tuple[str, dict[str, Any], Outcome]]:
    """Yield key, specification and outcome of all undamaged entries."""
    for _, *entry in entries(store, "outcomes"):
        spec, outcome = decoded(*entry)
        if outcome is not None and is_key(entry[0]):
            yield entry[0], spec, outcome


def is_key(key: Any) -> bool:
    return is_plain(key) and not key.startswith(".")


def reason(store: Store, table: str, entry: list[Any]) -> str | None:
    """Return the damage of an entry as a text; None if the entry is undamaged."""
    damaged = "its entry in the database is not what was stored"
    if table == "rows":
        return damaged if decoded_row(*entry) is None else None
    if table == "tools":
        return None if is_intact(*entry) else damaged
    key = entry[0]
    _, outcome = decoded(*entry)
    if outcome is None or not is_key(key):
        return damaged
    pruned = store.database.read("SELECT 1 FROM pruned WHERE key = ?", key)
    for name, stored in outcome.files.items():
        path = store.files(key) / name
        if not is_real(path):
            if pruned and name not in KEPT and not os.path.lexists(path):
                continue
            return f"{path} is missing"
        try:
            if digest(path.read_bytes()) != stored:
                return f"{path} is not the file that was stored"
        except OSError as error:
            return f"{path} cannot be read ({error.strerror})"
    return None


def _damages(store: Store) -> Iterator[Damage]:
    try:
        problems = [str(line) for line, in store.database.read("PRAGMA integrity_check(10)")]
        if problems != ["ok"]:
            yield Damage(reason=" ".join("; ".join(problems).split()))
        for table in COLUMNS:
            for rowid, *entry in entries(store, table):
                # Read it again, since another process may have just replaced its files.
                if reason(store, table, entry) is None or (
                        now := again(store, table, rowid)) is None:
                    continue
                wrong = reason(store, table, now)
                if wrong is not None:
                    name = " ".join(str(now[0]).split())[:60]
                    yield Damage(table=table, name=name, reason=wrong, rowid=rowid)
    except Damaged as error:
        yield Damage(reason=str(error))


def again(store: Store, table: str, rowid: int) -> list[Any] | None:
    found = store.database.read(
        f"SELECT {', '.join(COLUMNS[table])} FROM {table} WHERE rowid = ?", rowid)
    return list(found[0]) if found else None


def check(path: Path) -> list[Damage]:
    """Return all damage of a store, for which every file is read.

    Raises
    ------
    StoreError
        If there is no store, or it cannot be read.
    """
    store = Store(path)
    try:
        store.open(create=False, writable=False)
    except Damaged as error:
        return [Damage(reason=str(error))]
    with store:
        return list(_damages(store))


def info(path: Path) -> dict[str, Any]:
    """Return the sizes and counts of the contents of a store, as a JSON-able dictionary.

    Raises
    ------
    StoreError
        If there is no store, or it cannot be read.
    """
    with Store(path).open(create=False, writable=False) as store:
        counts: Counter[tuple[str, str]] = Counter()
        dates = []
        for _, spec, outcome in outcomes(store):
            counts[str(spec.get("stage")), outcome.status.value] += 1
            if (date := date_of(outcome)) is not None:
                dates.append(date)
        version = store.database.version
        (pruned,), = store.database.read("SELECT count(*) FROM pruned")
        files = [size for _, size in files_in(store.path / "artefacts")]
        return {"path": str(store.path), "version": version,
                "database_bytes": database_bytes(store.path), "artefacts_bytes": sum(files),
                "artefacts": len(files), "rows": len(store.rows()), "pruned": pruned,
                "outcomes": [{"stage": stage, "status": status, "count": count}
                             for (stage, status), count in sorted(counts.items())],
                "oldest": min(dates).isoformat() if dates else None,
                "newest": max(dates).isoformat() if dates else None}


def date_of(outcome: Outcome) -> datetime.datetime | None:
    return moment(outcome.date)


def moment(text: Any) -> datetime.datetime | None:
    """Return the time that a date of an outcome or a row says, or None if it says none."""
    try:
        date = datetime.datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=datetime.UTC)


def files_in(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield all files in a folder and below, with their sizes in bytes; follow no link."""
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            with contextlib.suppress(OSError):
                yield path, path.lstat().st_size


def size_of(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        return sum(size for _, size in files_in(path))
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def database_bytes(path: Path) -> int:
    return size_of(path / DATABASE) + size_of(path / f"{DATABASE}-wal")
