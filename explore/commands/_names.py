"""What the values of options are, and the names that the shell completes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ._catalogue import GROUPS, everything, keys
from ._curves import Curve, Modulus
from ._types import (
    Assignment,
    Core,
    Existing,
    Name,
    OutputFile,
    OutputFolder,
    RowsSource,
    SchedulerAddress,
    StoreFolder,
    SweepSource,
)

__all__ = ["LIMITS", "TYPES"]

#: What a limit is called, and the attribute of a question that it becomes.
LIMITS = {"lut": "max_lut", "ff": "max_ff", "dsp": "max_dsp", "bram": "max_bram",
          "us": "max_latency_us", "mhz": "min_mhz"}


def _of_all_kinds() -> dict[str, str]:
    from montgomery import KINDS
    from montgomery.core import about

    return {kind.full_name(name): about(core).summary for kind in KINDS.values()
            for name, core in kind.cores().items()}


def _blocks() -> dict[str, str]:
    from ..netlist.formal import block_obligations

    return {each.name: each.claim for each in block_obligations(small=True)}


def _measured() -> dict[str, str]:
    from montgomery import KINDS

    return _of_all_kinds() | dict.fromkeys(KINDS, "")


def _usable_boards() -> dict[str, str]:
    return {name: board["target"] for name, board in GROUPS["boards"]().items()
            if not board["obstacle"]}


def _summaries(group: str) -> Callable[[], dict[str, str]]:
    """Return a function that returns the names of a group of the catalogue, each with its help."""
    return lambda: {name: entry.get("summary", "") for name, entry in GROUPS[group]().items()}


def _quantities() -> dict[str, str]:
    from ..data.summary import quantities

    return {name: column.meaning for name, column in quantities().items()}


def _groups() -> dict[str, str]:
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


def _operands(line: Mapping[str, Any]) -> dict[str, list[str]]:
    from montgomery import KINDS

    return {name: [] for kind in KINDS.values() for name in kind.inputs
            if not line.get("arch") or line["arch"].rpartition(".")[2] in kind.cores()}


def _tool_options(line: Mapping[str, Any]) -> dict[str, list[str]]:
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
        return _tool_options({})
    return {name: list(map(str, option.choices)) for name, option in options_of(board).items()}


#: What the values of options are, by the names that ``type`` has in the files of the commands.
TYPES: dict[str, click.ParamType] = {
    "core": Core(_of_all_kinds), "cores": Core(_of_all_kinds, listed=True),
    "measured": Core(_measured, listed=True),
    "provable": Core(lambda: _measured() | _blocks(), listed=True),
    "target": Name(_summaries("targets")), "targets": Name(_summaries("targets"), listed=True),
    "board": Name(_usable_boards), "stage": Name(_summaries("stages"), noun="stage"),
    "plots": Name(_summaries("plots"), listed=True),
    "plot_formats": Name(_summaries("plot_formats"), listed=True),
    "table_format": Name(_summaries("table_formats"), noun="table format"),
    "report_formats": Name(keys("explore.report", "FORMATS"), listed=True),
    "columns": Name(_quantities, listed=True),
    "kind": Name(keys("montgomery", "KINDS"), noun="kind"),
    "objective": Name(keys("explore.data.recommend", "OBJECTIVES"), noun="objective"),
    "compared": Name(keys("explore.data.verdict", "COLUMNS"), noun="column"),
    "groups": Name(_groups), "new": Name(lambda: {"rivals": "", **_summaries("rivals")()}),
    "parameters": Assignment(_parameters), "operands": Assignment(_operands),
    "options": Assignment(_tool_options), "board_options": Assignment(_board_options),
    "limit": Assignment(lambda line: dict.fromkeys(LIMITS, ())),
    "curve": Curve(), "modulus": Modulus(), "rows": RowsSource(), "sweep": SweepSource(),
    "scheduler": SchedulerAddress(), "path": click.Path(path_type=Path), "existing": Existing(),
    "existing_file": Existing(dir_okay=False), "existing_folder": Existing(file_okay=False),
    "store_folder": StoreFolder(), "output_file": OutputFile(), "output_folder": OutputFolder()}
