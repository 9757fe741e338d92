"""SHA-1, of FIPS 180-4, for MGF1 and the encodings of messages for RSA that name it."""

import dataclasses
import itertools
import struct

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.values import signals
from ..core import About, Cycles, Signature, Traits
from ..kinds.hash import Hash

__all__ = ["BLOCK", "CONSTANTS", "DIGEST", "INITIAL", "LENGTH", "MARK", "ROUNDS", "MessageByte",
           "Padding", "Parameters", "Sha1", "blocks", "sha1"]

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

    Latency: none. Throughput: an octet a clock, but for the clock that takes the end. Only the
    length of a message of more than ``longest`` octets is wrong.
    """

    def __init__(self, longest):
        self.longest = longest
        super().__init__({
            "i": In(stream.Signature(MessageByte)),  # octets, and after each message an end
            "o": Out(stream.Signature(8)),  # octets of blocks
            "last": Out(1),  # this is the last octet of the last block
        })

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


_QUARTER = ROUNDS // len(CONSTANTS)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Hash):
    """Parameters of :class:`Sha1`.

    ``width`` gives the number of bits of the counter of octets, and nothing else.
    """

    _about = About(
        source="FIPS 180-4, 6.1.2",
        summary="SHA-1 with a round a clock",
        formula="SHA-1 of message", quick_width=512)
    result_words = DIGEST

    def compute(self, message, octets):
        """Return the digest, by the steps of FIPS 180-4."""
        self._check_operands(message, octets)
        return int.from_bytes(sha1(message.to_bytes(octets, "big")), "big")

    @property
    def _traits(self):
        return Traits(
            initiation=self.cycles.interval,
            advice="The time depends on the length alone. SHA-1 has collisions that were found: it "
                   "is not for new signatures, only for what names it, such as MGF1 and OAEP.")

    def _cycles_of(self, message, octets):
        total = Sha1.clocks(octets)
        # Blocks that are full already have been compressed, or are about to be.
        load = octets + octets // BLOCK * Sha1.COMPRESSION + 1
        return Cycles(load=load, compute=total - load + 1, unload=DIGEST, interval=total + DIGEST)

    def create(self):
        return Sha1(self.most_octets)


class Sha1(wiring.Component):
    """SHA-1 of one message of octets after another, with a round a clock.

    Nothing is taken while a block of 64 octets is compressed, in 82 clocks, nor while a digest goes
    out.

    Latency: 83 clocks from the last octet of the last block, padding included, to the first octet
    of the digest. Throughput: a block in 146 clocks, and for each message 21 more, for its end and
    its digest.

    Parameters
    ----------
    longest : :class:`int`
        Octets of the longest message. The digest of a longer one is wrong, and only that.

    Members
    -------
    i : :py:`In(stream.Signature(9))`
        Octets of messages, and after each message an end: a :class:`~.sha1.MessageByte`.
    o : :py:`Out(stream.Signature(8))`
        The octets of the digest, 20 for each message, the first one first.
    """

    #: Clocks from the last octet of a block to the first one of the next, less one.
    COMPRESSION = ROUNDS + 2

    def __init__(self, longest):
        self._longest = longest
        super().__init__(Signature(8, i_width=MessageByte.as_shape().size))

    @classmethod
    def clocks(cls, octets):
        """Return the clocks from the first word of a message to the first octet of its digest."""
        return blocks(octets) * (BLOCK + cls.COMPRESSION) + 1  # that of the end

    def elaborate(self, platform):
        m = Module()
        m.submodules.padding = padding = Padding(self._longest)
        m.d.comb += [padding.i.payload.eq(MessageByte(self.i.payload)),
                     padding.i.valid.eq(self.i.valid), self.i.ready.eq(padding.i.ready)]

        # -- The last sixteen words of the schedule; words[0] is that of the next round.
        words = [Signal(32, name=f"word_{index}", reset_less=True) for index in range(16)]
        fills = Signal(init=1)
        begins, runs, adds, last_block, sends = signals("begins runs adds last_block sends")
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
        a, b, c, d, e, sum_e = signals("a b c d e sum_e", 32, reset_less=True)
        # Of twenty rounds each; ``next_quarter`` is that of the next round.
        left = Signal(range(_QUARTER))
        quarter, next_quarter = signals("quarter next_quarter", range(len(CONSTANTS)))
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
