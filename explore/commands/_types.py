"""Types of options: the shell completes their names, and what cannot be used is refused at once."""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..atomic import check_file, check_folder
from ..errors import Refusal
from ..lookup import known

__all__ = ["Assignment", "Core", "Existing", "Integer", "Name", "Number", "OutputFile",
           "OutputFolder", "RowsSource", "SchedulerAddress", "StoreFolder", "SweepSource",
           "named_cores", "written"]

#: What a context remembers the files of cores by.
_FILES = f"{__name__}.files"


class Integer(click.IntRange):
    """An integer within limits, both of them allowed."""

    name = "integer"


class Name(click.ParamType):
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


class Core(Name):
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


class Assignment(click.ParamType):
    """KEY=VALUE or KEY=VALUE,VALUE, of which the shell can complete the key, or the last value.

    ``keys`` takes what the command line says so far, and returns the known values of each key.
    """

    name = "assignment"

    def __init__(self, keys: Callable[[Mapping[str, Any]], Mapping[str, Iterable[str]]]) -> None:
        self._keys = keys

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        # An argument before the option that is being completed is among those not parsed yet.
        keys = self._keys({**ctx.params, "rest": ctx.args})
        key, equals, values = incomplete.partition("=")
        if not equals:
            return [CompletionItem(f"{name}=") for name in keys if name.startswith(key)]
        before, comma, begun = values.rpartition(",")
        return [CompletionItem(f"{key}={before}{comma}{value}") for value in keys.get(key, ())
                if value.startswith(begun)]


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


class SchedulerAddress(click.ParamType):
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


class RowsSource(_Place):
    """A file or a folder with rows, or the name of those that come with the program."""

    def __init__(self) -> None:
        super().__init__(exists=True)

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Path:
        from ..data.rows import rows_path  # which help does without

        return super().convert(rows_path(str(value)) if value else value, param, ctx)


class SweepSource(_Place):
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


#: A file or a folder that exists and can be read.
Existing = functools.partial(_Place, exists=True)
#: The folder of a store, which need not exist.
StoreFolder = functools.partial(_Place, file_okay=False)
#: A file that is new, or is replaced when all went well, and a folder that is made if need be.
OutputFile, OutputFolder = (functools.partial(_Place, check)
                            for check in (check_file, check_folder))
