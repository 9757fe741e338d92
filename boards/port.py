"""Serial ports to boards, and the errors of boards and ports."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator

import serial

from .protocol import Decoder

__all__ = ["BoardError", "NoReply", "Port", "one_line"]

#: How long one look at the line takes.
_POLL_S = 0.02
_WRITE_S = 30
#: What to do, by number of the error.
_ADVICE = {errno.EACCES: "join the group that owns it (dialout or uucp), and log in again",
           errno.EAGAIN: "close the other program that has it open"}


class BoardError(Exception):
    """An error of a board or of the line to it; the message is one line."""


class NoReply(BoardError):
    """No reply arrived, or no intact one."""


class Port:
    """A port that takes bytes, and gives what the frames hold that come.

    Parameters
    ----------
    port : str, path or a serial port
        Name of the port, which is opened for this process alone, or an object with the methods of
        :class:`serial.Serial`.
    baud : int
        Bits per second, for a port that is opened here.

    Raises
    ------
    BoardError
        If the port cannot be opened.
    """

    def __init__(self, port: str | os.PathLike | serial.SerialBase, baud: int) -> None:
        self._owned = isinstance(port, str | os.PathLike)
        self._port: serial.SerialBase = _opened(os.fspath(port), baud) if self._owned else port
        self._decoder = Decoder()

    @property
    def damaged(self) -> int:
        """The number of frames that came damaged."""
        return self._decoder.damaged

    def close(self) -> None:
        """Close the port, if it was opened here."""
        if self._owned:
            self._port.close()

    def send(self, data: bytes) -> None:
        self._port.write(data)
        self._port.flush()

    def frames(self, limit_s: float) -> Iterator[bytes]:
        """Yield what the frames hold that come within a time."""
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            yield from self._decoder.feed(self._port.read(max(1, self._port.in_waiting)))

    def drain(self, silence_s: float, deadline: float) -> None:
        """Drop frames until none has come for a time, or :func:`time.monotonic` is that late."""
        while any(True for _ in self.frames(silence_s)) and time.monotonic() < deadline:
            pass


def _opened(name: str, baud: int) -> serial.SerialBase:
    try:
        port = serial.serial_for_url(name, baudrate=baud, timeout=_POLL_S, exclusive=True,
                                     write_timeout=_WRITE_S)
        port.reset_input_buffer()
        return port
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None)
        reason = os.strerror(number) if number else one_line(error)
        advice = _ADVICE.get(number, "'python -m serial.tools.list_ports' lists the ports")
        raise BoardError(f"Cannot open port '{name}': {reason}; {advice}") from None


def one_line(error: Exception) -> str:
    """Return the message of an error as one line."""
    return " ".join(str(error).split()) or type(error).__name__
