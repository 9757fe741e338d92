"""The store: outcomes of stages by key, their files, and the measured rows.

A store is a folder. It holds an SQLite database and a folder of files for each outcome that has
any. Files are written under another name in the same file system, renamed, and then entered in the
database. So the files of every outcome in the database are complete, even if processes are killed.

Any number of processes may use a store at once. A file lock per key prevents two processes from
computing the same outcome; the system releases it when its holder ends.
"""

from .database import SCHEMA
from .folder import StoreError, default_path
from .store import Store

__all__ = ["SCHEMA", "Store", "StoreError", "default_path"]
