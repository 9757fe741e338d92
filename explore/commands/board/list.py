"""``montgomery board list``: the boards there are, and what hinders the others."""

from __future__ import annotations

import dataclasses

import click

from .._answer import Answer, answering
from .._command import Command
from .._listed import board_lines

__all__ = ["command"]


@click.command(cls=Command, short_help="List the boards.")
@click.option("--all", "everything", is_flag=True,
              help="List also the boards for which no bitstream can be built, with the reason.")
@answering
def command(everything: bool) -> Answer:
    """List the boards for which bitstreams can be built: FPGA, package, clock and serial port.

    The boards are those of amaranth-boards that have an iCE40 or ECP5 and a clock. A board without
    a serial port needs a serial adapter, on the pins that are listed or on those of --uart-pins.

    \b
    montgomery board list
    montgomery board list --all --json
    """
    from boards.catalogue import boards

    return Answer(
        {name: {**dataclasses.asdict(board), "target": board.target, "obstacle": board.obstacle,
                "adapter": board.adapter and dataclasses.asdict(board.adapter)}
         for name, board in boards().items() if everything or not board.obstacle},
        board_lines(boards(), everything=everything, indent=0))
