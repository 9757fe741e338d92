"""``montgomery board program``: load what was built."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ...data.labels import core_name
from .._command import Command
from .._options import json_option, print_json
from .._types import Existing
from ._options import board_named

__all__ = ["command"]


@click.command(cls=Command, short_help="Load a bitstream into a board.")
@click.argument("folder", metavar="DIR", type=Existing(file=False))
@click.option("--loader", is_flag=True,
              help="Use openFPGALoader instead of the programmer that amaranth-boards runs for the "
                   "board.")
@json_option
def command(folder: Path, loader: bool, as_json: bool) -> None:
    """Load the bitstream that 'montgomery board build' wrote to DIR into its board.

    \b
    montgomery board program mmm_mx_1d_64_icebreaker
    """
    from boards.program import program

    from ...board.bitstream import RECORD

    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        name = record["board"]
    except (OSError, ValueError, LookupError, TypeError):
        raise ValueError(f"{folder} must hold a bitstream with its {RECORD}; 'montgomery board "
                         "build' writes both") from None
    program(board_named(name), folder, loader=loader,
            show=lambda line: click.echo(line, err=True))
    if as_json:
        print_json({"ok": True, "board": name})
    else:
        click.echo(f"{name} is programmed with {core_name(record)} of {record['width']} bits")
