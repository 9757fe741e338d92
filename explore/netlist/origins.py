"""Finds the lines of Amaranth's source from which wires of a core come, along a path too.

The core is elaborated once more, into Amaranth's own netlist, whose cells name source lines. Its
wires have the same numbers as in the netlist that was placed.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .harness import CORE, core_rtlil
from .timing import NUMBERED, slowest_path

if TYPE_CHECKING:
    from amaranth.hdl._nir import Value
    from amaranth.lib.wiring import Component

    from montgomery import CoreParameters
    from montgomery.technology import Technology

__all__ = ["Hop", "Origin", "Origins", "core_origins", "hops"]


#: Folders whose lines say nothing of a core.
_LIBRARY = f"{os.sep}amaranth{os.sep}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a wire comes from.

    ``signal`` is its name in the hierarchy, without that of the core; an expression has none. It
    was ``declared`` in a ``file:line``, but for a port, which a signature declares; and
    ``computed`` are the files and lines of the expressions from which its value, or the next one of
    a register, comes.
    """

    signal: str
    declared: str
    computed: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The most telling lines: of the expressions, or else of the signal."""
        return self.computed or tuple(filter(None, (self.declared,)))


class Origins:
    """The source lines of the wires of a core, for a technology as :func:`.harness.core_rtlil` has
    it.

    Files in one of the folders ``roots`` are named without it.
    """

    def __init__(self, core: Component, technology: Technology | None = None,
                 roots: Sequence[str] = ()) -> None:
        self.hardware = core_rtlil(core, technology)
        self._roots = [root.rstrip(os.sep) + os.sep for root in roots]
        self._named = {net for value in self.hardware.netlist.signals.values() for net in value}

    def of(self, name: str) -> Origin | None:
        """Return the origin of the wire or cell after which yosys named a cell or a net.

        The name is that of the netlist, as nextpnr reports it. The result is None for what does
        not lie in the core, and for what yosys named after nothing in it.
        """
        plain = name.replace("$flatten", "").replace("\\", "")
        if not plain.startswith(f"{CORE}."):
            return None
        plain, hardware = plain.removeprefix(f"{CORE}."), self.hardware
        # What yosys appends begins with one of these.
        ends = [len(plain), *(index for index in range(len(plain) - 1, 0, -1)
                              if plain[index] in "_[.$")]
        for known in (plain[:end] for end in ends):
            if value := hardware.wires.get(known):
                place = getattr(hardware.signals.get(known), "src_loc", None)
                unnamed = "" if NUMBERED.fullmatch(known) else known
                return Origin(signal=hardware.names.get(known, unnamed),
                              declared=self._line(place), computed=self._computed(value, place))
            if known in hardware.names:
                return Origin(signal=hardware.names[known], computed=(),
                              declared=self._line(hardware.cells[known].src_loc))
        return None

    def _computed(self, value: Value, declared: tuple[str, int] | None) -> tuple[str, ...]:
        """Return the lines of the expressions that drive a value."""
        netlist, seen = self.hardware.netlist, set[int]()
        found: dict[str, None] = {}
        pending = list(value)
        for net in pending:
            # Cell 0 stands for constants and the ports of the core.
            if net.is_const or net.cell in seen or net.cell == 0:
                continue
            seen.add(net.cell)
            cell = netlist.cells[net.cell]
            if cell.src_loc != declared:
                found[self._line(cell.src_loc)] = None
            # Another signal has lines of its own.
            pending += sorted(cell.input_nets() - self._named)
        return tuple(filter(None, found))

    def _line(self, place: tuple[str, int] | None) -> str:
        if place is None or _LIBRARY in place[0]:
            return ""
        file, number = place
        root = next((root for root in self._roots if file.startswith(root)), "")
        return f"{file.removeprefix(root)}:{number}"


def core_origins(params: CoreParameters, technology: Technology | None) -> Origins:
    """Return the source lines of the signals of a core."""
    import montgomery

    roots = [os.path.dirname(folder) for folder in map(os.path.abspath, montgomery.__path__)]
    return Origins(params.create(), technology, roots)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hop:
    """A cell on the path, or the cells of a carry chain, of which the name is that of the first
    one.

    ``routing_ns`` is the delay of the connection that leads to it, a net with a name; it is 0 for
    the register where the path begins. ``logic_ns`` is the delay through it, or at the end of the
    path the set-up time. The origin is that of the signal after which yosys named the cell or the
    net, which is one of those around it; None for what is not of the core, or has no such name.
    """

    cell: str
    cells: int
    routing_ns: float
    logic_ns: float
    net: str
    origin: Origin | None

    @property
    def in_core(self) -> bool:
        """Whether the cell is of the core, and not of the chain around it."""
        return self.cell.removeprefix("$flatten\\").startswith(f"{CORE}.")


def hops(report: Mapping[str, Any], origins: Origins, *, carries: Collection[str] = ()
         ) -> list[Hop]:
    """Return the longest path of the slowest clock in a report of nextpnr, from register to
    register.

    It is empty if the report has no such path. ``carries`` are output ports of a carry chain that
    lead to its next cell. :exc:`ValueError`, :exc:`LookupError` or :exc:`TypeError` is raised if it
    is no report of nextpnr.
    """
    found: list[dict[str, Any]] = []
    for step in slowest_path(report):
        delay = float(step["delay"])
        if step["type"] != "routing":
            if not found:
                found.append(_begin(step["from"]["cell"], 0.0, ""))
            found[-1]["logic_ns"] += delay
        elif found and step["from"]["port"] in carries:
            # The next cell of the chain; between columns of the device there is some routing.
            found[-1]["cells"] += 1
            found[-1]["routing_ns"] += delay
        else:
            if not found:
                found.append(_begin(step["from"]["cell"], 0.0, ""))
            found.append(_begin(step["to"]["cell"], delay, step.get("net", "")))
    return [Hop(**each, origin=_origin(origins, each["cell"], each["net"])) for each in found]


def _origin(origins: Origins, cell: str, net: str) -> Origin | None:
    """Return the origin of a cell, or that of the net if it says more."""
    own = origins.of(cell)
    other = None if own and own.computed else origins.of(net)
    return other if other and other.computed else own or other


def _begin(cell: str, routing_ns: float, net: str) -> dict[str, Any]:
    return {"cell": cell, "cells": 1, "routing_ns": routing_ns, "logic_ns": 0.0, "net": net}
