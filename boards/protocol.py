"""The protocol on the serial line between a host and a board.

A board has the registers of :mod:`montgomery.bus.registers`, and a frame asks for an exchange with
them: write words to a window, write to ``CONTROL``, wait until ``STATUS`` is not ``BUSY``, and read
registers. So an operation is one exchange, as a key is.

Bytes are framed as in HDLC (RFC 1662): a frame ends, and may begin, with a flag ``7e``; inside of
it ``7e`` and ``7d`` are sent as ``7d 5e`` and ``7d 5d``. So a receiver that lost its place finds it
at the next flag. Numbers are little-endian. Before this replacement, a request holds:

======  ========  =================================================================================
Offset  Bytes     Content
======  ========  =================================================================================
0       1         version of the protocol, 3
1       4         tag, not 0: chosen by the host, and returned by the board with the reply
5       2         number of the first register to read
7       2         number of registers to read, r
9       2         words to write, which are also ``WORDS`` of ``CONTROL``
11      1         commands for ``CONTROL``; 0 if it is not to be written
12      2         number of the first register to write, counted from the first window that can be
14      n         the words to write
14 + n  4         CRC-32 of all before it (CRC-32/ISO-HDLC: that of Ethernet, zip and zlib)
======  ========  =================================================================================

A reply holds:

======  ========  =================================================================================
Offset  Bytes     Content
======  ========  =================================================================================
0       1         version of the protocol, 3
1       4         tag of the request; 0 in reply to what was damaged or of another version
5       n         the r registers, then ``CYCLES`` (32 bits) and ``STATUS`` (16 bits)
5 + n   4         CRC-32 of all before it
======  ========  =================================================================================

Words follow each other without bits in between, the first one lowest, and so do registers: a
message is one number on the line. A register of a window has the bits that belong to a word, other
registers have 32; the bits of the last byte that are left are 0. Reading and writing begins with
the first register of a word.

Words are written as they come, and what is asked for is done when the frame has come intact. A
command other than ``CLEAR`` waits for the end of an earlier one. Where words or a command come
while the core does an operation, they are dropped, and the reply has ``ERROR_BUSY``. A request
equal to the one that is at work is a repetition, and gets no reply of its own; any other frame, a
damaged one too, takes the place of the one before it. The same operation always has the same
result, so that a host that misses a reply asks again.

A core with keys keeps its key from one operation to the next, until another one or ``CLEAR``. A
core without keys is cleared after each result.

Whoever can open the port can use the key that a board has: the protocol knows no users. So a host
sends ``CLEAR`` when it has finished, also after an error; :class:`boards.host.Client` does when it
is closed.
"""

from __future__ import annotations

import dataclasses
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Self

from montgomery.bus.registers import BITS, Command, Status
from montgomery.core import ceil_div

__all__ = ["COMPLAINT", "ESCAPE", "FLAG", "FLIP", "STATUS_BITS", "VERSION", "Decoder", "Reply",
           "Request", "framed", "packed", "unpacked"]

VERSION = 3
FLAG, ESCAPE, FLIP = 0x7E, 0x7D, 0x20
#: The tag of replies to what was damaged.
COMPLAINT = 0
#: Of STATUS in replies.
STATUS_BITS = 16
_TRAILER_BYTES = 4
_NO_COMMAND, _NO_BITS = Command(0), Status(0)

_REQUEST, _REPLY = struct.Struct("<BIHHHBH"), struct.Struct("<BI")
_ESCAPED = re.compile(bytes([ESCAPE]) + b"(.)", re.DOTALL)


def packed(words: Sequence[int], width: int) -> bytes:
    """Return words of ``width`` bits as they are on the line."""
    number = sum(word << width * index for index, word in enumerate(words))
    return number.to_bytes(ceil_div(width * len(words), 8), "little")


def unpacked(number: int, width: int, count: int) -> list[int]:
    """Return the words of ``width`` bits that are in a number."""
    return [number >> width * index & (1 << width) - 1 for index in range(count)]


def framed(content: bytes) -> bytes:
    """Return the bytes for the line of what a frame holds, with a flag before and after them."""
    body, flag = content + zlib.crc32(content).to_bytes(_TRAILER_BYTES, "little"), bytes([FLAG])
    for byte in (ESCAPE, FLAG):
        body = body.replace(bytes([byte]), bytes([ESCAPE, byte ^ FLIP]))
    return flag + body + flag


@dataclasses.dataclass(frozen=True, kw_only=True)
class Request:
    """A request.

    Attributes
    ----------
    tag : int
        A number of 32 bits, not 0.
    read, count, words, command, write : int
        What to read, and what to write where.
    data : bytes
        The words to write, :func:`packed`.
    """

    tag: int
    read: int = 0
    count: int = 0
    words: int = 0
    command: Command = _NO_COMMAND
    write: int = 0
    data: bytes = b""

    def encode(self) -> bytes:
        """Return the bytes for the line."""
        return framed(_REQUEST.pack(VERSION, self.tag, self.read, self.count, self.words,
                                    self.command, self.write) + self.data)

    @classmethod
    def decode(cls, content: bytes) -> Self:
        """Return the request that a frame holds."""
        _, tag, read, count, words, command, write = _REQUEST.unpack_from(content)
        return cls(tag=tag, read=read, count=count, words=words, command=Command(command),
                   write=write, data=content[_REQUEST.size:])


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reply:
    """A reply.

    Attributes
    ----------
    number : int
        The registers, each above the one before.
    """

    tag: int
    number: int = 0
    cycles: int = 0
    status: Status = _NO_BITS

    def encode(self, bits: int) -> bytes:
        """Return the bytes for the line, with registers of so many bits."""
        number = self.number | (self.cycles | self.status << BITS) << bits
        return framed(_REPLY.pack(VERSION, self.tag)
                      + number.to_bytes(ceil_div(bits + BITS + STATUS_BITS, 8), "little"))

    @classmethod
    def decode(cls, content: bytes, bits: int) -> Self:
        """Return the reply that a frame holds, with registers of so many bits.

        :exc:`ValueError` says that there are more or fewer.
        """
        if len(content) != _REPLY.size + ceil_div(bits + BITS + STATUS_BITS, 8):
            raise ValueError(f"A reply with {bits} bits of registers must not have "
                             f"{len(content)} bytes; program the board anew")
        number = int.from_bytes(content[_REPLY.size:], "little")
        cycles, status = unpacked(number >> bits, BITS, 2)
        return cls(tag=cls.tag_of(content), number=number & (1 << bits) - 1, cycles=cycles,
                   status=Status(status))

    @staticmethod
    def tag_of(content: bytes) -> int:
        """Return the tag of the reply that a frame holds; 0 if it is none."""
        return int.from_bytes(content[1:_REPLY.size], "little")


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

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what the frames hold that end in ``data``: a byte or more, without the CRC-32."""
        *bodies, self._rest = (self._rest + data).split(bytes([FLAG]))
        for body in filter(None, bodies):
            body = _ESCAPED.sub(lambda pair: bytes([pair[1][0] ^ FLIP]), body)
            content, checksum = body[:-_TRAILER_BYTES], body[-_TRAILER_BYTES:]
            if content and zlib.crc32(content) == int.from_bytes(checksum, "little"):
                yield content
            else:
                self.damaged += 1
