"""Finds the lines of Amaranth's source from which the signals of a core come.

The core is elaborated once more, into Amaranth's own netlist, whose cells name source lines. Its
signals have the same names as in the netlist that was placed.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from .harness import CORE

if TYPE_CHECKING:
    from amaranth import Signal
    from amaranth.lib.wiring import Component

    from montgomery import CoreParameters
    from montgomery.technology import Technology

__all__ = ["Origin", "Origins", "core_origins"]

#: Folders whose lines say nothing of a core.
_LIBRARY = f"{os.sep}amaranth{os.sep}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a signal comes from.

    Attributes
    ----------
    signal : str
        Name in the hierarchy, without that of the core.
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
    """The source lines of the signals of a core.

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
        from amaranth.hdl import Fragment
        from amaranth.hdl._ir import build_netlist

        self._netlist = build_netlist(Fragment.get(core, technology),
                                      [value for *_, value in core.signature.flatten(core)])
        self._roots = [root.rstrip(os.sep) + os.sep for root in roots]
        self._signals = {".".join((*module.name[1:], name)): signal
                         for module in self._netlist.modules
                         for signal, name in module.signal_names.items()}
        self._named = {net for value in self._netlist.signals.values() for net in value}

    @property
    def signals(self) -> Collection[str]:
        """The names of all signals, in the hierarchy of the core."""
        return self._signals.keys()

    def of(self, name: str) -> Origin | None:
        """Return the origin of the signal after which yosys named a cell or a net.

        The name is that of the netlist, as nextpnr reports it. The result is None for what does
        not lie in the core, and for what yosys named after no signal.
        """
        plain = name.replace("$flatten", "").replace("\\", "")
        if not plain.startswith(f"{CORE}."):
            return None
        plain = plain.removeprefix(f"{CORE}.")
        # What yosys appends begins with one of these.
        ends = [len(plain), *(index for index in range(len(plain) - 1, 0, -1)
                              if plain[index] in "_[.$")]
        signal = next((plain[:end] for end in ends if plain[:end] in self._signals), None)
        return None if signal is None else Origin(
            signal=signal, computed=self._computed(self._signals[signal]),
            declared=self._line(self._signals[signal].src_loc))

    def _computed(self, signal: Signal) -> tuple[str, ...]:
        """Return the lines of the expressions that drive a signal."""
        netlist, seen = self._netlist, set[int]()
        found: dict[str, None] = {}
        pending = list(netlist.signals[signal])
        for net in pending:
            # Cell 0 stands for constants and the ports of the core.
            if net.is_const or net.cell in seen or net.cell == 0:
                continue
            seen.add(net.cell)
            cell = netlist.cells[net.cell]
            if cell.src_loc != signal.src_loc:
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
