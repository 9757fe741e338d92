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
from typing import TYPE_CHECKING, Any

from distributed import WorkerPlugin, get_worker

from ...errors import DiskFull, WrongSite, going_on
from ...fingerprint import SourcesChanged
from ...store.artefacts import digest
from ...tools.compiler import Compiler, find_compiler
from ...tools.contents import hash_files
from ...tools.verilator import Verilator, find_verilator
from ...tools.workspace import Workspace, this_machine
from ...version import project_version
from ..site import Site
from ..stage import Spec, Stage

if TYPE_CHECKING:
    from distributed import Worker

__all__ = ["Capabilities", "Files", "NotJoined", "OtherFiles", "Refused", "Request",
           "SitePlugin", "capabilities", "compute", "identity", "joined", "stop"]

#: From the name of a file that a stage leaves to its contents, as the store keeps them.
Files = dict[str, bytes]

_PLUGIN = "montgomery-site"
_PACKAGES = ("explore", "boards", "montgomery")
_CODE = (".py", ".cc", ".h", ".v", ".j2")
#: A worker with less room on its disk returns nothing.
_ROOM_BYTES = 1 << 24


@dataclasses.dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a worker has: outcomes are the same wherever these are.

    Attributes
    ----------
    sources : str
        Hash of the program's own files.
    libraries : dict from str to str
        Versions of Python and of the packages on which outcomes depend.
    machine : str
        Operating system, processor and C library.
    compiler : Compiler or None
    verilator : Verilator or None
    host : str
        Name of the machine, for messages.
    """

    sources: str
    libraries: Mapping[str, str]
    machine: str
    compiler: Compiler | None
    verilator: Verilator | None
    host: str

    def differences(self, other: Capabilities) -> list[str]:
        """Return the names of what another worker has differently."""
        found = ["the sources of montgomery"] if self.sources != other.sources else []
        found += [name for name in {**self.libraries, **other.libraries}
                  if self.libraries.get(name) != other.libraries.get(name)]
        if self.machine != other.machine:
            found.append("the machine")
        if self.compiler_known_as != other.compiler_known_as:
            found.append("the C++ compiler")
        if self.verilator_known_as != other.verilator_known_as:
            found.append("Verilator")
        return found

    @property
    def kind(self) -> tuple:
        """A value that is the same for all that is equal."""
        return (self.sources, tuple(sorted(self.libraries.items())), self.machine,
                self.compiler_known_as, self.verilator_known_as)

    @property
    def compiler_known_as(self) -> tuple | None:
        """Command and identity of the compiler."""
        return self.compiler and (self.compiler.command, self.compiler.identity)

    @property
    def verilator_known_as(self) -> str | None:
        """Identity of Verilator."""
        return self.verilator and self.verilator.identity


@dataclasses.dataclass(frozen=True, kw_only=True)
class Request:
    """A stage that a worker is to compute.

    Attributes
    ----------
    files : tuple of dict from str to str
        For each input, from the name of each file to its SHA-256.
    topic : str
        Topic of Dask under which to tell that the stage begins.
    """

    stage: Stage
    spec: Spec
    programs: Sequence[str]
    timeout_s: float | None
    files: tuple[Mapping[str, str], ...]
    topic: str


class Refused(Exception):
    """A worker cannot compute what others may; the arguments are its address and the reason."""

    @property
    def worker(self) -> str:
        """Address of the worker."""
        return self.args[0]

    @property
    def reason(self) -> Exception:
        """The error that would end a sweep, if there were no other worker."""
        return self.args[1]


class NotJoined(Exception):
    """A worker was not asked for what it has, since it is a new one at an old address.

    The argument is the address.
    """


class OtherFiles(Exception):
    """Files that a stage reads are others than those that it is to read.

    Dask repeats a task whose result was lost with its worker. Logs tell times, so that they come
    out different.
    """


class SitePlugin(WorkerPlugin):
    """The sites of a worker, which end with the worker, and what runs on them with them.

    Each thread has a site of its own, so that one stage can be ended without the others.
    """

    name = _PLUGIN

    def setup(self, worker: Worker) -> None:
        self._lock = threading.Lock()
        self._folder = Path(tempfile.mkdtemp(prefix="montgomery-", dir=worker.local_directory))
        self._common = Site(None, find_compiler(), verilator=find_verilator())
        #: For the key of each task that runs, its topic and its site.
        self._busy: dict[str, tuple[str, Site]] = {}
        self._idle: list[Site] = []

    def teardown(self, worker: Worker) -> None:
        for site in (self._common, *(site for _, site in self._busy.values()), *self._idle):
            _end(site)
        shutil.rmtree(self._folder, ignore_errors=True)

    def transition(self, key: str, start: str, finish: str, **more: Any) -> None:
        # Nobody waits for it any more, perhaps since the process that sweeps has ended.
        if (start in ("executing", "long-running") and finish in ("released", "forgotten",
                                                                  "cancelled")
                and (busy := self._busy.get(key))):
            threading.Thread(target=_end, args=[busy[1]], daemon=True).start()

    @property
    def common(self) -> Site:
        """The site that knows the tools."""
        return self._common

    @contextlib.contextmanager
    def site(self, key: str, topic: str) -> Iterator[Site]:
        """Have a site for the stage of a task."""
        with self._lock:
            site = self._idle.pop() if self._idle else Site(
                None, self._common.compiler, verilator=self._common.verilator)
            self._busy[key] = topic, site
        try:
            yield site
        finally:
            with self._lock:
                del self._busy[key]
                if not site.processes.stopped:
                    self._idle.append(site)

    def stop(self, topic: str) -> None:
        """End all that runs for a topic."""
        for own, site in list(self._busy.values()):
            if own == topic:
                _end(site)

    def admitted(self, request: Request) -> dict[str, str]:
        """Return the versions of the programs of a request; see :meth:`Site.admit`."""
        # Workers on one host share the folder in which the tools of a package compile themselves.
        with self._lock, _alone_on_host():
            return self._common.admit(request.stage, request.spec, request.programs)

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """Have a folder that is removed afterwards."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


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


def _plugin(worker: Worker) -> SitePlugin:
    try:
        return worker.plugins[_PLUGIN]
    except KeyError:
        raise NotJoined(worker.address) from None


def _sources() -> str:
    root = Path(__file__).parents[3]
    return hash_files(sorted(path for package in _PACKAGES for path in (root / package).rglob("*")
                             if path.suffix in _CODE), root)


def capabilities() -> Capabilities:
    """Return what this process has."""
    import amaranth

    compiler = find_compiler()
    if compiler is not None:
        # It is read here, and goes with the compiler to other machines.
        _ = compiler.identity
    verilator = find_verilator() if compiler else None
    if verilator is not None:
        _ = verilator.identity
    return Capabilities(
        sources=_sources(), machine=this_machine(), compiler=compiler,
        verilator=verilator, host=socket.gethostname(),
        libraries={"amaranth": amaranth.__version__, "montgomery": project_version(),
                   "python": platform.python_version()})


# Dask passes the worker to a parameter of the name dask_worker.


async def joined(*, dask_worker: Worker) -> Capabilities:
    """Return what this worker has, which is ready for stages afterwards."""
    if _PLUGIN not in dask_worker.plugins:
        await dask_worker.plugin_add(SitePlugin())
    return capabilities()


def identity(name: str, packaged: bool, *, dask_worker: Worker) -> str:
    """Return the identity of a tool on this worker; see :meth:`Site.identity`."""
    return _plugin(dask_worker).common.identity(name, packaged=packaged)


def stop(topic: str, *, dask_worker: Worker) -> None:
    """End what runs on this worker for a topic, which is that of one process that sweeps."""
    _plugin(dask_worker).stop(topic)


def compute(request: Request, *inputs: tuple[Any, Files]) -> tuple[dict[str, Any], Files]:
    """Compute a stage on this worker; return the outcome, as JSON has it, and its files.

    Raises
    ------
    OtherFiles
        If an input is not what the request says.
    Refused
        If the outcome cannot be known on this worker: its tools or sources differ, or its disk is
        full.
    ToolMissing
        If a program does not run.
    InterruptedError
        If the worker was told to stop.
    """
    try:
        with going_on(f"{socket.gethostname()} cannot go on with a stage"):
            return _compute(_plugin(get_worker()), request, [files for _, files in inputs])
    except (WrongSite, DiskFull, SourcesChanged) as error:
        raise Refused(get_worker().address, error) from None


def _compute(plugin: SitePlugin, request: Request,
             inputs: Sequence[Files]) -> tuple[dict[str, Any], Files]:
    worker = get_worker()
    key = worker.get_current_task()
    with plugin.workspace() as folder, plugin.site(key, request.topic) as site:
        for expected, files in zip(request.files, inputs, strict=True):
            for stored, hashed in expected.items():
                if digest(files[stored]) != hashed:
                    raise OtherFiles(stored)
                name = stored.removesuffix(".gz")
                (folder / name).write_bytes(gzip.decompress(files[stored]))
        versions = plugin.admitted(request)
        worker.log_event(request.topic, {"key": key, "worker": worker.address,
                                         "host": socket.gethostname()})
        workspace = Workspace(folder, site.processes, request.timeout_s)
        outcome = site.compute(request.stage, request.spec, workspace, versions)
        # A tool may leave half a file, and say nothing.
        if shutil.disk_usage(folder).free < _ROOM_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return outcome.to_json(), {name: (folder / name).read_bytes() for name in outcome.files}
