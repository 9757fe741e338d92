"""The code that runs on the workers of a cluster: a site for each thread, and stages on it.

The process that sweeps sends its stages here; see :mod:`explore.pipeline.cluster`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import gzip
import os
import platform
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from distributed import Reschedule, Status, WorkerPlugin, get_worker
from distributed.utils import sync

from ...errors import DiskFull, WrongSite, going_on
from ...fingerprint import SourcesChanged
from ...tools.compiler import Compiler, find_compiler
from ...tools.contents import hash_files
from ...tools.verilator import Verilator, find_verilator
from ...tools.workspace import Workspace, this_machine
from ...version import project_version
from ..site import Site
from ..stage import Spec, Stage, hash_of

if TYPE_CHECKING:
    from dask.typing import Key
    from distributed import Worker

__all__ = ["Capabilities", "Files", "Request", "SitePlugin", "admit", "ask", "capabilities",
           "compute", "identity", "leave"]

#: From the name of a file that a stage leaves to its contents, as the store keeps them.
Files = dict[str, bytes]

_PLUGIN = "montgomery-site"
_SOURCES = "the sources of montgomery"
_PACKAGES = ("explore", "boards", "montgomery")
_CODE = (".py", ".cc", ".h", ".v", ".j2")
#: A worker with less room on its disk returns nothing.
_ROOM_BYTES = 1 << 24


@dataclasses.dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a worker has.

    Attributes
    ----------
    parts : dict from str to str
        Hashes and versions of all on which outcomes depend, by names for messages: outcomes are the
        same wherever these are.
    compiler : Compiler or None
    verilator : Verilator or None
    machine : str
        Operating system, processor and C library.
    host : str
        Name of the machine.
    """

    parts: Mapping[str, str]
    compiler: Compiler | None
    verilator: Verilator | None
    machine: str
    host: str

    @property
    def sources(self) -> str:
        """Hash of the program's own files."""
        return self.parts[_SOURCES]

    @property
    def kind(self) -> str:
        """Name of the resource of Dask that all equal workers have, one for each thread."""
        return f"montgomery-{hash_of(self.parts)}"

    def differences(self, other: Capabilities) -> list[str]:
        """Return the names of what another worker has differently."""
        return [name for name, value in self.parts.items() if value != other.parts[name]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Request:
    """A stage that a worker is to compute.

    Attributes
    ----------
    files : sequence of dict from str to bytes
        For each input, the contents of its files.
    kind : str
        See :attr:`Capabilities.kind`.
    topic : str
        Topic of Dask under which to tell what happens.
    """

    stage: Stage
    spec: Spec
    programs: Sequence[str]
    timeout_s: float | None
    files: Sequence[Files]
    kind: str
    topic: str


class SitePlugin(WorkerPlugin):
    """The sites of a worker, which end with the worker, and what runs on them with them.

    Each thread has a site of its own, so that one stage can be ended without the others.
    """

    name = _PLUGIN

    def setup(self, worker: Worker) -> None:
        self._lock = threading.Lock()
        self.folder = Path(tempfile.mkdtemp(prefix="montgomery-", dir=worker.local_directory))
        #: The site that knows the tools.
        self.common = Site(None, find_compiler(), verilator=find_verilator())
        self._busy: dict[Key, Site] = {}
        self._idle: list[Site] = []

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
            site = self._idle.pop() if self._idle else Site(
                None, self.common.compiler, verilator=self.common.verilator)
            self._busy[key] = site
        try:
            yield site
        finally:
            with self._lock:
                del self._busy[key]
                if not site.processes.stopped:
                    self._idle.append(site)

    def admitted(self, request: Request) -> dict[str, str]:
        """Return the versions of the programs of a request; see :meth:`Site.admit`."""
        # Workers on one host share the folder in which the tools of a package compile themselves.
        with self._lock, _alone_on_host():
            return self.common.admit(request.stage, request.spec, request.programs)


def _plugin(worker: Worker) -> SitePlugin:
    return cast("SitePlugin", worker.plugins[_PLUGIN])


def _end(site: Site) -> None:
    site.stop()
    site.close()


@contextlib.contextmanager
def _alone_on_host() -> Iterator[None]:
    """Let one process per user and host in at a time."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    path = Path(tempfile.gettempdir(), f"montgomery-worker-{os.getuid()}.lock")
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def capabilities() -> Capabilities:
    """Return what this process has."""
    import amaranth

    root = Path(__file__).parents[3]
    files = sorted(path for package in _PACKAGES for path in (root / package).rglob("*")
                   if path.suffix in _CODE)
    compiler = find_compiler()
    verilator = find_verilator() if compiler else None
    return Capabilities(
        parts={_SOURCES: hash_files(files, root),
               "amaranth": amaranth.__version__, "montgomery": project_version(),
               "python": platform.python_version(), "the machine": this_machine(),
               # Their identities are read here, and go with them to other machines.
               "the C++ compiler": " ".join([*compiler.command, compiler.identity])
               if compiler else None,
               "Verilator": verilator.identity if verilator else None},
        machine=this_machine(), compiler=compiler, verilator=verilator, host=socket.gethostname())


# Dask passes the worker to a parameter of the name dask_worker.


async def ask(*, dask_worker: Worker) -> Capabilities:
    """Return what this worker has, which can compute stages afterwards."""
    if _PLUGIN not in dask_worker.plugins:
        await dask_worker.plugin_add(SitePlugin())
    return capabilities()


async def admit(kind: str, *, dask_worker: Worker) -> None:
    """Let this worker have stages that only workers of its kind compute."""
    await dask_worker.set_resources(**{kind: dask_worker.state.nthreads})
    # When a worker goes on, Dask looks at what waits for one. A new resource is no reason to look.
    dask_worker.status = Status.paused
    dask_worker.status = Status.running


async def leave(kind: str, *, dask_worker: Worker) -> None:
    """Have the scheduler send no more stages to this worker.

    The worker keeps its resource. Stages that wait on the worker would wait forever without the
    resource; with it, each of them begins, finds what the first one found, and goes elsewhere.
    """
    await dask_worker.scheduler.set_resources(resources={kind: 0},
                                              worker=dask_worker.contact_address)


def identity(name: str, packaged: bool, *, dask_worker: Worker) -> str:
    """Return the identity of a tool on this worker; see :meth:`Site.identity`."""
    return _plugin(dask_worker).common.identity(name, packaged=packaged)


def compute(request: Request) -> tuple[dict[str, Any], Files]:
    """Compute a stage on this worker; return the outcome, as JSON has it, and its files.

    A worker that cannot know the outcome, since its tools or sources differ, or its disk is full,
    leaves the others, and the stage is computed elsewhere.

    Raises
    ------
    ToolMissing
        If a program does not run.
    InterruptedError
        If the stage was ended.
    """
    worker = get_worker()
    try:
        with going_on(f"{socket.gethostname()} cannot go on with a stage"):
            return _compute(worker, request)
    except (WrongSite, DiskFull, SourcesChanged) as error:
        worker.log_event(request.topic, {"left": worker.address, "why": str(error)})
        sync(worker.loop, leave, request.kind, dask_worker=worker)
        raise Reschedule from None


def _compute(worker: Worker, request: Request) -> tuple[dict[str, Any], Files]:
    plugin, key = _plugin(worker), worker.get_current_task()
    with tempfile.TemporaryDirectory(dir=plugin.folder) as path, plugin.site(key) as site:
        folder = Path(path)
        for files in request.files:
            for name, contents in files.items():
                (folder / name.removesuffix(".gz")).write_bytes(gzip.decompress(contents))
        versions = plugin.admitted(request)
        worker.log_event(request.topic, {"key": key, "host": socket.gethostname()})
        outcome = site.compute(request.stage, request.spec,
                               Workspace(folder, site.processes, request.timeout_s), versions)
        # A tool may leave half a file, and say nothing.
        if shutil.disk_usage(folder).free < _ROOM_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return outcome.to_json(), {name: (folder / name).read_bytes() for name in outcome.files}
