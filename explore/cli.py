"""The ``montgomery`` console script.

Each module of :mod:`explore.commands` is one command; it is imported only when it is asked for, and
imports what is slow (pandas, matplotlib, Amaranth) only when it runs.

Exit status: 0 if what was asked happened, 1 if it did not (a mismatch, no point of a sweep that
could be measured, a full disk), 2 if it cannot be done as asked (bad input, a missing tool, a
folder that is no store), 130 after Ctrl-C. Errors are one line on stderr; ``--debug``, before or
after the name of the command, or ``MONTGOMERY_DEBUG=1`` shows where they come from.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from . import commands
from .commands._command import explained
from .commands._group import ModuleGroup

__all__ = ["cli"]

_PROGRAM = "montgomery"


class _Program(ModuleGroup):
    """A group whose errors are one line each."""

    #: Whether to show tracebacks.
    debug = False

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None,
             complete_var: str | None = None, standalone_mode: bool = True,
             **extra: Any) -> NoReturn:
        try:
            status = super().main(args, _PROGRAM, complete_var, standalone_mode=False, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            status = error.exit_code
        except click.ClickException as error:
            status = _complain(explained(error), error.exit_code)
        except click.Abort as abort:
            # Click takes a file that ends too soon for a terminal that was closed.
            cause = abort.__cause__
            status = _complain(*(_explain(cause) if isinstance(cause, EOFError) and str(cause) else
                                 ("interrupted", 130)))
        except Exception as error:
            if self.debug:
                traceback.print_exc()
                click.echo(_elsewhere(error), nl=False, err=True)
            status = _complain(*_explain(error))
        sys.exit(status or 0)


def _complain(message: str, status: int) -> int:
    click.echo(f"{_PROGRAM}: {' '.join(message.split())}", err=True)
    return status


def _explain(error: Exception) -> tuple[str, int]:
    """Return the line and the exit status for an error from below the command line."""
    from .errors import DiskFull, WrongSite
    from .fingerprint import SourcesChanged
    from .outcome import StageFailed
    from .store.artefacts import Damaged

    if isinstance(error, DiskFull | SourcesChanged | StageFailed | WrongSite):
        return str(error), 1
    if isinstance(error, Damaged):
        return (f"{error}; 'montgomery store check --repair' forgets it, so that it is made again "
                "when it is needed"), 1
    if isinstance(error, MemoryError):
        return "Out of memory; end other programs, or take a smaller core", 1
    if isinstance(error, OSError):
        # An operating system's text alone ("No such file or directory") does not say which.
        where = f": {os.fspath(error.filename)}" if error.filename else ""
        return f"{error.strerror or error}{where}", 1
    ours = type(error).__module__.partition(".")[0] in ("explore", "boards", "montgomery")
    if isinstance(error, ValueError | TypeError) or ours:
        return str(error), 2
    return (f"internal error, {type(error).__name__}: {error}; "
            "the same command with --debug shows where"), 1


def _elsewhere(error: Exception) -> str:
    """Return the traceback of the process in which a stage failed, or what its tool said."""
    from .outcome import StageFailed

    log = error.failure.log if isinstance(error, StageFailed) else None
    return f"\n{log.rstrip()}\n" if log else ""


def _set_debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.command.debug = value


@click.group(cls=_Program, package=commands,
             context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, envvar="MONTGOMERY_DEBUG", is_eager=True,
              expose_value=False, callback=_set_debug,
              help="Show the traceback of an error; also MONTGOMERY_DEBUG=1, and after a command.")
@click.version_option(package_name=_PROGRAM, prog_name=_PROGRAM)
def cli() -> None:
    """Choose, verify, export and measure Montgomery multipliers for FPGAs.

    The commands take the names of cores, FPGAs, boards and plots that 'montgomery list' shows.
    'montgomery COMMAND --help' explains a command, with examples.

    \b
    montgomery list                              which cores and targets there are
    montgomery export -a mmm_mx_1d -n 256        a core as Verilog, at once
    montgomery sweep -a mmm_mx_1d -n 64,128      its area and clock on two FPGAs
    montgomery table -a mmm_mx_1d                what was measured

    The Tab key completes commands, options and names after this line in ~/.bashrc, or the same
    with zsh_source in ~/.zshrc:

    \b
    eval "$(_MONTGOMERY_COMPLETE=bash_source montgomery)"

    In fish, write the output of '_MONTGOMERY_COMPLETE=fish_source montgomery' to
    ~/.config/fish/completions/montgomery.fish.
    """


if __name__ == "__main__":
    cli()
