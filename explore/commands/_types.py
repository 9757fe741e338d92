"""Types of options: the shell completes their names, and what cannot be used is refused at once."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..atomic import check_file, check_folder
from ..errors import Refusal
from ..lookup import known
from ._catalogue import GROUPS, everything, keys
from ._curves import Curve, Modulus

__all__ = ["TYPES", "Integer", "Number", "named_cores", "written"]

#: What a context remembers the files of cores by.
_FILES = f"{__name__}.files"


class Integer(click.IntRange):
    """An integer within limits, both of them allowed."""

    name = "integer"


class _Name(click.ParamType):
    """A name, or names with commas between them, of which the shell can complete the last one.

    ``names`` returns the names, with a line of help for each. ``noun`` is what one stands for,
    where this type refuses unknown ones; empty where the command does, which knows more.
    """

    name = "name"

    def __init__(self, names: Callable[[], Mapping[str, str]], *, listed: bool = False,
                 noun: str = "") -> None:
        self.names, self._listed, self._noun = names, listed, noun

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> str:
        return known(self._noun, value, self.names()) if self._noun else value

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        before, comma, begun = incomplete.rpartition(",") if self._listed else ("", "", incomplete)
        taken = before.split(",")
        return [CompletionItem(f"{before}{comma}{name}", help=text)
                for name, text in self.names().items()
                if name.startswith(begun) and name not in taken]


class _Core(_Name):
    """A name of a core, or the file of one, which makes it known; with ``listed``, several.

    The value has the names of the cores of a file in its place.
    """

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> str:
        parts = ([name for part in value.split(",") for name in named_cores(part, ctx)])
        return super().convert(",".join(parts), param, ctx)


def named_cores(text: str, ctx: click.Context | None) -> list[str]:
    """Return a name as it is, or the names of the cores of a file, which are known from now on."""
    if not text.strip().endswith((".py", ".toml")):
        return [text]
    from montgomery import KINDS, outside
    from montgomery.core import kind_of, name_of
    from montgomery.registry import rejected

    from ..points.expand import usual_width

    module = outside.add(text.strip())
    cores = {kind.full_name(name_of(core)): core for kind in KINDS.values()
             for core in kind.cores().values() if core.__module__ == module}
    if not cores:
        stem = module.rpartition(".")[2]
        reason = next((each.reason for each in rejected() if each.name == stem), "is not a core")
        raise Refusal(f"{text} {reason}")
    if ctx is not None:
        ctx.meta.setdefault(_FILES, {}).update(dict.fromkeys(cores, text))
        # Designs need not have a width.
        widths = [usual_width(core) for core in cores.values() if not kind_of(core).formula]
        if widths:
            ctx.default_map = {**(ctx.default_map or {}), "width": str(widths[-1])}
    return list(cores)


def written(name: str) -> str:
    """Return what the running command was given for a core of that name: its file, or the name."""
    return click.get_current_context().meta.get(_FILES, {}).get(name, name)


class Number(click.FloatRange):
    """A number within limits, both of them allowed."""

    name = "number"

    def _describe_range(self) -> str:
        return "" if self.min is self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a valid number.", param, ctx)
        return number


class _SchedulerAddress(click.ParamType):
    """The address of a Dask scheduler, or ``local:N`` for N worker processes on this machine."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> str:
        if not re.fullmatch(r"local:[1-9]\d{0,3}|[a-z]+://.+", value):
            self.fail(f"must be PROTOCOL://HOST:PORT, such as tcp://host:8786, or local:N with N "
                      f"from 1 to 9999, not '{value}'", param, ctx)
        return value


class _Place(click.Path):
    """The path of a file or folder; an empty one is refused, which would be the current folder."""

    def __init__(self, check: Callable[[Path], None] = lambda path: None, **options: Any) -> None:
        super().__init__(path_type=Path, **options)
        self._check = check

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Path:
        if str(value) in ("", "-"):
            self.fail(f"must name a place, not '{value}'; leave the option out, or write ./-",
                      param, ctx)
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        self._check(path)
        return path


class _RowsSource(_Place):
    """A file or a folder with rows, or the name of those that come with the program."""

    def __init__(self) -> None:
        super().__init__(exists=True)

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Path:
        from ..data.rows import rows_path  # which help does without

        return super().convert(rows_path(str(value)) if value else value, param, ctx)


class _SweepSource(_Place):
    """A file that describes a sweep, a folder with one, or the name of a preset."""

    def __init__(self) -> None:
        super().__init__(exists=True)

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Any:
        from ..points.spec import presets

        if value in presets() and not os.path.exists(value):
            return value
        return super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        from ..points.spec import presets

        return [*(CompletionItem(name) for name in presets() if name.startswith(incomplete)),
                CompletionItem(incomplete, type="file")]


# The names that there are

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


#: What the values of options are, by the names that ``type`` has in the files of the commands.
TYPES: dict[str, click.ParamType] = {
    "core": _Core(_of_all_kinds), "cores": _Core(_of_all_kinds, listed=True),
    "measured": _Core(_measured, listed=True),
    "provable": _Core(lambda: _measured() | _blocks(), listed=True),
    "target": _Name(_summaries("targets")), "targets": _Name(_summaries("targets"), listed=True),
    "board": _Name(_usable_boards), "stage": _Name(_summaries("stages"), noun="stage"),
    "plots": _Name(_summaries("plots"), listed=True),
    "plot_formats": _Name(_summaries("plot_formats"), listed=True),
    "table_format": _Name(_summaries("table_formats"), noun="table format"),
    "report_formats": _Name(keys("explore.report", "FORMATS"), listed=True),
    "columns": _Name(_quantities, listed=True),
    "kind": _Name(keys("montgomery", "KINDS"), noun="kind"),
    "objective": _Name(keys("explore.data.recommend", "OBJECTIVES"), noun="objective"),
    "groups": _Name(_groups), "new": _Name(lambda: {"rivals": "", **_summaries("rivals")()}),
    "curve": Curve(), "modulus": Modulus(), "rows": _RowsSource(), "sweep": _SweepSource(),
    "scheduler": _SchedulerAddress(), "path": click.Path(path_type=Path),
    # What exists and can be read.
    "existing": _Place(exists=True), "existing_file": _Place(exists=True, dir_okay=False),
    "existing_folder": _Place(exists=True, file_okay=False),
    # The folder of a store, which need not exist.
    "store_folder": _Place(file_okay=False),
    # What is new, or is replaced when all went well; a folder is made if need be.
    "output_file": _Place(check_file), "output_folder": _Place(check_folder)}
