"""Finds the lines of Amaranth's source from which the wires of a core come.

The core is elaborated once more, into Amaranth's own netlist, whose cells name source lines. Its
wires have the same numbers as in the netlist that was placed.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .harness import CORE, core_rtlil
from .names import NUMBERED

if TYPE_CHECKING:
    from amaranth.hdl._nir import Value
    from amaranth.lib.wiring import Component

    from montgomery import CoreParameters
    from montgomery.technology import Technology

__all__ = ["Origin", "Origins", "core_origins"]

#: Folders whose lines say nothing of a core.
_LIBRARY = f"{os.sep}amaranth{os.sep}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a wire comes from.

    Attributes
    ----------
    signal : str
        Name in the hierarchy, without that of the core; empty for an expression that has none.
    declared : str
        File and line of the signal, as ``file:line``; empty for a port, which a signature declares.
    computed : tuple of str
        Files and lines of the expressions from which its value, or the next one of a register,
        comes.
    """

    signal: str
    declared: str
    computed: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The most telling lines: of the expressions, or else of the signal."""
        return self.computed or tuple(filter(None, (self.declared,)))


class Origins:
    """The source lines of the wires of a core.

    Parameters
    ----------
    core : Component
    technology : Technology or None
        As for :func:`explore.netlist.harness.core_rtlil`.
    roots : sequence of str
        Folders, one of which is left out of names of files in it.
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
    """Return the source lines of the signals of a core.

    Parameters
    ----------
    technology : Technology or None
        As for :func:`explore.netlist.harness.core_rtlil`.
    """
    import montgomery

    roots = [os.path.dirname(folder) for folder in map(os.path.abspath, montgomery.__path__)]
    return Origins(params.create(), technology, roots)
