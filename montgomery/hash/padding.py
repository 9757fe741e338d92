"""SHA-1: its numbers, and the padding of messages."""

import struct

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BLOCK", "CONSTANTS", "DIGEST", "INITIAL", "LENGTH", "MARK", "ROUNDS", "MessageByte",
           "Padding", "blocks", "sha1"]

#: Octets of a block, of the length at its end, and of a digest.
BLOCK, LENGTH, DIGEST = 64, 8, 20
#: The octet after a message: a one, and zeros.
MARK = 0x80
ROUNDS = 80
#: H(0) and K of FIPS 180-4, 5.3.1 and 4.2.1; each constant is that of twenty rounds.
INITIAL = (0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
CONSTANTS = (0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6)

_WORD = 0xffffffff


def blocks(octets):
    """Return the number of blocks of a message with its padding."""
    return (octets + 1 + LENGTH + BLOCK - 1) // BLOCK


def sha1(message):
    """Return the digest of a message; both are :class:`bytes`."""
    padded = message + bytes([MARK]) + bytes(-(len(message) + 1 + LENGTH) % BLOCK)
    padded += (8 * len(message)).to_bytes(LENGTH, "big")
    digest = INITIAL
    for start in range(0, len(padded), BLOCK):
        digest = _compressed(digest, struct.unpack(">16I", padded[start:start + BLOCK]))
    return struct.pack(">5I", *digest)


def _compressed(digest, block):
    """Return the digest after one more block, of sixteen words: 6.1.2, steps 1 to 4."""
    words = list(block)
    for index in range(len(block), ROUNDS):
        words.append(_rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14]
                              ^ words[index - 16], 1))
    a, b, c, d, e = digest
    for index, word in enumerate(words):
        quarter = index // 20
        f = ((b & c) ^ (~b & d), b ^ c ^ d, (b & c) ^ (b & d) ^ (c & d), b ^ c ^ d)[quarter]
        a, b, c, d, e = ((_rotated(a, 5) + f + e + CONSTANTS[quarter] + word) & _WORD, a,
                         _rotated(b, 30), c, d)
    return tuple((old + new) & _WORD for old, new in zip(digest, (a, b, c, d, e), strict=True))


def _rotated(word, count):
    return (word << count | word >> (32 - count)) & _WORD


class MessageByte(data.Struct):
    """An octet of a message; or, with ``end``, what comes after its last octet, if it has one."""

    data: 8
    end: 1


class Padding(wiring.Component):
    """Adds to each message a one, zeros, and its length in bits, up to a multiple of 512 bits.

    Latency: none. Throughput: an octet a clock, but for the clock that takes the end.

    Parameters
    ----------
    longest : :class:`int`
        Octets of the longest message. The length of a longer one is wrong, and only that.

    Members
    -------
    i : :py:`In(stream.Signature(MessageByte))`
        Octets of messages, and after each message an end.
    o : :py:`Out(stream.Signature(8))`
        Octets of blocks.
    last : :py:`Out(1)`
        This is the last octet of the last block.
    """

    def __init__(self, longest):
        self.longest = longest
        super().__init__({"i": In(stream.Signature(MessageByte)), "o": Out(stream.Signature(8)),
                          "last": Out(1)})

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(BLOCK))
        length = Signal(range(self.longest + 1))
        before_length = place == BLOCK - LENGTH - 1
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += place.eq(place + 1)
        with m.FSM(name="state"):
            with m.State("MESSAGE"):
                # The end is taken as octets are, so that it takes a clock of its own everywhere.
                m.d.comb += [self.i.ready.eq(self.o.ready), self.o.payload.eq(self.i.payload.data),
                             self.o.valid.eq(self.i.valid & ~self.i.payload.end)]
                with m.If(self.i.valid & self.i.ready):
                    with m.If(self.i.payload.end):
                        m.next = "MARK"
                    with m.Else():
                        m.d.sync += length.eq(length + 1)
            with m.State("MARK"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(MARK)]
                with m.If(self.o.ready):
                    m.next = "ZEROS"
                    with m.If(before_length):
                        m.next = "LENGTH"
            with m.State("ZEROS"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready & before_length):
                    m.next = "LENGTH"
            with m.State("LENGTH"):
                m.d.comb += [self.o.valid.eq(1), self.last.eq(place == BLOCK - 1)]
                bits = Cat(Const(0, 3), length)
                with m.Switch(place[:3]):
                    for start in range(0, len(bits), 8):
                        with m.Case(LENGTH - 1 - start // 8):
                            m.d.comb += self.o.payload.eq(bits[start:start + 8])
                with m.If(self.o.ready & self.last):
                    m.d.sync += length.eq(0)
                    m.next = "MESSAGE"
        return m
