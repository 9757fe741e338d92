"""Whether a device has the blocks that a core is made of, and which defaults suit a device."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..devices import siblings, targets

if TYPE_CHECKING:
    from montgomery import CoreParameters
    from montgomery.technology import Technology

    from ..devices import Target

__all__ = ["fitted", "has_room", "obstacle", "reduced", "shortage"]


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

    The tool options decide whether multipliers are blocks.
    """
    rule = _refusal(core, device, options)
    if not rule:
        return ""
    return f"{rule}; take {_change(core, fitted(core, device, options)) or 'another target'}"


def fitted(core: CoreParameters, device: Target, options: Mapping[str, Any],
           chosen: Collection[str] = ("width",)) -> CoreParameters:
    """Return a core that can be on a device: with the next smaller value of one parameter.

    It is the core itself if that is possible, or if no such value makes it possible. Parameters in
    ``chosen`` stay as they are.
    """
    if not _refusal(core, device, options):
        return core
    return next(_others(core, lambda other: not _refusal(other, device, options),
                        lambda value: reversed(range(value)), chosen), core)


def shortage(core: CoreParameters, device: Target, options: Mapping[str, Any]) -> str:
    """Return of which blocks a core needs more than a device has, and what would do.

    It is empty if the multiplier blocks suffice. Only these are known without synthesis.
    """
    from montgomery.core import traits

    technology = device.technology_for(options)
    if technology.multiplier is None or device.capacity is None:
        return ""
    needed, there = traits(core).blocks(technology), device.capacity["dsp"]
    if needed <= there:
        return ""

    fixes = [_change(core, other) for other in reduced(core, technology, there)]
    fixes += [f"-t {name}" for name in siblings(device.name)
              if needed <= targets()[name].capacity["dsp"]]
    # Each bit of a product takes a LUT or more, and there is the rest of the core.
    logic = device.options.get("multipliers")
    bits = sum(each.count * each.a_width * each.b_width for each in traits(core).products)
    if logic and "logic" in logic.choices and 3 * bits < device.capacity["lut"]:
        fixes.append("-o multipliers=logic")
    return (f"needs {needed} {technology.multiplier.cell}, and {device.name} has {there}; take "
            f"{' or '.join(fixes) or 'another target'}")


def reduced(core: CoreParameters, technology: Technology, blocks: int) -> Iterator[CoreParameters]:
    """Yield cores with so many multiplier blocks or fewer, each by a smaller number of something.

    Words stay as they are.
    """
    from montgomery.core import traits

    needed = traits(core).blocks(technology)

    def smaller(value: int) -> Iterator[int]:
        # A parameter of 0 stands for as many elements as there are digits.
        most = (value or needed) * blocks // needed
        yield from range(most, max(most - 8, 0), -1)

    return _others(core, lambda other: traits(other).blocks(technology) <= blocks, smaller,
                   ("width", "word_width"))


def has_room(core: CoreParameters, device: Target, options: Mapping[str, Any]) -> bool:
    """Return whether a device has the multiplier blocks of a core; True if it needs none."""
    from montgomery.core import about
    from montgomery.technology import GENERIC

    technology = device.technology_for(options)
    if not about(core).uses_blocks or technology is GENERIC:
        return True
    return (technology.multiplier is not None and not _refusal(core, device, options)
            and not shortage(core, device, options))


def _change(core: CoreParameters, other: CoreParameters) -> str:
    """Return the options that make the other core of one; empty if they are the same."""
    values = dataclasses.asdict(other)
    return " ".join(f"-p {name}={values[name]}" for name, value in dataclasses.asdict(core).items()
                    if values[name] != value)


def _others(core: CoreParameters, suits: Callable[[CoreParameters], bool],
            values: Callable[[int], Iterator[int]], chosen: Collection[str]
            ) -> Iterator[CoreParameters]:
    """Yield cores that suit, each with another number for one parameter: the first of ``values``.

    Parameters in ``chosen`` stay as they are.
    """
    for name, value in dataclasses.asdict(core).items():
        if name in chosen or isinstance(value, bool) or not isinstance(value, int):
            continue
        for tried in values(value):
            try:
                other = dataclasses.replace(core, **{name: tried})
                if not suits(other):
                    continue
            except ValueError:
                continue
            yield other
            break
