"""Serial ports to boards, and the errors of boards and ports."""

from __future__ import annotations

import serial

__all__ = ["BoardError", "NoReply", "one_line", "open_port"]

#: How long one look at the line takes.
_POLL_S = 0.02
_WRITE_S = 30


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
    if not name:
        raise BoardError("The name of the serial port is empty; 'python -m "
                         "serial.tools.list_ports' lists the names there are")
    try:
        port = serial.serial_for_url(name, baudrate=baud, timeout=_POLL_S, exclusive=True,
                                     write_timeout=_WRITE_S)
        port.reset_input_buffer()
        return port
    except (serial.SerialException, OSError, ValueError) as error:
        raise BoardError(_why_not(name, error)) from None


def _why_not(name: str, error: Exception) -> str:
    number = getattr(error, "errno", None)
    text = one_line(error)
    if isinstance(error, FileNotFoundError) or number == 2:
        return f"There is no serial port {name}; 'python -m serial.tools.list_ports' lists them"
    if number == 13:
        return (f"No permission to open {name}; join the group that owns it (dialout or uucp), and "
                f"log in again")
    if "exclusively lock" in text or number in (11, 16):
        return f"Another program has {name} open; close it first"
    return f"Cannot open {name} ({text}); name the serial port of the board"


def one_line(error: Exception) -> str:
    """Return the message of an error as one line."""
    return " ".join(str(error).split()) or type(error).__name__
