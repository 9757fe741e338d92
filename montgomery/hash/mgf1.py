"""MGF1, the mask generation function of RSAES-OAEP and RSASSA-PSS, with SHA-1."""

import dataclasses

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory

from ..blocks.values import signals
from ..core import About, Cycles, Field, Signature, Traits, ceil_div, plural
from ..kinds.hash import OCTET, Hash
from .sha1 import BLOCK, DIGEST, MessageByte, Sha1, sha1

__all__ = ["Mgf1", "Parameters"]


def _length_words(longest):
    """Return the number of octets in which the length of a mask comes."""
    return ceil_div(longest.bit_length(), 8)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Hash):
    """Parameters of :class:`Mgf1`.

    ``width`` gives the longest seed, which is the message, and the longest mask: that of an RSA key
    is enough for its encodings, from 160 bits on.
    """

    _about = About(
        source="RFC 2437 (PKCS #1 v2.0), 10.2.1; RFC 8017, B.2.1",
        summary="MGF1 with SHA-1, a mask of any length from a seed of any length",
        formula="MGF1 of message", quick_width=512)

    @property
    def result_words(self):
        """Octets of the longest mask."""
        return self.most_octets

    @property
    def _traits(self):
        return Traits(
            initiation=self.cycles.interval,
            advice=f"The time depends on lengths alone. Zeros follow the mask, up to "
                   f"{plural(self.most_octets, 'octet')} in all.")

    @property
    def operands(self):
        message = super().operands
        length = Field("length", _length_words(self.most_octets),
                       "mask_octets, the lowest octet first", "mask_octets", OCTET,
                       filler=self.most_octets)
        return dataclasses.replace(message, fields=(length, *message.fields))

    def compute(self, message, octets, mask_octets):
        """Return the mask, and zeros up to the length of the longest one, by the steps of B.2.1."""
        self._check_operands(message, octets, mask_octets)
        digests = (sha1(message.to_bytes(octets, "big") + counter.to_bytes(Mgf1.COUNTER, "big"))
                   for counter in range(ceil_div(mask_octets, DIGEST)))
        mask = b"".join(digests)[:mask_octets]
        return int.from_bytes(mask.ljust(self.result_words, b"\0"), "big")

    def _cycles_of(self, message, octets, mask_octets):
        length_words, hashed = _length_words(self.most_octets), octets + Mgf1.COUNTER
        load = length_words + octets + octets // BLOCK * Sha1.COMPRESSION + 1
        # The end of a seed takes a clock more, the first time.
        first = length_words + Sha1.clocks(hashed) + 1
        more = max(ceil_div(mask_octets, DIGEST), 1) - 1
        again = more * (DIGEST + Sha1.clocks(hashed))
        rest = self.result_words - more * DIGEST
        return Cycles(load=load, compute=first - load + 1, unload=again + rest,
                      interval=first + again + max(rest, DIGEST))

    def create(self):
        return Mgf1(self.most_octets)


class Mgf1(wiring.Component):
    """Makes a mask of any length from each seed: SHA-1 of the seed and 0, 1, 2 and so on.

    A seed is hashed while it comes, and again from a memory for each further 20 octets of the mask.

    Latency and throughput are those of SHA-1: 146 clocks a block, and for each 20 octets of the
    mask 21 more, for the end of the counter and the digest. A seed that comes takes a clock for its
    end, and one for each octet of the length.

    Parameters
    ----------
    longest : :class:`int`
        Octets of the longest seed and of the longest mask: 1 or more.

    Members
    -------
    i : :py:`In(stream.Signature(9))`
        The length of the mask in octets, lowest octet first; octets of the seed; and an end: a
        :class:`~.sha1.MessageByte`.
    o : :py:`Out(stream.Signature(8))`
        The octets of the mask, and zeros up to ``longest`` octets.
    """

    #: Octets of the counter behind a seed.
    COUNTER = 4

    def __init__(self, longest):
        self._longest = longest
        super().__init__(Signature(8, i_width=MessageByte.as_shape().size))

    def elaborate(self, platform):
        m = Module()
        longest, length_words = self._longest, _length_words(self._longest)
        m.submodules.sha1 = sha1 = Sha1(longest + self.COUNTER)
        m.submodules.seed = memory = Memory(shape=8, depth=longest, init=[])
        write, read = memory.write_port(), memory.read_port()
        offered, sent = MessageByte(self.i.payload), MessageByte(sha1.i.payload)

        seed_length = Signal(range(longest + 1))
        mask_left = Signal(8 * length_words)  # octets that are not zeros
        words_left = Signal(range(longest + 1), init=longest)
        counter = Signal(range(max(ceil_div(longest, DIGEST), 2)))
        octets = Signal(8 * self.COUNTER)
        place = Signal(range(self.COUNTER))
        in_digest = Signal(range(DIGEST))
        # An octet of the seed is read before it is wanted.
        index = Signal(range(longest + 1))
        fetched, fetches, wanted, moves = signals("fetched fetches wanted moves")
        m.d.comb += [
            moves.eq(sha1.i.valid & sha1.i.ready), octets.eq(counter),
            write.addr.eq(seed_length), write.data.eq(offered.data),
            read.addr.eq(index), read.en.eq(fetches),
            fetches.eq((~fetched | wanted) & (index != seed_length))]
        with m.If(fetches):
            m.d.sync += [index.eq(index + 1), fetched.eq(1)]
        with m.Elif(wanted):
            m.d.sync += fetched.eq(0)

        with m.FSM(name="state"):
            with m.State("LENGTH"):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += [seed_length.eq(0), counter.eq(0), words_left.eq(longest)]
                with m.If(self.i.valid):
                    m.d.sync += [mask_left.eq(Cat(mask_left, offered.data)[8:]),
                                 place.eq(place + 1)]
                    with m.If(place == length_words - 1):
                        m.d.sync += place.eq(0)
                        m.next = "SEED"
            with m.State("SEED"):
                m.d.comb += [self.i.ready.eq(sha1.i.ready), sent.data.eq(offered.data),
                             sha1.i.valid.eq(self.i.valid & ~offered.end), write.en.eq(moves)]
                with m.If(moves):
                    m.d.sync += seed_length.eq(seed_length + 1)
                with m.If(self.i.valid & self.i.ready & offered.end):
                    m.next = "COUNTER"
            with m.State("COUNTER"):
                # The highest octet first: ~place is 3 - place.
                m.d.comb += [sha1.i.valid.eq(1), sent.data.eq(octets.word_select(~place, 8))]
                with m.If(moves):
                    m.d.sync += place.eq(place + 1)
                    with m.If(place == self.COUNTER - 1):
                        m.next = "END"
            with m.State("END"):
                m.d.comb += [sha1.i.valid.eq(1), sent.end.eq(1)]
                m.d.sync += [index.eq(0), fetched.eq(0)]
                with m.If(moves):
                    m.next = "DIGEST"
            with m.State("DIGEST"):
                # A digest goes by; where all words have been given, the rest of it is dropped.
                wants = words_left != 0
                is_last = (mask_left <= 1) | (words_left <= 1)
                m.d.comb += [self.o.valid.eq(sha1.o.valid & wants),
                             self.o.payload.eq(Mux(mask_left != 0, sha1.o.payload, 0)),
                             sha1.o.ready.eq(self.o.ready | ~wants)]
                with m.If(sha1.o.valid & sha1.o.ready):
                    m.d.sync += in_digest.eq(in_digest + 1)
                    with m.If(wants):
                        m.d.sync += words_left.eq(words_left - 1)
                    with m.If(mask_left != 0):
                        m.d.sync += mask_left.eq(mask_left - 1)
                    with m.If(in_digest == DIGEST - 1):
                        m.d.sync += in_digest.eq(0)
                        with m.If(~is_last):
                            m.d.sync += counter.eq(counter + 1)
                            m.next = "COUNTER"
                            with m.If(seed_length != 0):
                                m.next = "AGAIN"
                        with m.Elif(words_left > 1):
                            m.next = "ZEROS"
                        with m.Else():
                            m.next = "LENGTH"
            with m.State("AGAIN"):
                m.d.comb += [sha1.i.valid.eq(fetched), sent.data.eq(read.data), wanted.eq(moves)]
                with m.If(moves & (index == seed_length)):
                    m.next = "COUNTER"
            with m.State("ZEROS"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.d.sync += words_left.eq(words_left - 1)
                    with m.If(words_left == 1):
                        m.next = "LENGTH"
        return m
