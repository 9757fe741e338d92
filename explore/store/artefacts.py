"""Packs the files of stages for the store, and checks them when they are read."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..outcome import StageFailed
from .folder import is_real, remove

__all__ = ["Damaged", "digest", "is_whole", "output", "pack", "stored", "unpack",
           "unpacked"]

_SUFFIX = ".gz"


class Damaged(RuntimeError):
    """A stored file is missing, or its contents are not those that were stored."""


def digest(data: bytes | str) -> str:
    """Return the SHA-256 of the contents of a file."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def is_whole(folder: Path, files: Mapping[str, str]) -> bool:
    """Return whether a folder has files, by their names and the hashes of their contents."""
    try:
        return all(digest((folder / name).read_bytes()) == known for name, known in files.items())
    except OSError:
        return False


def output(folder: Path, name: str, tool: str) -> bytes:
    """Return the contents of a file that a tool was expected to write; it fails if there is none.
    """
    path = folder / name
    if not is_real(path):
        raise StageFailed(f"{tool} ended with status 0 but left no output {name}")
    return path.read_bytes()


def pack(folder: Path, names: Iterable[str], *, compress: bool = True) -> dict[str, str]:
    """Compress the named files in a folder, or leave them as they are; remove everything else.

    Equal contents give equal compressed files. The result is a dictionary from the name of each
    remaining file to the SHA-256 of its contents.
    """
    wanted, hashes = set(names), {}
    for path in sorted(folder.iterdir()):
        if path.name in wanted and is_real(path):
            if not compress:
                hashes[path.name] = digest(path.read_bytes())
                continue
            packed = path.with_name(path.name + _SUFFIX)
            with path.open("rb") as source, packed.open("wb") as file, \
                    gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as target:
                shutil.copyfileobj(source, target)
            hashes[packed.name] = digest(packed.read_bytes())
        remove(path)
    return hashes


def stored(folder: Path, files: Mapping[str, str], name: str) -> bytes:
    """Return a file that :func:`pack` left, as it is, with that result in ``files``.

    :exc:`Damaged` says that it is missing, or that its contents are not those that were stored.
    """
    path = folder / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Damaged(f"{path} cannot be read ({error.strerror})") from None
    if name not in files or digest(data) != files[name]:
        raise Damaged(f"{path} is not the file that was stored")
    return data


def unpacked(folder: Path, files: Mapping[str, str], name: str) -> bytes:
    """Return the contents of one file that :func:`pack` compressed; see :func:`stored`."""
    packed = name + _SUFFIX
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(stored(folder, files, packed))) as file:
            return file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise Damaged(f"{folder / packed} cannot be unpacked ({error})") from None


def unpack(folder: Path, files: Mapping[str, str], target: Path) -> None:
    """Write all files that :func:`pack` compressed in ``folder`` to the folder ``target``."""
    for stored in files:
        name = stored.removesuffix(_SUFFIX)
        (target / name).write_bytes(unpacked(folder, files, name))
