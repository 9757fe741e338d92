"""The code that runs on the workers of a cluster: stages, each on a site of its own.

The process that sweeps sends its stages here; see :mod:`explore.pipeline.cluster`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import fcntl
import functools
import gzip
import pickle
import platform
import socket
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from distributed import WorkerPlugin, get_worker

from ...errors import going_on
from ...fingerprint import PROJECT
from ...tools.compiler import Compiler, find_compiler
from ...tools.contents import hash_files
from ...tools.verilator import Verilator, find_verilator
from ...tools.workspace import Workspace, this_machine
from ..executor import Task
from ..site import Site

if TYPE_CHECKING:
    from dask.typing import Key
    from distributed import Worker

__all__ = ["Capabilities", "Files", "ask", "capabilities", "compute", "identity",
           "unlike"]

#: From the name of a file that a stage leaves to its contents, as the store keeps them.
Files = dict[str, bytes]

_PLUGIN = "montgomery-site"
_CODE = (".py", ".cc", ".h", ".v", ".j2")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a worker has, apart from tools. Outcomes are the same wherever it is equal.

    ``sources`` is a hash of the program's own files.
    """

    sources: str
    python: str
    machine: str
    compiler: Compiler | None
    verilator: Verilator | None


def unlike(one: Capabilities, others: Capabilities) -> str:
    """Return why a worker cannot compute what others compute; empty if it can."""
    names = [field.name for field in dataclasses.fields(one)
             if getattr(one, field.name) != getattr(others, field.name)]
    return f"its {', '.join(names)} must be the same as those of the others" if names else ""


@functools.cache
def capabilities() -> Capabilities:
    """Return what this process has."""
    root = Path(__file__).parents[3]
    files = sorted(path for package in PROJECT for path in (root / package).rglob("*")
                   if path.suffix in _CODE)
    compiler = find_compiler()
    verilator = find_verilator() if compiler else None
    # Their identities are read here, and go with them to other machines.
    _ = compiler and compiler.identity, verilator and verilator.identity
    return Capabilities(sources=hash_files(files, root), python=platform.python_version(),
                        machine=this_machine(), compiler=compiler, verilator=verilator)


class _Running(WorkerPlugin):
    """What runs on a worker, which ends with the task that wants it, and with the worker."""

    name = _PLUGIN

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sites: dict[Key, Site] = {}
        #: The site that knows the tools.
        self.common = _site()

    def teardown(self, worker: Worker) -> None:
        for site in (self.common, *self.sites.values()):
            site.stop()

    def transition(self, key: Key, start: str, finish: str, **more: Any) -> None:
        # Nobody waits for it any more, perhaps since the process that sweeps has ended.
        if (start in ("executing", "long-running") and finish in ("released", "forgotten",
                                                                  "cancelled")
                and (site := self.sites.get(key))):
            threading.Thread(target=site.stop, daemon=True).start()


def _site() -> Site:
    return Site(None, capabilities().compiler, verilator=capabilities().verilator)


def _running(worker: Worker) -> _Running:
    return cast("_Running", worker.plugins[_PLUGIN])


# Dask passes the worker to a parameter of the name dask_worker. What takes long runs in another
# thread than the one in which the worker listens.


async def ask(*, dask_worker: Worker) -> Capabilities:
    """Return what this worker has, and make it ready to compute."""
    found = await asyncio.to_thread(capabilities)
    if _PLUGIN not in dask_worker.plugins:
        await dask_worker.plugin_add(_Running(), catch_errors=False)
    return found


async def identity(name: str, packaged: bool, *, dask_worker: Worker) -> str:
    """Return the identity of a tool on this worker; see :meth:`Tools.identity`."""
    site = _running(dask_worker).common
    site.look_again()
    return await asyncio.to_thread(site.identity, name, packaged=packaged)


def compute(task: bytes, inputs: list[Files]) -> dict[str, Any]:
    """Compute a stage on this worker, which was asked before; the task is pickled.

    The result has the ``outcome`` and its ``files``, or else the name of the ``worker`` and why it
    ``refused``, since it cannot know the outcome.
    """
    worker = get_worker()
    try:
        with going_on(f"{socket.gethostname()} cannot go on with a stage"):
            # A worker may lack the package of a stage.
            return _computed(pickle.loads(task), inputs, worker)
    except Exception as error:
        return {"refused": str(error) or type(error).__name__, "worker": worker.local_directory}


def _computed(task: Task, inputs: list[Files], worker: Worker) -> dict[str, Any]:
    running, beside = _running(worker), Path(worker.local_directory)
    with (tempfile.TemporaryDirectory(dir=beside) as path,
          contextlib.closing(_site()) as site):
        folder = Path(path)
        for files in inputs:
            for name, contents in files.items():
                (folder / name.removesuffix(".gz")).write_bytes(gzip.decompress(contents))
        running.sites[worker.get_current_task()] = site
        try:
            # Workers on one host share the folder in which the tools of a package compile
            # themselves, and the one in which Dask keeps the folders of workers.
            with running.lock, open(beside.parent / "montgomery.lock", "w") as shared:
                fcntl.flock(shared, fcntl.LOCK_EX)
                versions = running.common.admit(task.stage, task.spec, task.programs)
            outcome = site.compute(task.stage, task.spec,
                                   Workspace(folder, site.processes, task.timeout_s), versions)
        finally:
            del running.sites[worker.get_current_task()]
        return {"outcome": outcome,
                "files": {name: (folder / name).read_bytes() for name in outcome.files}}
