"""Models of the cells of FPGAs that exported cores hold, for simulation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..devices.model import own_models

__all__ = ["all_models", "models"]

#: From technologies to the files of models that stand in this package, and to those that netlists
#: are simulated with, too.
_FILES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ecp5": (("ecp5",), ("ecp5", "ecp5_registers")),
    "ice40": (("ice40",), ()), "ice40-ultra": (("ice40",), ()),
    "nexus": (("nexus",), ()), "gowin": (("gowin",), ()), "xilinx-7": ((), ("xc7",))}

_MODULE = re.compile(r"(?ms)^(?://[^\n]*\n)*module (\w+).*?^endmodule\n")


def all_models(technology: str) -> str:
    """Return the models of all cells of a technology that have one, as Verilog."""
    return "".join(_sources(technology))


def models(technology: str, cells: Iterable[str]) -> tuple[str, list[str]]:
    """Return models as Verilog, and the cells they are of; not all cells need have one."""
    texts, modelled, cells = [], [], set(cells)
    for source in _sources(technology):
        modules = {module[1]: module[0] for module in _MODULE.finditer(source)}
        here = cells & modules.keys()
        if here:
            needed = _closure(here, modules)
            head = source[:source.index(next(iter(modules.values())))].strip("\n")
            texts += [f"{head}\n"] if head else []
            texts += [text for name, text in modules.items() if name in needed]
            modelled += here
    return "\n".join(texts), sorted(modelled)


def _sources(technology: str) -> list[str]:
    exported, simulated = _FILES.get(technology, ((), ()))
    folder = Path(__file__).with_name("models")
    return [*((folder / f"{name}.v").read_text(encoding="utf-8") for name in exported),
            *map(own_models, simulated)]


def _closure(names: Iterable[str], modules: Mapping[str, str]) -> set[str]:
    """Return the modules that have one of the names, and those that they instantiate."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [other for other in modules
                        if re.search(rf"(?m)^\s*{other} #\(", modules[name])]
    return found
