"""The stages of a measurement, each in a module of its own.

A module of this package that has ``STAGES``, a tuple of :class:`explore.pipeline.stage.Stage`, adds
them to every measurement that they apply to. So does one of :mod:`explore.data.columns`.
"""

from __future__ import annotations

import functools
import graphlib
import importlib
import sys
from collections.abc import Mapping

from ...data.columns import extensions
from ...errors import Refusal
from ...lookup import known, modules_of
from ..stage import Stage

__all__ = ["stages", "through"]


@functools.cache
def stages() -> Mapping[str, Stage]:
    """Return the dictionary from name to :class:`Stage`, each after those that it needs."""
    found: dict[str, Stage] = {}
    modules = [importlib.import_module(f"{__name__}.{name}")
               for name in modules_of(sys.modules[__name__])]
    for module in (*modules, *extensions()):
        for stage in getattr(module, "STAGES", ()):
            if stage.name in found:
                raise Refusal(f"Stages must have different names, but two are '{stage.name}'")
            found[stage.name] = stage
    for stage in found.values():
        for says, others in (("needs", (*stage.needs, *filter(None, (stage.fetches,)))),
                             ("guards", stage.guards)):
            for other in others:
                if other not in found:
                    raise Refusal(f"Stage {stage.name} {says} a stage '{other}', which there is "
                                  "not")
    for name, stage in found.items():
        stage.guarded_by = tuple(each.name for each in found.values() if name in each.guards)
    order = graphlib.TopologicalSorter({
        name: sorted((*stage.after, *filter(None, (stage.fetches,))))
        for name, stage in found.items()})
    return {name: found[name] for name in order.static_order()}


def through(until: str | None = None) -> Mapping[str, Stage]:
    """Return the stages up to a named one, itself included; all stages if the name is None."""
    if until is None:
        return stages()
    names = list(stages())
    last = names.index(known("stage", until, names))
    return {name: stages()[name] for name in names[:last + 1]}
