"""The hardware of SHA-1: padding, schedule and rounds."""

import itertools

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from ..core import Signature
from .algorithm import BLOCK, CONSTANTS, DIGEST, INITIAL, ROUNDS, blocks
from .padding import MessageByte, Padding

__all__ = ["Sha1"]

_QUARTER = ROUNDS // len(CONSTANTS)


class Sha1(wiring.Component):
    """SHA-1 of one message of octets after another, with a round a clock.

    A block of 64 octets is taken in 64 clocks, with the padding where a message ends, and
    compressed in 82; nothing is taken meanwhile, nor while a digest goes out.

    Latency: 83 clocks from the last octet of the last block, padding included, to the first octet
    of the digest. Throughput: a block in 146 clocks, and for each message 21 more, for its end and
    its digest.

    Parameters
    ----------
    longest : :class:`int`
        Octets of the longest message. The digest of a longer one is wrong, and only that.

    Attributes
    ----------
    COMPRESSION : :class:`int`
        Clocks from the last octet of a block to the first one of the next, less one.

    Members
    -------
    i : :py:`In(stream.Signature(9))`
        Octets of messages, and after each message an end; a
        :class:`~montgomery.hash.padding.MessageByte`.
    o : :py:`Out(stream.Signature(8))`
        The octets of the digest, 20 for each message, the first one first.
    """

    COMPRESSION = ROUNDS + 2

    def __init__(self, longest):
        self._longest = longest
        super().__init__(Signature(8, i_width=MessageByte.as_shape().size))

    @classmethod
    def clocks(cls, octets, *, ends=True):
        """Return the clocks from the first word of a message to the first octet of its digest.

        Parameters
        ----------
        ends : :class:`bool`
            Count the clock that takes the end.
        """
        return blocks(octets) * (BLOCK + cls.COMPRESSION) + ends

    def elaborate(self, platform):
        m = Module()
        m.submodules.padding = padding = Padding(self._longest)
        m.d.comb += [padding.i.payload.eq(MessageByte(self.i.payload)),
                     padding.i.valid.eq(self.i.valid), self.i.ready.eq(padding.i.ready)]

        # -- The last sixteen words of the schedule; words[0] is that of the next round.
        words = [Signal(32, name=f"word_{index}", reset_less=True) for index in range(16)]
        fills = Signal(init=1)
        begins = Signal()
        runs = Signal()
        adds = Signal()
        sends = Signal()
        last_block = Signal()
        before = Signal(24, reset_less=True)  # the octets before, of a word
        filled = Signal(BLOCK, init=1)  # one-hot: octets so far
        m.d.comb += padding.o.ready.eq(fills)
        takes = fills & padding.o.valid
        word_complete = Cat(filled[3::4]).any()
        incoming = Cat(padding.o.payload, before)
        mixed = words[13] ^ words[8] ^ words[2] ^ words[0]
        with m.If(takes):
            m.d.sync += [before.eq(incoming), filled.eq(filled.rotate_left(1))]
        with m.If(begins | runs | (takes & word_complete)):
            m.d.sync += [
                *(word.eq(after) for word, after in itertools.pairwise(words)),
                words[-1].eq(Mux(fills, incoming, mixed.rotate_left(1))),
            ]

        # -- The rounds. Here ``sum_e`` is e + K + W of the round, which is known a clock before.
        digest = [Signal(32, name=f"digest_{index}", init=value)
                  for index, value in enumerate(INITIAL)]
        a, b, c, d = (Signal(32, name=name, reset_less=True) for name in "abcd")
        e = Signal(32, reset_less=True)
        sum_e = Signal(32, reset_less=True)
        # Of twenty rounds each; ``next_quarter`` is that of the next round.
        left = Signal(range(_QUARTER))
        quarter = Signal(range(len(CONSTANTS)))
        next_quarter = Signal(range(len(CONSTANTS)))
        f = Array([(b & c) | (~b & d), b ^ c ^ d, (b & c) | (b & d) | (c & d), b ^ c ^ d])[quarter]
        constant = Array([Const(value, 32) for value in CONSTANTS])[next_quarter]
        m.d.sync += sum_e.eq(Mux(begins, digest[4], d) + words[0] + constant)
        with m.If(begins):
            m.d.sync += [register.eq(value) for register, value in
                         zip((a, b, c, d, e), digest, strict=True)]
            m.d.sync += [left.eq(_QUARTER - 2), quarter.eq(0), next_quarter.eq(0)]
        with m.Elif(runs):
            m.d.sync += [a.eq(a.rotate_left(5) + f + sum_e), b.eq(a), c.eq(b.rotate_left(30)),
                         d.eq(c), e.eq(d), quarter.eq(next_quarter), left.eq(left - 1)]
            with m.If(left == 0):
                m.d.sync += [left.eq(_QUARTER - 1), next_quarter.eq(next_quarter + 1)]

        # -- What follows what.
        sent = Signal(DIGEST)  # one-hot
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
                             zip(digest, INITIAL, strict=True)]
                m.d.sync += [sends.eq(0), fills.eq(1)]
        return m
