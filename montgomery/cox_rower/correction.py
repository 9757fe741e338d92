"""The ends of Figures 4 and 5: the carries of Equation 9, and the correction to below N."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .look_ahead import LookAhead

__all__ = ["Correction"]


class Correction(wiring.Component):
    """Makes digits of sums, and subtracts the modulus as often as it can.

    The sums of Equation 9 come one by one, lowest first, and with the carry of the one before leave
    a digit each. Then 2N is subtracted, if the number may be that large, and N, and either time the
    difference is kept if there was no borrow. The time depends on the number of digits alone.

    Latency: :meth:`clocks`, to the last digit. Throughput: one number at a time; a sum or a digit
    per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits r of a digit.
    sum_width : :class:`int`
        Bits z of a sum.
    words : :class:`int`
        Digits of the longest number, 2 or more.

    The modulus stays until another one comes, which may be while a result is given.

    Members
    -------
    last : :py:`In(range(words))`
        Digits of N and of the result less one. It must not change before the result has been handed
        over; nor may ``last_sum`` and ``doubles``.
    last_sum : :py:`In(range(words))`
        Sums less one, ``last`` at most. Digits above them are 0.
    doubles : :py:`In(1)`
        The number may be 2N or more, but is below 4N; else it is below 2N.
    modulus : :py:`In(stream.Signature(width))`
        The digits of N, lowest first, which are taken at once. None may come between the first sum
        and the first digit of the result.
    i : :py:`In(stream.Signature(sum_width))`
        The sums.
    o : :py:`Out(stream.Signature(width))`
        The digits of the result, lowest first.
    """

    def __init__(self, width, sum_width, words):
        self.width, self.sum_width, self.words = width, sum_width, words
        super().__init__({
            "last": In(range(words)), "last_sum": In(range(words)), "doubles": In(1),
            "modulus": In(stream.Signature(width)), "i": In(stream.Signature(sum_width)),
            "o": Out(stream.Signature(width)),
        })

    @staticmethod
    def clocks(words, doubles):
        """Return the clocks from the first sum to the last digit of the result, both counted.

        In an environment that never waits.
        """
        return (3 + doubles) * words

    def elaborate(self, platform):
        m = Module()
        r = self.width
        memories = {name: LookAhead(r, self.words) for name in ("modulus", "number", "difference")}
        for name, memory in memories.items():
            m.submodules[name] = memory
        adds, subtracts, gives = (
            Signal(name="adds", init=1), Signal(name="subtracts"), Signal(name="gives"))
        place = Signal(range(self.words))
        ends, moves = Signal(name="ends"), Signal(name="moves")
        # It is known a clock before what follows a place, which may be of the next number: sums are
        # followed by digits, and these by sums in the end.
        following, at_end = Signal.like(place, name="following"), Signal(name="at_end")
        top = Signal.like(place, name="top")
        # No sum has come yet; until then, their number may change.
        fresh = Signal(name="fresh", init=1)
        read_place = Signal.like(place, name="read_place")
        m.d.comb += [
            self.modulus.ready.eq(1), self.i.ready.eq(adds), self.o.valid.eq(gives),
            moves.eq((adds & self.i.valid) | subtracts | (gives & self.o.ready)),
            ends.eq(moves & at_end),
            top.eq(Mux(Mux(at_end, gives, adds), self.last_sum, self.last)),
        ]
        with m.If(moves):
            m.d.sync += [place.eq(following), at_end.eq(following == top), fresh.eq(ends & gives),
                         following.eq(Mux(following == top, 0, following + 1))]
        with m.Elif(fresh):
            m.d.sync += [at_end.eq(self.last_sum == 0), following.eq(self.last_sum != 0)]
        # No word matters while sums come, so that what is read does not wait for them.
        with m.If(subtracts | (gives & self.o.ready)):
            m.d.comb += read_place.eq(following)
        with m.Elif(gives):
            m.d.comb += read_place.eq(place)
        modulus_place = Signal(range(self.words), name="modulus_place")
        with m.If(self.modulus.valid):
            m.d.sync += modulus_place.eq(Mux(modulus_place == self.last, 0, modulus_place + 1))
        # What is above the sums is not in the memory.
        above = Signal(name="above")
        with m.If(moves):
            m.d.sync += above.eq(~ends & (above | (place == self.last_sum)))

        # -- Carries. The one out of the last digit is lost.
        carry = Signal(self.sum_width + 1 - r, name="carry")
        total = Signal(self.sum_width + 1, name="total")
        m.d.comb += total.eq(self.i.payload + carry)
        with m.If(adds & moves):
            m.d.sync += carry.eq(Mux(at_end, 0, total[r:]))

        # -- Correction. The difference is read where the subtraction before has not borrowed.
        doubled, is_difference = Signal(name="doubled"), Signal(name="is_difference")
        number = Signal(r)
        multiple = Signal(r)
        difference = Signal(r + 1, name="difference")
        before = Signal()  # the bit that is shifted into a digit of 2N
        borrow = Signal(name="borrow")
        modulus = memories["modulus"].data
        m.d.comb += [
            number.eq(Mux(is_difference, memories["difference"].data,
                          Mux(above, 0, memories["number"].data))),
            multiple.eq(Mux(doubled, Cat(before, modulus), modulus)),
            # The borrow takes a place of its own below the digits, not an addition.
            difference.eq((Cat(Const(0, 1), number) - Cat(borrow, multiple))[1:]),
            self.o.payload.eq(number),
        ]
        with m.If(subtracts):
            m.d.sync += [before.eq(modulus[-1] & ~at_end), borrow.eq(difference[r] & ~at_end)]
        # 2N may have one bit more than the digits have; then it is above all numbers.
        too_large = doubled & modulus[-1]

        for name, memory in memories.items():
            m.d.comb += [memory.target.eq(modulus_place if name == "modulus" else place),
                         memory.next.eq(read_place)]
        m.d.comb += [
            memories["modulus"].value.eq(self.modulus.payload),
            memories["modulus"].write.eq(self.modulus.valid),
            memories["number"].value.eq(Mux(adds, total[:r], number)),
            memories["number"].write.eq(moves & ~gives),
            memories["difference"].value.eq(difference[:r]),
            memories["difference"].write.eq(subtracts),
        ]

        with m.If(ends):
            m.d.sync += [adds.eq(gives),
                         subtracts.eq(adds | (subtracts & doubled)),
                         gives.eq(subtracts & ~doubled),
                         doubled.eq(adds & self.doubles),
                         is_difference.eq(subtracts & ~difference[r] & ~too_large)]
        return m
