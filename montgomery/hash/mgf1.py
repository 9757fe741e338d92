"""MGF1, the mask generation function of PKCS #1 v2.0 (RFC 2437), 10.2.1, with SHA-1."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.memory_ports import read_port, write_port
from .sha1 import MessageByte, Sha1

__all__ = ["Mgf1"]

_COUNTER = 4  # bytes


class Mgf1(wiring.Component):
    """Makes a mask of any length from each seed: SHA-1 of the seed and 0, 1, 2 and so on.

    A seed is hashed while it comes, kept, and hashed again for each 20 bytes of the mask.

    Parameters
    ----------
    seed_bytes : :class:`int`
        Bytes of the longest seed, 2 or more; what is longer is not a seed that it can take.
    mask_bytes : :class:`int`
        Bytes of the longest mask, at most 20 * 2**32.

    Members
    -------
    i : :py:`In(stream.Signature(MessageByte))`
        Bytes of seeds, and after each seed an ``end``.
    length : :py:`In(range(mask_bytes + 1))`
        Bytes of the mask, in the clock in which the ``end`` of its seed is taken. If 0, none comes.
    o : :py:`Out(stream.Signature(8))`
        The bytes of the mask.
    """

    def __init__(self, seed_bytes, mask_bytes):
        self.seed_bytes, self.mask_bytes = seed_bytes, mask_bytes
        super().__init__({"i": In(stream.Signature(MessageByte)), "length": In(
            range(mask_bytes + 1)), "o": Out(stream.Signature(8))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.sha1 = sha1 = Sha1()
        m.submodules.memory = memory = Memory(shape=8, depth=self.seed_bytes, init=[])
        write, read = write_port(memory, "$signature"), read_port(memory, "read")

        # -- What is sent to the hash: the seed, the counter, an end.
        seed_length = Signal(range(self.seed_bytes + 1), name="$signal")
        index = Signal(range(self.seed_bytes + 1), name="index")
        first, again, counts, ends = (
            Signal(name="first", init=1), Signal(name="again"), Signal(name="counts"),
            Signal(name="ends"))
        counter, place = Signal(8 * _COUNTER, name="$signal"), Signal(range(_COUNTER), name="place")
        left = Signal(range(self.mask_bytes + 1), name="left")  # bytes of the mask
        ready = Signal(name="$signal")  # a byte of the seed has been read
        moves = Signal(name="moves")  # one is handed over
        m.d.comb += [
            sha1.i.valid.eq(Mux(first, self.i.valid & ~self.i.payload.end,
                                (again & ready) | counts | ends)),
            sha1.i.payload.end.eq(ends),
            sha1.i.payload.data.eq(Mux(first, self.i.payload.data,
                                       Mux(again, read.data, counter[-8:]))),
            self.i.ready.eq(first & (self.i.payload.end | sha1.i.ready)),
            moves.eq(sha1.i.valid & sha1.i.ready),
            write.addr.eq(seed_length), write.data.eq(self.i.payload.data),
            write.en.eq(first & moves),
            read.addr.eq(index),
        ]
        with m.If(first):
            with m.If(moves):
                m.d.sync += seed_length.eq(seed_length + 1)
            with m.If(self.i.valid & self.i.payload.end):
                m.d.sync += [first.eq(0), counts.eq(1), left.eq(self.length)]
        with m.If(again):
            m.d.sync += ready.eq(~moves & (index != seed_length))
            with m.If(moves):
                m.d.sync += index.eq(index + 1)
            with m.If(index == seed_length):
                m.d.sync += [again.eq(0), counts.eq(1)]
        with m.If(counts & moves):
            # All bytes have passed once after four.
            m.d.sync += [counter.eq(counter.rotate_left(8)), place.eq(place + 1)]
            with m.If(place == _COUNTER - 1):
                m.d.sync += [counts.eq(0), ends.eq(1)]
        with m.If(ends & moves):
            m.d.sync += ends.eq(0)

        # -- What comes back: the mask, and what is beyond its length.
        in_digest, more = Signal(range(Sha1.DIGEST_BYTES), name="$signal"), Signal(name="more")
        m.d.comb += [more.eq(left != 0), self.o.valid.eq(sha1.o.valid & more),
                     self.o.payload.eq(sha1.o.payload), sha1.o.ready.eq(self.o.ready | ~more)]
        with m.If(sha1.o.valid & sha1.o.ready):
            with m.If(more):
                m.d.sync += left.eq(left - 1)
            m.d.sync += in_digest.eq(in_digest + 1)
            with m.If(in_digest == Sha1.DIGEST_BYTES - 1):
                m.d.sync += [in_digest.eq(0), index.eq(0), ready.eq(0)]
                with m.If(left <= 1):
                    m.d.sync += [first.eq(1), seed_length.eq(0), counter.eq(0)]
                with m.Else():
                    m.d.sync += [again.eq(1), counter.eq(counter + 1)]
        return m
