"""What can be typed: each command, its options and their help, as data.

The TOML files of this package have an entry for each command, under its name:

``summary``, ``help``, ``section``
    The line in the list of commands, the text of ``--help``, and the heading in that list.
``run``
    The function, ``MODULE:FUNCTION`` of this package, which is imported when the command runs: help
    waits for none of them. It takes the options by their names. Groups of commands have none.
``takes``
    The names of the options, in the order of the help.
``options``
    What is said of an option by its name, beside what ``_options.toml`` says: the ``usage``, its
    flags and what stands for its value, or what stands for an argument, in brackets unless it is
    required; the ``type``, one of :data:`TYPES`, an integer or a number with its limits; or the
    ``choices``; the ``default``, ``help``, and a ``heading`` other than the usual one. A flag that
    is named after the option needs no usage. ``parameter`` is another name for the function.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import json
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..lookup import UnknownName, known
from ._answer import Answer
from ._types import TYPES, Integer, Number

__all__ = ["Command", "Group", "explained", "set_debug"]


@functools.cache
def _entries() -> dict[str, dict[str, Any]]:
    """Return what the files say of each command, and under ``""`` of options of several."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        found |= {"": document} if path.stem == "_options" else document
    return found


class _Option(click.Option):
    """An option that the help shows under a heading; empty for the usual one."""

    def __init__(self, *args: Any, heading: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.heading = heading


def _type(text: str) -> click.ParamType:
    """Return a type by its name, with its limits if it has any."""
    kind, *limits = text.split()
    numbers: dict[str, type] = {"integer": Integer, "number": Number}
    return numbers[kind](*map(json.loads, limits)) if kind in numbers else TYPES[kind]


def _parameter(name: str, said: Mapping[str, Any]) -> click.Parameter:
    """Return an option or an argument from what is said of it."""
    usage = said.get("usage") or f"--{name.replace('_', '-')}"
    words = usage.split(" ")
    name = said.get("parameter", name)
    type = click.Choice(said["choices"]) if "choices" in said else (
        _type(said["type"]) if "type" in said else None)
    given = {key: said[key] for key in ("default", "envvar") if key in said}
    if not usage.startswith("-"):
        return click.Argument([name], metavar=usage, type=type, nargs=-1 if "..." in usage else 1,
                              required=not usage.startswith("["), **given)
    flags = [word.rstrip(",") for word in words if word.startswith("-")]
    metavar = None if words[-1].startswith("-") else words[-1]
    given |= {key: said[key] for key in ("required", "multiple") if key in said}
    if metavar is None and "choices" not in said:
        given["is_flag"] = True
    return _Option(
        [*flags, name], heading=said.get("heading", ""), metavar=metavar, type=type,
        help=said["help"], show_default="default" in said and "[default:" not in said["help"],
        **given)


def set_debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Have the program show tracebacks, if a flag before or after the command says so."""
    if value or ctx.parent is None:
        program = ctx.find_root().command
        if isinstance(program, Group):
            program.debug = value


def _running(run: str) -> Callable[..., Any]:
    """Return a function that imports another one, calls it, and prints what it answers."""
    def call(**given: Any) -> Any:
        module, _, function = run.partition(":")
        does = getattr(importlib.import_module(f"{__package__}.{module}"), function)
        # Few say themselves what goes to stdout.
        as_json = (given.get("as_json") if "as_json" in inspect.signature(does).parameters else
                   given.pop("as_json", False))
        found = does(**given)
        return found.print(as_json) if isinstance(found, Answer) else found

    return call


class Command(click.Command):
    """A command of the console script."""

    def __init__(self, name: str, entry: Mapping[str, Any]) -> None:
        options = {key: {**_entries()[""].get(key, {}), **entry.get("options", {}).get(key, {})}
                   for key in entry["takes"]}
        super().__init__(name, callback=_running(entry["run"]), help=inspect.cleandoc(
            entry["help"]), short_help=entry["summary"],
            params=[_parameter(key, said) for key, said in options.items()])
        self.section = entry.get("section", "")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        self._refuse_words(ctx, args)
        return super().parse_args(ctx, args)

    def _refuse_words(self, ctx: click.Context, args: Sequence[str]) -> None:
        """Refuse the name of a core, or a width, without its option; say how both are written."""
        flags = {flag for param in self.params for flag in param.opts}
        words = list(itertools.takewhile(lambda word: not word.startswith("-"), args))
        if (not words or ctx.resilient_parsing or not {"-a", "-n"} <= flags
                or not {*ctx.help_option_names}.isdisjoint(args)
                or any(isinstance(param, click.Argument) for param in self.params)):
            return
        form = shlex.join(part for word in words
                          for part in ("-n" if word.isdecimal() else "-a", word))
        raise click.UsageError(f"{ctx.command_path} takes a core by -a and a width by -n: "
                               f"{ctx.command_path} {form}", ctx)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        *params, last = super().get_params(ctx)
        debug = click.Option(["--debug"], is_flag=True, is_eager=True, expose_value=False,
                             callback=set_debug, help="Show the traceback of an error.")
        return [*params, debug, last]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if record := param.get_help_record(ctx):
                records.setdefault(getattr(param, "heading", ""), []).append(record)
        for heading in sorted(records, key=bool):
            with formatter.section(heading or "Options"):
                formatter.write_dl(records[heading])


class Group(click.Group):
    """The commands whose names begin with the words ``above``: none for the program."""

    #: Whether to show tracebacks.
    debug = False

    def __init__(self, *args: Any, above: Sequence[str] = (), section: str = "", **options: Any
                 ) -> None:
        super().__init__(*args, **options)
        self._above, self.section = [*above], section

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(words[-1] for words in (name.split() for name in _entries() if name)
                      if words[:-1] == self._above)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if ctx is not None and ctx.resilient_parsing and name not in self.list_commands(ctx):
            return None
        if name == "help":
            raise UnknownName(f"Unknown command 'help'; '{ctx.command_path} --help' names the "
                              f"commands, and '{ctx.command_path} COMMAND --help' explains one")
        known("command", name, self.list_commands(ctx))
        words = [*self._above, name]
        entry = _entries()[" ".join(words)]
        return Command(name, entry) if "run" in entry else Group(
            name, above=words, section=entry["section"], help=inspect.cleandoc(entry["help"]),
            short_help=entry["summary"])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            found.setdefault(command.section or "Commands", []).append(
                (name, command.get_short_help_str(formatter.width)))
        for section in sorted(found):
            with formatter.section(section):
                formatter.write_dl(found[section])


def explained(error: click.ClickException) -> str:
    """Return what is wrong with a command line, with the place where help is, as one line."""
    message = " ".join(error.format_message().split()).rstrip(".")
    ctx = getattr(error, "ctx", None)
    return message if ctx is None else f"{message}; see '{ctx.command_path} --help'"
