"""Writes a core as RTLIL in which nothing has a name of its own but the ports and vendors' cells.

What a core is called inside does not change the hardware, and so is no part of what tools are
given. The netlist is flat, and numbers stand for names: ``n12`` is a wire, which is what one cell
drives, and ``c3`` is the third of the memories and vendors' cells in the order in which the core
adds them. All other cells stand in an order that follows from what reads what. So the text is the
same where signals, memories and submodules have other names, where code stands elsewhere, where a
signal is another one's alias, where it has fields or its values have names, and where there is
logic that nothing reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from amaranth import Signal
from amaranth.back import rtlil
from amaranth.hdl import Fragment, _nir
from amaranth.hdl import Value as _Value
from amaranth.hdl._ir import PortDirection, build_netlist
from amaranth.lib.wiring import Component, In

from montgomery.technology import Technology

__all__ = ["Hardware"]

#: What has an effect where nothing reads it.
_LASTING = (_nir.Top, _nir.Instance, _nir.IOBuffer, _nir.AsyncPrint, _nir.SyncPrint,
            _nir.AsyncProperty, _nir.SyncProperty)


class Hardware:
    """A core without the names that it has inside, for a technology or, without one, for
    simulation.

    Ports keep their names. ``text`` is the core as RTLIL, and ``netlist`` Amaranth's own netlist.
    By the numbers in the text there are: ``names``, the core's own, with those of the submodules
    before each; a wire that is no signal has none. ``cells``, the memories and vendors' cells of
    the netlist. ``wires``, the values that these are in the netlist, and those of ports by name.
    ``signals``, of which a wire is the whole or a part.
    """

    def __init__(self, component: Component, name: str, technology: Technology | None = None
                 ) -> None:
        self.netlist = build_netlist(Fragment.get(component, technology), _ports(component),
                                     name=name)
        self.names: dict[str, str] = {}
        self.cells: dict[str, _nir.Cell] = {}
        self.wires: dict[str, _nir.Value] = dict(self.netlist.top.ports_o)
        self.signals: dict[str, Signal] = {}
        order = _in_order(self.netlist)
        self._name_cells(order)
        flat = _nir.Module(None, (name,), src_loc=None, cell_src_loc=None)
        flat.ports, flat.cells = self.netlist.modules[0].ports, order
        module = _Module(name)
        emitter = rtlil.ModuleEmitter(module, self.netlist, flat, {}, empty_checker=None)
        emitter.emit()
        self._name_wires(emitter.nets)
        lines = rtlil.Emitter()
        module.emit(lines)
        self.text = str(lines)

    def _name_cells(self, order: list[int]) -> None:
        for index in sorted(order):
            cell = self.netlist.cells[index]
            if isinstance(cell, _nir.Memory | _nir.Instance):
                number = f"c{len(self.cells) + 1}"
                self.cells[number] = cell
                self.names[number] = _path(self.netlist.modules[cell.module_idx], cell.name)
                cell.name = number

    def _name_wires(self, nets: Mapping[_nir.Net, tuple[rtlil.Wire, int]]) -> None:
        known = _signals(self.netlist)
        for net, (wire, bit) in nets.items():
            if bit:
                continue
            number, index = wire.name[1:], self.netlist.cells[net.cell].module_idx
            value = self.wires[number] = _nir.Value(
                _nir.Net.from_cell(net.cell, net.bit + higher) for higher in range(wire.width))
            found = known.get((index, value)) or known.get(value) or known.get(net)
            if found and net.cell:  # 0 has the ports
                self.signals[number], self.names[number] = found


class _Module(rtlil.Module):
    """A module whose wires have numbers, which yosys keeps as names."""

    def __init__(self, name: str) -> None:
        super().__init__(name, emit_src=False)
        self.attributes = {"top": 1}

    def wire(self, width: int, *, name: str | None = None, **more: Any) -> rtlil.Wire:
        return super().wire(width, name=name or f"n{self._auto_name()[1:]}", **more)


def _ports(component: Component) -> dict[str, tuple[_Value, PortDirection]]:
    """Return the ports of a core as Amaranth's backends have them."""
    return {"__".join(map(str, path)): (
        _Value.cast(value), PortDirection.Input if member.flow == In else PortDirection.Output)
        for path, member, value in component.signature.flatten(component)}


def _in_order(netlist: _nir.Netlist) -> list[int]:
    """Return the cells that have an effect, from what an output depends on to the output."""
    written = defaultdict(list)
    for index, cell in enumerate(netlist.cells):
        if isinstance(cell, _nir.SyncWritePort):
            written[cell.memory].append(index)
    pending = [index for index, cell in enumerate(netlist.cells) if isinstance(cell, _LASTING)]
    pending.reverse()
    found: dict[int, None] = {}
    while pending:
        index = pending.pop()
        if index not in found:
            found[index] = None
            cell = netlist.cells[index]
            memory = [cell.memory] if hasattr(cell, "memory") else []
            before = [net.cell for net in _nets(cell) if not net.is_const]
            pending += [*written[index], *reversed([*before, *memory])]
    return list(reversed(found))


def _nets(item: Any) -> Iterator[_nir.Net]:
    """Yield the nets that a cell reads."""
    if isinstance(item, _nir.Net):
        yield item
    elif isinstance(item, _nir.Value):
        yield from item
    elif isinstance(item, tuple | list):
        for each in item:
            yield from _nets(each)
    elif isinstance(item, dict):
        for _, each in sorted(item.items()):
            yield from _nets(each)
    elif isinstance(item, _nir.Cell | _nir.Assignment | _nir.Format | _nir.FormatValue):
        yield from _nets(list(vars(item).values()))


def _signals(netlist: _nir.Netlist) -> Mapping[Any, tuple[Signal, str]]:
    """Return signals and their names by module and value, by value, and by each bit."""
    found: dict[Any, tuple[Signal, str]] = {}
    for index, module in enumerate(netlist.modules):
        # A port is the last one after which something is called.
        for signal, name in sorted(module.signal_names.items(),
                                   key=lambda item: not index and item[1] in module.ports):
            value, called = netlist.signals[signal], (signal, _path(module, name))
            for key in ((index, value), value, *value):
                found.setdefault(key, called)
    # yosys may name a register after its next value, which has no other name.
    for index, cell in enumerate(netlist.cells):
        if isinstance(cell, _nir.FlipFlop) and (register := _nir.Net.from_cell(index, 0)) in found:
            found.setdefault(cell.data, found[register])
    return found


def _path(module: _nir.Module, name: str) -> str:
    return ".".join((*module.name[1:], name))
