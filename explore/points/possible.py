"""Whether a device has the blocks that a core is made of, and which defaults suit a device."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..devices import Target

__all__ = ["fitted", "obstacle"]


def _refusal(core: CoreParameters, device: Target, options: Mapping[str, Any]) -> str:
    """Return the rule of the core that the blocks of a device break; empty if they break none."""
    from montgomery.core import traits

    technology = device.technology_for(options)
    if technology.multiplier is None:
        return ""
    try:
        traits(core).blocks(technology)
    except ValueError as error:
        # Users know the device, and no technologies.
        return re.sub(rf"\b{re.escape(technology.name)}(?![\w-])", device.name, str(error))
    return ""


def obstacle(core: CoreParameters, device: Target, options: Mapping[str, Any]) -> str:
    """Return why a core cannot be on a device, and what would be possible; empty if it can be.

    Parameters
    ----------
    options : dict
        Values of the tool options, which decide whether multipliers are blocks.
    """
    rule = _refusal(core, device, options)
    if not rule:
        return ""
    other = dataclasses.asdict(fitted(core, device, options))
    fixes = [f"-p {name}={other[name]}" for name, value in dataclasses.asdict(core).items()
             if other[name] != value]
    return f"{rule}; take {' '.join(fixes) or 'another target'}"


def fitted(core: CoreParameters, device: Target, options: Mapping[str, Any],
           chosen: Collection[str] = ("width",)) -> CoreParameters:
    """Return a core that can be on a device: with the next smaller value of one parameter.

    It is the core itself if that is possible, or if no such value makes it possible.

    Parameters
    ----------
    chosen : collection of str
        Parameters that stay as they are.
    """
    if not _refusal(core, device, options):
        return core
    for name, value in dataclasses.asdict(core).items():
        if name in chosen or isinstance(value, bool) or not isinstance(value, int):
            continue
        for smaller in reversed(range(value)):
            try:
                other = dataclasses.replace(core, **{name: smaller})
            except ValueError:
                continue
            if not _refusal(other, device, options):
                return other
    return core
