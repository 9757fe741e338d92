"""Loading a bitstream with the programmer of :mod:`amaranth_boards`, or with another one.

The programmer runs as a process of its own, and its output goes on to the user. If it fails, the
end of the output tells the reason, such as a missing board or permission.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from amaranth.build.run import LocalBuildProducts

from .build import NAME, bitstream_name
from .catalogue import Board

__all__ = ["LOADER", "ProgrammerError", "program"]

#: The program that knows most boards; variable ``OPENFPGALOADER`` may name it.
LOADER = "openFPGALoader"

#: Its names for boards, from its list of boards; the cable where it has none.
_LOADER_ARGUMENTS = {
    "colorlight_5a75b_r7_0": ("-c", "ft232"), "ecp5_5g_evn": ("-b", "ecp5_evn"),
    "ecpix5_45": ("-b", "ecpix5"), "ecpix5_85": ("-b", "ecpix5"),
    "versa_ecp5": ("-c", "ft2232"), "versa_ecp5_5g": ("-c", "ft2232"),
    **{f"ulx3s_{size}f": ("-b", "ulx3s") for size in (12, 25, 45, 85)},
    **dict.fromkeys(("ice40_hx8k_b_evn", "ice40_up5k_b_evn", "icebreaker", "icestick"),
                    ("-b", "ice40_generic")),
}
_INSTALL = {
    LOADER: "install it from your system's packages, or https://trabucayre.github.io/openFPGALoader",
    "iceprog": "install fpga-icestorm, or give --loader for openFPGALoader",
    "openocd": "install openocd, or give --loader for openFPGALoader",
    "dfu-util": "install dfu-util",
    "tinyprog": "run 'pip install tinyprog'",
    "icesprog": "install it from https://github.com/wuxx/icesugar",
}
_PERMISSION = re.compile(r"(?i)permission denied|access denied|insufficient permission|EACCES|"
                         r"LIBUSB_ERROR_ACCESS|error -3\b|usb_open\(\) failed")
_ABSENT = re.compile(r"(?i)can't find|cannot find|unable to open ftdi|device not found|no device|"
                     r"not found|no dfu capable|no such file|unable to find|no port|"
                     r"unable to open usb")


#: The slowest programmers take minutes to fill a flash memory.
_LIMIT_S = 1800


class ProgrammerError(RuntimeError):
    """A board that was not programmed; the message is one line."""


def program(board: Board, folder: Path, *, loader: bool = False,
            show: Callable[[str], None] = lambda text: None) -> None:
    """Load the bitstream in ``folder``.

    Parameters
    ----------
    loader : bool
        Use :data:`LOADER` instead of the board's own programmer.
    show : callable
        Called with each line of the programmer's output.

    Raises
    ------
    ProgrammerError
        If there is no programmer, no board, or no permission to use it.
    """
    path = folder / bitstream_name(board)
    if not path.is_file():
        raise ProgrammerError(f"There is no {path}; 'montgomery board build {board.name}' makes it")
    if loader or not board.programmer:
        if board.name not in _LOADER_ARGUMENTS:
            raise ProgrammerError(f"No programmer is known for {board.name}; load {path} by what "
                                  "came with the board")
        name = os.environ.get("OPENFPGALOADER", LOADER)
        _run([name, *_LOADER_ARGUMENTS[board.name], str(path)], board, show)
    else:
        # In a process of its own, for it writes to the terminal by itself.
        _run([sys.executable, "-m", __name__, board.name, str(folder)], board, show)


def _run(command: Sequence[str], board: Board, show: Callable[[str], None]) -> None:
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace",
                                   start_new_session=True)
    except FileNotFoundError:
        raise ProgrammerError(_missing(command[0])) from None
    said, late = [], threading.Event()

    def stop() -> None:
        late.set()
        _end(process)

    watch = threading.Timer(_LIMIT_S, stop)
    watch.start()
    with process:
        try:
            for line in process.stdout:
                if line.startswith(_MARK):
                    raise ProgrammerError(_missing(line.removeprefix(_MARK).strip()))
                said.append(line.rstrip())
                show(line.rstrip())
            process.wait()
        except BaseException:
            _end(process)
            raise
        finally:
            watch.cancel()
    if late.is_set():
        raise ProgrammerError(f"{board.name} was not programmed: its programmer did not end in "
                              f"{_LIMIT_S / 60:g} minutes; attach the board again, and try again")
    if process.returncode:
        raise ProgrammerError(_why(board, said))


def _end(process: subprocess.Popen) -> None:
    """Kill a programmer and all that it started, which are one group of processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _missing(name: str) -> str:
    known = {**_INSTALL, os.environ.get("OPENFPGALOADER", LOADER): _INSTALL[LOADER]}
    return f"{name} is missing, which programs the board; {known.get(name, 'install it')}"


def _why(board: Board, said: Sequence[str]) -> str:
    lines = [line.strip() for line in said if line.strip()]
    for reason, message in (
            (_PERMISSION, f"No permission to use {board.name} ({{}}); add a udev rule for its USB "
                          "bridge, and attach it again"),
            (_ABSENT, f"No {board.name} was found ({{}}); attach it, and try again")):
        for line in lines:
            if reason.search(line):
                return message.format(line)
    return f"{board.name} was not programmed: {lines[-1] if lines else 'its programmer failed'}"


#: Begins the line by which the process below says that its programmer is not there.
_MARK = "montgomery-programmer-missing: "


def _main(name: str, folder: str) -> int:
    from .catalogue import boards

    try:
        boards()[name].create().toolchain_program(LocalBuildProducts(folder), NAME)
    except FileNotFoundError as error:
        print(f"{_MARK}{error.filename}")
        return 1
    except subprocess.CalledProcessError as error:
        # What it had to say it has said.
        return abs(error.returncode)
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(_main(*sys.argv[1:]))
