"""The explorer: measures cores on FPGAs with open tools.

Commands use it, and so may other programs:

==================  ============================================================================
:func:`point`       one core on one device, made in one way
:func:`points`      all combinations of cores, widths, parameters, devices and options
:func:`measure`     the row of a point
:func:`sweep`       the rows of many points, measured at once, as a frame
``load``            the rows of a store or of files, as a frame; see :func:`.data.frame.load`
``medians``         the points of such a frame; see :func:`.data.frame.medians`
``Store``           a folder of measurements; see :class:`.store.Store`
==================  ============================================================================

Importing this package imports nothing slow.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

# The package of this name is imported here, so that no later import of it hides the function.
from . import points as _points  # noqa: F401

if TYPE_CHECKING:
    import pandas

    from .data.frame import load, medians
    from .pipeline.session import Event
    from .points.point import Point
    from .store import Store

__all__ = ["Store", "load", "measure", "medians", "point", "points", "sweep"]

#: Where names are that are imported when they are used.
_LAZY = {"Store": ".store", "load": ".data.frame", "medians": ".data.frame"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name], __name__), name)


def point(core: str, width: int, target: str, *,
          options: Mapping[str, int | str] | None = None, **params: int | str | bool) -> Point:
    """Return a point: one core on one device, made in one way.

    Parameters
    ----------
    core : str
        Name of the core as ``montgomery list`` has it, such as ``mmm_mx_1d`` or
        ``exponentiation.generic``.
    width : int
        Bits of the largest modulus.
    target : str
        Name of the device, such as ``ecp5-25k``.
    options : dict or None
        Options of yosys and nextpnr that differ from their defaults.
    params
        Parameters of the core that differ from their defaults.

    Raises
    ------
    ValueError
        For an unknown name or an illegal value; the message is one line.
    """
    found, = points([core], [width], [target], {name: [value] for name, value in params.items()},
                    {name: [value] for name, value in (options or {}).items()})
    return found


def points(cores: Sequence[str], widths: Sequence[int], targets: Sequence[str],
           params: Mapping[str, Sequence[Any]] | None = None,
           options: Mapping[str, Sequence[Any]] | None = None) -> list[Point]:
    """Return the points of all combinations of cores, widths, devices and values.

    Parameters
    ----------
    cores, widths, targets : sequence
        As for :func:`point`; all multipliers if no core is named.
    params, options : dict from str to sequence, or None
        Values of parameters of the cores, and of options of yosys and nextpnr. One applies to those
        cores or devices that have it.

    Raises
    ------
    ValueError
        For an unknown name or an illegal value; the message is one line.
    """
    from .points.expand import expand

    return expand(cores, widths, params, targets, options)


def measure(point: Point, *, seed: int = 1, until: str | None = None,
            store: Store | str | os.PathLike | None = None, jobs: int | None = None,
            scheduler: str | None = None, timeout_minutes: float | None = 60.0,
            on_event: Callable[[Event], None] = lambda event: None) -> dict[str, Any]:
    """Measure a point and return its row, as ``montgomery sweep`` does for each of its points.

    The core is verified against its integer model, synthesised, placed and routed. Stages whose
    results are in the store do not run again, and the store keeps the row.

    Parameters
    ----------
    point : Point
        See :func:`point`.
    seed : int
        Seed of the placement, 1 or more.
    until : str or None
        Name of the last stage, such as ``synth``; all stages if None. The status of the row is
        ``partial`` then, and the columns of later stages are None.
    store : Store, path or None
        An open store, or the folder of one, which is made if need be. None stands for the default
        store, that of the commands.
    jobs : int or None
        Number of tools that run at one time; the number of processors if None.
    scheduler : str or None
        Address of a Dask scheduler whose workers compute the stages; this machine if None.
    timeout_minutes : float or None
        Time limit of each run of a tool, and of the verification.
    on_event : callable
        Called with every :class:`explore.pipeline.session.Event`.

    Returns
    -------
    dict
        The row: a value for each of :func:`explore.data.columns.columns`. A failure is a row as
        well: ``status`` names it, and ``log`` has the last lines of the tool. What was not
        measured is None.

    Raises
    ------
    ValueError
        For a seed below 1, or an unknown stage.
    ToolMissing, DiskFull, WrongSite, SourcesChanged, ClusterLost, StoreError
        If the point cannot be measured here and now; see :mod:`explore.errors`.
    KeyboardInterrupt
        After Ctrl-C, when all tools have ended. All finished stages are in the store.

    Examples
    --------
    >>> import explore
    >>> row = explore.measure(explore.point("mmm_mx_1d", 32, "ecp5-25k", arrangement="row"))
    >>> row["status"], row["lut"], row["cycles_compute"]
    ('ok', 622, 81)
    """
    from .pipeline.run import Sweep, run

    asked = Sweep(points={point: [seed]}, until=until, timeout_minutes=timeout_minutes)
    with _opened(store) as opened:
        row, = run(asked, store=opened, jobs=jobs, scheduler=scheduler, on_event=on_event)
    return row


def sweep(points: Sequence[Point], *, seeds: int | Sequence[int] = 3, until: str | None = None,
          store: Store | str | os.PathLike | None = None, jobs: int | None = None,
          scheduler: str | None = None, timeout_minutes: float | None = 60.0,
          on_event: Callable[[Event], None] = lambda event: None) -> pandas.DataFrame:
    """Measure points at once, so that all processors are busy, and return a frame as ``load`` does.

    Parameters
    ----------
    points : sequence of Point
        See :func:`points`.
    seeds : int or sequence of int
        Number of placements of each point, with the seeds 1, 2…, or their seeds.
    until, store, jobs, scheduler, timeout_minutes, on_event
        As for :func:`measure`.

    Returns
    -------
    DataFrame
        One row for each point and seed, failed ones included.

    Raises
    ------
    ValueError, ToolMissing, DiskFull, WrongSite, SourcesChanged, ClusterLost, StoreError,\
    KeyboardInterrupt
        As :func:`measure` does.
    """
    from .data.frame import tidy
    from .pipeline.run import Sweep, run

    asked = Sweep(points=dict.fromkeys(points, seeds), until=until,
                  timeout_minutes=timeout_minutes)
    with _opened(store) as opened:
        return tidy(run(asked, store=opened, jobs=jobs, scheduler=scheduler, on_event=on_event))


def _opened(store: Store | str | os.PathLike | None) -> contextlib.AbstractContextManager[Store]:
    """Return a store that is open already, or one that is open for as long as it is used."""
    from .store import Store

    return contextlib.nullcontext(store) if isinstance(store, Store) else Store(store)
