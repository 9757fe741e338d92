"""Computes a stage where it belongs: a tool from this process, and Python code in a worker."""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..outcome import Outcome, StageFailed
from ..tools.toolbox import Toolbox
from ..version import project_version
from .stage import Lane, Spec, Stage, Workspace, compute, stamped
from .worker import Workers

__all__ = ["compute_here", "compute_somewhere", "versions_of"]


def compute_somewhere(stage: Stage, spec: Spec, workspace: Workspace, versions: Mapping[str, str],
                      workers: Workers) -> Outcome:
    """Run a stage in the lane that it is made for; see :func:`explore.pipeline.stage.compute`.

    Raises
    ------
    ToolMissing, DiskFull, SourcesChanged
        If the outcome cannot be known here and now.
    """
    if stage.lane == Lane.TOOL:
        return compute(stage, spec, workspace, versions)
    begin = time.monotonic()
    try:
        return Outcome.from_json(workers.call(
            f"{__name__}:compute_here",
            {"stage": stage.name, "module": type(stage).__module__, "spec": spec,
             "folder": str(workspace.folder)},
            modules=spec["modules"], fingerprint=spec["sources"], timeout_s=workspace.timeout_s))
    except StageFailed as error:
        return stamped(Outcome(failure=error.failure), begin)


def versions_of(program: str, toolbox: Toolbox) -> dict[str, str]:
    """Return the version of a program under the name that rows have it; nothing for no program."""
    return {program.partition("-")[0]: toolbox.version(program)} if program else {}


def compute_here(stage: str, module: str, spec: Spec, folder: str) -> dict[str, Any]:
    """Run a stage in this process, which is a worker; return the outcome as JSON has it.

    Parameters
    ----------
    stage, module : str
        Name of the stage, and of the module that has it among its ``STAGES``.
    """
    found = {each.name: each for each in importlib.import_module(module).STAGES}
    versions = {"amaranth": importlib.metadata.version("amaranth"),
                "montgomery": project_version(), "python": platform.python_version()}
    return compute(found[stage], spec, Workspace(Path(folder)), versions).to_json()
