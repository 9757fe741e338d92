"""Loading a bitstream with the programmer of :mod:`amaranth_boards`, or with openFPGALoader."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from amaranth.build.run import LocalBuildProducts

from .build import NAME, bitstream_name
from .catalogue import Board
from .port import BoardError

__all__ = ["program"]

#: openFPGALoader's names for boards, from its list of boards; the cable where it has none.
_LOADER_ARGUMENTS = {
    "colorlight_5a75b_r7_0": ("-c", "ft232"), "ecp5_5g_evn": ("-b", "ecp5_evn"),
    "ecpix5_45": ("-b", "ecpix5"), "ecpix5_85": ("-b", "ecpix5"),
    "versa_ecp5": ("-c", "ft2232"), "versa_ecp5_5g": ("-c", "ft2232"),
    **{f"ulx3s_{size}f": ("-b", "ulx3s") for size in (12, 25, 45, 85)},
    **dict.fromkeys(("ice40_hx8k_b_evn", "ice40_up5k_b_evn", "icebreaker", "icestick"),
                    ("-b", "ice40_generic")),
}


def program(board: Board, folder: Path, *, loader: bool = False) -> None:
    """Load the bitstream in ``folder``. What the programmer says goes to stderr.

    Parameters
    ----------
    loader : bool
        Use openFPGALoader, or what variable ``OPENFPGALOADER`` names, instead of the board's own
        programmer.

    :exc:`.BoardError` says that there is no programmer, or that it failed.
    """
    path = folder / bitstream_name(board)
    if not path.is_file():
        raise BoardError(f"There is no {path}; 'montgomery board build {board.name}' makes it")
    loader |= not board.programmer
    if loader and board.name not in _LOADER_ARGUMENTS:
        raise BoardError(f"No programmer is known for {board.name}; load {path} by what came with "
                         "the board")
    try:
        with _on_stderr():
            if loader:
                name = os.environ.get("OPENFPGALOADER", "openFPGALoader")
                subprocess.check_call([name, *_LOADER_ARGUMENTS[board.name], str(path)])
            else:
                board.create().toolchain_program(LocalBuildProducts(str(folder)), NAME)
    except FileNotFoundError as error:
        other = "" if loader else ", or give --loader for openFPGALoader"
        raise BoardError(f"{error.filename} is missing, which programs {board.name}; install "
                         f"it{other}") from None
    except subprocess.CalledProcessError as error:
        raise BoardError(f"{board.name} was not programmed, and {error.cmd[0]} said why; attach "
                         "the board, and see that you may use its USB bridge (add a udev rule)"
                         ) from None


@contextlib.contextmanager
def _on_stderr() -> Iterator[None]:
    """Send to stderr what other programs write to stdout, where the answer of this one goes."""
    sys.stdout.flush()
    answers = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(answers, 1)
        os.close(answers)
