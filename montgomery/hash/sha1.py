"""SHA-1, of FIPS 180-4."""

import itertools

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .padding import Padding

__all__ = ["MessageByte", "Sha1"]

_INITIAL = (0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
_CONSTANTS = (0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6)
_ROUNDS = 80


class MessageByte(data.Struct):
    """A byte of a message, or what comes after the last one.

    Members
    -------
    data : unsigned(8)
    end : unsigned(1)
        The message has ended with the byte before, if there was one; ``data`` is no part of it.
    """

    data: 8
    end: 1


class Sha1(wiring.Component):
    """SHA-1 of one message of bytes after another, with a round a clock.

    A block of 64 bytes is taken in 64 clocks, with the padding where a message ends, and compressed
    in :attr:`COMPRESSION` clocks.

    SHA-1 has collisions that were found, so it is not for new signatures; as a part of MGF1 and of
    the encodings that name it, it has remained.

    Attributes
    ----------
    BLOCK : :class:`int`
        Clocks of a block, in an environment that never waits.
    DIGEST_BYTES : :class:`int`

    Members
    -------
    i : :py:`In(stream.Signature(MessageByte))`
        Bytes of messages of less than 2**61 bytes, and after each message an ``end``.
    o : :py:`Out(stream.Signature(8))`
        The bytes of the digest, 20 for each message.
    """

    COMPRESSION = _ROUNDS + 2
    BLOCK = 64 + COMPRESSION
    DIGEST_BYTES = 20

    i: In(stream.Signature(MessageByte))
    o: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.padding = padding = Padding()
        wiring.connect(m, wiring.flipped(self.i), padding.i)

        # -- The last sixteen words of the schedule; words[0] is that of the next round.
        words = [Signal(32, name=f"word_{index}", reset_less=True) for index in range(16)]
        fills, begins, runs, adds, sends = (
            Signal(name="fills", init=1), Signal(name="begins"), Signal(name="runs"),
            Signal(name="adds"), Signal(name="sends"))
        last_block = Signal(name="last_block")
        byte = Signal(24, name="$signal", reset_less=True)
        filled = Signal(64, name="filled", init=1)  # one-hot: bytes so far
        m.d.comb += padding.o.ready.eq(fills)
        takes = fills & padding.o.valid
        word_complete = Cat(filled[3::4]).any()
        mixed = words[13] ^ words[8] ^ words[2] ^ words[0]
        with m.If(takes):
            m.d.sync += [byte.eq(Cat(padding.o.payload, byte)), filled.eq(filled.rotate_left(1))]
        with m.If(begins | runs | (takes & word_complete)):
            m.d.sync += [
                *(word.eq(after) for word, after in itertools.pairwise(words)),
                words[-1].eq(Mux(fills, Cat(padding.o.payload, byte), mixed.rotate_left(1))),
            ]

        # -- The rounds. Here ``sum_e`` is e + K + W of the round, which is known a clock before.
        digest = [Signal(32, name=f"digest_{index}", init=value)
                  for index, value in enumerate(_INITIAL)]
        a, b, c, d = (Signal(32, name=name, reset_less=True) for name in "abcd")
        e, sum_e = Signal(32, name="e", reset_less=True), Signal(32, name="sum_e", reset_less=True)
        # Of twenty rounds each; ``next_quarter`` is that of the next round.
        left = Signal(range(20), name="$signal")
        quarter = Signal(2, name="$signal")
        next_quarter = Signal(2, name="next_quarter")
        f = Array([(b & c) | (~b & d), b ^ c ^ d, (b & c) | (b & d) | (c & d), b ^ c ^ d])[quarter]
        constant = Array([Const(value, 32) for value in _CONSTANTS])[next_quarter]
        m.d.sync += sum_e.eq(Mux(begins, digest[4], d) + words[0] + constant)
        with m.If(begins):
            m.d.sync += [register.eq(value) for register, value in
                         zip((a, b, c, d, e), digest, strict=True)]
            m.d.sync += [left.eq(18), quarter.eq(0), next_quarter.eq(0)]
        with m.Elif(runs):
            m.d.sync += [a.eq(a.rotate_left(5) + f + sum_e), b.eq(a), c.eq(b.rotate_left(30)),
                         d.eq(c), e.eq(d), quarter.eq(next_quarter), left.eq(left - 1)]
            with m.If(left == 0):
                m.d.sync += [left.eq(19), next_quarter.eq(next_quarter + 1)]

        # -- What follows what.
        sent = Signal(self.DIGEST_BYTES, name="sent")  # one-hot
        runs_last = runs & (quarter == 3) & (next_quarter == 0)
        m.d.sync += [begins.eq(takes & filled[-1]), adds.eq(runs_last)]
        with m.If(takes & filled[-1]):
            m.d.sync += [fills.eq(0), last_block.eq(padding.last)]
        with m.If(begins):
            m.d.sync += runs.eq(1)
        with m.Elif(runs_last):
            m.d.sync += runs.eq(0)
        with m.If(adds):
            m.d.sync += [value.eq(value + register) for register, value in
                         zip((a, b, c, d, e), digest, strict=True)]
            m.d.sync += [fills.eq(~last_block), sends.eq(last_block), sent.eq(1)]
        m.d.comb += [self.o.valid.eq(sends), self.o.payload.eq(digest[0][-8:])]
        with m.If(sends & self.o.ready):
            shifted = Cat(Const(0, 8), *reversed(digest))
            m.d.sync += [Cat(*reversed(digest)).eq(shifted), sent.eq(sent << 1)]
            with m.If(sent[-1]):
                m.d.sync += [value.eq(initial) for value, initial in
                             zip(digest, _INITIAL, strict=True)]
                m.d.sync += [sends.eq(0), fills.eq(1)]
        return m
