"""Cores on boards: their bitstreams, and simulations."""

from __future__ import annotations

import contextlib
import json
import signal
import tempfile
from pathlib import Path

import click

from boards import build as programmers
from boards.catalogue import Adapter
from boards.top import BAUD, Top
from montgomery.core import kind_of, name_of

from ..atomic import check_file
from ..board.bitstream import RECORD, board_named, options_of, target_of
from ..board.build import Builder
from ..board.simulated import SimulatedBoard, Terminal, board_library
from ..data.labels import core_name
from ..errors import Refusal, ToolMissing
from ..export.files import default_name
from ..store import Store
from ..tools.compiler import find_compiler
from ._answer import Answer, print_json
from ._options import one_point
from ._progress import announce

__all__ = ["build", "program", "simulate"]


def build(board_name: str, clock_mhz: float | None, seeds: int, baud: int,
          uart_pins: str | None, output: Path | None, store_path: Path | None, arch: str,
          width: str, params: tuple[str, ...], options: tuple[str, ...]) -> Answer:
    """Build the bitstream of a core and a serial port, for a BOARD of 'montgomery list boards'."""
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


def program(folder: Path, loader: bool) -> Answer:
    """Load the bitstream that 'montgomery board build' wrote to DIR into its board."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        name, core = str(record["board"]), f"{core_name(record)} of {record['width']} bits"
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Refusal(f"{folder} must hold a bitstream with its {RECORD}; 'montgomery board "
                      "build' writes both") from None
    programmers.program(board_named(name), folder, loader=loader)
    return Answer({"ok": True, "board": name}, [f"{name} is programmed with {core}"])


def simulate(arch: str, width: str, params: tuple[str, ...], link: Path | None,
             store_path: Path | None, as_json: bool) -> None:
    """Simulate a board with a core, behind a pseudo-terminal (Linux, macOS)."""
    if link is not None and link.exists() and not link.is_symlink():
        raise click.UsageError(f"--link must be a new name, but '{link}' exists; choose another")
    if link is not None and not link.is_symlink():
        check_file(link)
    point = one_point("board simulate", arch, width, params, None, ())
    parameters = point.parameters()
    compiler = find_compiler()
    if compiler is None:
        raise ToolMissing("A board is simulated compiled, and no C++ compiler was found; install "
                          "g++ or clang, or run 'pip install ziglang'")
    with tempfile.TemporaryDirectory() as folder:
        with Store(store_path) as store:
            library = board_library(store, parameters, Path(folder), compiler, baud=BAUD,
                                    announce=announce)
        board = SimulatedBoard(library)
    with contextlib.closing(board), contextlib.closing(Terminal(board, link)) as terminal:
        # Also from a script, whose background jobs ignore Ctrl-C, and by 'kill'.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        port = str(link or terminal.path)
        with contextlib.suppress(KeyboardInterrupt):
            if as_json:
                print_json({"port": port, "arch": name_of(parameters),
                            "kind": kind_of(parameters).name,
                            "width": parameters.width})
            else:
                click.echo(f"{point.name} with {parameters.width} bits at {port}, until "
                           f"Ctrl-C; try: montgomery board run --port {port}")
            for _ in terminal.serve():
                pass
