"""The explorer: measures cores on FPGAs with open tools.

Commands use it, and so may other programs. They make a point with :func:`point`, and measure it
with :func:`measure`; :mod:`explore.pipeline.run` measures many at once, and
:mod:`explore.data.frame` loads what was measured. Importing this package imports nothing slow.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .pipeline.events import Event
    from .points.point import Point
    from .store import Store

__all__ = ["measure", "point"]


class _Beside:
    """Finds packages beside this one, whatever else on the path has their common names."""

    _folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None,
                  target: ModuleType | None = None) -> ModuleSpec | None:
        if name in ("boards", "explore"):
            return PathFinder.find_spec(name, [cls._folder], target)
        return None


sys.meta_path.insert(sys.meta_path.index(PathFinder), _Beside)


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
    from .points.expand import expand

    found, = expand([core], [width], {name: [value] for name, value in params.items()}, [target],
                    {name: [value] for name, value in (options or {}).items()})
    return found


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
        See :func:`point`, or :func:`explore.points.expand.expand` for many.
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
        Called with every :class:`explore.pipeline.events.Event`.

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
    import contextlib

    from .pipeline.run import Sweep, run
    from .store import Store

    sweep = Sweep(points={point: [seed]}, until=until, timeout_minutes=timeout_minutes)
    with contextlib.ExitStack() as stack:
        opened = store if isinstance(store, Store) else stack.enter_context(Store(store))
        row, = run(sweep, store=opened, jobs=jobs, scheduler=scheduler,
                               on_event=on_event)
    return row
