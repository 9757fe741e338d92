"""Sends stages to the equal workers of a Dask scheduler, and takes back what came of them."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import math
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle
import dask
from distributed import Client, KilledWorker, LocalCluster
from distributed.comm import connect
from distributed.security import Security

from ...errors import ClusterLost
from ...outcome import Outcome, StageFailed
from ...store.artefacts import Damaged, stored
from ...store.folder import is_plain
from ..executor import Abandoned, Lost, Task
from ..stage import Lane
from .group import MEMORY, Group
from .worker import Files, compute

if TYPE_CHECKING:
    import distributed
    from dask.typing import Key

__all__ = ["ClusterExecutor"]

#: Work that is sent ahead, as a multiple of the slots: workers never wait for the network, and
#: the scheduler never holds a long queue.
_WINDOW = 1.5
#: Seconds for which a scheduler is waited for that does not answer at once, or that is gone.
_CONNECT_S, _RECONNECT_S = 5, 60
#: The memory that a stage is taken to need: so much, and so much for each byte of the compressed
#: files that it reads; ``results/tool_memory.jsonl`` has what was measured. A tool from YoWASP
#: cannot address more than 4 GB.
_STAGE_BYTES, _BYTES_PER_BYTE, _MOST_BYTES = 300e6, 500, 4.5e9


@dataclasses.dataclass(eq=False)
class _Sent:
    """A task for the workers at ``addresses`` with this ``memory`` in bytes for their tools.

    None of these workers could compute it any more ``lost`` times.
    """

    task: Task
    folder: Path
    outcome: Future[Outcome] = dataclasses.field(default_factory=Future)
    addresses: Sequence[str] = ()
    memory: float = 0
    future: distributed.Future | None = None
    lost: int = 0


class ClusterExecutor:
    """The equal workers of a Dask scheduler; see :class:`explore.pipeline.executor.Executor`.

    A task names the workers that may compute it, which are the members of the group when it is
    sent. Dask chooses one of them, and another one if that is lost. A task is sent again if no
    member that it names can compute it any more, if a worker refuses it, and to a new scheduler.

    The address is that of the scheduler, or ``local:N`` for N workers on this machine, which end
    with the executor. What the user should know is told by ``emit("note", label=…)``.
    """

    def __init__(self, address: str, emit: Callable[..., None]) -> None:
        self._own: LocalCluster | None = None
        #: Tasks that Dask has, by its key, and tasks to be sent again.
        self._sent: dict[Key, _Sent] = {}
        self._again: deque[_Sent] = deque()
        #: The folders of workers that refused a task, with the reasons.
        self._refusals: deque[tuple[str, str]] = deque()
        self._stopped = False
        self._client = self._connected(address)
        try:
            self.tools = self._group = Group(
                self._client, address, lambda text: emit("note", label=text))
        except BaseException:
            self.close()
            raise

    def _connected(self, address: str) -> distributed.Client:
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        if address.startswith("local:"):
            self._own = LocalCluster(n_workers=int(address.partition(":")[2]), threads_per_worker=1,
                                     dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)
            address = self._own.scheduler_address
        # Tasks bring the files that stages read.
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"})
        try:
            # A client that cannot connect does not end cleanly either.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, _knock(address)).result()
            # The time limit is the one of each reconnection as well.
            return Client(address, timeout=_RECONNECT_S, set_as_default=False)
        except Exception as error:
            raise ClusterLost(
                f"No scheduler lets this process in at {address} ({error}); start one with 'dask "
                "scheduler' of the same version, correct the address, or name a certificate as "
                "docs/many_machines.md does under TLS") from None

    @property
    def slots(self) -> int:
        return max(self._group.slots, 1)

    @property
    def _is_ready(self) -> bool:
        return self._client.status == "running" and self._group.slots > 0

    def has_room(self, lane: Lane) -> bool:
        room = math.ceil(_WINDOW * self._group.slots) if self._is_ready else 0
        return len(self._sent) + len(self._again) < room

    def attend(self) -> None:
        while self._refusals:
            self._group.leave_out(*self._refusals.popleft())
        self._group.look()
        if self._is_ready:
            self._take_back()
            while self._again:
                self._send(self._again.popleft())

    def _take_back(self) -> None:
        """Have tasks sent again that no member which they name can compute any more."""
        members = self._group.memory
        for key, sent in list(self._sent.items()):
            able = any(members.get(address, -1) >= sent.memory for address in sent.addresses)
            if not able and self._sent.pop(key, None):
                self._client.cancel([sent.future], force=True)
                sent.lost += 1
                self._again.append(sent)

    def submit(self, task: Task, folder: Path) -> Future[Outcome]:
        sent = _Sent(task, folder)
        sent.outcome.set_running_or_notify_cancel()
        self._send(sent)
        return sent.outcome

    def _send(self, sent: _Sent) -> None:
        task, members = sent.task, self._group.memory
        if sent.lost > dask.config.get("distributed.scheduler.allowed-failures"):
            sent.outcome.set_exception(Abandoned(f"all its workers were lost {sent.lost} times"))
            return
        files: list[Files] = []
        for index, each in enumerate(task.inputs):
            try:
                files.append({name: stored(each.folder, each.files, name) for name in each.files})
            except Damaged:
                sent.outcome.set_exception(Lost(index))
                return
        read = sum(len(contents) for each in files for contents in each.values())
        # A worker with less memory takes nothing else meanwhile, if all say how much they have.
        sent.memory = 0 if task.stage.lane != Lane.TOOL else min(
            _STAGE_BYTES + _BYTES_PER_BYTE * read, _MOST_BYTES, min(members.values(), default=0))
        sent.addresses = list(members)
        # Dask tells kinds of tasks from the beginning of their keys. A key is never used again.
        key = f"{task.stage.name}-{task.key[:16]}-{uuid.uuid4().hex[:8]}"
        self._sent[key] = sent
        sent.future = self._client.submit(
            compute, cloudpickle.dumps(dataclasses.replace(task, inputs=())), files, key=key,
            pure=False, retries=0, priority=task.weight, workers=sent.addresses,
            resources={MEMORY: sent.memory} if sent.memory else None)
        sent.future.add_done_callback(self._done)

    def _done(self, future: distributed.Future) -> None:
        """Take what came of a task; called in a thread of the client."""
        answer: Any = None
        try:
            # If the worker that has it is lost now, Dask has it computed once more: others wait.
            answer = future.result(_RECONNECT_S)
            future.release()
        except BaseException as error:
            answer = error
            if isinstance(error, TimeoutError):
                future.cancel(force=True)
        # Not before: a result that is lost with its worker is waited for, until it is sent again.
        sent = self._sent.pop(future.key, None)
        if sent is None:
            return
        try:
            outcome = self._outcome(sent.folder, future.status, answer)
        except BaseException as error:
            sent.outcome.set_exception(error)
        else:
            if outcome is None:
                self._again.append(sent)
            else:
                sent.outcome.set_result(outcome)

    def _outcome(self, folder: Path, status: str, answer: Any) -> Outcome | None:
        """Return the outcome of a task, whose files go to a folder; None to have it sent again."""
        if isinstance(answer, KilledWorker):
            raise Abandoned(f"its worker was lost {answer.allowed_failures + 1} times")
        if isinstance(answer, BaseException):
            if status == "error":
                raise answer
            if self._stopped:
                raise InterruptedError
            return None
        if "refused" in answer:
            self._refusals.append((answer["worker"], answer["refused"]))
            return None
        if not all(map(is_plain, answer["files"])):
            raise StageFailed("A worker sent a file of a name with a folder: "
                              f"{', '.join(answer['files'])}")
        for name, contents in answer["files"].items():
            (folder / name).write_bytes(contents)
        return answer["outcome"]

    def close(self) -> None:
        self._stopped = True
        with contextlib.suppress(Exception):
            # A worker ends the processes of a task that nobody waits for.
            self._client.cancel([sent.future for sent in self._sent.values()], force=True)
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)
        for sent in (*self._sent.values(), *self._again):
            if not sent.outcome.done():
                sent.outcome.set_exception(InterruptedError())
        if self._own is not None:
            with contextlib.suppress(Exception):
                self._own.close(timeout=10)


async def _knock(address: str) -> None:
    comm = await connect(address, _CONNECT_S, **Security().get_connection_args("client"))
    await comm.close()
