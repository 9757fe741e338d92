"""``montgomery board build``: a bitstream of one core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .._options import announce, json_option, print_json, store_option
from .._outputs import OutputFolder
from ._options import board_named, core_options, point_for

__all__ = ["command"]


@click.command(short_help="Build the bitstream of a core.")
@click.argument("board_name", metavar="BOARD")
@core_options
@click.option("--clock", "clock_mhz", metavar="MHZ", type=float,
              help="Frequency, never exceeded; a PLL makes the one nearest to it.  [default: what "
                   "the core reaches on this FPGA, less 5 %]")
@click.option("--baud", default=115_200, show_default=True, type=click.IntRange(min=300),
              help="Of the serial line.")
@click.option("--uart-pins", metavar="RX,TX",
              help="Pins of a serial adapter, as pmod_0:1,pmod_0:2, instead of the board's UART.")
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Folder to write to, made if need be.  [default: ARCH_BITS_BOARD]")
@store_option
@json_option
def command(board_name: str, clock_mhz: float | None, baud: int, uart_pins: str | None,
            output: Path | None, store_path: Path | None, as_json: bool, **core: Any) -> None:
    """Build the bitstream of a core behind a serial line, for a board.

    Without --clock it is built two to four times: to find what frequency the core reaches on this
    FPGA, and to run at it. What was built before is not built again. The bitstream goes to DIR,
    with the logs and board.json, which says what it is; 'board program DIR' loads it.

    \b
    montgomery board build icebreaker -a mmm_mx_1d -n 64
    montgomery board build ulx3s_85f -a dsp_systolic -n 1024 --clock 100 --output rsa
    """
    from boards.adapters import Adapter
    from boards.top import Top

    from ...board.build import Builder
    from ...export.files import default_name
    from ...store import Store

    board = board_named(board_name)
    adapter = Adapter.of(uart_pins) if uart_pins is not None else None
    point = point_for(board, store_path, **core)
    parameters = point.parameters()

    def make_top(frequency_hz: int) -> Top:
        return Top(parameters, frequency_hz=frequency_hz, baud=baud, more={"board": board.name})

    with Store(store_path) as store:
        built = Builder(store, point, board, make_top, baud=baud, adapter=adapter,
                        announce=announce).build(clock_mhz)
        output = output or Path(f"{default_name(point)}_{board.name}")
        path = built.copy(output)
        record = built.record
    if as_json:
        print_json({**record, "path": str(path)})
        return
    click.echo(f"{path}: {record['bytes']:,} bytes, {built.clock_mhz:.6g} MHz "
               f"(nextpnr reaches {built.fmax_mhz:.1f}), {baud} baud")
    if built.missed_mhz:
        tried = " and ".join(f"{mhz:.6g}" for mhz in built.missed_mhz)
        click.echo(f"{board.name}: a faster clock was tried, but timing was not met at {tried} MHz",
                   err=True)
    if built.note:
        click.echo(f"{board.name}: {built.note}", err=True)
