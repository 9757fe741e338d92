"""The places where stages are computed: this machine, or the workers of a scheduler."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ToolMissing
from ..outcome import Outcome
from ..store.artefacts import Damaged, unpack
from ..tools.workspace import Workspace
from .executor import Executor, Lost, Task
from .site import Site
from .stage import Lane

if TYPE_CHECKING:
    from ..store import Store
    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["LocalExecutor", "default_jobs", "executor"]


class LocalExecutor:
    """This machine, with a number of slots.

    At most ``slots`` tools run at once. Elaboration and verification use idle slots and one more
    slot of low priority, so that they never delay a tool.
    """

    def __init__(self, site: Site, slots: int) -> None:
        self.slots = slots
        self.tools = self._site = site
        self._pool = ThreadPoolExecutor(2 * slots)
        self._running: dict[Future, Lane] = {}

    def has_room(self, lane: Lane) -> bool:
        running = [each for future, each in self._running.items() if not future.done()]
        return running.count(lane) < self.slots and len(running) <= self.slots

    def submit(self, task: Task, folder: Path, started: Callable[[str], None]) -> Future[Outcome]:
        versions = self._site.admit(task.stage, task.spec, task.programs)
        self._running = {future: lane for future, lane in self._running.items()
                         if not future.done()}
        future = self._pool.submit(self._compute, task, folder, versions)
        self._running[future] = task.stage.lane
        started("")
        return future

    def _compute(self, task: Task, folder: Path, versions: Mapping[str, str]) -> Outcome:
        for index, source in enumerate(task.inputs):
            try:
                unpack(source.folder, source.files, folder)
            except Damaged as error:
                raise Lost(index) from error
        workspace = Workspace(folder, self._site.processes, task.timeout_s)
        return self._site.compute(task.stage, task.spec, workspace, versions)

    def attend(self) -> None:
        pass

    def stop(self) -> None:
        self._site.stop()

    def close(self) -> None:
        # The threads of the pool wait for the processes, so the pool ends first.
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._site.close()


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def executor(store: Store, emit: Callable[..., None], *, jobs: int | None, scheduler: str | None,
             compiler: Compiler | None, verilator: Verilator | None) -> Executor:
    """Return the executor of a session, which emits events.

    It is the one of a Dask scheduler at the address ``scheduler``, or this machine if that is None,
    with so many ``jobs`` at one time (:func:`default_jobs` if None), and with these compilers.
    """
    if scheduler is None:
        return LocalExecutor(Site(store, compiler, emit, verilator), jobs or default_jobs())
    try:
        from .cluster import ClusterExecutor
    except ModuleNotFoundError as error:
        raise ToolMissing(f"Work on many machines needs Dask ({error.name} is missing); run "
                          "pip install '.[cluster]' in the project's folder") from None
    return ClusterExecutor(scheduler, emit)
