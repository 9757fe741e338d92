"""The way out: signed digits become the words of a number that is not negative."""

import math

from amaranth.hdl import C, Cat, Module, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer
from ..blocks.skid import Skid
from ..blocks.values import add_with_carry, padded
from .core import RESULT_BITS
from .primes import DIGITS
from .ranges import BASE

__all__ = ["WideResult"]


class WideResult(wiring.Component):
    """Adds the prime to a result, and sends the sum.

    The sign of a digit is what the next one has to pay: so there is one carry, from word to word.
    A result goes through registers of its own, in which it waits while those before are sent.

    Latency: :attr:`LATENCY` clocks from ``push`` to the first word. Throughput: a word per clock.

    Parameters
    ----------
    params : :class:`~.multiplier.Parameters`

    Members
    -------
    push : :py:`In(1)`
        A result is there, in this clock: no more than :attr:`PLACES` of which not all is sent.
    digits : :py:`In(signed(RESULT_BITS)).array(DIGITS)`
    done : :py:`Out(1)`
        The last word of a result leaves its register.
    o : :py:`Out(stream.Signature(word_width))`
    """

    #: Results that there is room for.
    PLACES = 3
    LATENCY = PLACES + Skid.LATENCY

    def __init__(self, params):
        self.params = params
        super().__init__({"push": In(1), "digits": In(signed(RESULT_BITS)).array(DIGITS),
                          "done": Out(1), "o": Out(stream.Signature(params.word_width))})

    def elaborate(self, platform):
        m = Module()
        width, words = self.params.word_width, self.params.result_words
        m.submodules.skid = skid = Skid(width)
        m.submodules.place = place = Pointer(words)
        wiring.connect(m, skid.o, wiring.flipped(self.o))

        # -- Results wait in front of one that is sent.
        sends, takes, moves = (Signal(name=name) for name in ("sends", "takes", "moves"))
        full = [Signal(name=f"full_{index}") for index in range(self.PLACES - 1)]
        held = [Signal(DIGITS * RESULT_BITS, name=f"held_{index}", reset_less=True)
                for index in range(self.PLACES - 1)]
        m.d.comb += [
            takes.eq(full[1] & (~sends | self.done)), moves.eq(full[0] & (~full[1] | takes)),
            place.step.eq(sends & skid.i.ready), self.done.eq(place.step & place.last),
            skid.i.valid.eq(sends)]
        m.d.sync += [full[0].eq(self.push | (full[0] & ~moves)),
                     full[1].eq(moves | (full[1] & ~takes)),
                     sends.eq(takes | (sends & ~self.done))]
        with m.If(self.push):
            m.d.sync += held[0].eq(self._digits(m))
        with m.If(moves):
            m.d.sync += held[1].eq(held[0])

        # -- A number without signs, and below it what is to be subtracted from it.
        digits = [held[1].word_select(index, RESULT_BITS) for index in range(DIGITS)]
        low = Cat(*(digit[:BASE] for digit in digits), ~digits[-1][BASE])
        # There is a sign in one bit of some bits in a row at most, and these begin with it.
        step = math.gcd(width, BASE)
        signs = Cat(digits[bit // BASE - 1][BASE] if bit in range(BASE, DIGITS * BASE, BASE)
                    else C(0, 1) for bit in range(0, words * width, step))
        number = Signal(words * width, reset_less=True)
        minus = Signal(len(signs), reset_less=True)
        carry = Signal(reset_less=True)  # 0 for a borrow
        first = Cat(Cat(bit, C(0, step - 1)) for bit in minus[:width // step])
        total = add_with_carry(number[:width], ~first, carry)
        m.d.comb += skid.i.payload.eq(total[:width])
        with m.If(takes):
            m.d.sync += [number.eq(padded(low, len(number))), minus.eq(signs), carry.eq(0)]
        with m.Elif(skid.i.ready):
            m.d.sync += [number.eq(number[width:]), minus.eq(minus[width // step:]),
                         carry.eq(total[width])]
        return m

    def _digits(self, m):
        """Return the digits, and those of the prime that are not in 2**256 - 1."""
        ones = {place: sign for place, sign in self.params.prime.ones if place < DIGITS}
        digits = [Signal(signed(RESULT_BITS), name=f"digit_{place}") for place in range(DIGITS)]
        m.d.comb += [digit.eq(self.digits[place] + ones.get(place, 0))
                     for place, digit in enumerate(digits)]
        return Cat(digits)
