"""``montgomery board program``: load what was built."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ...data.labels import core_name
from ...errors import Refusal
from .._command import Answer, Command, answering
from .._types import Existing

__all__ = ["command"]


@click.command(cls=Command, short_help="Load a bitstream into a board.")
@click.argument("folder", metavar="DIR", type=Existing(file_okay=False))
@click.option("--loader", is_flag=True,
              help="Use openFPGALoader instead of the programmer that amaranth-boards runs for the "
                   "board.")
@answering
def command(folder: Path, loader: bool) -> Answer:
    """Load the bitstream that 'montgomery board build' wrote to DIR into its board.

    \b
    montgomery board program mmm_mx_1d_64_icebreaker
    """
    from boards.build import program

    from ...board.bitstream import RECORD, board_named

    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        name, core = str(record["board"]), f"{core_name(record)} of {record['width']} bits"
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Refusal(f"{folder} must hold a bitstream with its {RECORD}; 'montgomery board "
                      "build' writes both") from None
    program(board_named(name), folder, loader=loader)
    return Answer({"ok": True, "board": name}, [f"{name} is programmed with {core}"])
