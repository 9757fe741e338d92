"""The ``montgomery`` console script.

The files of :mod:`explore.commands` say what can be typed. What a command does, and the slow
packages that it needs (pandas, matplotlib, Amaranth), is only imported when it runs.

The exit status is

- 0 after success;
- 1 after a failure, such as a mismatch, a sweep in which no point could be measured, a full disk,
  or an internal error;
- 2 if the command cannot be run as given, because of bad input, a file that cannot be read or
  written, a missing tool, or a folder that is not a store;
- 130 after Ctrl-C;
- 141 if the reader of the output ends early, as ``| head`` does.

An error is one line on stderr. ``--debug``, before or after the name of the command, or
``MONTGOMERY_DEBUG=1`` also shows its traceback.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from .commands._interface import Group, explained, set_debug

__all__ = ["cli"]

_PROGRAM = "montgomery"
_NOTES = logging.getLogger(__package__)
#: Exit status that a shell gives to a program that wrote to a closed pipe.
_UNREAD = 141


class _Program(Group):
    """A group whose errors are one line each."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None,
             complete_var: str | None = None, standalone_mode: bool = True,
             **extra: Any) -> NoReturn:
        notes = _Notes()
        _NOTES.addHandler(notes)
        try:
            status = super().main(args, _PROGRAM, complete_var, standalone_mode=False, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            status = error.exit_code
        except click.ClickException as error:
            status = _complain(explained(error), error.exit_code)
        except click.Abort:
            status = _complain("interrupted", 130)
        except Exception as error:
            if self.debug:
                traceback.print_exc()
                click.echo(_elsewhere(error), nl=False, err=True)
            status = _complain(*_explain(error))
        finally:
            _NOTES.removeHandler(notes)
        sys.exit(status or 0)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _silence()
            return _UNREAD


class _Notes(logging.Handler):
    """Shows what the program logs, such as how much of a store is damaged."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"note: {record.getMessage()}", err=True)


def _silence() -> None:
    """Make Python discard the output that it still has to write at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _complain(message: str, status: int) -> int:
    # What a file says may be told, but nothing to the terminal.
    text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1]
                   for letter in " ".join(message.split()))
    # If nobody reads the message, the exit status remains.
    with contextlib.suppress(OSError):
        click.echo(f"{_PROGRAM}: {text}", err=True)
    return status


def _explain(error: Exception) -> tuple[str, int]:
    """Return the message and the exit status for an exception of a command."""
    from .errors import DiskFull, WrongSite, is_refusal, origin
    from .fingerprint import SourcesChanged
    from .outcome import StageFailed
    from .store.artefacts import Damaged

    if isinstance(error, DiskFull | SourcesChanged | StageFailed | WrongSite):
        return str(error), 1
    if isinstance(error, Damaged):
        return f"{error}; delete it, and the same command makes it again", 1
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return "Out of memory; end other programs, or take a smaller core", 1
    if isinstance(error, OSError):
        return _explain_os(error)
    if is_refusal(error):
        return str(error), 2
    return (f"internal error, {type(error).__name__}: {error} ({origin(error)}); "
            "the same command with --debug shows the traceback"), 1


def _explain_os(error: OSError) -> tuple[str, int]:
    """Return the message and the exit status for an error of the operating system."""
    from .errors import used_up

    name = os.fspath(error.filename) if error.filename else ""
    if lack := used_up(error.errno, f"cannot open or write {name or 'what is needed here'}"):
        return lack, 1
    if not name:
        return f"The operating system refused what is needed here: {error.strerror or error}", 1
    # The text of the system ("Permission denied") has no remedy.
    return (f"{name} cannot be used ({error.strerror}); look at its permissions and those of its "
            "folder, or name another"), 2


def _elsewhere(error: Exception) -> str:
    """Return the log of a failed stage: the traceback of its worker, or the output of its tool."""
    from .outcome import StageFailed

    log = error.failure.log if isinstance(error, StageFailed) else None
    return f"\n{log.rstrip()}\n" if log else ""


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, envvar="MONTGOMERY_DEBUG", is_eager=True,
              expose_value=False, callback=set_debug,
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

    Tab completes names after 'eval "$(_MONTGOMERY_COMPLETE=bash_source montgomery)"' in ~/.bashrc,
    with zsh_source in ~/.zshrc; fish takes the output of fish_source as a file of completions.
    """


if __name__ == "__main__":
    cli()
