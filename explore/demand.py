"""Computes single stages when they are asked for, by commands that are no sweep."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .graph import reusable
from .outcome import StageFailed
from .processes import Processes
from .simulation import build
from .simulation.netlist import netlist_script
from .stages import compile_spec, elaborate_spec, run_stage, stage_key, synth_spec, unpack
from .store import Store
from .toolbox import Toolbox

if TYPE_CHECKING:
    from montgomery import Parameters
    from montgomery.technology import Technology

    from .simulation.compiler import Compiler
    from .targets import Target

__all__ = ["Demand", "obtain"]

_POLL_S = 0.2


class Demand:
    """What a command needs of one core, from the store or made and stored now.

    Parameters
    ----------
    store : Store
        Open.
    folder : Path
        Where libraries are unpacked; it may be removed once they are loaded.
    """

    def __init__(self, store: Store, params: Parameters, folder: Path) -> None:
        self._store, self._params, self._folder = store, params, folder
        self._processes = Processes()
        self._tools = Toolbox(store, self._processes, lambda *what, **more: None)

    def library(self, compiler: Compiler, *, waveform: bool = False) -> Path:
        """Return the compiled core.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        elaborated, files = self._elaborate()
        return self.compile(compile_spec(self._params, elaborated, compiler, waveform=waveform),
                             files)

    def netlist_library(self, compiler: Compiler, target: Target, options: dict[str, int | str], *,
                        waveform: bool = False) -> Path:
        """Return the compiled netlist that is placed for a target, without the chain around it.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        elaborated, files = self._elaborate(target.technology_for(options))
        spec = synth_spec(target, options, elaborated, self._tools.version("yosys"))
        synthesised, files = self._obtain(spec, files)
        script = netlist_script(target.family, waveform=waveform)
        return self.compile(
            build.compile_spec(synthesised["netlist"], script, compiler, family=target.family,
                               waveform=waveform), files)

    def compile(self, spec: dict[str, Any], inputs: Path) -> Path:
        """Return the library that :func:`explore.simulation.build.compile_spec` specifies.

        Parameters
        ----------
        inputs : Path
            The folder with the compressed file that it is made from.

        Raises
        ------
        StageFailed, ToolMissing, DiskFull
            If it cannot be made.
        """
        _, files = self._obtain(spec, inputs)
        folder = self._folder / stage_key(spec)
        folder.mkdir(exist_ok=True)
        unpack(files, folder)
        return folder / build.LIBRARY

    def _elaborate(self, technology: Technology | None = None) -> tuple[dict[str, Any], Path]:
        return self._obtain(elaborate_spec(self._params, technology), None)

    def _obtain(self, spec: dict[str, Any], inputs: Path | None) -> tuple[dict[str, Any], Path]:
        def compute(workspace: Path) -> dict[str, Any]:
            return run_stage(spec, workspace, inputs, processes=self._processes)

        return obtain(self._store, spec, compute, self._processes)


def obtain(store: Store, spec: dict[str, Any], compute: Callable[[Path], dict[str, Any]],
           processes: Processes) -> tuple[dict[str, Any], Path]:
    """Return the outcome of a specification and the folder of its files.

    Parameters
    ----------
    compute : callable
        Called with an empty folder where the store has no outcome; returns one, and leaves the
        files in the folder that are worth keeping.
    processes : Processes
        Those of ``compute``, which end when it is interrupted.

    Raises
    ------
    StageFailed, ToolMissing, DiskFull
        If there is no outcome with status ``ok``.
    """
    key = stage_key(spec)
    while (outcome := store.outcome(key)) is None or not reusable(outcome, None):
        lock = store.lock(key)
        if lock is None:
            # Another process computes it.
            time.sleep(_POLL_S)
            continue
        try:
            outcome = store.outcome(key)
            if outcome is None or not reusable(outcome, None):
                outcome = _computed(store, key, spec, compute, processes)
        finally:
            lock.release()
        break
    if outcome["status"] != "ok":
        raise StageFailed(f"{spec['stage']}: {outcome['message']}")
    return outcome, store.files(key)


def _computed(store: Store, key: str, spec: dict[str, Any],
              compute: Callable[[Path], dict[str, Any]], processes: Processes) -> dict[str, Any]:
    workspace = store.workspace(key)
    try:
        outcome = compute(workspace)
        store.commit(key, spec, outcome, workspace)
    except BaseException:
        processes.stop()
        store.discard(workspace)
        raise
    return outcome
