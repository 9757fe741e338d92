"""The code that runs on the workers of a cluster: a site for each thread, and stages on it.

The process that sweeps sends its stages here; see :mod:`explore.pipeline.cluster`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import fcntl
import functools
import gzip
import platform
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from distributed import WorkerPlugin, get_worker
from distributed.utils import sync

from ...errors import WrongSite, going_on
from ...tools.compiler import Compiler, find_compiler
from ...tools.contents import hash_files
from ...tools.find import project_version
from ...tools.verilator import Verilator, find_verilator
from ...tools.workspace import Workspace, this_machine
from ..executor import Task
from ..site import Site

if TYPE_CHECKING:
    from dask.typing import Key
    from distributed import Worker

__all__ = ["Capabilities", "Files", "ask", "capabilities", "compute", "identity", "unlike"]

#: From the name of a file that a stage leaves to its contents, as the store keeps them.
Files = dict[str, bytes]

_PLUGIN = "montgomery-site"
_PACKAGES = ("explore", "boards", "montgomery")
_CODE = (".py", ".cc", ".h", ".v", ".j2")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a worker has, apart from tools. Outcomes are the same wherever it is equal.

    ``sources`` is a hash of the program's own files, and ``parts`` are names for messages with
    hashes or versions.
    """

    sources: str
    parts: tuple[tuple[str, str | None], ...]
    machine: str
    compiler: Compiler | None = dataclasses.field(compare=False)
    verilator: Verilator | None = dataclasses.field(compare=False)


def unlike(one: Capabilities, others: Capabilities) -> str:
    """Return why a worker cannot compute what others compute; empty if it can."""
    if one.sources != others.sources:
        return ("its sources of montgomery are not those of this process; install the same version "
                "there")
    names = [name for name, _ in set(one.parts) - set(others.parts)]
    return f"the others have another {', '.join(sorted(names))}" if names else ""


@functools.cache
def capabilities() -> Capabilities:
    """Return what this process has."""
    import amaranth

    root = Path(__file__).parents[3]
    files = sorted(path for package in _PACKAGES for path in (root / package).rglob("*")
                   if path.suffix in _CODE)
    compiler = find_compiler()
    verilator = find_verilator() if compiler else None
    return Capabilities(
        sources=hash_files(files, root), machine=this_machine(), compiler=compiler,
        verilator=verilator,
        parts=(("machine", this_machine()), ("version of Amaranth", amaranth.__version__),
               ("version of montgomery", project_version()),
               ("version of Python", platform.python_version()),
               # Their identities are read here, and go with them to other machines.
               ("C++ compiler", " ".join([*compiler.command, compiler.identity])
                if compiler else None),
               ("Verilator", verilator.identity if verilator else None)))


class _Sites(WorkerPlugin):
    """The sites of a worker, which end with the worker, and what runs on them with them.

    Each thread has a site of its own, so that one stage can be ended without the others.
    """

    name = _PLUGIN

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: dict[Key, Site] = {}
        self._idle: list[Site] = []
        #: The site that knows the tools.
        self.common = _made()

    def setup(self, worker: Worker) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="montgomery-", dir=worker.local_directory))

    def teardown(self, worker: Worker) -> None:
        for site in (self.common, *self._busy.values(), *self._idle):
            _end(site)
        shutil.rmtree(self.folder, ignore_errors=True)

    def transition(self, key: Key, start: str, finish: str, **more: Any) -> None:
        # Nobody waits for it any more, perhaps since the process that sweeps has ended.
        if (start in ("executing", "long-running") and finish in ("released", "forgotten",
                                                                  "cancelled")
                and (site := self._busy.get(key))):
            threading.Thread(target=_end, args=[site], daemon=True).start()

    @contextlib.contextmanager
    def site(self, key: Key) -> Iterator[Site]:
        """Have a site for the stage of a task."""
        with self._lock:
            site = self._busy[key] = self._idle.pop() if self._idle else _made()
        try:
            yield site
        finally:
            with self._lock:
                del self._busy[key]
                if not site.processes.stopped:
                    self._idle.append(site)

    def admitted(self, task: Task) -> dict[str, str]:
        """Return the versions of the programs of a task; see :meth:`Site.admit`."""
        # Workers on one host share the folder in which the tools of a package compile themselves,
        # and the one in which Dask keeps the folders of workers.
        with self._lock, open(self.folder.parents[1] / "montgomery.lock", "w") as shared:
            fcntl.flock(shared, fcntl.LOCK_EX)
            return self.common.admit(task.stage, task.spec, task.programs)


def _made() -> Site:
    return Site(None, capabilities().compiler, verilator=capabilities().verilator)


def _end(site: Site) -> None:
    site.stop()
    site.close()


async def _sites(worker: Worker) -> _Sites:
    if _PLUGIN not in worker.plugins:
        made = await asyncio.to_thread(_Sites)
        # Two may have asked at once.
        if _PLUGIN not in worker.plugins:
            await worker.plugin_add(made, catch_errors=False)
    return cast("_Sites", worker.plugins[_PLUGIN])


# Dask passes the worker to a parameter of the name dask_worker. What takes long runs in another
# thread than the one in which the worker listens.


async def ask(*, dask_worker: Worker) -> Capabilities:
    """Return what this worker has."""
    return await asyncio.to_thread(capabilities)


async def identity(name: str, packaged: bool, *, dask_worker: Worker) -> str:
    """Return the identity of a tool on this worker; see :meth:`Tools.identity`."""
    site = (await _sites(dask_worker)).common
    site.look_again()
    return await asyncio.to_thread(site.identity, name, packaged=packaged)


def compute(task: Task, inputs: list[Files], reference: Capabilities, topic: str
            ) -> dict[str, Any]:
    """Compute a stage on this worker; return the ``outcome`` and its ``files``.

    The worker must have what the reference has. It tells under a topic of Dask that the stage
    begins. Whatever it raises says why it cannot know the outcome.
    """
    if why := unlike(capabilities(), reference):
        raise WrongSite(why)
    worker = get_worker()
    sites, key = sync(worker.loop, _sites, worker), worker.get_current_task()
    with (going_on(f"{socket.gethostname()} cannot go on with a stage"),
          tempfile.TemporaryDirectory(dir=sites.folder) as path, sites.site(key) as site):
        folder = Path(path)
        for files in inputs:
            for name, contents in files.items():
                (folder / name.removesuffix(".gz")).write_bytes(gzip.decompress(contents))
        versions = sites.admitted(task)
        worker.log_event(topic, {"key": key, "host": socket.gethostname()})
        outcome = site.compute(task.stage, task.spec,
                               Workspace(folder, site.processes, task.timeout_s), versions)
        return {"outcome": outcome,
                "files": {name: (folder / name).read_bytes() for name in outcome.files}}
