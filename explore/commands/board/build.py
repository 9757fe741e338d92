"""``montgomery board build``: a bitstream of one core."""

from __future__ import annotations

from pathlib import Path

import click

from ...errors import Refusal
from .._catalogue import BOARD, BOARD_OPTIONS
from .._command import Answer, Command, answering
from .._options import core_options, one_point, store_option
from .._progress import announce
from .._types import Integer, Number, OutputFolder

__all__ = ["command"]


@click.command(cls=Command, short_help="Build the bitstream of a core.")
@click.argument("board_name", metavar="BOARD", type=BOARD)
@core_options
@click.option("-o", "--option", "options", metavar="KEY=VALUE", multiple=True, type=BOARD_OPTIONS,
              help="An option of yosys and nextpnr, such as placer_weight=10; 'montgomery list "
                   "NAME' names the options of a target.")
@click.option("--clock", "clock_mhz", metavar="MHZ", type=Number(),
              help="Clock frequency. A PLL makes the nearest one that is not above it, and a "
                   "design that misses that is refused.  [default: 5 % below the frequency that "
                   "nextpnr reports for the whole design, or less if the design misses that]")
@click.option("--seeds", default=1, show_default=True, type=Integer(1, 1000), metavar="N",
              help="Place the design with seeds 1 to N, some at a time, until one meets --clock.")
@click.option("--baud", default=115_200, show_default=True, type=Integer(300), metavar="N",
              help="Bits per second of the serial line.")
@click.option("--uart-pins", metavar="RX,TX",
              help="Pins of a serial adapter, such as pmod_0:1,pmod_0:2, instead of the board's "
                   "UART; 'montgomery list boards' names those that are used by default.")
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Folder for the bitstream, made if need be.  [default: ARCH_BITS_BOARD]")
@store_option
@answering
def command(board_name: str, clock_mhz: float | None, seeds: int, baud: int,
            uart_pins: str | None, output: Path | None, store_path: Path | None, arch: str,
            width: str, params: tuple[str, ...], options: tuple[str, ...]) -> Answer:
    """Build the bitstream of a core and a serial port, for a BOARD of 'montgomery list boards'.

    Without --clock the design is built two to four times, to find the frequency that it reaches on
    this FPGA. With --clock it is built for that frequency, by the first of --seeds seeds of the
    placer with which it is met. Nothing that is in the store is built again. The folder DIR gets
    the bitstream, the logs, and board.json, which describes the bitstream. 'montgomery board
    program DIR' loads it.

    \b
    montgomery board build icebreaker -a mmm_mx_1d -n 64
    montgomery board build ulx3s_85f -a dsp_systolic -n 1024 --clock 100 --seeds 8 --output rsa
    """
    from boards.catalogue import Adapter
    from boards.top import Top

    from ...board.bitstream import board_named, options_of, target_of
    from ...board.build import Builder
    from ...export.files import default_name
    from ...store import Store

    if seeds > 1 and clock_mhz is None:
        raise click.UsageError("--seeds are tried until --clock is met; give --clock too")
    board = board_named(board_name)
    adapter = Adapter.of(uart_pins) if uart_pins is not None else None
    target = target_of(board)
    for option in target.options.keys() - options_of(board):
        if any(text.partition("=")[0].strip() == option for text in options):
            raise Refusal(f"board build takes no option {option}, since nextpnr is asked for the "
                          "frequency of the board's clock; give that with --clock")
    point = one_point("board build", arch, width, params, target.name, options)
    parameters = point.parameters()

    def make_top(frequency_hz: int) -> Top:
        return Top(parameters, frequency_hz=frequency_hz, baud=baud, more={"board": board.name})

    with Store(store_path) as store:
        built = Builder(store, point, board, make_top, baud=baud, adapter=adapter,
                        seeds=seeds, announce=announce).build(clock_mhz)
        output = output or Path(f"{default_name(point)}_{board.name}")
        path = built.copy(output)
        record = built.record
    notes = []
    if built.missed_mhz:
        tried = " and ".join(f"{mhz:.6g}" for mhz in built.missed_mhz)
        notes += [f"{board.name}: a faster clock was tried, but timing was not met at {tried} MHz"]
    if built.limit and clock_mhz is None:
        notes += [f"{board.name}: {built.limit}"]
    if built.note:
        notes += [f"{board.name}: {built.note}"]
    seed = f" with seed {built.seed}" if seeds > 1 else ""
    return Answer({**record, "path": str(path)},
                  [f"{path}: {record['bytes']:,} bytes, {built.clock_mhz:.6g} MHz (nextpnr reaches "
                   f"{built.fmax_mhz:.1f}{seed}), {baud} baud"], notes=notes)
