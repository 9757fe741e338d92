"""The one way to run a tool: in a folder, to its end or its time limit."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import stat
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..outcome import StageFailed
from .diagnose import diagnose, tail
from .processes import Processes, remove

__all__ = ["CONSOLE", "read_log", "run_tool"]

#: Name of the file with what a tool says on its standard outputs.
CONSOLE = "console.log"
#: What is read of a log, from its end.
_LOG_BYTES = 1 << 20


def run_tool(name: str, command: Sequence[str], folder: Path, processes: Processes,
             timeout_s: float | None, environment: Mapping[str, str] | None = None) -> None:
    """Run a tool in a folder to its end, or to its time limit.

    Its output goes to ``console.log``. Afterwards the folder holds regular files only: folders,
    links, pipes and devices are removed, and so are temporary files of the tool.

    Parameters
    ----------
    name : str
        Name of the tool in messages.
    command : sequence of str
        Command with arguments, as :func:`find`, :func:`packaged` and :func:`launched` return it.
    environment : dict from str to str, optional
        Variables that are set in addition to those of this process.

    Raises
    ------
    StageFailed
        If the tool failed.
    DiskFull
        If the disk is full, or a limit of the system is reached.
    InterruptedError
        If ``processes`` were stopped.
    """
    temporary = Path(tempfile.mkdtemp(prefix=".tmp.", dir=folder)).absolute()
    try:
        finished = processes.run(
            command, folder=folder, log=folder / CONSOLE, timeout_s=timeout_s,
            environment={**dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary)),
                         **(environment or {})})
    finally:
        for entry in list(os.scandir(folder)):
            if not entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    remove(Path(entry.path))
    failure = diagnose(name, finished, read_log(folder / CONSOLE), timeout_s)
    if failure is not None:
        # It may not have got so far as to say anything on the console.
        others = map(read_log, sorted(folder.glob("*.log")))
        lines = failure.log or next(filter(None, map(tail, others)), "")
        raise StageFailed(dataclasses.replace(failure, log=lines))


def read_log(path: Path) -> bytes:
    """Return the end of a log; nothing if it is no regular file, and without waiting for it."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return b""
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return b""
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(max(0, found.st_size - _LOG_BYTES))
            return file.read(_LOG_BYTES)
    finally:
        os.close(descriptor)
