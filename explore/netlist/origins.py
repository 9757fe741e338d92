"""Finds the lines of Amaranth's source from which the signals of a core come.

The core is elaborated once more, with attributes that name source lines. Names are the same as in
the netlist that was placed, which has none of these attributes: so they change no key and no
placement.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from .harness import CORE

if TYPE_CHECKING:
    from montgomery import CoreParameters
    from montgomery.technology import Technology

__all__ = ["Origin", "Origins", "annotated_rtlil", "core_origins"]

#: Folders whose lines say nothing of a core.
_LIBRARY = f"{os.sep}amaranth{os.sep}"
_SRC = re.compile(r'\s*attribute \\src "(.*)"')
_WIRE = re.compile(r"\s*wire (?:.* )?(\S+)$")
_CELL = re.compile(r"\s*cell (\S+) (\S+)$")
_CONNECT = re.compile(r"\s*(?:connect|assign) (.*)$")
_NAME = re.compile(r"(?:^|[\s{])([\\$][^\s\[\]{}]+)")
#: Ports through which cells drive signals.
_OUTPUTS = ("\\Y", "\\Q", "\\DATA", "\\RD_DATA", "\\O")


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


class _Module:
    """Wires, drivers and submodules of a module of RTLIL."""

    def __init__(self) -> None:
        #: From each wire to its source line.
        self.wires: dict[str, str] = {}
        #: From each signal to the lines of its drivers, and to the signals these read.
        self.lines: dict[str, list[str]] = {}
        self.reads: dict[str, list[str]] = {}
        #: From the name of each submodule to its module.
        self.cells: dict[str, str] = {}
        #: Pairs of signals that are one: a wire, and another one or a port of a submodule.
        self.same: list[tuple[str, str]] = []

    def drive(self, outputs: Iterable[str], inputs: Iterable[str], line: str) -> None:
        """Note that ``outputs`` come from ``inputs`` by what a line says."""
        inputs = list(inputs)
        for output in outputs:
            self.reads.setdefault(output, []).extend(inputs)
            if line:
                self.lines.setdefault(output, []).append(line)


def _parsed(text: str) -> dict[str, _Module]:
    """Return the modules of RTLIL that Amaranth wrote."""
    modules: dict[str, _Module] = {}
    module, line, cell, instance, process = _Module(), "", None, "", ""
    inputs: list[str] = []
    outputs: list[str] = []
    in_process = False
    for each in text.splitlines():
        stripped = each.strip()
        if match := _SRC.match(each):
            line = match[1].partition("|")[0]
        elif stripped.startswith("module "):
            module = modules.setdefault(stripped.split()[1], _Module())
        elif stripped.startswith("wire ") and (match := _WIRE.match(each)):
            module.wires[match[1]] = line
            line = ""
        elif match := _CELL.match(each):
            cell, process, line, inputs, outputs = match[1], line, "", [], []
            instance = match[2].removeprefix("\\")
            if not cell.startswith("$"):
                module.cells[instance] = cell
        elif stripped.startswith("process "):
            in_process, process, line, inputs = True, line, "", []
        elif stripped.startswith("switch ") and in_process:
            inputs += _NAME.findall(stripped[6:])
        elif match := _CONNECT.match(each):
            names = _NAME.findall(match[1])
            if cell is not None:
                port, rest = names[0], names[1:]
                if not cell.startswith("$"):
                    if len(rest) == 1:
                        module.same.append((rest[0], f"\\{instance}.{port[1:]}"))
                else:
                    (outputs if port in _OUTPUTS else inputs).extend(rest)
            elif in_process:
                module.drive(names[:1], [*names[1:], *inputs], process)
            else:
                module.drive(names[:1], names[1:], "")
                if len(names) == 2:
                    module.same.append((names[0], names[1]))
        elif stripped == "end":
            if cell is not None:
                module.drive(outputs, inputs, process)
                cell = None
            elif in_process and each.startswith("  end"):
                in_process, inputs = False, []
    return modules


class Origins:
    """The source lines of the signals of a core.

    Parameters
    ----------
    rtlil : str
        The core with source attributes.
    roots : sequence of str
        Folders, one of which is left out of names of files in it.
    """

    def __init__(self, rtlil: str, roots: Sequence[str] = ()) -> None:
        self._modules = _parsed(rtlil)
        self._roots = [root.rstrip(os.sep) + os.sep for root in roots]
        self._places: dict[str, tuple[_Module, str]] = {}
        self._same: dict[str, list[str]] = {}
        self._gather(f"\\{CORE}", "")

    def _gather(self, name: str, prefix: str) -> None:
        module = self._modules.get(name)
        if module is None:
            return
        for wire in module.wires:
            if wire.startswith("\\"):
                self._places[prefix + wire[1:]] = module, wire
        for pair in module.same:
            if all(name.startswith("\\") for name in pair):
                one, other = (prefix + name[1:] for name in pair)
                self._same.setdefault(one, []).append(other)
                self._same.setdefault(other, []).append(one)
        for instance, other in module.cells.items():
            self._gather(other, f"{prefix}{instance}.")

    @property
    def signals(self) -> Collection[str]:
        """The names of all signals, in the hierarchy of the core."""
        return self._places.keys()

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
        signal = next((plain[:end] for end in ends if plain[:end] in self._places), None)
        return None if signal is None else self._origin(signal)

    def _origin(self, signal: str) -> Origin:
        module, wire = self._places[signal]
        # A port of a submodule is computed on the other side of its module's bounds.
        seen, computed = [signal], self._computed(signal)
        for each in seen:
            if computed:
                break
            computed = self._computed(each)
            seen += [other for other in self._same.get(each, ()) if other not in seen]
        declared = module.wires[wire]
        return Origin(signal=signal, computed=computed,
                      declared="" if _LIBRARY in declared else self._short(declared))

    def _computed(self, signal: str) -> tuple[str, ...]:
        """Return the lines of the expressions that drive a signal in its own module."""
        if signal not in self._places:
            return ()
        module, wire = self._places[signal]
        found: dict[str, None] = {}
        pending = [wire]
        for each in pending:
            found |= dict.fromkeys(module.lines.get(each, ()))
            # Another signal has lines of its own.
            pending += [read for read in dict.fromkeys(module.reads.get(each, ()))
                        if read.startswith("$") and read not in pending]
        return tuple(self._short(line) for line in found
                     if line != module.wires[wire] and _LIBRARY not in line)

    def _short(self, line: str) -> str:
        for root in self._roots:
            if line.startswith(root):
                return line.removeprefix(root)
        return line


def annotated_rtlil(params: CoreParameters, technology: Technology | None) -> str:
    """Return a core as :func:`explore.netlist.harness.core_rtlil` does, with source attributes."""
    from amaranth.back import rtlil

    return rtlil.convert(params.create(), name=CORE, platform=technology, emit_src=True)


def core_origins(params: CoreParameters, technology: Technology | None) -> Origins:
    """Return the source lines of the signals of a core.

    Parameters
    ----------
    technology : Technology or None
        As for :func:`explore.netlist.harness.core_rtlil`.
    """
    import montgomery

    roots = [os.path.dirname(folder) for folder in map(os.path.abspath, montgomery.__path__)]
    return Origins(annotated_rtlil(params, technology), roots)
