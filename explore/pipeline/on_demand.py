"""Computes single stages on demand, for commands other than sweeps."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import WrongSite
from ..outcome import Outcome, StageFailed
from ..simulation.build import LIBRARY
from ..store import Store
from ..store.artefacts import is_whole, unpack
from ..tools.workspace import this_machine
from .node import Node
from .session import Event, Session
from .stage import Job, Stage
from .stages import stages
from .stages.compile import Compile

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["UNVERIFIED", "SingleStages", "core_library"]

#: Stages that a core need not have passed which is synthesised for another purpose than a figure.
UNVERIFIED = ("verify", "verify_cells")


class SingleStages(Session):
    """Single stages, from the store or computed and stored now; a context manager.

    Parameters
    ----------
    compiler, verilator
        For stages that need them.
    announce : callable
        Called with a line of text before something that takes long.
    scheduler, jobs
        As for :func:`explore.pipeline.run.run`.
    """

    def __init__(self, store: Store, compiler: Compiler | None = None,
                 announce: Callable[[str], None] = lambda text: None,
                 verilator: Verilator | None = None, scheduler: str | None = None,
                 jobs: int | None = 1) -> None:
        self._store, self._announce = store, announce
        super().__init__(store, jobs=jobs, scheduler=scheduler, compiler=compiler,
                         verilator=verilator, on_event=self._tell_user)

    def obtain(self, stage: Stage, job: Job, *, without: Collection[str] = (),
               into: Path | None = None) -> tuple[str, Outcome]:
        """Return key and outcome of a stage, which succeeded, and whose files are whole.

        The files that it left are written to the folder ``into``. Stages that are called as
        ``without`` says need not have succeeded before.

        Raises
        ------
        StageFailed
            If there is no outcome that succeeded.
        """
        node, = self.several([stage], job, without)
        if not is_whole(self._store.files(node.key), _succeeded(node).outcome.files):
            self.again(node)
        found = _succeeded(node).outcome
        if into is not None:
            unpack(self._store.files(node.key), found.files, into)
        return node.key, found

    def each(self, stages: Iterable[Stage], job: Job, *, ahead: int = 1) -> Iterator[Outcome]:
        """Yield the outcomes of several stages of one job, each of which may have failed.

        So many of them are asked for at one time as ``ahead`` says, as a multiple of the slots.

        Raises
        ------
        StageFailed
            If an earlier stage failed.
        """
        waiting = iter(stages)
        while some := list(itertools.islice(waiting, ahead * self.slots)):
            for node in self.several(some, job):
                yield (node if node.outcome else _succeeded(node)).outcome

    def library(self, stage: Compile, job: Job, folder: Path) -> Path:
        """Return the library that a stage compiles, in a folder for unpacked libraries.

        The folder may be removed once they are loaded.

        Raises
        ------
        WrongSite
            If other kinds of machines compile it.
        """
        machine = self.tools.machine
        if machine != this_machine():
            raise WrongSite("The workers of the scheduler compile for another kind of machine "
                            f"({machine}) than this one ({this_machine()}), which simulates; "
                            "leave the scheduler out")
        with tempfile.TemporaryDirectory(dir=folder) as unpacked:
            key, _ = self.obtain(stage, job, without=UNVERIFIED, into=Path(unpacked))
            # A library that is loaded must stay as it is.
            (folder / key).mkdir(exist_ok=True)
            Path(unpacked, LIBRARY).replace(folder / key / LIBRARY)
        return folder / key / LIBRARY

    def _tell_user(self, event: Event) -> None:
        if (event.kind, event.status) == ("warm", "running") or event.kind == "note":
            self._announce(event.label)
        if event.kind == "start" and (event.stage not in stages() or event.stage == "runtime"):
            self._announce(f"{event.stage}: {event.label}")


def _succeeded(node: Node) -> Node:
    """Return a node that was computed, or raise why it, or one before it, failed."""
    if node.outcome is None:
        for need in (*node.needs.values(), *filter(None, (node.fetches,))):
            _succeeded(need)
    if node.failure is not None:
        raise StageFailed(node.failure)
    return node


def core_library(store: Store, params: CoreParameters, folder: Path, compiler: Compiler, *,
                 verilator: Verilator | None = None, **options: Any) -> Path:
    """Return the core that :class:`.stages.compile.Compile` compiles with some options.

    See :meth:`SingleStages.library`.
    """
    with SingleStages(store, compiler, verilator=verilator) as computed:
        return computed.library(Compile(**options), Job(params=params), folder)
