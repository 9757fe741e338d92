"""What all commands share: groups, --debug, headings, errors as sentences, and answers."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import itertools
import json
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import click

from ..lookup import UnknownName, known, modules_of

__all__ = ["SCHEMA", "Answer", "Command", "Decorator", "ModuleGroup", "Option", "answering",
           "explained", "grouped", "json_option", "on_terminal", "print_json", "set_debug",
           "terminal_width", "together"]



Decorator = Callable[[Callable], Callable]


class Option(click.Option):
    """An option that the help shows under a heading of its own, its ``group``; empty for the usual
    one.
    """

    def __init__(self, *args: Any, group: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self.group = group


def together(*options: Decorator) -> Decorator:
    """Return a decorator that adds options in this order."""
    def add(command: Callable) -> Callable:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def grouped(group: str, *options: tuple[Sequence[str], Mapping[str, Any]]) -> Decorator:
    """Return a decorator that adds options, pairs of names and settings, under a heading."""
    return together(*(click.option(*flags, cls=Option, group=group, **settings)
                      for flags, settings in options))


def set_debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Have the program show tracebacks, if a flag before or after the command says so."""
    if value or ctx.parent is None:
        program = ctx.find_root().command
        if isinstance(program, ModuleGroup):
            program.debug = value


class Command(click.Command):
    """A command of the console script, which stands under the heading ``section`` of its help."""

    def __init__(self, *args: Any, section: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self.section = section

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

    def headings(self, ctx: click.Context) -> Iterator[tuple[str, list[click.Parameter]]]:
        """Yield each heading of the help with the options under it."""
        options = [param for param in self.get_params(ctx)
                   if param.param_type_name == "option"]
        groups = dict.fromkeys(getattr(param, "group", "") for param in options)
        for group in sorted(groups, key=bool):
            yield group or "Options", [param for param in options
                                       if getattr(param, "group", "") == group]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, params in self.headings(ctx):
            records = [record for param in params if (record := param.get_help_record(ctx))]
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


class ModuleGroup(click.Group):
    """A group whose commands are the modules of a package, imported when they are asked for.

    Each module in it whose name does not begin with ``_`` has a ``command``.
    """

    command_class = Command
    #: Whether to show tracebacks.
    debug = False

    def __init__(self, *args: Any, package: ModuleType, section: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self._package, self.section = package, section

    def list_commands(self, ctx: click.Context) -> list[str]:
        return modules_of(self._package)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            found.setdefault(getattr(command, "section", "") or "Commands", []).append(
                (name, command.get_short_help_str(formatter.width)))
        for section in sorted(found):
            with formatter.section(section):
                formatter.write_dl(found[section])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if ctx is not None and ctx.resilient_parsing and name not in self.list_commands(ctx):
            return None
        if name == "help":
            raise UnknownName(f"Unknown command 'help'; '{ctx.command_path} --help' names the "
                              f"commands, and '{ctx.command_path} COMMAND --help' explains one")
        known("command", name, self.list_commands(ctx))
        return importlib.import_module(f"{self._package.__name__}.{name}").command


def explained(error: click.ClickException) -> str:
    """Return what is wrong with a command line, with the place where help is, as one line."""
    message = " ".join(error.format_message().split()).rstrip(".")
    ctx = getattr(error, "ctx", None)
    return message if ctx is None else f"{message}; see '{ctx.command_path} --help'"


#: Version of the form of documents; a program that reads them need not know a larger one.
SCHEMA = 1

json_option = click.option("--json", "as_json", is_flag=True,
                           help="Print one JSON document on stdout, and all else on stderr.")


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document on stdout, as one line of strict JSON."""
    click.echo(json.dumps(document, allow_nan=False))


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a command answers: the document of --json, or a function that makes it, and the lines
    that are printed otherwise; what makes these need not run before.

    The notes follow on stderr.
    """

    document: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    lines: Iterable[str]
    status: int = 0
    notes: Iterable[str] = ()


def answering(command: Callable[..., Answer]) -> Callable[..., int]:
    """Add the option --json to a command that returns an :class:`Answer`, and print that."""
    @json_option
    @functools.wraps(command)
    def print_answer(*arguments: Any, as_json: bool, **options: Any) -> int:
        answer = command(*arguments, **options)
        if as_json:
            print_json(answer.document() if callable(answer.document) else answer.document)
        else:
            for line in answer.lines:
                click.echo(line)
        for note in answer.notes:
            click.echo(note, err=True)
        return answer.status

    return print_answer


#: No line is as long.
_ENDLESS = 10**6


def on_terminal(lines: Iterable[str]) -> list[str]:
    """Return lines that fit the terminal, if there is one; commands stay as they are, to be copied.

    What does not fit goes on in the next line, which begins further to the right.
    """
    return [part for line in lines for part in _parts(line, terminal_width())]


def terminal_width() -> int:
    """Return the width of the terminal; where there is none, lines have no end."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _ENDLESS


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width or line.lstrip().startswith(("montgomery ", "git ")):
        return [line]
    begin = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, width, subsequent_indent=begin, break_on_hyphens=False,
                         break_long_words=False)
