"""What all commands share: --debug, options under headings, and errors as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import click

__all__ = ["Command", "Option", "explained", "grouped", "label_of"]


class Option(click.Option):
    """An option that the help shows under a heading of its own.

    Parameters
    ----------
    group : str
        The heading; empty for the usual one.
    """

    def __init__(self, *args: Any, group: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self.group = group


def grouped(group: str, *options: Any) -> Any:
    """Return a decorator that adds options, pairs of names and settings, under a heading."""
    def add(command: Any) -> Any:
        for flags, settings in reversed(options):
            command = click.option(*flags, cls=Option, group=group, **settings)(command)
        return command

    return add


def _debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().command.debug = True


class Command(click.Command):
    """A command of the console script."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        *params, last = super().get_params(ctx)
        debug = click.Option(["--debug"], is_flag=True, is_eager=True, expose_value=False,
                             callback=_debug, help="Show the traceback of an error.")
        return [*params, debug, last]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        line = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except click.BadParameter as error:
            # That an option is missing may be since its value stands without it.
            given, words, _ = self.make_parser(ctx).parse_args(line)
            if isinstance(error, click.MissingParameter):
                if words:
                    self._refuse(ctx, words, given)
            elif isinstance(error.param, click.Argument) and error.param.nargs == 1:
                words = [given[error.param.name], *words]
                error.message += self._as_options(words, given, core=True)
            raise
        if rest and not ctx.resilient_parsing:
            self._refuse(ctx, rest, self.make_parser(ctx).parse_args(line)[0])
        return rest

    def _refuse(self, ctx: click.Context, words: Sequence[str],
                given: Mapping[str, Any]) -> NoReturn:
        ctx.fail(f"{_short_path(ctx)} takes no argument '{words[0]}'"
                 f"{self._as_options(words, given)}")

    def _as_options(self, words: Sequence[str], given: Mapping[str, Any], *,
                    core: bool = False) -> str:
        """Return advice to write words as options for a core and a width; empty if they are none.

        Parameters
        ----------
        core : bool
            Whether there must be a core of that name.
        """
        free = {flag for param in self.params if param.name not in given for flag in param.opts}
        flags = ["-n" if word.isdecimal() else "-a" for word in words]
        if len(set(flags)) < len(flags) or not free.issuperset(flags):
            return ""
        if core and "-a" in flags:
            from ._names import CORES

            if words[flags.index("-a")] not in CORES.names():
                return ""
        return "; write " + " ".join(f"{flag} {word}" for flag, word
                                     in sorted(zip(flags, words, strict=True)))

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


def _short_path(ctx: click.Context) -> str:
    """Return the names of a command, without that of the program."""
    return ctx.command_path.partition(" ")[2] or "The program"


def label_of(param: click.Parameter) -> str:
    """Return what a user calls a parameter: its long flags, or the placeholder in the usage."""
    if param.param_type_name == "option":
        return "/".join(flag for flag in param.opts if flag.startswith("--"))
    return (param.metavar or param.human_readable_name).strip("[].")


def explained(error: click.ClickException) -> str:
    """Return what is wrong with a command line, as a sentence, with the place where help is."""
    message = _sentence(error)
    ctx = getattr(error, "ctx", None)
    hint = f"; see '{ctx.command_path} --help'" if ctx is not None else ""
    return f"{message}{hint}"


def _sentence(error: click.ClickException) -> str:
    ctx, param = getattr(error, "ctx", None), getattr(error, "param", None)
    name = _short_path(ctx) if ctx is not None else "The program"
    if isinstance(error, click.MissingParameter) and param is not None:
        flags = "/".join(getattr(param, "opts", ())) if param.param_type_name == "option" else ""
        return f"{name} needs {flags} {param.metavar or label_of(param)}".replace("  ", " ")
    if isinstance(error, click.BadOptionUsage):
        rule = "needs a value" if "requires" in error.message else "takes no value"
        return f"Option '{error.option_name}' {rule}"
    if isinstance(error, click.NoSuchOption):
        similar = error.possibilities or ()
        fix = f"; did you mean '{similar[0]}'?" if similar else ""
        return f"{name} has no option '{error.option_name}'{fix}"
    if isinstance(error, click.BadParameter) and param is not None:
        message = error.message.rstrip(".")
        return f"{label_of(param)}{' ' if message.startswith('must ') else ': '}{message}"
    return error.format_message().rstrip(".")
