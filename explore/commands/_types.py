"""Types of options: they refuse wrong values in a sentence, and have the shell complete names."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..lookup import known

__all__ = ["Assignment", "Existing", "Integer", "Name", "Number", "SchedulerAddress",
           "StoreFolder"]


class Name(click.ParamType):
    """A name, or names with commas between them, of which the shell can complete the last one.

    Parameters
    ----------
    names : callable
        Returns the names, with a line of help for each.
    listed : bool
        Whether there may be several.
    noun : str
        What a name stands for, where this type refuses unknown ones; empty where the command does,
        which knows more.
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


class Assignment(click.ParamType):
    """KEY=VALUE or KEY=VALUE,VALUE, of which the shell can complete the key, or the last value.

    Parameters
    ----------
    keys : callable
        Takes what the command line says so far, and returns the values of each key that are known.
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


class _Number(click.ParamType):
    """A number within limits, both of them allowed."""

    noun = "a number"

    def __init__(self, minimum: float | None = None, maximum: float | None = None) -> None:
        self._minimum, self._maximum = minimum, maximum

    def parse(self, value: Any) -> float:
        """Return the number that a text stands for; raise :exc:`ValueError` if it is none."""
        raise NotImplementedError

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> float:
        try:
            number = self.parse(value)
        except ValueError:
            shown = value if len(value) <= 40 else f"{value[:40]}…"
            self.fail(f"must be {self.noun}{self._rule()}, not '{shown}'", param, ctx)
        low = -math.inf if self._minimum is None else self._minimum
        high = math.inf if self._maximum is None else self._maximum
        # Not a number compares as false.
        if not low <= number <= high and (self._rule() or not math.isnan(number)):
            self.fail(f"must be {self.noun}{self._rule()}, not {value}", param, ctx)
        return number

    def _rule(self) -> str:
        if self._maximum is not None:
            return f" from {self._minimum} to {self._maximum}"
        return "" if self._minimum is None else f" of {self._minimum} or more"


class Integer(_Number):
    """An integer in decimal."""

    name = "integer"
    noun = "an integer"

    def parse(self, value: Any) -> int:
        return int(value)


class Number(_Number):
    """A number, with a fraction or without."""

    name = "number"

    def parse(self, value: Any) -> float:
        return float(value)


class Existing(click.Path):
    """The path of a file or a folder that exists and can be read.

    Parameters
    ----------
    file, folder : bool
        Whether it may be one.
    """

    def __init__(self, *, file: bool = True, folder: bool = True) -> None:
        super().__init__(file_okay=file, dir_okay=folder, path_type=Path)
        self._noun = " or ".join(["a file"] * file + ["a folder"] * folder)

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Path:
        text = os.fspath(value)
        if not os.path.exists(text):
            self.fail(f"'{text}' does not exist; name {self._noun} that does", param, ctx)
        for wrong, what in ((not self.dir_okay and os.path.isdir(text), "a folder"),
                            (not self.file_okay and not os.path.isdir(text), "no folder")):
            if wrong:
                self.fail(f"'{text}' is {what}; name {self._noun}", param, ctx)
        if not os.access(text, os.R_OK):
            self.fail(f"'{text}' cannot be read; make it readable, or name {self._noun} that is",
                      param, ctx)
        return Path(text)


class StoreFolder(click.Path):
    """The folder of a store, which need not exist."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Path:
        text = os.fspath(value)
        if not text:
            self.fail("must name a folder, but the name is empty; leave the option out, or unset "
                      "MONTGOMERY_STORE, for the usual folder", param, ctx)
        if os.path.exists(text) and not os.path.isdir(text):
            self.fail(f"must name a folder, but '{text}' is a file; name another", param, ctx)
        return Path(text)


class SchedulerAddress(click.ParamType):
    """The address of a Dask scheduler, or ``local:N`` for N worker processes on this machine."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> str:
        if not re.fullmatch(r"local:[1-9]\d{0,3}|[a-z]+://.+", value):
            self.fail(f"must be PROTOCOL://HOST:PORT, such as tcp://host:8786, or local:N with N "
                      f"from 1 to 9999, not '{value}'", param, ctx)
        return value
