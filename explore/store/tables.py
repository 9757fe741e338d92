"""The tables of a store's database, and those of earlier versions."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

from .folder import StoreError

__all__ = ["SCHEMA", "checksum", "create_tables", "schema", "upgrade", "upgraded"]

#: Version of the tables in a store.
SCHEMA = 2

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE outcomes (
    key TEXT PRIMARY KEY, spec TEXT NOT NULL, outcome TEXT NOT NULL, checksum TEXT NOT NULL);
CREATE TABLE pruned (key TEXT PRIMARY KEY);
CREATE TABLE rows (identity TEXT PRIMARY KEY, row TEXT NOT NULL, checksum TEXT NOT NULL);
CREATE TABLE tools (identity TEXT PRIMARY KEY, version TEXT NOT NULL, checksum TEXT NOT NULL);
"""
_NAMES = {"meta", "outcomes", "rows", "tools"}


def checksum(*parts: str) -> str:
    """Return the checksum of an entry, which shows whether it is undamaged."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def create_tables(database: sqlite3.Connection) -> None:
    """Make the tables of an empty database; the caller has begun a transaction."""
    # Not executescript(), which would commit the transaction.
    for statement in filter(str.strip, _TABLES.split(";")):
        database.execute(statement)
    database.execute("INSERT INTO meta VALUES ('schema', ?)", (str(SCHEMA),))


def upgrade(database: sqlite3.Connection) -> None:
    """Turn schema 1 into schema 2; the caller has begun a transaction.

    Outcomes are dropped, since their keys are those of an earlier version. Rows and tools stay.
    """
    rows = database.execute("SELECT identity, row FROM rows ORDER BY rowid").fetchall()
    tools = [tuple(json.dumps(part) if isinstance(part, str) else None for part in entry)
             for entry in database.execute("SELECT identity, version FROM tools ORDER BY rowid")]
    for name in _NAMES:
        database.execute(f"DROP TABLE {name}")
    create_tables(database)
    for table, entries in (("rows", rows), ("tools", tools)):
        database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", [
            (*entry, checksum(*entry)) for entry in entries
            if all(isinstance(part, str) for part in entry)])


def schema(database: sqlite3.Connection, file: Path) -> int:
    """Return the version of the tables in a database; 0 if it is empty.

    Raises
    ------
    StoreError
        If another program made the database, or a later version of this program.
    """
    tables = {name for name, in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")}
    if not tables:
        return 0
    if len(tables & _NAMES) < 2:
        raise StoreError(f"{file} must be a database of this program, but it holds "
                         f"{min(map(str, tables))}; name another store with --store")
    values = database.execute("SELECT value FROM meta WHERE name = 'schema'").fetchall()
    text = str(values[0][0]) if values else "none"
    version = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    if version is None or version < 1:
        raise sqlite3.DatabaseError(f"its version is {text[:40]!r}")
    if version > SCHEMA:
        raise StoreError(f"A store must be of version {SCHEMA} or before, but {file} is of version "
                         f"{version}; use the version of this program that made it, or name "
                         "another store with --store")
    return version


def upgraded(old: sqlite3.Connection, version: int) -> sqlite3.Connection:
    """Return an upgraded copy of a database in memory.

    ``version`` is that of the tables in ``old``, or 0 if it is empty.
    """
    new = sqlite3.connect(":memory:", isolation_level=None)
    try:
        new.text_factory = old.text_factory
        if version:
            old.backup(new)
        new.execute("BEGIN")
        if version:
            upgrade(new)
        else:
            create_tables(new)
        new.execute("COMMIT")
        new.execute("PRAGMA query_only=ON")
    except BaseException:
        new.close()
        raise
    return new
