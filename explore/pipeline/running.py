"""The stages that an executor computes for a session, until their outcomes are in the store."""

from __future__ import annotations

import dataclasses
import queue
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from ..errors import going_on
from ..outcome import Outcome
from ..store import Store
from ..store.artefacts import pack, unpacked
from ..store.folder import KeyLock
from .executor import Abandoned, Executor, Input, Lost, Task
from .knowledge import reading_of
from .node import Node

__all__ = ["Running"]


@dataclasses.dataclass
class _Started:
    node: Node
    lock: KeyLock
    workspace: Path


class Running:
    """The stages that run, each with a lock of its key and a workspace in the store.

    When a stage begins on a machine, ``on_start(node, host)`` is called.
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
        """Start a stage. Its lock is released when it ends, or if it does not start."""
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

    def wait(self, timeout_s: float) -> tuple[Node, Outcome | Lost | Abandoned] | None:
        """Wait until a stage ends, and store its outcome; return None after a time limit.

        The result is the node, with its outcome or with why it has none.
        """
        try:
            future = self._ended.get(timeout=timeout_s)
        except queue.Empty:
            return None
        started = self._started.pop(future)
        try:
            return started.node, self._collected(started.node, future, started.workspace)
        finally:
            # If the outcome was stored, the workspace is gone already.
            self._give_back(started)

    def _give_back(self, started: _Started) -> None:
        self._store.discard(started.workspace)
        started.lock.release()

    def _collected(self, node: Node, future: Future, workspace: Path
                   ) -> Outcome | Lost | Abandoned:
        with going_on(f"cannot write in {self._store.path}"):
            try:
                outcome = future.result()
            except (Lost, Abandoned) as error:
                return error
        outcome = _read(node, outcome, workspace, self._store)
        self._store.commit(node.key, {"stage": node.stage.name, **node.spec}, outcome, workspace)
        return outcome

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
