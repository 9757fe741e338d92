"""A compiled board with a serial line: see :mod:`boards.line`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..netlist.harness import core_rtlil
from ..pipeline.on_demand import SingleStages
from ..pipeline.stage import Job
from ..pipeline.stages.compile import CompileDesign

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..store import Store
    from ..tools.compiler import Compiler

__all__ = ["SimulatedBoard", "board_library"]

_DRIVER = Path(__file__).with_suffix(".cc")
_ROOM = 1 << 12


def board_library(store: Store, params: CoreParameters, folder: Path, compiler: Compiler, *,
                  baud: int, announce: Callable[[str], None] = lambda text: None) -> Path:
    """Return the compiled board, from the store or made and stored now.

    Parameters
    ----------
    folder : Path
        An empty folder for the library, which may be removed once the library is loaded.
    announce : callable
        Called with a line of text before something that takes long.

    Raises
    ------
    StageFailed, ToolMissing, DiskFull
        If the library cannot be made.
    ValueError
        If the core cannot be used on a board.
    """
    from boards.line import Line

    stage = CompileDesign(core_rtlil(Line(params, baud=baud)), _DRIVER)
    with SingleStages(store, compiler, announce) as computed:
        return computed.library(stage, Job(params=params), folder)


class SimulatedBoard:
    """A board that was just switched on.

    Parameters
    ----------
    library : Path
        The library that :func:`board_library` returned.

    Raises
    ------
    OSError
        If the library cannot be loaded.
    """

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
        """Run for some clocks, or fewer if many bytes come.

        Parameters
        ----------
        data : bytes
            Bytes that wait to be sent to the board.

        Returns
        -------
        taken : int
            Number of bytes that were sent.
        received : bytes
            Bytes that came from the board.
        """
        size = ctypes.c_size_t(_ROOM)
        taken = self._library.board_run(self._board, clocks, data, len(data), self._out,
                                        ctypes.byref(size))
        return taken, self._out.raw[:size.value]

    @property
    def busy(self) -> bool:
        """Whether the core is at work."""
        return self._library.board_busy(self._board)
