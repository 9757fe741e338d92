"""The names that options take, for the shell to complete.

They come from the registries, which are imported when a name is completed or checked: ``--help``
must not wait for them.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ._types import Assignment, Core, Name

__all__ = ["BOARD", "BOARD_OPTIONS", "COLUMNS", "COMPARED", "CORE", "CORES", "GROUPS",
           "KIND", "MEASURED", "NEW", "OBJECTIVE", "OPTIONS", "PARAMETERS", "PLOTS", "PLOT_FORMATS",
           "PROVABLE", "STAGE", "TABLE_FORMAT", "TARGET", "TARGETS"]


def _cores() -> dict[str, str]:
    from montgomery import KINDS
    from montgomery.core import about

    return {kind.full_name(name): about(core).summary for kind in KINDS.values()
            for name, core in kind.cores().items()}


def _blocks() -> dict[str, str]:
    from ..netlist.formal import block_obligations

    return {each.name: each.claim for each in block_obligations(small=True)}


def _measured() -> dict[str, str]:
    from montgomery import KINDS

    return _cores() | dict.fromkeys(KINDS, "")


def _provable() -> dict[str, str]:
    return _measured() | _blocks()


def _rivals() -> dict[str, str]:
    return {"rivals": "", **_summaries("rivals")()}


def _boards() -> dict[str, str]:
    from boards.catalogue import boards

    return {name: board.target for name, board in boards().items() if not board.obstacle}


def _summaries(group: str) -> Callable[[], dict[str, str]]:
    """Return a function that returns the names of a group of the catalogue, each with its help."""
    def names() -> dict[str, str]:
        from ._catalogue import GROUPS

        return {name: entry.get("summary", "") for name, entry in GROUPS[group]().items()}

    return names


def _keys(module: str, mapping: str) -> Callable[[], dict[str, str]]:
    """Return a function that returns the keys of a mapping in a module."""
    return lambda: dict.fromkeys(getattr(importlib.import_module(module), mapping), "")


def _columns() -> dict[str, str]:
    from ..data.summary import quantities

    return {name: column.meaning for name, column in quantities().items()}


def _groups() -> dict[str, str]:
    from ._catalogue import everything

    document = everything()
    return dict.fromkeys((*document, *(name for make in document.values() for name in make())), "")


def _given(line: Mapping[str, Any], *names: str) -> Iterator[str]:
    """Yield the names that options give, which may be lists with commas."""
    for name in names:
        value = line.get(name) or ()
        for text in (value,) if isinstance(value, str) else value:
            yield from text.split(",")


def _parameters(line: Mapping[str, Any]) -> dict[str, list[str]]:
    from montgomery import KINDS

    cores = {each: core for kind in reversed(KINDS.values()) for name, core in kind.cores().items()
             for each in (kind.full_name(name), name)}
    named = [cores[name] for name in _given(line, "arch", "archs") if name in cores]
    return {field.name: ["yes", "no"] if field.type is bool else
            list(map(str, field.metadata["choices"] or ()))
            for core in named or cores.values() for field in dataclasses.fields(core)
            if field.name != "width"}


def _options(line: Mapping[str, Any]) -> dict[str, list[str]]:
    from ..devices import targets

    named = [targets()[name] for name in _given(line, "target", "targets")
             if name in targets()] or targets().values()
    return {name: list(map(str, option.choices)) for target in named
            for name, option in target.options.items()}


def _board_options(line: Mapping[str, Any]) -> dict[str, list[str]]:
    from boards.catalogue import boards

    from ..board.bitstream import options_of

    board = boards().get(next(_given(line, "board_name", "rest"), ""))
    if board is None or board.obstacle:
        return _options({})
    return {name: list(map(str, option.choices)) for name, option in options_of(board).items()}


CORE, CORES = Core(_cores), Core(_cores, listed=True)
MEASURED = Core(_measured, listed=True)
TARGET = Name(_summaries("targets"))
TARGETS = Name(_summaries("targets"), listed=True)
BOARD, PROVABLE = Name(_boards), Core(_provable, listed=True)
STAGE = Name(_summaries("stages"), noun="stage")
PLOTS = Name(_summaries("plots"), listed=True)
PLOT_FORMATS = Name(_summaries("plot_formats"), listed=True)
TABLE_FORMAT = Name(_summaries("table_formats"), noun="table format")
COLUMNS = Name(_columns, listed=True)
KIND = Name(_keys("montgomery", "KINDS"), noun="kind")
OBJECTIVE = Name(_keys("explore.data.recommend", "OBJECTIVES"), noun="objective")
COMPARED = Name(_keys("explore.data.verdict", "COLUMNS"), noun="column")
GROUPS = Name(_groups)
NEW = Name(_rivals)
PARAMETERS, OPTIONS = Assignment(_parameters), Assignment(_options)
BOARD_OPTIONS = Assignment(_board_options)
