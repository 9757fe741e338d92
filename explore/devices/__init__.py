"""FPGAs that points are measured on: devices, their families and their data-sheet limits.

A family is one module of this package, which has ``TARGETS``, a tuple of
:class:`~explore.devices.model.Target`. Where a family has no placer, the one target of its name
stands for all devices, and only area is measured.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterable, Mapping

from ..errors import Refusal
from ..lookup import UnknownName, alike, known, modules_of, unknown
from .model import Family, Limit, Option, Target

__all__ = ["Family", "Limit", "Option", "Target", "cell_models", "families", "placers", "siblings",
           "target", "targets", "unknown_measured"]

#: Modules whose targets come first, in this order: tables and figures have had it from the
#: beginning. All others follow by name.
_FIRST = ("ice40", "ecp5", "nexus", "gowin", "xilinx", "intel")


@functools.cache
def targets() -> Mapping[str, Target]:
    """Return the dictionary from name to :class:`Target`; two of one name are refused."""
    found: dict[str, Target] = {}
    names = modules_of(sys.modules[__name__])
    for name in sorted(names, key=lambda name: (_FIRST.index(name) if name in _FIRST
                                                else len(_FIRST))):
        for target in getattr(importlib.import_module(f"{__name__}.{name}"), "TARGETS", ()):
            if target.name in found:
                raise Refusal(f"Targets must have different names, but two are '{target.name}'")
            found[target.name] = target
    return found


def target(name: str) -> Target:
    """Return one target; :exc:`UnknownName` is raised if there is none of that name."""
    about = {each.name: each.summary for each in targets().values()}
    return targets()[known("target", name, targets(), about)]


def siblings(name: str) -> list[str]:
    """Return the other devices of the fabric of a device: what is measured on one holds there."""
    fabric = targets()[name].fabric if name in targets() else ""
    return [each.name for each in targets().values() if fabric and each.fabric == fabric
            and each.name != name]


def unknown_measured(name: str, measured: Iterable[str]) -> UnknownName:
    """Return the exception for a target that does not exist; those that were measured go first."""
    about = {each.name: each.summary for each in targets().values()}
    elsewhere = not alike(name, measured) and alike(name, targets(), about)
    return unknown("measured target", name, targets() if elsewhere else measured, about)


def families() -> Mapping[str, Family]:
    """Return the dictionary from name to :class:`Family`, for those that have targets."""
    return {target.family.name: target.family for target in targets().values()}


def placers() -> Mapping[str, str]:
    """Return the programs that place for some family, with the extra that installs each.

    The extra is empty for those that come with the project.
    """
    return {family.placer: family.extra for family in families().values() if family.placer}


def cell_models(family: Family) -> tuple[str, ...]:
    """Return the yosys commands that read models of the cells of a family; one without is refused.
    """
    if not family.simulation:
        having = [name for name, each in families().items() if each.simulation]
        raise Refusal(f"The family must be one with models of its cells, not {family.name}; "
                      f"there are {', '.join(having)}")
    return family.simulation
