"""``montgomery board simulate``: a board in a program."""

from __future__ import annotations

import contextlib
import signal
import tempfile
from pathlib import Path

import click

from ...atomic import check_file
from .._command import Command, json_option, print_json
from .._options import core_options, one_point, store_option
from .._progress import announce

__all__ = ["command"]


@click.command(cls=Command, short_help="Simulate a board with a core, behind a pseudo-terminal.")
@core_options
@click.option("--link", metavar="PATH", type=click.Path(path_type=Path),
              help="Make a symbolic link of this name to the pseudo-terminal, and remove it at the "
                   "end.")
@store_option
@json_option
def command(arch: str, width: str, params: tuple[str, ...], link: Path | None,
            store_path: Path | None, as_json: bool) -> None:
    """Simulate a board with a core, behind a pseudo-terminal (Linux, macOS).

    The simulation is compiled, which takes some seconds and needs a C++ compiler. It covers the
    complete design that 'montgomery board build' builds, with its serial port, so that 'montgomery
    board run' or any program for serial ports can use the pseudo-terminal as it uses a board. The
    simulation runs until Ctrl-C.

    \b
    montgomery board simulate -a exponentiation.single_dsp -n 1024 --link /tmp/board &
    montgomery board run self-test --port /tmp/board --vectors 100
    """
    from boards.top import BAUD
    from montgomery.core import kind_of, name_of

    from ...board.simulated import SimulatedBoard, Terminal, board_library
    from ...errors import ToolMissing
    from ...store import Store
    from ...tools.compiler import find_compiler

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
