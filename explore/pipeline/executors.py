"""The executor that a command asks for: this machine, or the workers of a Dask scheduler."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import ToolMissing
from .executor import Executor, LocalExecutor
from .site import Site

if TYPE_CHECKING:
    from ..store import Store
    from ..tools.compiler import Compiler
    from ..tools.verilator import Verilator

__all__ = ["default_jobs", "executor"]


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def executor(store: Store, *, jobs: int | None, scheduler: str | None,
             compiler: Compiler | None, verilator: Verilator | None
             ) -> Callable[[Callable[..., None]], Executor]:
    """Return a function that returns the executor, for :class:`.session.Session`.

    Parameters
    ----------
    store : Store
        An open store, in which this machine notes versions of its tools.
    jobs : int or None
        Number of tools that run at one time on this machine; :func:`default_jobs` if None.
    scheduler : str or None
        Address of a Dask scheduler; None for this machine.
    compiler : Compiler or None
        The C++ compiler of this machine.
    verilator : Verilator or None
        Verilator on this machine.

    Raises
    ------
    ToolMissing
        If there is a scheduler, but Dask is not installed.
    """
    if scheduler is None:
        return lambda emit: LocalExecutor(Site(store, compiler, emit, verilator),
                                          jobs or default_jobs())
    try:
        from .cluster import ClusterExecutor
    except ModuleNotFoundError as error:
        raise ToolMissing(f"Work on many machines needs Dask ({error.name} is missing); run "
                          "pip install '.[cluster]' in the project's folder") from None
    return lambda emit: ClusterExecutor(scheduler, emit)
