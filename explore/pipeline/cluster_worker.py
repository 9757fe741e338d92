"""The code that runs on the workers of a cluster: a site for each worker, and stages on it.

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
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributed import WorkerPlugin, get_worker

from ..errors import DiskFull, WrongSite
from ..fingerprint import SourcesChanged
from ..store.artefacts import digest
from ..tools.compiler import Compiler, find_compiler
from ..tools.contents import hash_files
from ..tools.verilator import Verilator, find_verilator
from ..tools.workspace import Workspace, this_machine
from ..version import project_version
from .site import Site
from .stage import Spec, Stage

if TYPE_CHECKING:
    from distributed import Worker

__all__ = ["Capabilities", "Files", "Refused", "Request", "SitePlugin", "capabilities", "compute",
           "identity", "sleep", "stop"]

#: From the name of a file that a stage leaves to its contents, as the store keeps them.
Files = dict[str, bytes]

_PLUGIN = "montgomery-site"
_PACKAGES = ("explore", "boards", "montgomery")
_CODE = (".py", ".cc", ".h", ".v", ".j2")
_POLL_S = 0.2


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
    """

    stage: Stage
    spec: Spec
    programs: Sequence[str]
    timeout_s: float | None
    files: tuple[Mapping[str, str], ...]


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


def _new_site() -> Site:
    return Site(None, find_compiler(), verilator=find_verilator())


class SitePlugin(WorkerPlugin):
    """The site of a worker, which ends with the worker, and what it runs with it."""

    name = _PLUGIN

    def setup(self, worker: Worker) -> None:
        self._lock = threading.Lock()
        self._folder = Path(tempfile.mkdtemp(prefix="montgomery-", dir=worker.local_directory))
        self._site = _new_site()

    def teardown(self, worker: Worker) -> None:
        self._end(self._site)
        shutil.rmtree(self._folder, ignore_errors=True)

    def transition(self, key: str, start: str, finish: str, **more: Any) -> None:
        # Nobody waits for it any more: the process that sweeps has ended.
        if start in ("executing", "long-running") and finish in ("released", "forgotten"):
            threading.Thread(target=self.stop, daemon=True).start()

    @property
    def site(self) -> Site:
        """The site."""
        return self._site

    def stop(self) -> None:
        """End all that runs. What is asked for later runs on a new site."""
        with self._lock:
            site, self._site = self._site, _new_site()
        self._end(site)

    @staticmethod
    def _end(site: Site) -> None:
        site.stop()
        site.close()

    def admitted(self, site: Site, request: Request) -> dict[str, str]:
        """Return the versions of the programs of a request; see :meth:`Site.admit`."""
        # Workers on one host share the folder in which the tools of a package compile themselves.
        with self._lock, _alone_on_host():
            return site.admit(request.stage, request.spec, request.programs)

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """Have a folder that is removed afterwards."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


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
    return worker.plugins[_PLUGIN]


def _sources() -> str:
    root = Path(__file__).parents[2]
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


def identity(name: str, packaged: bool, *, dask_worker: Worker) -> str:
    """Return the identity of a tool on this worker; see :meth:`Site.identity`."""
    return _plugin(dask_worker).site.identity(name, packaged=packaged)


def stop(*, dask_worker: Worker) -> None:
    """End all that runs on this worker."""
    _plugin(dask_worker).stop()


def compute(request: Request, *inputs: tuple[Any, Files]) -> tuple[dict[str, Any], Files]:
    """Compute a stage on this worker; return the outcome, as JSON has it, and its files.

    Raises
    ------
    Refused
        If the outcome cannot be known on this worker: its tools or sources differ, or its disk is
        full.
    ToolMissing
        If a program does not run.
    InterruptedError
        If the worker was told to stop.
    """
    try:
        with _disk_full_named():
            return _compute(_plugin(get_worker()), request, [files for _, files in inputs])
    except (WrongSite, DiskFull, SourcesChanged) as error:
        raise Refused(get_worker().address, error) from None


def _compute(plugin: SitePlugin, request: Request,
             inputs: Sequence[Files]) -> tuple[dict[str, Any], Files]:
    site = plugin.site
    with plugin.workspace() as folder:
        for expected, files in zip(request.files, inputs, strict=True):
            for stored, hashed in expected.items():
                if digest(files[stored]) != hashed:
                    raise ConnectionError(f"{stored} was damaged on its way")
                name = stored.removesuffix(".gz")
                (folder / name).write_bytes(gzip.decompress(files[stored]))
        versions = plugin.admitted(site, request)
        workspace = Workspace(folder, site.processes, request.timeout_s)
        outcome = site.compute(request.stage, request.spec, workspace, versions)
        return outcome.to_json(), {name: (folder / name).read_bytes() for name in outcome.files}


@contextlib.contextmanager
def _disk_full_named() -> Iterator[None]:
    """Name the host if its disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull(f"Disk is full: {socket.gethostname()} has no room for a stage; free some "
                       "there, then the same command goes on") from None


def sleep(seconds: float) -> None:
    """Do nothing for a time: what distribution costs is measured by it."""
    time.sleep(seconds)
