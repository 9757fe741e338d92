"""Hardware: what lets a result go when it has been checked."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.one_hot import OneHot

__all__ = ["ResultGate"]


class ResultGate(wiring.Component):
    """Keeps a result until it is known whether its power is the message; gives ones if it is not.

    Of each operation the message comes first, then the result, and then the result raised to the
    public exponent. Messages and results are in the two halves of one block RAM. Whatever goes
    wrong, only words of the half with the result leave, and only if all words were equal.

    Latency: :attr:`READ` + 1 clocks, from the last word of the power to the first word of the
    result. Throughput: one operation at a time; a word per clock.

    Parameters
    ----------
    width, words : :class:`int`
        Bits of a word; words of a message, 2 or more.

    Attributes
    ----------
    READ : :class:`int`
        Clocks from the place of a word to the word.

    Members
    -------
    message : :py:`In(stream.Signature(width))`
        The words of the message, which are taken at once.
    i : :py:`In(stream.Signature(width))`
        The words of the result, and then those of its power.
    copy : :py:`Out(stream.Signature(width))`
        The words of the result, which do not wait.
    gives : :py:`Out(1)`
        Words of the result are left.
    o : :py:`Out(stream.Signature(width))`
        The result, or ones.
    """

    READ = 1 + BlockRam.LATENCY

    def __init__(self, width, words):
        self.width, self.words = width, words
        word = stream.Signature(width)
        super().__init__({"message": In(word), "i": In(word), "copy": Out(word), "gives": Out(1),
                          "o": Out(word)})

    def elaborate(self, platform):
        m = Module()
        last, bits = self.words - 1, (self.words - 1).bit_length()
        m.submodules.memory = memory = BlockRam(self.width, 2 << bits)
        now = OneHot("keep", "compare", "give")
        placed, place = (Signal(bits, name=name) for name in ("placed", "place"))
        address = Signal(bits + 1, name="address", reset_less=True)
        kept, step, moves, ends, equal = (Signal(name=name) for name in (
            "kept", "step", "moves", "ends", "equal"))
        # Words of a number are left to be read; those on their way; and the last one of these.
        reads = Signal(name="reads")
        there, lasts = (Signal(self.READ, name=name) for name in ("there", "lasts"))
        m.d.comb += [
            self.message.ready.eq(1), kept.eq(now["keep"] & self.i.valid),
            self.copy.valid.eq(kept), self.copy.payload.eq(self.i.payload),
            self.i.ready.eq(now["keep"] | (now["compare"] & there[-1])),
            self.o.valid.eq(now["give"] & there[-1]), self.gives.eq(now["give"]),
            moves.eq(there[-1] & Mux(now["give"], self.o.ready, self.i.valid)),
            step.eq(moves | ~there[-1]),
            ends.eq(Mux(now["keep"], kept & (place == last), moves & lasts[-1])),
            memory.b.enable.eq(step), memory.b.address.eq(address),
        ]
        now.follow(m, [("keep", "compare", ends), ("compare", "give", ends),
                       ("give", "keep", ends)])
        with m.If(ends):
            m.d.sync += [place.eq(0), there.eq(0), reads.eq(~now["give"])]
        with m.Elif(kept):
            m.d.sync += place.eq(place + 1)
        with m.Elif(step):
            m.d.sync += [there.eq(Cat(reads, there)), lasts.eq(Cat(place == last, lasts))]
            with m.If(reads):
                m.d.sync += [place.eq(place + 1), reads.eq(place != last)]
        with m.If(self.message.valid):
            m.d.sync += placed.eq(Mux(placed == last, 0, placed + 1))
        with m.If(kept):
            m.d.sync += equal.eq(1)
        with m.Elif(now["compare"] & moves & (memory.b.q != self.i.payload)):
            m.d.sync += equal.eq(0)
        # The upper half has the result.
        of_result = Signal(BlockRam.LATENCY, name="of_result")
        with m.If(step):
            m.d.sync += [address.eq(Cat(place, now["give"])),
                         of_result.eq(Cat(address[-1], of_result))]
        m.d.sync += [
            memory.a.write.eq(self.message.valid | kept),
            memory.a.address.eq(Mux(kept, Cat(place, 1), placed)),
            memory.a.data.eq(Mux(kept, self.i.payload, self.message.payload)),
        ]
        m.d.comb += self.o.payload.eq(
            memory.b.q | (~(equal & of_result[-1])).replicate(self.width))
        return m
