"""Computes single stages on demand, for commands other than sweeps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ..errors import WrongSite
from ..outcome import Outcome, StageFailed
from ..simulation.build import LIBRARY
from ..store import Store
from ..store.artefacts import Damaged, unpack
from ..tools.workspace import this_machine
from .events import Event
from .executor import executor
from .graph import Node
from .session import Session
from .stage import Job, Stage
from .stages import stages
from .stages.compile import Compile, CompileDesign, CompileNetlist

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..devices import Target
    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["UNVERIFIED", "Demand", "SingleStages"]

#: Stages that a core need not have passed which is synthesised for another purpose than a figure.
UNVERIFIED = ("verify", "verify_cells")


class SingleStages:
    """Single stages, from the store or computed and stored now; a context manager.

    Parameters
    ----------
    store : Store
        Open.
    compiler : Compiler or None
        The C++ compiler, for stages that need one.
    announce : callable
        Called with a line of text before something that takes long.
    verilator : Verilator or None
        Verilator, for stages that may use it.
    scheduler : str or None
        Address of a Dask scheduler whose workers compute the stages; this machine if None.
    jobs : int or None
        Number of tools that run at one time on this machine; the number of processors if None.
    """

    def __init__(self, store: Store, compiler: Compiler | None = None,
                 announce: Callable[[str], None] = lambda text: None,
                 verilator: Verilator | None = None, scheduler: str | None = None,
                 jobs: int | None = 1) -> None:
        self._store, self._announce = store, announce
        self._session = Session(store, executor(store, jobs=jobs, scheduler=scheduler,
                                                compiler=compiler, verilator=verilator),
                                self._tell)

    def __enter__(self) -> Self:
        self._session.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._session.__exit__(*exception)

    def obtain(self, stage: Stage, job: Job, *, without: Collection[str] = (),
               into: Path | None = None) -> tuple[str, Outcome]:
        """Return key and outcome of a stage, which succeeded.

        Parameters
        ----------
        without : collection of str
            Stages that need not have succeeded before.
        into : Path or None
            A folder that takes the files that the stage left.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If there is no outcome that succeeded.
        """
        node = self._session.single(stage, job, without)
        if into is not None and _succeeded(node):
            try:
                self._fill(node, into)
            except Damaged:
                self._session.again(node)
                self._fill(_succeeded(node), into)
        return _succeeded(node).key, node.outcome

    @property
    def slots(self) -> int:
        """Number of stages that run at one time."""
        return self._session.slots

    @property
    def machine(self) -> str:
        """The machine on which the stages run, as :func:`~explore.tools.workspace.this_machine`."""
        return self._session.tools.machine

    def several(self, stages: Iterable[Stage], job: Job) -> list[Outcome]:
        """Return the outcomes of several stages of one job, each of which may have failed.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If an earlier stage failed, or if a stage cannot be computed.
        """
        nodes = self._session.several(stages, job)
        for node in nodes:
            if node.outcome is None:
                _succeeded(node)
        return [node.outcome for node in nodes]

    def again(self, stage: Stage, job: Job) -> tuple[str, Outcome]:
        """Compute a stage once more, since a file of it is damaged; see :meth:`obtain`."""
        self._session.again(self._session.single(stage, job))
        return self.obtain(stage, job)

    def _fill(self, node: Node, folder: Path) -> None:
        unpack(self._store.files(node.key), node.outcome.files, folder)

    def _tell(self, event: Event) -> None:
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


class Demand:
    """The stages of one core that a command needs, from the store or computed and stored now.

    Parameters
    ----------
    store : Store
        Open.
    folder : Path
        Folder for unpacked libraries, which may be removed once they are loaded.
    announce : callable
        Called with a line of text before something that takes long.
    scheduler : str or None
        See :class:`SingleStages`.
    """

    def __init__(self, store: Store, params: CoreParameters, folder: Path,
                 announce: Callable[[str], None] = lambda text: None,
                 scheduler: str | None = None) -> None:
        self._store, self._params, self._folder = store, params, folder
        self._announce, self._scheduler = announce, scheduler

    def library(self, compiler: Compiler, *, verilator: Verilator | None = None,
                engine: str = "auto", operations: int | None = None,
                waveform: bool = False) -> Path:
        """Return the compiled core.

        Parameters
        ----------
        verilator : Verilator or None
            Verilator; CXXRTL simulates if None.
        engine, operations, waveform
            See :class:`explore.pipeline.stages.compile.Compile`.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        stage = Compile(engine=engine, operations=operations, waveform=waveform)
        return self._compiled(stage, Job(params=self._params), compiler, verilator)

    def netlist_library(self, compiler: Compiler, target: Target, options: dict[str, int | str], *,
                        waveform: bool = False) -> Path:
        """Return the compiled netlist that is placed for a target, without the chain around it.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        job = Job(params=self._params, device=target, options=options)
        return self._compiled(CompileNetlist(waveform=waveform), job, compiler)

    def compile_rtlil(self, text: str, compiler: Compiler, *, driver: Path) -> Path:
        """Return the library of a design that is not a core, with a driver of its own.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        return self._compiled(CompileDesign(text, driver), Job(params=self._params), compiler)

    def netlist(self, target: Target, options: dict[str, int | str]) -> bytes:
        """Return the netlist that is placed for a target, in yosys's JSON.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        job = Job(params=self._params, device=target, options=options)
        with tempfile.TemporaryDirectory(dir=self._folder) as folder, self.stages() as computed:
            computed.obtain(stages()["synth"], job, without=UNVERIFIED, into=Path(folder))
            return Path(folder, "netlist.json").read_bytes()

    def _compiled(self, stage: Stage, job: Job, compiler: Compiler,
                  verilator: Verilator | None = None) -> Path:
        with (self.stages(compiler, verilator) as computed,
              tempfile.TemporaryDirectory(dir=self._folder) as folder):
            if computed.machine != this_machine():
                raise WrongSite("The workers of the scheduler compile for another kind of machine "
                                f"({computed.machine}) than this one ({this_machine()}), which "
                                "simulates; leave the scheduler out")
            key, _ = computed.obtain(stage, job, without=UNVERIFIED, into=Path(folder))
            # A library that is loaded must stay as it is.
            (self._folder / key).mkdir(exist_ok=True)
            Path(folder, LIBRARY).replace(self._folder / key / LIBRARY)
        return self._folder / key / LIBRARY

    def stages(self, compiler: Compiler | None = None,
               verilator: Verilator | None = None) -> SingleStages:
        """Return single stages, with the store and the scheduler of this object."""
        return SingleStages(self._store, compiler, self._announce, verilator, self._scheduler)
