"""A simulated board behind a pseudo-terminal, which programs open as a serial port."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Iterator
from pathlib import Path

from .simulated import SimulatedBoard

__all__ = ["Terminal"]

#: Clocks between two looks at the terminal, and after which nothing more comes from a board whose
#: core is at rest.
_SLICE, _SETTLED = 20_000, 200_000
_CHUNK = 1 << 12
#: Bytes that wait for a program to read them; a line has none, and loses what nobody reads.
_WAITING = 1 << 16


class Terminal:
    """A pseudo-terminal with a board at its other end.

    Parameters
    ----------
    board : SimulatedBoard
    link : Path or None
        A symbolic link to make to :attr:`path`; it replaces an earlier link.

    Attributes
    ----------
    path : str
        Path of the port.

    Raises
    ------
    OSError
        If the system has no pseudo-terminals, or the link cannot be made.
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
