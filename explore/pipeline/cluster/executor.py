"""Sends stages to equal workers, and takes back what came of them."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import math
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Set
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ClusterLost
from ...outcome import Outcome
from ..executor import Abandoned, Lost, Task
from ..stage import Lane
from .address import check_address
from .files import FilesOnWorkers
from .group import MEMORY, Group
from .worker import NotJoined, OtherFiles, Refused, Request, compute

if TYPE_CHECKING:
    import distributed


__all__ = ["ClusterExecutor"]

#: Work that is sent ahead, as a multiple of the slots: workers never wait for the network, and
#: the scheduler never holds a long queue.
_WINDOW = 1.5
#: A stage is given up when so many workers were lost while they computed it.
_ATTEMPTS = 3
#: Seconds for which a scheduler that is gone is waited for.
_RECONNECT_S = 60
#: Seconds within which tools have ended after Ctrl-C.
_STOP_S = 4
#: The memory that a stage is taken to need: so much, and so much for each byte of the compressed
#: files that it reads. ``benchmarks/tool_memory.py`` measures it. A tool from YoWASP cannot address
#: more than 4 GB.
_STAGE_BYTES, _BYTES_PER_BYTE, _MOST_BYTES = 300e6, 500, 4.5e9


@dataclasses.dataclass(eq=False)
class _Asked:
    """A task, with the arguments of :meth:`ClusterExecutor.submit`, and its future."""

    task: Task
    folder: Path
    started: Callable[[str], None]
    outcome: Future[Outcome] = dataclasses.field(default_factory=Future)
    #: Keys of its attempts.
    keys: list[str] = dataclasses.field(default_factory=list)
    #: Workers on which it began.
    begun: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass(eq=False)
class _Attempt:
    """A task that was sent to workers: to all of them, and one takes it."""

    asked: _Asked
    future: Any
    #: The worker that computes it; empty before it begins.
    worker: str = ""


class ClusterExecutor:
    """The equal workers of a Dask scheduler; see :class:`explore.pipeline.executor.Executor`.

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
        #: The attempt that counts, of each task that workers have.
        self._live: dict[_Asked, _Attempt] = {}
        #: Tasks that have not ended, by the keys of all their attempts.
        self._asked: dict[str, _Asked] = {}
        #: Tasks that were taken back from workers that are gone.
        self._waiting: deque[_Asked] = deque()
        #: Keys and machines of attempts that began.
        self._began: deque[dict[str, str]] = deque()
        self._stopped = False
        #: Under this name, workers tell what they begin.
        self._topic = f"montgomery-{uuid.uuid4().hex}"
        self._client = self._connected(address)
        self._files = FilesOnWorkers(self._client)
        try:
            self.tools = self._group = Group(self._client, address)
        except BaseException:
            self.close()
            raise

    def _connected(self, address: str) -> distributed.Client:
        from distributed import Client, LocalCluster

        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if address.startswith("local:"):
            self._own = LocalCluster(n_workers=int(address.partition(":")[2]), threads_per_worker=1,
                                     dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)
            address = self._own.scheduler_address
        check_address(address)
        try:
            # The time limit is the one of each reconnection as well.
            client = Client(address, timeout=_RECONNECT_S, set_as_default=False)
            # What comes must be put aside at once: it comes in the thread that all calls wait for.
            client.subscribe_topic(self._topic, lambda event: self._began.append(event[1]))
        except (OSError, ValueError) as error:
            raise ClusterLost(f"What answers at {address} lets nobody in ({error}); name a Dask "
                              "scheduler of the same version, and with TLS the same certificates"
                              ) from None
        return client

    # What is computed

    @property
    def slots(self) -> int:
        return max(self._group.slots, 1)

    def attend(self) -> None:
        self._tell_began()
        self._resend(self._group.look())
        self._send_waiting()
        while self._group.notes:
            self._emit("note", label=self._group.notes.popleft())
        lost_s = time.monotonic() - self._group.seen
        if self._client.status == "closed" or lost_s > _RECONNECT_S:
            raise ClusterLost(f"The scheduler or its workers are gone, and did not come back for "
                              f"{lost_s:.0f} s; what came from them is stored, and the same "
                              "command goes on")

    def _tell_began(self) -> None:
        while self._began:
            what = self._began.popleft()
            with self._lock:
                asked = self._asked.get(what["key"])
                if asked is None:
                    continue
                asked.begun.add(what["worker"])
                attempt = self._live.get(asked)
                if attempt is None or attempt.future.key != what["key"]:
                    continue
                attempt.worker = what["worker"]
            asked.started(what["host"])

    def has_room(self, lane: Lane) -> bool:
        room = math.ceil(_WINDOW * self._group.slots) if self._is_connected else 0
        with self._lock:
            return len(self._live) + len(self._waiting) < room

    @property
    def _is_connected(self) -> bool:
        return self._client.status == "running"

    def submit(self, task: Task, folder: Path, started: Callable[[str], None]) -> Future[Outcome]:
        asked = _Asked(task, folder, started)
        asked.outcome.set_running_or_notify_cancel()
        self._attempt(asked)
        return asked.outcome

    def _attempt(self, asked: _Asked) -> None:
        task = asked.task
        request = Request(stage=task.stage, spec=task.spec, programs=tuple(task.programs),
                          timeout_s=task.timeout_s, topic=self._topic,
                          files=tuple(dict(each.files) for each in task.inputs))
        try:
            sources = [self._files.future(each, index) for index, each in enumerate(task.inputs)]
        except Lost as lost:
            self._end(asked, lost)
            return
        # The scheduler tells kinds of tasks from the beginning of their keys. A key of an attempt
        # is never used again, since the scheduler would return what came of it.
        key = f"{task.stage.name}-{task.key[:16]}-{uuid.uuid4().hex[:8]}"
        with self._lock:
            if self._stopped:
                self._end(asked, InterruptedError())
                return
            future = self._client.submit(self.function, request, *sources, key=key, pure=False,
                                         workers=self._group.workers, retries=0,
                                         priority=task.weight, resources=self._resources(task))
            asked.keys.append(key)
            self._asked[key] = asked
            attempt = self._live[asked] = _Attempt(asked, future)
        future.add_done_callback(lambda _: self._done(attempt))

    def _resources(self, task: Task) -> dict[str, float]:
        """Return the memory that a task needs, if all workers say how much they have."""
        memory = self._group.memory
        if memory is None or task.stage.lane != Lane.TOOL:
            return {}
        read = sum((source.folder / name).stat().st_size
                   for source in task.inputs for name in source.files)
        # A worker with less memory takes nothing else meanwhile.
        return {MEMORY: min(_STAGE_BYTES + _BYTES_PER_BYTE * read, _MOST_BYTES, memory)}

    def _resend(self, gone: Set[str]) -> None:
        """Send what workers that are gone had, or might have had, to the others.

        Dask would do so itself. But it would first compute again what files were lost, which are in
        the store.
        """
        if not gone:
            return
        self._files.forget()
        with self._lock:
            for asked, attempt in list(self._live.items()):
                if attempt.worker and attempt.worker not in gone:
                    continue
                # What comes of this attempt does not count any more.
                del self._live[asked]
                self._hold(asked)
                attempt.future.cancel(force=True)

    def _send_waiting(self) -> None:
        """Send what was taken back, as soon as there are workers, or give it up."""
        workers = set(self._group.workers)
        for _ in range(len(self._waiting) if self._is_connected and workers else 0):
            asked = self._waiting.popleft()
            if asked.outcome.done():
                continue
            lost = len(asked.begun - workers)
            if lost < _ATTEMPTS:
                self._attempt(asked)
            else:
                self._end(asked, Abandoned(f"its worker was lost {lost} times"))

    def _done(self, attempt: _Attempt) -> None:
        """Take what came of an attempt; called in a thread of the client."""
        with self._lock:
            if self._live.get(attempt.asked) is not attempt:
                return
            # From now on the task is in the hands of this thread alone.
            del self._live[attempt.asked]
        try:
            self._take(attempt.asked, attempt.future)
        except BaseException as error:
            self._end(attempt.asked, error)

    def _take(self, asked: _Asked, future: Any) -> None:
        if future.status == "finished":
            try:
                document, files = future.result()
            except Exception:
                # Its worker ended, and had the result.
                self._hold(asked)
                return
            outcome = Outcome.from_json(document)
            for name, contents in files.items():
                (asked.folder / name).write_bytes(contents)
            if files:
                self._files.keep(future, outcome.files, sum(map(len, files.values())))
            self._end(asked, outcome)
            return
        error = future.exception() if future.status == "error" else None
        if isinstance(error, Refused):
            self._group.refuse(error.worker, str(error.reason))
            if not self._group.slots:
                raise error.reason
            self._hold(asked)
        elif isinstance(error, NotJoined):
            self._group.forget(error.args[0])
            self._hold(asked)
        elif isinstance(error, OtherFiles):
            self._files.forget()
            self._hold(asked)
        elif error is None or _is_lost(error):
            self._hold(asked)
        else:
            raise error

    def _hold(self, asked: _Asked) -> None:
        """Have a task sent again, by the thread that calls this executor."""
        with self._lock:
            if not self._stopped:
                self._waiting.append(asked)
                return
        self._end(asked, InterruptedError())

    def _end(self, asked: _Asked, result: Outcome | BaseException) -> None:
        with self._lock:
            for key in asked.keys:
                del self._asked[key]
            asked.keys.clear()
        if asked.outcome.done():
            return
        if isinstance(result, BaseException):
            asked.outcome.set_exception(result)
        else:
            asked.outcome.set_result(result)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            live, self._live = self._live, {}
            waiting, self._waiting = self._waiting, deque()
        # A worker that does not answer must not hold up the end.
        ending = threading.Thread(target=self._group.stop, args=[self._topic], daemon=True)
        ending.start()
        for asked, attempt in live.items():
            with contextlib.suppress(Exception):
                attempt.future.cancel(force=True)
            self._end(asked, InterruptedError())
        for asked in waiting:
            self._end(asked, InterruptedError())
        ending.join(_STOP_S)

    def close(self) -> None:
        with self._lock:
            self._stopped = True
        self._files.forget()
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)
        if self._own is not None:
            with contextlib.suppress(Exception):
                self._own.close(timeout=10)


def _is_lost(error: BaseException) -> bool:
    """Return whether an error says that a worker was lost, rather than anything of the stage."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError

    return isinstance(error, KilledWorker | CommClosedError | FutureCancelledError | CancelledError
                      | ConnectionError | TimeoutError)
