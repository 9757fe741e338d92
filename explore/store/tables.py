"""The tables of a store's database, and their entries.

Each entry is a JSON text with a checksum. Columns beside it repeat what queries ask for: those of
``outcomes`` are the stage, status, seconds and date, and those of ``rows`` the columns of a row.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..outcome import Outcome
from .folder import StoreError, is_plain

__all__ = ["AGAIN", "COLUMNS", "SCHEMA", "create_tables", "decoded", "decoded_row", "has_tables",
           "is_intact", "outcome_entry", "row_entry", "with_checksum"]

#: Version of the tables.
SCHEMA = 3
#: What remains without the database, as the end of a message.
AGAIN = "a sweep reads the rows in its folder of --output as well"
#: Columns of each table that hold an entry. The last one is the checksum of the others.
COLUMNS = {"outcomes": "key, spec, outcome, checksum", "rows": "identity, row, checksum",
           "tools": "identity, version, checksum"}

_OF_ROWS = ("kind", "arch", "width", "target", "seed", "status")
_TABLES = f"""
CREATE TABLE outcomes (
    key TEXT PRIMARY KEY, spec TEXT NOT NULL, outcome TEXT NOT NULL, checksum TEXT NOT NULL,
    stage TEXT, status TEXT, seconds REAL, date TEXT, pruned INTEGER NOT NULL);
CREATE INDEX outcomes_by_stage ON outcomes (stage);
CREATE TABLE rows (
    identity TEXT PRIMARY KEY, row TEXT NOT NULL, checksum TEXT NOT NULL,
    kind TEXT, arch TEXT, width INTEGER, target TEXT, seed INTEGER, status TEXT);
CREATE TABLE tools (identity TEXT PRIMARY KEY, version TEXT NOT NULL, checksum TEXT NOT NULL);
PRAGMA user_version = {SCHEMA};
"""


def has_tables(database: sqlite3.Connection, file: Path) -> bool:
    """Return whether a database has the tables of a store; False if it is empty.

    Raises
    ------
    StoreError
        If another program, or another version of this one, made the database.
    """
    tables = {name for name, in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")}
    if not tables:
        return False
    if not tables & {*COLUMNS}:
        raise StoreError(f"{file} must be a database of this program, but it holds "
                         f"{min(map(str, tables))}; name another store with --store")
    (version,), = database.execute("PRAGMA user_version")
    if version != SCHEMA:
        raise StoreError(f"{file} is of another version of this program; delete it, or name "
                         f"another store with --store: {AGAIN}")
    return True


def create_tables(database: sqlite3.Connection) -> None:
    """Make the tables of an empty database; the caller has begun a transaction."""
    # Not executescript(), which would commit the transaction.
    for statement in filter(str.strip, _TABLES.split(";")):
        database.execute(statement)


def with_checksum(*texts: str) -> tuple[str, ...]:
    """Return the texts of an entry and their checksum."""
    return (*texts, hashlib.sha256(json.dumps(texts).encode()).hexdigest())


def is_intact(*entry: Any) -> bool:
    """Return whether the last part of an entry is the checksum of the others."""
    return all(isinstance(part, str) for part in entry) and with_checksum(*entry[:-1]) == entry


def outcome_entry(key: str, spec: Mapping[str, Any], outcome: Outcome) -> tuple[Any, ...]:
    """Return all columns of an outcome."""
    texts = key, json.dumps(dict(spec)), json.dumps(outcome.to_json())
    return (*with_checksum(*texts), spec.get("stage"), str(outcome.status), outcome.seconds,
            outcome.date or None, False)


def decoded(*entry: Any) -> Outcome | None:
    """Return the outcome of an entry with the columns :data:`COLUMNS`; None if it is damaged."""
    if not is_intact(*entry):
        return None
    try:
        outcome = Outcome.from_json(json.loads(entry[2]))
    except ValueError:
        return None
    return outcome if all(map(is_plain, outcome.files)) else None


def row_entry(identity: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return all columns of a row."""
    return (*with_checksum(identity, json.dumps(dict(row))), *map(row.get, _OF_ROWS))


def decoded_row(*entry: Any) -> dict[str, Any] | None:
    """Return the row of an entry with the columns :data:`COLUMNS`; None if it is damaged."""
    return json.loads(entry[1]) if is_intact(*entry) else None
