"""The protocol on the serial line between a host and a board.

Bytes are framed as in HDLC (RFC 1662): a frame ends, and may begin, with a flag ``7e``; inside of
it ``7e`` and ``7d`` are sent as ``7d 5e`` and ``7d 5d``. So a receiver that lost its place finds it
at the next flag. Numbers are little-endian. Before this replacement, a frame holds:

======  ========  =================================================================================
Offset  Bytes     Content
======  ========  =================================================================================
0       1         version of the protocol, 2
1       1         type
2       4         tag: chosen by the host, and returned by the board with the reply
6       2         length of the payload in bytes, n
8       n         payload
8 + n   4         CRC-32 of all before it (CRC-32/ISO-HDLC: that of Ethernet, zip and zlib)
======  ========  =================================================================================

============  ====  ===================================================================
Request       Type  Payload
============  ====  ===================================================================
``INFO``      1     none
``RUN``       2     bytes of the result (2 bytes), words for port ``i``
``RESET``     3     none
``KEY``       4     0 (2 bytes), words for port ``k``
============  ====  ===================================================================

============  ====  ===================================================================
Reply         Type  Payload
============  ====  ===================================================================
``INFO``      129   JSON: ``arch``, ``kind``, ``width``, ``params``, ``clock_hz``…
``RUN``       130   clocks from the last operand word accepted to the first result word
                    ready (8 bytes), words of port ``o``
``RESET``     131   none: the core is being cleared of its key and whatever it did
``KEY``       132   none: the core has accepted the key
``ERROR``     255   one byte, of :class:`Problem`
============  ====  ===================================================================

A word takes the whole bytes that it needs, the lowest first. A board works on one operation or key
at a time; ``INFO`` and ``RESET`` are answered also meanwhile. A request whose tag is that of the
one it works on is a repetition, and gets no reply of its own. The same operation always has the
same result, so that a host that misses a reply asks again.

A core with port ``k`` keeps its key from one operation to the next, until another ``KEY`` or a
``RESET``. Without a key it refuses to ``RUN``. A core without that port does not know ``KEY``; the
board resets it after every operation.

Whoever can open the port can use the key that a board has: the protocol knows no users. So a host
sends ``RESET`` when it has finished, also after an error; :class:`boards.host.Client` does when it
is closed.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import struct
import zlib
from collections.abc import Iterator, Sequence

__all__ = ["CLOCKS_BYTES", "ESCAPE", "FLAG", "FLIP", "HEADER_BYTES", "MAX_PAYLOAD", "REPLY",
           "SIZE_BYTES", "TRAILER_BYTES", "VERSION",
           "Decoder", "Frame", "Problem", "Type", "packed", "unpacked", "word_bytes"]

VERSION = 2
FLAG, ESCAPE, FLIP = 0x7E, 0x7D, 0x20
HEADER_BYTES, TRAILER_BYTES = 8, 4
MAX_PAYLOAD = 0xFFFF
#: Of the numbers with which the payloads of ``RUN`` and of its reply begin.
SIZE_BYTES, CLOCKS_BYTES = 2, 8
#: Bit of the type that a reply has, and a request has not.
REPLY = 0x80

_HEADER = struct.Struct("<BBIH")
_ESCAPED = re.compile(bytes([ESCAPE]) + b"(.)", re.DOTALL)


class Type(enum.IntEnum):
    """Type of a frame; the type of a reply has :data:`REPLY` added to it."""

    INFO = 1
    RUN = 2
    RESET = 3
    KEY = 4
    ERROR = 0x7F


class Problem(enum.IntEnum):
    """A reason for which a board refuses a request."""

    DAMAGED = 1  # a checksum or a length is wrong; the tag of the reply is 0
    VERSION = 2  # another version of the protocol
    UNKNOWN = 3  # no such type of request
    LENGTH = 4  # the payload has not the words of an operation or of a key
    BUSY = 5  # at work on another request
    NO_KEY = 6  # an operation for a core that has no key


def word_bytes(width: int) -> int:
    """Return the bytes that a word of ``width`` bits takes on the line."""
    return -(-width // 8)


def packed(words: Sequence[int], width: int) -> bytes:
    """Return words of ``width`` bits as they are on the line."""
    return b"".join(word.to_bytes(word_bytes(width), "little") for word in words)


def unpacked(data: bytes, width: int) -> list[int]:
    """Return the words of ``width`` bits that :func:`packed` made bytes of."""
    size = word_bytes(width)
    return [int.from_bytes(data[at:at + size], "little") for at in range(0, len(data), size)]


@dataclasses.dataclass(frozen=True)
class Frame:
    """One frame.

    Attributes
    ----------
    type : int
        A :class:`Type`, plus :data:`REPLY` for a reply.
    tag : int
        A number of 32 bits.
    """

    type: int
    tag: int
    payload: bytes = b""
    version: int = VERSION

    @property
    def problem(self) -> int | None:
        """The number of the :class:`Problem` that a reply ``ERROR`` holds; None of other frames."""
        is_error = self.type == Type.ERROR | REPLY and len(self.payload) == 1
        return self.payload[0] if is_error else None

    def encode(self) -> bytes:
        """Return the bytes for the line, with a flag before and after them."""
        body = _HEADER.pack(self.version, self.type, self.tag, len(self.payload)) + self.payload
        body += zlib.crc32(body).to_bytes(TRAILER_BYTES, "little")
        flag = bytes([FLAG])
        for byte in (ESCAPE, FLAG):
            body = body.replace(bytes([byte]), bytes([ESCAPE, byte ^ FLIP]))
        return flag + body + flag


class Decoder:
    """Finds the frames among the bytes from a line.

    Attributes
    ----------
    damaged : int
        Number of frames that were skipped because they are too short or damaged.
    """

    def __init__(self) -> None:
        self._rest = b""
        self.damaged = 0

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that end in ``data``."""
        *bodies, self._rest = (self._rest + data).split(bytes([FLAG]))
        for body in filter(None, bodies):
            frame = _frame(_ESCAPED.sub(lambda pair: bytes([pair[1][0] ^ FLIP]), body))
            if frame is None:
                self.damaged += 1
            else:
                yield frame


def _frame(body: bytes) -> Frame | None:
    if len(body) < HEADER_BYTES + TRAILER_BYTES:
        return None
    content, checksum = body[:-TRAILER_BYTES], body[-TRAILER_BYTES:]
    version, kind, tag, length = _HEADER.unpack_from(content)
    payload = content[HEADER_BYTES:]
    if length != len(payload) or zlib.crc32(content) != int.from_bytes(checksum, "little"):
        return None
    return Frame(kind, tag, payload, version)
