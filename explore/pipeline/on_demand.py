"""Computes single stages when they are asked for, by commands that are no sweep."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..netlist.placed import netlist_script
from ..outcome import Outcome, StageFailed
from ..simulation import build
from ..store import Store
from ..store.artefacts import Damaged, digest, unpack
from ..tools.processes import Processes
from ..tools.toolbox import Toolbox, announcing
from .stage import Job, Spec, Stage, Workspace
from .stages import stages
from .tool_set import ToolSet
from .work import compute_somewhere, versions_of
from .worker import Workers

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..devices.targets import Target
    from ..tools.compiler import Compiler

__all__ = ["Demand", "obtain"]

_POLL_S = 0.2

#: Puts the files that a stage reads into a folder.
Source = Callable[[Path], None]


@dataclasses.dataclass(frozen=True)
class _Made:
    """An outcome, which succeeded, and how to have its files."""

    outcome: Outcome
    fill: Source


class Demand:
    """What a command needs of one core, from the store or made and stored now.

    Parameters
    ----------
    store : Store
        Open.
    folder : Path
        Where libraries are unpacked; it may be removed once they are loaded.
    announce : callable
        Called with a line of text before something that takes long.
    """

    def __init__(self, store: Store, params: CoreParameters, folder: Path,
                 announce: Callable[[str], None] = lambda text: None) -> None:
        self._store, self._params, self._folder = store, params, folder
        self._processes = Processes()
        self._toolbox = Toolbox(store, self._processes, announcing(announce))

    def library(self, compiler: Compiler, *, waveform: bool = False) -> Path:
        """Return the compiled core.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        tools, job = ToolSet(self._toolbox, compiler), Job(params=self._params)
        elaborated = self._stage("elaborate", job, {}, tools)
        if waveform:
            spec = build.compile_spec(elaborated.outcome.facts["rtlil"],
                                      build.rtlil_script(waveform=True), tools, waveform=True)
        else:
            spec = stages()["compile"].specify(job, {"elaborate": elaborated.outcome.facts}, tools)
        return self._compiled(spec, elaborated.fill)

    def netlist_library(self, compiler: Compiler, target: Target, options: dict[str, int | str], *,
                        waveform: bool = False) -> Path:
        """Return the compiled netlist that is placed for a target, without the chain around it.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        script = netlist_script(target.family, waveform=waveform)
        synthesised = self._synthesised(target, options)
        return self._compiled(
            build.compile_spec(synthesised.outcome.facts["netlist"], script,
                               ToolSet(self._toolbox, compiler), family=target.family,
                               waveform=waveform), synthesised.fill)

    def netlist(self, target: Target, options: dict[str, int | str]) -> bytes:
        """Return the netlist that is placed for a target, in yosys's JSON.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            self._synthesised(target, options).fill(Path(folder))
            return Path(folder, "netlist.json").read_bytes()

    def _synthesised(self, target: Target, options: dict[str, int | str]) -> _Made:
        tools = ToolSet(self._toolbox)
        job = Job(params=self._params, device=target, options=options)
        design = self._stage("design", job, {}, tools)
        return self._stage("synth", job, {"design": design.outcome.facts}, tools, design.fill)

    def compile_rtlil(self, text: str, compiler: Compiler, *, driver: str) -> Path:
        """Return the library of a design that is not a core, with a driver of its own.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        spec = build.compile_spec(digest(text), build.rtlil_script(),
                                  ToolSet(self._toolbox, compiler), driver=driver)
        return self._compiled(spec, lambda folder: _write(folder / "core.il", text))

    def _compiled(self, spec: Spec, source: Source) -> Path:
        stage = stages()["compile"]
        made = self._obtain(stage, spec, Job(params=self._params), source)
        folder = self._folder / stage.hashed(spec)
        folder.mkdir(exist_ok=True)
        made.fill(folder)
        return folder / build.LIBRARY

    def _stage(self, name: str, job: Job, given: dict[str, Any], tools: ToolSet,
               source: Source | None = None) -> _Made:
        stage = stages()[name]
        return self._obtain(stage, stage.specify(job, given, tools), job, source)

    def _obtain(self, stage: Stage, spec: Spec, job: Job, source: Source | None) -> _Made:
        key, program = stage.hashed(spec), stage.program(job)

        def compute(folder: Path) -> Outcome:
            if source is not None:
                source(folder)
            if program:
                self._toolbox.warm(program)
            workers = Workers(self._processes)
            try:
                return compute_somewhere(stage, spec, Workspace(folder, self._processes),
                                         versions_of(program, self._toolbox), workers)
            finally:
                workers.close()

        def fill(folder: Path) -> None:
            try:
                unpack(self._store.files(key), made().files, folder)
            except Damaged:
                self._store.forget(key)
                unpack(self._store.files(key), made().files, folder)

        def made() -> Outcome:
            return obtain(self._store, key, {"stage": stage.name, **spec}, compute, self._processes)

        return _Made(made(), fill)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def obtain(store: Store, key: str, spec: Spec, compute: Callable[[Path], Outcome],
           processes: Processes) -> Outcome:
    """Return the outcome of a specification, which succeeded.

    Parameters
    ----------
    compute : callable
        Called with an empty folder where the store has no outcome. Returns one, and leaves the
        files in the folder that it names.
    processes : Processes
        Those of ``compute``, which end when it is interrupted.

    Raises
    ------
    StageFailed, ToolMissing, DiskFull
        If there is no outcome that succeeded.
    """
    while (outcome := store.outcome(key)) is None or not outcome.stands(None):
        lock = store.lock(key)
        if lock is None:
            # Another process computes it.
            time.sleep(_POLL_S)
            continue
        try:
            outcome = store.outcome(key)
            if outcome is None or not outcome.stands(None):
                outcome = _computed(store, key, spec, compute, processes)
        finally:
            lock.release()
        break
    if outcome.failure:
        raise StageFailed(outcome.failure)
    return outcome


def _computed(store: Store, key: str, spec: Spec, compute: Callable[[Path], Outcome],
              processes: Processes) -> Outcome:
    workspace = store.workspace(key)
    try:
        outcome = compute(workspace)
        store.commit(key, spec, outcome, workspace)
    except BaseException:
        processes.stop()
        store.discard(workspace)
        raise
    return outcome
