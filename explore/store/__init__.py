"""The store: outcomes of stages by key, their files, and the rows that were measured.

One folder holds one SQLite file and, beside it, a folder of files for each outcome that has any.
Files are written under another name in the same file system, renamed, and only then entered in the
database, so that what the database knows of is whole, whatever was killed and when. Any number of
processes may use one store at once; a file lock for each key, which the system releases when its
holder ends in whatever way, keeps two of them from computing the same outcome.

A store may be shared by a group of users: its files and folders have the permissions and the group
that the umask and the folder give them. One that cannot be written can be read.
"""

from .folder import StoreError, default_path
from .store import Store, disk_full
from .tables import SCHEMA

__all__ = ["SCHEMA", "Store", "StoreError", "default_path", "disk_full"]
