"""The stages that an executor computes for a session, until their outcomes are in the store."""

from __future__ import annotations

import dataclasses
import queue
import shutil
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from ..errors import DiskFull
from ..outcome import Outcome
from ..store import Store, disk_full
from ..store.artefacts import pack, unpacked
from ..store.folder import KeyLock
from .executor import Abandoned, Executor, Input, Lost, Task
from .knowledge import reading_of
from .node import Node

__all__ = ["Ended", "Running"]

#: If less room than this is left on the disk, a tool that fails is assumed to lack room.
_ROOM_BYTES = 1 << 22


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ended:
    """A stage that runs no more. One of the attributes besides ``node`` says what came of it.

    Attributes
    ----------
    node : Node
    outcome : Outcome or None
        Its outcome, which the store has.
    damaged : Node or None
        An earlier stage of which a file that this one reads is damaged or missing.
    abandoned : str
        Why the executor gave the stage up.
    """

    node: Node
    outcome: Outcome | None = None
    damaged: Node | None = None
    abandoned: str = ""


@dataclasses.dataclass
class _Started:
    node: Node
    lock: KeyLock
    workspace: Path


class Running:
    """The stages that run, each with a lock of its key and a workspace in the store.

    Parameters
    ----------
    store : Store
        An open store.
    executor : Executor
    on_start : callable
        Called as ``on_start(node, host)`` when a stage begins on a machine.
    """

    def __init__(self, store: Store, executor: Executor,
                 on_start: Callable[[Node, str], None]) -> None:
        self._store, self._executor, self._on_start = store, executor, on_start
        self._started: dict[Future, _Started] = {}
        # Not concurrent.futures.wait(), which locks all futures one by one. If Ctrl-C interrupts
        # it, they stay locked, and the threads wait for them for ever.
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()

    def __bool__(self) -> bool:
        return bool(self._started)

    @property
    def keys(self) -> set[str]:
        """The keys of the stages that run."""
        return {started.node.key for started in self._started.values()}

    def start(self, node: Node, lock: KeyLock) -> None:
        """Start a stage. Its lock is released when it ends, or if it does not start.

        Raises
        ------
        WrongSite, ToolMissing, DiskFull
            If the stage cannot be computed here and now.
        """
        workspace = None
        try:
            workspace = self._store.workspace(node.key)
            task = Task(stage=node.stage, spec=node.spec, key=node.key,
                        programs=node.stage.programs(node.job), timeout_s=node.timeout_s,
                        weight=node.weight, inputs=[Input(self._store.files(source.key),
                                                          source.outcome.files)
                                                    for source in node.inputs])
            future = self._executor.submit(task, workspace, lambda host: self._on_start(node, host))
        except BaseException:
            if workspace is not None:
                self._store.discard(workspace)
            lock.release()
            raise
        self._started[future] = _Started(node, lock, workspace)
        future.add_done_callback(self._ended.put)

    def wait(self, timeout_s: float) -> Ended | None:
        """Wait until a stage ends, and store its outcome; return None after a time limit.

        Raises
        ------
        ToolMissing, DiskFull, WrongSite, SourcesChanged
            If the outcome cannot be known.
        """
        try:
            future = self._ended.get(timeout=timeout_s)
        except queue.Empty:
            return None
        started = self._started.pop(future)
        try:
            return self._collected(started.node, future, started.workspace)
        finally:
            # If the outcome was stored, the workspace is gone already.
            self._give_back(started)

    def _give_back(self, started: _Started) -> None:
        self._store.discard(started.workspace)
        started.lock.release()

    def _collected(self, node: Node, future: Future, workspace: Path) -> Ended:
        with disk_full(self._store.path):
            try:
                outcome = future.result()
            except Lost as lost:
                return Ended(node=node, damaged=node.inputs[lost.args[0]])
            except Abandoned as error:
                return Ended(node=node, abandoned=str(error))
        outcome = _read(node, outcome, workspace, self._store)
        self._check_room(outcome)
        self._store.commit(node.key, {"stage": node.stage.name, **node.spec}, outcome, workspace)
        return Ended(node=node, outcome=outcome)

    def _check_room(self, outcome: Outcome) -> None:
        # Not every tool reports that the disk is full.
        if (outcome.status == "tool_error"
                and shutil.disk_usage(self._store.path).free < _ROOM_BYTES):
            raise DiskFull(f"Disk is full: {outcome.failure.message}; free some room in "
                           f"{self._store.path}, then the same command goes on")

    def close(self) -> None:
        """Give back locks and workspaces of stages that had not ended when the executor did."""
        for started in self._started.values():
            self._give_back(started)
        self._started.clear()


def _read(node: Node, outcome: Outcome, workspace: Path, store: Store) -> Outcome:
    """Read the columns of a new outcome, and return the outcome.

    If its files make no sense, return an outcome with the failure in its place.
    """
    reading = reading_of(node, outcome, lambda name: unpacked(workspace, outcome.files, name),
                         store)
    node.note(reading)
    failure = reading.failure
    if outcome.failure or failure is None or failure.stands(None):
        return outcome
    pack(workspace, ())
    return dataclasses.replace(outcome, failure=failure, facts={}, files={})
