"""The way out: signed digits become the words of a number that is not negative."""

import math

from amaranth.hdl import C, Cat, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...blocks.banks import Pointer
from ...blocks.values import add_with_carry, padded
from ..datapath.ranges import BASE, RESULT_BITS

__all__ = ["Turns", "WideResult"]


class Turns(wiring.Component):
    """Queue of two words, in two registers in turn, which nothing is in front of.

    A :class:`~montgomery.blocks.streams.Skid` chooses between words in front of a register, and
    this one behind.

    Latency: a word is at ``o`` one clock after it was accepted. Throughput: a word per clock.
    """

    LATENCY = 1

    def __init__(self, width):
        self.width = width
        super().__init__({
            "i": In(stream.Signature(width)), "o": Out(stream.Signature(width)),
            "will_be_ready": Out(1),  # what ``i.ready`` is in the next clock
        })

    def elaborate(self, platform):
        m = Module()
        ready = Signal(init=1)
        valid, enters, leaves, to, at = (Signal(name=name) for name in (
            "valid", "enters", "leaves", "to", "at"))
        words = [Signal(self.width, name=f"word_{index}", reset_less=True) for index in range(2)]
        m.d.comb += [
            self.i.ready.eq(ready), enters.eq(self.i.valid & ready),
            self.o.valid.eq(valid), leaves.eq(valid & self.o.ready),
            self.o.payload.eq(Mux(at, words[1], words[0])),
            self.will_be_ready.eq(~valid | leaves | (ready & ~self.i.valid))]
        m.d.sync += [ready.eq(self.will_be_ready), valid.eq(enters | ~ready | (valid & ~leaves)),
                     to.eq(to ^ enters), at.eq(at ^ leaves)]
        for index, word in enumerate(words):
            # Without a word, what is there does not count.
            with m.If(ready & (to == index)):
                m.d.sync += word.eq(self.i.payload)
        return m


class WideResult(wiring.Component):
    """Adds the prime to a result, and sends the sum.

    The sign of a digit is what the next one has to pay: so there is one carry, from word to word.
    A result goes through registers of its own, in which it waits while those before are sent.

    Latency: :attr:`LATENCY` clocks from ``push`` to the first word. Throughput: a word per clock.
    """

    #: Results that there is room for.
    PLACES = 3
    LATENCY = PLACES + Turns.LATENCY

    def __init__(self, params):
        self.params = params
        digits = params.prime.digits
        super().__init__({
            # A result is there, in this clock: no more than PLACES of which not all is sent.
            "push": In(1),
            "digits": In(signed(RESULT_BITS)).array(digits),
            "done": Out(1),  # a result leaves its registers
            "o": Out(stream.Signature(params.word_width)),
        })

    def elaborate(self, platform):
        m = Module()
        width, words = self.params.word_width, self.params.result_words
        count = self.params.prime.digits
        m.submodules.place = place = Pointer(words)
        m.submodules.turns = turns = Turns(width)
        wiring.connect(m, turns.o, wiring.flipped(self.o))

        # -- Results wait in front of one that is sent, of which a word waits for room.
        full = Signal()  # the first place is
        free = Signal(init=1)  # the second one is
        held = [Signal(count * RESULT_BITS, name=f"held_{index}", reset_less=True)
                for index in range(self.PLACES - 1)]
        waits, waits_next, was_last = (Signal(name=name) for name in (
            "waits", "waits_next", "was_last"))
        # As many registers follow it, it is one too: ~waits | turns.i.ready.
        goes = Signal(init=1)
        m.d.comb += [
            place.step.eq(goes & ~(place.first & free)),
            waits_next.eq(place.step | (waits & ~goes)),
            self.done.eq(waits & goes & was_last), turns.i.valid.eq(waits)]
        m.d.sync += [full.eq(self.push | (full & ~free)),
                     free.eq((place.step & place.first) | (free & ~full)), waits.eq(waits_next),
                     goes.eq(~waits_next | turns.will_be_ready)]
        with m.If(self.push):
            m.d.sync += held[0].eq(self._digits(m))
        with m.If(free):
            m.d.sync += held[1].eq(held[0])

        # -- A number without signs, and below it what is to be subtracted from it.
        digits = [held[1].word_select(index, RESULT_BITS) for index in range(count)]
        low = Cat(*(digit[:BASE] for digit in digits), ~digits[-1][BASE])
        # There is a sign in one bit of some bits in a row at most, and these begin with it.
        step = math.gcd(width, BASE)
        signs = Cat(digits[bit // BASE - 1][BASE] if bit in range(BASE, count * BASE, BASE)
                    else C(0, 1) for bit in range(0, words * width, step))
        number = Signal(words * width, reset_less=True)
        # Both inverted: 0 for what is subtracted, and for a borrow.
        minus = Signal(len(signs), reset_less=True)
        carry = Signal(reset_less=True)
        ones = C((1 << step - 1) - 1, step - 1)
        first = Cat(Cat(bit, ones) for bit in minus[:width // step])
        total = add_with_carry(number[:width], first, carry)
        m.d.comb += turns.i.payload.eq(total[:width])
        # Without a result, what is taken does not count.
        with m.If(goes):
            m.d.sync += [number.eq(Mux(place.first, padded(low, len(number)), number[width:])),
                         minus.eq(Mux(place.first, ~signs, minus[width // step:])),
                         carry.eq(total[width] & ~place.first), was_last.eq(place.last)]
        return m

    def _digits(self, m):
        """Return the digits, and those of the prime that are not in 2**width - 1."""
        prime = self.params.prime
        ones = dict(prime.ones[:-1])
        digits = [Signal(signed(RESULT_BITS), name=f"digit_{place}")
                  for place in range(prime.digits)]
        m.d.comb += [digit.eq(self.digits[place] + ones.get(place, 0))
                     for place, digit in enumerate(digits)]
        return Cat(digits)
