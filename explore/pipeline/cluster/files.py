"""The files that stages on workers read: most of them are on a worker already."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...store.artefacts import digest
from ..executor import Input, Lost

if TYPE_CHECKING:
    import distributed

__all__ = ["FilesOnWorkers"]

#: Bytes of files that workers keep for stages to come.
_KEPT_BYTES = 1 << 30


class FilesOnWorkers:
    """Futures of the files that workers have, because they made them or were sent them.

    A worker keeps the files for as long as their future is here. The futures that were used least
    recently are dropped when the files exceed one GiB.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: distributed.Client) -> None:
        self._client = client
        self._lock = threading.Lock()
        #: Futures and sizes, by the names and hashes of the files.
        self._kept: OrderedDict[tuple, tuple[distributed.Future, int]] = OrderedDict()
        self._bytes = 0

    def future(self, source: Input, index: int) -> distributed.Future:
        """Return a future of the files of an input; send the files if no worker has them.

        Parameters
        ----------
        index : int
            Index of the input, for :exc:`Lost`.

        Raises
        ------
        Lost
            If a file is missing or damaged.
        """
        name = _name(source.files)
        with self._lock:
            if name in self._kept and self._kept[name][0].status in ("finished", "pending"):
                self._kept.move_to_end(name)
                return self._kept[name][0]
        files = {}
        for stored, hashed in source.files.items():
            try:
                files[stored] = (source.folder / stored).read_bytes()
            except OSError as error:
                raise Lost(index) from error
            if digest(files[stored]) != hashed:
                raise Lost(index)
        # What is sent has the form of what a stage returns: an outcome and files. Dask scatters the
        # items of a list, one of them here.
        future, = self._client.scatter([({}, files)], hash=False)
        self.keep(future, source.files, sum(map(len, files.values())))
        return future

    def keep(self, future: distributed.Future, files: Mapping[str, str], size: int) -> None:
        """Keep a future for stages that read its files.

        Parameters
        ----------
        files : dict from str to str
            From the name of each file to its SHA-256.
        size : int
            Size of all files in bytes.
        """
        name = _name(files)
        with self._lock:
            _, before = self._kept.pop(name, (None, 0))
            self._kept[name] = future, size
            self._bytes += size - before
            while len(self._kept) > 1 and self._bytes > _KEPT_BYTES:
                _, (_, dropped) = self._kept.popitem(last=False)
                self._bytes -= dropped

    def forget(self) -> None:
        """Drop all futures, since workers that had their files may be gone."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0


def _name(files: Mapping[str, str]) -> tuple:
    return tuple(sorted(files.items()))
