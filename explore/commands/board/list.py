"""``montgomery board list``: the boards there are, and what hinders the others."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from .._options import json_option, print_json

if TYPE_CHECKING:
    from boards.catalogue import Board

__all__ = ["command"]


@click.command(short_help="Name the boards.")
@click.option("--all", "everything", is_flag=True,
              help="Also those that no bitstream can be built for, with the reason.")
@json_option
def command(everything: bool, as_json: bool) -> None:
    """Name the boards for which bitstreams can be built, with FPGA, clock and serial port.

    Boards are those of amaranth-boards with an iCE40 or ECP5 and a clock. A board without a
    serial port takes an adapter, on the pins that stand here or on those of --uart-pins.
    """
    from boards.catalogue import boards

    chosen = {name: board for name, board in boards().items() if everything or not board.obstacle}
    if as_json:
        print_json({name: {**dataclasses.asdict(board), "target": board.target,
                           "obstacle": board.obstacle, "adapter": board.adapter and
                           dataclasses.asdict(board.adapter)} for name, board in chosen.items()})
        return
    rows = [(name, board.target or board.device, board.package,
             f"{board.clock_mhz:g} MHz" if board.clock_mhz else "", _serial(board))
            for name, board in chosen.items()]
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(size)
                             for cell, size in zip(row, sizes, strict=True)).rstrip())


def _serial(board: Board) -> str:
    if board.obstacle:
        return f"no: {board.obstacle}"
    if board.uart:
        return "UART"
    if board.adapter:
        pins = f"{board.adapter.rx},{board.adapter.tx}"
        return board.adapter.note or f"adapter on RX,TX = {pins}"
    return "adapter on pins of --uart-pins"
