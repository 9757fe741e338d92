"""Serial ports to boards, and the errors of boards and ports."""

from __future__ import annotations

import errno
import os

import serial

__all__ = ["BoardError", "NoReply", "one_line", "open_port"]

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


def open_port(name: str, baud: int) -> serial.SerialBase:
    """Open a port for this process alone.

    Raises
    ------
    BoardError
        If the port cannot be opened.
    """
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
