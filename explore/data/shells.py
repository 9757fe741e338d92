"""What registers on a bus take beside the core behind them: as it was measured around some cores.

``results/shells`` has rows of some cores alone and behind registers, measured in the same way.
The difference is what the registers take. It depends on the bus and the family, and on how many
registers a word takes; the core that is behind them matters little, so that what was measured
around some cores is a range for others.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import statistics
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..devices import target, targets
from ..points.expand import expand
from ..points.point import core_of
from .estimates import Estimate
from .frame import frozen_texts
from .labels import present, time_text
from .rows import DATASET, read

if TYPE_CHECKING:
    from montgomery import CoreParameters
    from montgomery.bus import RegisterMap

    from ..devices import Target

__all__ = ["SHELLS", "Shell", "blocks", "lines_of_shell",
           "measured_shells", "shares"]

#: The folder of rows of cores behind registers, which come with the program.
SHELLS = DATASET.parent / "shells"
_AREA = ("lut", "ff")
#: Bits of a word of a block RAM and its words, by family; those of other families were not counted.
_BLOCKS = {"ecp5": (18, 1024), "ice40": (16, 256)}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Shell:
    """Registers on a bus: the name of the bus, and whether the core has a clock of its own, and
    CLEAR wipes all that it was sent.
    """

    bus: str
    own_clock: bool = False
    clear: bool = False

    def registers(self, core: CoreParameters) -> RegisterMap:
        from montgomery.bus import RegisterMap

        return RegisterMap(core, self.clear, self.own_clock)

    def area(self, core: CoreParameters, device: Target) -> dict[str, Estimate] | None:
        """Return ``lut``, ``ff`` and ``bram`` of what is around a core; None if nothing like it was
        measured on the family.
        """
        registers, family = self.registers(core), device.family.name
        found = measured_shells().get((family, self, _parts(registers)))
        if not found:
            return None
        area = {name: Estimate(statistics.median(values), min(values), max(values))
                for name in _AREA for values in ([each[name] for each in found],)}
        return {**area, "bram": Estimate.exact(blocks(registers, family))}

    def around(self, point: Mapping[str, Any], like: Mapping[str, Any] | None = None
               ) -> dict[str, Any]:
        """Return what a point has behind registers: the sums of areas, and in ``shell`` the area of
        the registers, None if it is not known.

        They are those of a point ``like`` it, if its own parameters are not legal.
        """
        core, device = _known(point) or _known(like or point), targets().get(point["target"])
        area = self.area(core, device) if core and device else None
        return {"shell": area, **{name: point[name] + each.value for name, each in
                                  (area or {}).items() if present(point[name])}}

    def told(self, point: Mapping[str, Any], bus_mhz: float, core_mhz: float
             ) -> dict[str, Any] | None:
        """Return what is told of the registers of a point of :meth:`around`: their area, and how
        long an operation by software takes; None if it is not known.
        """
        from montgomery.bus import BUSES

        core = _known(point)
        if core is None or not point["shell"]:
            return None
        of_bus, of_core = BUSES[self.bus].clocks(self.registers(core))
        return {**dataclasses.asdict(self), "title": BUSES[self.bus].title,
                **{name: each.told() for name, each in point["shell"].items()},
                "cycles_bus": of_bus, "bus_mhz": bus_mhz, "cycles_core": of_core,
                "core_mhz": core_mhz, "operation_us": of_bus / bus_mhz + of_core / core_mhz}


def lines_of_shell(told: Mapping[str, Any], which: str) -> list[str]:
    """Return lines that say what :meth:`Shell.told` returned, of or beside ``which`` figures."""
    lut = told["lut"]
    luts = f"{_middle(lut):.0f}" + (
        f" ({lut['low']:.0f} to {lut['high']:.0f})" if isinstance(lut, Mapping) else "")
    return [f"about {luts} LUT and {told['bram']:.0f} BRAM {which} are the registers on "
            f"{told['title']}",
            f"an operation by software takes {time_text(told['operation_us'])}: "
            f"{told['cycles_bus']:,} clocks of the bus at {told['bus_mhz']:.4g} MHz, and "
            f"{told['cycles_core']:,} of the core at {told['core_mhz']:.4g} MHz"]


def shares(area: Mapping[str, Any], device: str) -> list[str]:
    """Return a text with what an area takes of a device, if it is known what there is."""
    room = targets()[device].capacity or {} if device in targets() else {}
    needs = [f"{value:,.0f} of {there:,} {name.upper()} ({value / there:.1%})"
             for name, there in room.items()
             if (value := _middle(area.get(name))) and there]
    return [f"takes {', '.join(needs)} of {device}"] if needs else []


def _middle(value: Any) -> Any:
    return value["value"] if isinstance(value, Mapping) else value


_CORES: dict[tuple[Any, ...], CoreParameters | None] = {}


def _known(point: Mapping[str, Any]) -> CoreParameters | None:
    """Return the core of a point, of which there may be several seeds; None if there is not."""
    key = point["kind"], point["arch"], point["width"], frozen_texts([point["params"]])[0]
    if key not in _CORES:
        _CORES[key] = core_of(point)
    return _CORES[key]


def blocks(registers: RegisterMap, family: str) -> int:
    """Return the block RAMs of the two memories of a register map."""
    from montgomery.bus.registers import RESULT

    bits, words = _BLOCKS[family]
    result, *others = registers.windows
    # Bits that no word of the core has are in no memory; constant registers have all.
    memories = ((RESULT + result.slots, 32), (sum(window.slots for window in others),
                                              min(32, max(window.width for window in others))))
    return sum(-(-width // bits) * -(-(1 << (slots - 1).bit_length()) // words)
               for slots, width in memories)


def _parts(registers: RegisterMap) -> int:
    """Return how many registers the longest words take."""
    return max(window.slots_per_word for window in registers.windows)


@functools.cache
def measured_shells() -> Mapping[tuple[str, Shell, int], list[dict[str, float]]]:
    """Return the areas that were measured, by family, bus and registers that a word takes."""
    rows = [row for path in sorted(SHELLS.rglob("rows.jsonl")) for row in read(path)]
    sides: defaultdict[str, dict[Shell | None, dict[str, Any]]] = defaultdict(dict)
    for row in rows:
        params = row["params"]
        shell = None if params["bus"] == "none" else Shell(
            **{field.name: params[field.name] for field in dataclasses.fields(Shell)})
        same = json.dumps([row["target"], row["width"], params["core"], row["options"]])
        if row["lut"] is not None:
            sides[same][shell] = row
    found: defaultdict[tuple[str, Shell, int], list[dict[str, float]]] = defaultdict(list)
    for each in sides.values():
        if (alone := each.pop(None, None)) is None:
            continue
        core, family = _core(alone), target(alone["target"]).family.name
        for shell, row in each.items():
            assert shell is not None
            found[family, shell, _parts(shell.registers(core))].append(
                {name: row[name] - alone[name] for name in (*_AREA, "bram")})
    return found


def _core(row: Mapping[str, Any]) -> CoreParameters:
    """Return the core that the row of a design is of."""
    name, *settings = row["params"]["core"].split()
    params = {key: [value] for key, _, value in (each.partition("=") for each in settings)}
    point, = expand([name], [row["width"]], params, [row["target"]])
    return point.parameters()
