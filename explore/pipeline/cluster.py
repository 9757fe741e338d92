"""Many machines: an executor whose slots are the threads of Dask workers.

Graph, keys, locks, store and attempts stay with the process that sweeps. Workers know nothing of
them: they get a specification and files, and return an outcome and files. The store is never opened
by a worker, and needs no disk that machines share.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import math
import threading
import time
import uuid
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ClusterLost, WrongSite
from ..outcome import Outcome
from ..store.artefacts import digest
from .cluster_worker import (
    Capabilities,
    Refused,
    Request,
    SitePlugin,
    capabilities,
    compute,
    identity,
    stop,
)
from .executor import Input, Lost, Task
from .stage import Lane

if TYPE_CHECKING:
    import distributed

    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["ClusterExecutor"]

#: Work that is sent ahead, as a multiple of the slots: workers never wait for the network, and
#: the scheduler never holds a long queue.
_WINDOW = 1.5
#: A stage whose worker is lost is tried so often.
_ATTEMPTS = 3
#: Seconds for which a scheduler that is gone is waited for.
_RECONNECT_S = 60
#: Seconds within which tools have ended after Ctrl-C.
_STOP_S = 4
#: Seconds between looks at which workers there are.
_LOOK_S = 2
#: Bytes of files that workers keep for stages to come.
_KEPT_BYTES = 1 << 30
_CONNECT_S = 20


@dataclasses.dataclass(frozen=True, eq=False)
class _Attempt:
    """A task that was sent to workers."""

    task: Task
    folder: Path
    number: int
    workers: set[str]
    future: Any


class ClusterExecutor:
    """The workers of a Dask scheduler that are equal; see :class:`~.executor.Executor`.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as ``tcp://host:8786``, or ``local:N`` for N workers on this
        machine, which end with the executor.
    emit : callable
        Called as ``emit("note", label=…)`` with what the user should know, in the thread that uses
        the executor.

    Raises
    ------
    ClusterLost
        If there is no scheduler at the address.
    WrongSite
        If no worker has the sources and libraries of this process.
    """

    #: Computes a request on a worker.
    function = staticmethod(compute)

    def __init__(self, address: str, emit: Callable[..., None]) -> None:
        self._emit, self._own = emit, None
        self._lock = threading.RLock()
        self._live: dict[Future, _Attempt] = {}
        #: Outcomes of stages whose files workers still have, by the hashes of these.
        self._kept: OrderedDict[tuple, tuple[Any, int]] = OrderedDict()
        #: Equal workers, with their threads.
        self._group: dict[str, int] = {}
        self._refused: set[str] = set()
        self._hosts: dict[str, str] = {}
        self._notes: deque[str] = deque()
        self._looked = self._seen = -math.inf
        self._stopped = False
        self._client = self._connected(address)
        try:
            self.tools = _RemoteTools(self)
            self._look()
            if not self._group:
                for why in self._notes:
                    raise WrongSite(f"No worker of {address} can be used: {why}")
                raise WrongSite(f"No worker of {address} can be used; start workers with "
                                "'dask worker', with this version of montgomery installed")
        except BaseException:
            self.close()
            raise

    def _connected(self, address: str) -> distributed.Client:
        from distributed import Client, LocalCluster

        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if address.startswith("local:"):
            self._own = LocalCluster(n_workers=int(address.partition(":")[2]), threads_per_worker=1,
                                     dashboard_address=None, silence_logs=logging.CRITICAL)
            address = self._own.scheduler_address
        try:
            client = Client(address, timeout=_CONNECT_S, set_as_default=False)
            client.register_plugin(SitePlugin())
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterLost(f"No scheduler answers at {address} ({error}); start one with "
                                "'dask scheduler', or correct the address") from None
        return client

    # The workers

    @property
    def slots(self) -> int:
        return max(sum(self._group.values()), 1)

    def _look(self) -> None:
        """Take note of workers that came or went."""
        with self._lock:
            if time.monotonic() - self._looked < _LOOK_S:
                return
            self._looked = time.monotonic()
            threads = {address: worker["nthreads"] for address, worker in
                       self._client.scheduler_info(n_workers=-1)["workers"].items()}
            for address in self._group.keys() - threads.keys():
                self._note(f"{self._hosts[address]} ({address}) is gone; its work is done "
                           "elsewhere")
                del self._group[address]
            self._refused &= threads.keys()
            if new := [address for address in threads
                       if address not in self._group and address not in self._refused]:
                self._admit(new, threads)
            if self._group:
                self._seen = time.monotonic()
            self._move()

    def _admit(self, new: Sequence[str], threads: Mapping[str, int]) -> None:
        """Add those of new workers that are equal to those there are, or the most of them."""
        found = self._asked(capabilities, new)
        own = capabilities()
        usable: dict[str, Capabilities] = {}
        for address, what in found.items():
            if not isinstance(what, Capabilities):
                self._refuse(address, str(what) or type(what).__name__)
            elif own.sources != what.sources:
                self._refuse(address, "its sources of montgomery are not those of this process; "
                                      "install the same version there", what.host)
            else:
                usable[address] = what
        if not usable:
            return
        reference = self.tools.reference
        if reference is None:
            kinds = Counter()
            for address, what in usable.items():
                kinds[_kind(what)] += threads[address]
            best = kinds.most_common(1)[0][0]
            reference = next(what for what in usable.values() if _kind(what) == best)
            self.tools.reference = reference
        for address, what in usable.items():
            self._hosts[address] = what.host
            if differing := what.differences(reference):
                self._refuse(address, f"{', '.join(differing)} differ from those of the others",
                             what.host)
            elif wrong := self._differing_tools(address):
                self._refuse(address, f"{', '.join(wrong)} differ from those of the others",
                             what.host)
            else:
                self._group[address] = threads[address]
        if joined := Counter(self._hosts[address] for address in usable if address in self._group):
            self._note("workers: " + ", ".join(f"{count} on {host}"
                                               for host, count in joined.items()))

    def _differing_tools(self, address: str) -> list[str]:
        return [name for (name, packaged), value in self.tools.known.items()
                if self._asked(identity, [address], name, packaged)[address] != value]

    def _asked(self, function: Callable[..., Any], workers: Iterable[str],
               *arguments: Any) -> dict[str, Any]:
        """Return what a function returns on each of some workers, or the exception."""
        return self._client.run(function, *arguments, workers=list(workers), on_error="return")

    def _refuse(self, address: str, why: str, host: str = "") -> None:
        host = host or self._hosts.get(address) or address
        self._hosts[address] = host
        self._refused.add(address)
        self._group.pop(address, None)
        self._note(f"{host} ({address}) is left out: {why}")

    def _note(self, text: str) -> None:
        # Events are for the thread that uses the executor.
        self._notes.append(text)

    def equal_identity(self, name: str, packaged: bool) -> str:
        """Return the identity of a tool on most workers, and leave the others out."""
        found = self._asked(identity, self._group, name, packaged)
        counts = Counter()
        for address, value in found.items():
            if isinstance(value, str):
                counts[value] += self._group[address]
        if not counts:
            raise next(iter(found.values()))
        best = counts.most_common(1)[0][0]
        for address, value in found.items():
            if value != best:
                self._refuse(address, f"its {name} differs from that of the others"
                             if isinstance(value, str) else str(value))
        return best

    # What is computed

    def attend(self) -> None:
        self._look()
        while self._notes:
            self._emit("note", label=self._notes.popleft())
        if not self._group and time.monotonic() - self._seen > _RECONNECT_S:
            raise ClusterLost(f"No worker came back for {_RECONNECT_S} s; what came from them is "
                              "stored, and the same command goes on")

    def has_room(self, lane: Lane) -> bool:
        if not self._group:
            return False
        with self._lock:
            return len(self._live) < math.ceil(_WINDOW * self.slots)

    def submit(self, task: Task, folder: Path) -> Future[Outcome]:
        outer: Future[Outcome] = Future()
        outer.set_running_or_notify_cancel()
        self._attempt(task, folder, outer, 1)
        return outer

    def _attempt(self, task: Task, folder: Path, outer: Future, number: int) -> None:
        request = Request(stage=task.stage, spec=task.spec, programs=tuple(task.programs),
                          timeout_s=task.timeout_s,
                          files=tuple(dict(each.files) for each in task.inputs))
        try:
            sources = [self._source(index, each) for index, each in enumerate(task.inputs)]
        except Lost as lost:
            outer.set_exception(lost)
            return
        # The scheduler tells kinds of tasks from the beginning of their keys. A key of an attempt
        # is never used again, since the scheduler would return what came of it.
        key = f"{task.stage.name}-{task.key[:16]}-{number}-{uuid.uuid4().hex[:8]}"
        with self._lock:
            if self._stopped:
                outer.set_exception(InterruptedError())
                return
            workers = set(self._group)
            future = self._client.submit(self.function, request, *sources, key=key, pure=False,
                                         workers=list(workers), retries=0, priority=task.weight)
            attempt = self._live[outer] = _Attempt(task, folder, number, workers, future)
        future.add_done_callback(lambda _: self._done(outer, attempt))

    def _move(self) -> None:
        """Send work elsewhere of which all workers are gone that it was meant for."""
        for outer, attempt in list(self._live.items()):
            if self._group and attempt.workers.isdisjoint(self._group):
                # What comes of the earlier attempt does not count any more.
                self._live.pop(outer)
                self._attempt(attempt.task, attempt.folder, outer, attempt.number)

    def _source(self, index: int, source: Input) -> Any:
        """Return a future of the files of an input, which workers have or get."""
        name = tuple(sorted(source.files.items()))
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
        # Dask scatters the items of a list, one of them here.
        future, = self._client.scatter([({}, files)], hash=False)
        self._keep(name, future, sum(map(len, files.values())))
        return future

    def _keep(self, name: tuple, future: Any, size: int) -> None:
        with self._lock:
            self._kept[name] = future, size
            while len(self._kept) > 1 and sum(each for _, each in
                                              self._kept.values()) > _KEPT_BYTES:
                self._kept.popitem(last=False)

    def _done(self, outer: Future, attempt: _Attempt) -> None:
        """Take what came of an attempt; called in a thread of the client."""
        with self._lock:
            if self._live.get(outer) is not attempt:
                return
        try:
            self._take(outer, attempt)
        except BaseException as error:
            self._end(outer, error)

    def _take(self, outer: Future, attempt: _Attempt) -> None:
        future = attempt.future
        if future.status == "finished":
            try:
                document, files = future.result()
            except Exception as error:
                # Its worker ended, and had the result.
                self._again(outer, attempt, error)
                return
            outcome = Outcome.from_json(document)
            for name, contents in files.items():
                (attempt.folder / name).write_bytes(contents)
            if files:
                self._keep(tuple(sorted(outcome.files.items())), future,
                           sum(map(len, files.values())))
            self._end(outer, None, outcome)
            return
        error = future.exception() if future.status == "error" else None
        if isinstance(error, Refused):
            with self._lock:
                self._refuse(error.worker, str(error.reason))
            if not self._group:
                raise error.reason
            self._attempt(attempt.task, attempt.folder, outer, attempt.number)
        elif error is None or _is_lost(error):
            self._again(outer, attempt, error)
        else:
            raise error

    def _again(self, outer: Future, attempt: _Attempt, error: Exception | None) -> None:
        """Try a stage again whose worker or scheduler was lost."""
        if not self._reconnected():
            raise ClusterLost("The scheduler is gone, and did not come back; what came from it is "
                              "stored, and the same command goes on")
        if attempt.number >= _ATTEMPTS:
            raise ClusterLost(f"Stage {attempt.task.stage.name} lost its worker {attempt.number} "
                              f"times ({error or 'the scheduler forgot it'}); what came back is "
                              "stored, and the same command tries it again")
        self._attempt(attempt.task, attempt.folder, outer, attempt.number + 1)

    def _reconnected(self) -> bool:
        """Wait for the scheduler, if it is gone; return whether it is there."""
        begin = time.monotonic()
        while not self._stopped and time.monotonic() - begin < _RECONNECT_S:
            try:
                workers = self._client.scheduler_info(n_workers=-1)["workers"]
                if self._client.status == "running" and workers:
                    if time.monotonic() - begin > 0.5:
                        # It may be another process, which knows no plugin.
                        self._client.register_plugin(SitePlugin())
                    self._looked = -math.inf
                    self._look()
                    return True
            except (OSError, TimeoutError, ValueError, RuntimeError):
                pass
            time.sleep(0.5)
        return False

    def _end(self, outer: Future, error: BaseException | None,
             outcome: Outcome | None = None) -> None:
        with self._lock:
            self._live.pop(outer, None)
        if outer.done():
            return
        if error is None:
            outer.set_result(outcome)
        else:
            outer.set_exception(error)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            live = dict(self._live)
        # A worker that does not answer must not hold up the end.
        ending = threading.Thread(target=self._stop_workers, daemon=True)
        ending.start()
        for outer, attempt in live.items():
            with contextlib.suppress(Exception):
                attempt.future.cancel(force=True)
            self._end(outer, InterruptedError())
        ending.join(_STOP_S)

    def _stop_workers(self) -> None:
        with contextlib.suppress(Exception):
            self._client.run(stop, workers=list(self._group), on_error="ignore")

    def close(self) -> None:
        with self._lock:
            self._stopped = True
            self._kept.clear()
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)
        if self._own is not None:
            with contextlib.suppress(Exception):
                self._own.close(timeout=10)


class _RemoteTools:
    """The tools of equal workers, which specifications are made with."""

    def __init__(self, executor: ClusterExecutor) -> None:
        self._executor = executor
        self.reference: Capabilities | None = None
        #: Identities that were asked for.
        self.known: dict[tuple[str, bool], str] = {}

    @property
    def compiler(self) -> Compiler | None:
        return self.reference.compiler

    @property
    def verilator(self) -> Verilator | None:
        return self.reference.verilator

    @property
    def machine(self) -> str:
        return self.reference.machine

    def identity(self, name: str, *, packaged: bool = False) -> str:
        if (name, packaged) not in self.known:
            self.known[name, packaged] = self._executor.equal_identity(name, packaged)
        return self.known[name, packaged]


def _kind(what: Capabilities) -> tuple:
    """Return a value that is the same for equal capabilities."""
    return (what.sources, tuple(sorted(what.libraries.items())), what.machine,
            what.compiler_known_as, what.verilator_known_as)


def _is_lost(error: BaseException) -> bool:
    """Return whether an error says that a worker was lost, rather than anything of the stage."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError

    return isinstance(error, KilledWorker | CommClosedError | FutureCancelledError | CancelledError
                      | ConnectionError | TimeoutError)
