"""A compiled board with a serial line (see :mod:`boards.top`), which programs open as a port."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
from collections.abc import Callable, Iterator
from pathlib import Path

from boards.top import Line
from montgomery import CoreParameters

from ..netlist.harness import core_rtlil
from ..pipeline.on_demand import SingleStages
from ..pipeline.stage import Job
from ..pipeline.stages.compile import CompileDesign
from ..store import Store
from ..tools.compiler import Compiler

__all__ = ["SimulatedBoard", "Terminal", "board_library"]

_DRIVER = Path(__file__).with_suffix(".cc")
_ROOM = 1 << 12
#: Clocks between two looks at the terminal, and after which nothing more comes from a board whose
#: core is at rest.
_SLICE, _SETTLED = 20_000, 200_000
_CHUNK = 1 << 12
#: Bytes that wait for a program to read them; a line has none, and loses what nobody reads.
_WAITING = 1 << 16


def board_library(store: Store, params: CoreParameters, folder: Path, compiler: Compiler, *,
                  baud: int, announce: Callable[[str], None] = lambda text: None) -> Path:
    """Return the compiled board, from the store or made and stored now, in an empty folder.

    The folder may be removed once the library is loaded. :exc:`ValueError` is raised if the core
    cannot be used on a board.
    """
    stage = CompileDesign(core_rtlil(Line(params, baud=baud)).text, _DRIVER)
    with SingleStages(store, compiler, announce) as computed:
        return computed.library(stage, Job(params=params), folder)


class SimulatedBoard:
    """A board that was just switched on, by the library of :func:`board_library`."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        size = ctypes.POINTER(ctypes.c_size_t)
        for name, arguments, result in (
                ("new", [], ctypes.c_void_p), ("delete", [ctypes.c_void_p], None),
                ("busy", [ctypes.c_void_p], ctypes.c_bool),
                ("run", [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_size_t,
                         ctypes.c_char_p, size], ctypes.c_size_t)):
            function = getattr(self._library, f"board_{name}")
            function.argtypes, function.restype = arguments, result
        self._board = self._library.board_new()
        self._out = ctypes.create_string_buffer(_ROOM)

    def close(self) -> None:
        """Switch it off."""
        if self._board:
            self._library.board_delete(self._board)
            self._board = None

    def run(self, clocks: int, data: bytes = b"") -> tuple[int, bytes]:
        """Run for some clocks, or fewer if many bytes come, while ``data`` wait to be sent.

        The result is the number of bytes that were sent, and the bytes that came.
        """
        size = ctypes.c_size_t(_ROOM)
        taken = self._library.board_run(self._board, clocks, data, len(data), self._out,
                                        ctypes.byref(size))
        return taken, self._out.raw[:size.value]

    @property
    def busy(self) -> bool:
        """Whether the core is at work."""
        return self._library.board_busy(self._board)


class Terminal:
    """A pseudo-terminal with a board at its other end; ``path`` is that of the port.

    A symbolic ``link`` to it replaces an earlier link. :exc:`OSError` is raised if the link cannot
    be made, or the system has no pseudo-terminals.
    """

    def __init__(self, board: SimulatedBoard, link: Path | None = None) -> None:
        import tty

        self._board, self._link = board, link
        # The end that programs open stays open here, so that it is there when they come and go.
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        os.set_blocking(self._ours, False)
        self.path = os.ttyname(self._theirs)
        if link is not None:
            if link.is_symlink():
                link.unlink()
            link.symlink_to(self.path)

    def close(self) -> None:
        """Remove the link and the terminal."""
        if self._link is not None and self._link.is_symlink():
            self._link.unlink()
        os.close(self._ours)
        os.close(self._theirs)

    def serve(self) -> Iterator[int]:
        """Run the board for as long as this is iterated over; yields the clocks so far.

        The simulation pauses while the line is silent and the core is idle.
        """
        clocks, at_rest = 0, 0
        to_board, from_board = b"", b""
        while True:
            idle = not to_board and not from_board and at_rest >= _SETTLED
            readable, _, _ = select.select([self._ours], [], [], 1.0 if idle else 0.0)
            if readable and len(to_board) < _CHUNK:
                with contextlib.suppress(BlockingIOError):
                    to_board += os.read(self._ours, _CHUNK)
            if not idle or to_board:
                taken, received = self._board.run(_SLICE, to_board)
                clocks += _SLICE
                to_board = to_board[taken:]
                from_board = (from_board + received)[-_WAITING:]
                active = taken or received or self._board.busy
                at_rest = 0 if active else at_rest + _SLICE
            if from_board:
                try:
                    from_board = from_board[os.write(self._ours, from_board):]
                except BlockingIOError:
                    # Nobody reads: the line loses it.
                    from_board = b""
            yield clocks
