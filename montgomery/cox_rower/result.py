"""Hardware: carries of Equation 9, correction to below N, check: the ends of Figures 4 and 5."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.program import OneHot
from ..blocks.values import signals
from .divider import LookAhead

__all__ = ["Correction", "ResultGate"]


class Correction(wiring.Component):
    """Makes digits of sums, and subtracts the modulus as often as it can.

    The sums of Equation 9 come one by one, lowest first, and with the carry of the one before leave
    a digit each. Then 2N is subtracted, if the number may be that large, and N, and either time the
    difference is kept if there was no borrow. The time depends on the number of digits alone.

    Latency: a clock per digit for the sums, each subtraction, and the result. Throughput: one
    number at a time; a sum or a digit per clock.
    """

    def __init__(self, width, sum_width, words, *, doubles):
        # ``doubles``: the number may be 2N or more, but is below 4N; else it is below 2N.
        self.width, self.sum_width, self.words, self.doubles = width, sum_width, words, doubles
        word = stream.Signature(width)
        super().__init__({
            # Number of sums, less one. Digits above them are 0. It must not change before the
            # result has been handed over.
            "last_sum": In(range(words)),
            # The digits of N, lowest first, which are taken at once, and stay until others come.
            # None may come between the first sum and the first digit of the result.
            "modulus": In(word),
            "i": In(stream.Signature(sum_width)),
            "o": Out(word),
        })

    def elaborate(self, platform):
        m = Module()
        r, last = self.width, self.words - 1
        memories = {name: LookAhead(r, max(self.words, 2))
                    for name in ("modulus", "number", "difference")}
        for name, memory in memories.items():
            m.submodules[name] = memory
        now = OneHot("adds", "subtracts_2", "subtracts", "gives")
        subtracts = now["subtracts_2"] | now["subtracts"]
        place = Signal(range(self.words), name="place")
        moves, given, ends = signals("moves given ends")
        # It is known a clock before what follows a place, which may be of the next number: sums are
        # followed by digits, and these by sums in the end.
        following, top = (Signal.like(place, name=name) for name in ("following", "top"))
        at_end = Signal(name="at_end")
        fresh = Signal(name="fresh", init=1)  # no sum has come yet, and their number may change
        m.d.comb += [
            self.modulus.ready.eq(1), self.i.ready.eq(now["adds"]), self.o.valid.eq(now["gives"]),
            given.eq(now["gives"] & self.o.ready),
            moves.eq((now["adds"] & self.i.valid) | subtracts | given), ends.eq(moves & at_end),
            top.eq(Mux(Mux(at_end, now["gives"], now["adds"]), self.last_sum, last)),
        ]
        after_sums = "subtracts_2" if self.doubles else "subtracts"
        now.follow(m, [("adds", after_sums, ends), ("subtracts_2", "subtracts", ends),
                       ("subtracts", "gives", ends), ("gives", "adds", ends)])
        with m.If(moves):
            m.d.sync += [place.eq(following), at_end.eq(following == top),
                         fresh.eq(ends & now["gives"]),
                         following.eq(Mux(following == top, 0, following + 1))]
        with m.Elif(fresh):
            m.d.sync += [at_end.eq(self.last_sum == 0), following.eq(self.last_sum != 0)]

        # -- Carries. The one out of the last digit is lost.
        carry = Signal(self.sum_width + 1 - r, name="carry")
        total = Signal(self.sum_width + 1, name="total")
        m.d.comb += total.eq(self.i.payload + carry)
        with m.If(now["adds"] & moves):
            m.d.sync += carry.eq(Mux(at_end, 0, total[r:]))

        # -- Correction. The difference is read where the subtraction before has not borrowed.
        is_difference = Signal(name="is_difference")
        above = Signal(name="above")  # the place is above the sums, which is not in the memory
        number, multiple = self.o.payload, Signal(r, name="multiple")
        difference, borrow = Signal(r + 1, name="difference"), Signal(name="borrow")
        shifted = Signal(name="shifted")  # the bit that is shifted into a digit of 2N
        modulus = memories["modulus"].data
        m.d.comb += [
            number.eq(Mux(is_difference, memories["difference"].data,
                          Mux(above, 0, memories["number"].data))),
            multiple.eq(Mux(now["subtracts_2"], Cat(shifted, modulus), modulus)),
            # The borrow takes a place of its own below the digits, not an addition.
            difference.eq((Cat(Const(0, 1), number) - Cat(borrow, multiple))[1:]),
        ]
        with m.If(moves):
            m.d.sync += above.eq(~ends & (above | (place == self.last_sum)))
        with m.If(subtracts):
            m.d.sync += [shifted.eq(modulus[-1] & ~at_end), borrow.eq(difference[r] & ~at_end)]
        # 2N may have one bit more than the digits have; then it is above all numbers.
        too_large = now["subtracts_2"] & modulus[-1]
        with m.If(ends):
            m.d.sync += is_difference.eq(subtracts & ~difference[r] & ~too_large)

        # -- The memories. No word matters while sums come, so that reading does not wait for them.
        read_place = Signal.like(place, name="read_place")
        with m.If(subtracts | given):
            m.d.comb += read_place.eq(following)
        with m.Elif(now["gives"]):
            m.d.comb += read_place.eq(place)
        modulus_place = Signal(range(self.words), name="modulus_place")
        with m.If(self.modulus.valid):
            m.d.sync += modulus_place.eq(Mux(modulus_place == last, 0, modulus_place + 1))
        for name, target, value, write in (
                ("modulus", modulus_place, self.modulus.payload, self.modulus.valid),
                ("number", place, Mux(now["adds"], total[:r], number), moves & ~now["gives"]),
                ("difference", place, difference[:r], subtracts)):
            memory = memories[name]
            m.d.comb += [memory.target.eq(target), memory.value.eq(value), memory.write.eq(write),
                         memory.next.eq(read_place)]
        return m


class ResultGate(wiring.Component):
    """Keeps a result until it is known whether its power is the message; gives ones if it is not.

    Of each operation the message comes first, then the result, and then the result raised to the
    public exponent. Messages and results are in the two halves of one block RAM. Whatever goes
    wrong, only words of the half with the result leave, and only if all words were equal.

    Latency: :attr:`READ` + 1 clocks, from the last word of the power to the first word of the
    result. Throughput: one operation at a time; a word per clock.
    """

    READ = 1 + BlockRam.LATENCY  # from the place of a word to the word

    def __init__(self, width, words):
        self.width, self.words = width, words  # of a message, 2 or more
        word = stream.Signature(width)
        super().__init__({
            "message": In(word),  # its words are taken at once
            "i": In(word),  # those of the result, and of its power
            "copy": Out(word),  # those of the result, which do not wait
            "gives": Out(1),  # words of the result are left
            "o": Out(word),  # the result, or ones
        })

    def elaborate(self, platform):
        m = Module()
        last, bits = self.words - 1, (self.words - 1).bit_length()
        m.submodules.memory = memory = BlockRam(self.width, 2 << bits)
        now = OneHot("keep", "compare", "give")
        placed, place = signals("placed place", bits)
        address = Signal(bits + 1, name="address", reset_less=True)
        kept, step, moves, ends, equal = signals("kept step moves ends equal")
        # Words of a number are left to be read; those on their way; and the last one of these.
        reads = Signal(name="reads")
        there, lasts = signals("there lasts", self.READ)
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
        m.d.comb += self.o.payload.eq(memory.b.q | (~(equal & of_result[-1])).replicate(self.width))
        return m
