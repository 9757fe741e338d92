"""Sends stages to equal workers, and takes back what came of them."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import math
import socket
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

import dask
from distributed import Client, KilledWorker, LocalCluster
from distributed.comm import get_address_host_port
from distributed.security import Security

from ...errors import ClusterLost
from ...outcome import Outcome, StageFailed
from ...store.artefacts import digest
from ...store.folder import is_plain
from ..executor import Abandoned, Input, Lost, Task
from ..stage import Lane
from .group import MEMORY, Group
from .worker import Files, Request, compute

if TYPE_CHECKING:
    import distributed
    from dask.typing import Key

__all__ = ["ClusterExecutor", "check_address"]

#: Work that is sent ahead, as a multiple of the slots: workers never wait for the network, and
#: the scheduler never holds a long queue.
_WINDOW = 1.5
#: Seconds for which a scheduler is waited for that does not answer at once, or that is gone.
_CONNECT_S, _RECONNECT_S = 5, 60
#: The memory that a stage is taken to need: so much, and so much for each byte of the compressed
#: files that it reads. ``benchmarks/tool_memory.py`` measures it. A tool from YoWASP cannot address
#: more than 4 GB.
_STAGE_BYTES, _BYTES_PER_BYTE, _MOST_BYTES = 300e6, 500, 4.5e9


def check_address(address: str) -> None:
    """Refuse an address at which nothing answers, or which Dask's configuration does not fit.

    Raises
    ------
    ClusterLost
    """
    options = Security().get_connection_args("client")
    if address.startswith("tls://") and options.get("ssl_context") is None:
        raise ClusterLost(f"{address} needs a certificate, and Dask's configuration names none; "
                          "name one as docs/many_machines.md does under TLS")
    if options.get("require_encryption") and not address.startswith("tls://"):
        raise ClusterLost(f"Dask's configuration requires encryption, which {address} has not; use "
                          "an address with tls://")
    try:
        host, port = get_address_host_port(address, strict=True)
        if address.startswith(("tcp://", "tls://")):
            socket.create_connection((host, port), _CONNECT_S).close()
    except (OSError, ValueError) as error:
        raise ClusterLost(f"No scheduler answers at {address} ({error}); start one with 'dask "
                          "scheduler', or correct the address") from None


@dataclasses.dataclass(frozen=True, eq=False)
class _Sent:
    """A task, with the arguments of :meth:`ClusterExecutor.submit`, and its outcome."""

    task: Task
    folder: Path
    started: Callable[[str], None]
    outcome: Future[Outcome] = dataclasses.field(default_factory=Future)


class ClusterExecutor:
    """The equal workers of a Dask scheduler; see :class:`explore.pipeline.executor.Executor`.

    Dask sends a task to a worker of the group, since no other has its resource. If the worker is
    lost, Dask sends the task to another, up to ``distributed.scheduler.allowed-failures`` times. A
    new scheduler knows no tasks, so that they are sent again.

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
        self._emit = emit
        self._own: LocalCluster | None = None
        #: Tasks that Dask has, by its key, and its future.
        self._sent: dict[Key, _Sent] = {}
        self._futures: dict[Key, distributed.Future] = {}
        #: Tasks that an earlier scheduler had.
        self._again: deque[_Sent] = deque()
        #: What workers tell, and tasks that ended.
        self._told: deque[Mapping[str, str]] = deque()
        self._stopped = False
        #: Under this name, workers tell what happens.
        self._topic = f"montgomery-{uuid.uuid4().hex}"
        self._client = self._connected(address)
        try:
            self.tools = self._group = Group(self._client, address)
        except BaseException:
            self.close()
            raise

    def _connected(self, address: str) -> distributed.Client:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if address.startswith("local:"):
            self._own = LocalCluster(n_workers=int(address.partition(":")[2]), threads_per_worker=1,
                                     dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)
            address = self._own.scheduler_address
        check_address(address)
        # Tasks bring the files that stages read.
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"})
        try:
            # The time limit is the one of each reconnection as well.
            client = Client(address, timeout=_RECONNECT_S, set_as_default=False)
            # What comes must be put aside at once: it comes in the thread that all calls wait for.
            client.subscribe_topic(self._topic, lambda event: self._told.append(event[1]))
        except (OSError, ValueError) as error:
            raise ClusterLost(f"What answers at {address} lets nobody in ({error}); name a Dask "
                              "scheduler of the same version, and with TLS the same certificates"
                              ) from None
        return client

    @property
    def slots(self) -> int:
        return max(self._group.slots, 1)

    def attend(self) -> None:
        while self._told:
            what = self._told.popleft()
            if "left" in what:
                self._group.left(what["left"], what["why"])
            elif (sent := self._sent.get(what["key"])) is not None:
                sent.started(what["host"])
        try:
            self._group.look()
        finally:
            for note in self._group.notes:
                self._emit("note", label=note)
            self._group.notes.clear()
        while self._again and self._is_ready:
            self._send(self._again.popleft())

    @property
    def _is_ready(self) -> bool:
        return self._client.status == "running" and self._group.slots > 0

    def has_room(self, lane: Lane) -> bool:
        room = math.ceil(_WINDOW * self._group.slots) if self._is_ready else 0
        return len(self._sent) + len(self._again) < room

    def submit(self, task: Task, folder: Path, started: Callable[[str], None]) -> Future[Outcome]:
        sent = _Sent(task, folder, started)
        sent.outcome.set_running_or_notify_cancel()
        self._send(sent)
        return sent.outcome

    def _send(self, sent: _Sent) -> None:
        task = sent.task
        try:
            files = [_contents(each, index) for index, each in enumerate(task.inputs)]
        except Lost as lost:
            sent.outcome.set_exception(lost)
            return
        request = Request(stage=task.stage, spec=task.spec, programs=tuple(task.programs),
                          timeout_s=task.timeout_s, files=files, kind=self._group.kind,
                          topic=self._topic)
        # Dask tells kinds of tasks from the beginning of their keys. A key is never used again.
        key = f"{task.stage.name}-{task.key[:16]}-{uuid.uuid4().hex[:8]}"
        self._sent[key] = sent
        future = self._futures[key] = self._client.submit(
            self.function, request, key=key, pure=False, retries=0, priority=task.weight,
            resources={self._group.kind: 1, **self._memory(task, files)})
        future.add_done_callback(self._done)

    def _memory(self, task: Task, files: list[Files]) -> dict[str, float]:
        """Return the memory that a task needs, if all workers say how much they have."""
        memory = self._group.memory
        if memory is None or task.stage.lane != Lane.TOOL:
            return {}
        read = sum(len(contents) for each in files for contents in each.values())
        # A worker with less memory takes nothing else meanwhile.
        return {MEMORY: min(_STAGE_BYTES + _BYTES_PER_BYTE * read, _MOST_BYTES, memory)}

    def _done(self, future: distributed.Future) -> None:
        """Take what came of a task; called in a thread of the client."""
        sent = self._sent.pop(future.key, None)
        if sent is None:
            return
        try:
            document, files = future.result()
            # Dask would compute it once more if the worker that has it were lost now.
            future.release()
            if not all(map(is_plain, files)):
                sent.outcome.set_exception(StageFailed(
                    f"A worker sent a file of a name with a folder: {', '.join(files)}"))
                return
            for name, contents in files.items():
                (sent.folder / name).write_bytes(contents)
            sent.outcome.set_result(Outcome.from_json(document))
        except KilledWorker as error:
            sent.outcome.set_exception(Abandoned(
                f"its worker was lost {error.allowed_failures + 1} times"))
        except BaseException as error:
            if future.status == "error":
                sent.outcome.set_exception(error)
            elif self._stopped:
                sent.outcome.set_exception(InterruptedError())
            else:
                self._again.append(sent)
        finally:
            self._futures.pop(future.key, None)

    def stop(self) -> None:
        self._stopped = True
        with contextlib.suppress(Exception):
            # A worker ends the processes of a task that nobody waits for.
            self._client.cancel(list(self._futures.values()), force=True)

    def close(self) -> None:
        self._stopped = True
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)
        for sent in (*self._sent.values(), *self._again):
            if not sent.outcome.done():
                sent.outcome.set_exception(InterruptedError())
        if self._own is not None:
            with contextlib.suppress(Exception):
                self._own.close(timeout=10)


def _contents(source: Input, index: int) -> Files:
    files = {}
    for stored, hashed in source.files.items():
        try:
            files[stored] = (source.folder / stored).read_bytes()
        except OSError as error:
            raise Lost(index) from error
        if digest(files[stored]) != hashed:
            raise Lost(index)
    return files
