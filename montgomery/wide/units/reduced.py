"""A number in a row of registers: on its way in, or reduced on its way out."""

from amaranth.hdl import Array, C, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...points.microcode import Held
from ..datapath.primes import DIGITS
from ..datapath.ranges import BASE, RESULT_BITS
from .held import shift_row

__all__ = ["ReducedNumber"]

#: What is there of a sum above the bits of the prime, in a digit of the highest place.
_ABOVE = 3


class ReducedNumber(wiring.Component):
    """Holds a number, and sends its residue modulo 2**255 - 19.

    The digits go by four times, the lowest one first, and come back where they leave.

    1. Twice the prime is added, so that the sum is not negative: 2**256 in the end, and -38. What
       is at 2**255 and above goes away, and is q.
    2. 19 q + 19 is added. What is at 2**255 and above goes away, and is r: 1 if the number is not
       below the prime, and else 0.
    3. 19 r - 19 is added.
    4. The words are sent, unless the number was taken to be compared.

    Latency: :attr:`REDUCED` clocks from ``take`` to the first word, :attr:`COMPARED` to
    ``not_zero``, and :attr:`SENT` until all words were taken, if that is at once. Throughput: a
    digit in two clocks.

    Numbers may be taken to be compared if it ``compares``; to be stored, from ``digits`` in the
    next clock, if it ``stores``.
    """

    _PASSES = 4
    REDUCED = (_PASSES - 1) * 2 * DIGITS + 3
    COMPARED = REDUCED - 2
    SENT = REDUCED + 2 * DIGITS

    def __init__(self, prime, *, compares=False, stores=False):
        self.prime, self.compares, self.stores = prime, compares, stores
        super().__init__({
            # In the next clock there is a word of a number that comes in, the lowest one first.
            "pushes": In(1), "word": In(BASE),
            # Take a number to send or to compare, while there is no other.
            "take": In(Held), "number": In(signed(RESULT_BITS)).array(DIGITS),
            "loads": In(1).array(DIGITS),  # for each digit: whether a number is taken
            # The number that came in, without bit 255 unless numbers are stored.
            "digits": Out(signed(RESULT_BITS)).array(DIGITS),
            "idle": Out(1),  # all of the number was sent
            "zero": Out(1),  # in one clock: the number that will be sent is 0
            # In one clock: the number that was compared is not 0.
            **({"not_zero": Out(1)} if compares else {}),
            "o": Out(stream.Signature(BASE)),
        })

    def elaborate(self, platform):
        m = Module()
        held = [Signal(signed(RESULT_BITS), name=f"held_{place}", reset_less=True)
                for place in range(DIGITS)]
        m.d.comb += [*(digit.eq(each) for digit, each in zip(self.digits, held, strict=True)),
                     self.digits[-1].eq(held[-1] if self.stores else held[-1][:BASE - 1])]
        place, turn = Signal(range(DIGITS)), Signal(range(self._PASSES))
        passing, moves, last, sends, full, found, push = (Signal(name=name) for name in (
            "passing", "moves", "last", "sends", "full", "found", "push"))

        # -- What goes by. A sum takes a clock, and what follows from it another one.
        less = self.prime.less
        addend = Signal(signed((4 * less).bit_length() + 1), reset_less=True)
        total = Signal(signed(RESULT_BITS + 1), reset_less=True)
        will_move = passing & ~moves & ~(sends & full & ~self.o.ready)
        m.d.sync += [total.eq(held[0] + addend), moves.eq(will_move), push.eq(self.pushes),
                     last.eq(place == DIGITS - 1), sends.eq(turn == self._PASSES - 1),
                     self.zero.eq(0)]
        low = Mux(last, total[:BASE - 1], total[:BASE])
        # By the turn that ends, and by what goes away.
        values = [value - (1 << _ABOVE if value >> _ABOVE - 1 else 0)
                  for value in range(1 << _ABOVE)]
        table = Array(C(less * (value + 3 if turn == 0 else value - 1) if turn < 2 else 0,
                        addend.shape()) for turn in range(self._PASSES) for value in values)
        with m.If(self.take != Held.NOTHING):
            m.d.sync += [passing.eq(self.take != Held.STORE if self.stores else 1),
                         place.eq(0), turn.eq(0), addend.eq(-2 * less), found.eq(0)]
        with m.Elif(moves):
            m.d.sync += [place.eq(place + 1), addend.eq(total[BASE:].as_signed()),
                         found.eq(found | low.any())]
            with m.If(last):
                m.d.sync += [
                    turn.eq(turn + 1), passing.eq(~sends), found.eq(0),
                    addend.eq(table[(turn << _ABOVE) | total[BASE - 1:]]),
                    self.zero.eq((turn == self._PASSES - 2) & ~found & ~low.any())]
        if self.compares:
            # A number that is compared ends when it is reduced, and is not sent.
            silent, was_found = Signal(name="silent"), found | low.any()
            m.d.sync += self.not_zero.eq(0)
            with m.If(self.take != Held.NOTHING):
                m.d.sync += silent.eq(self.take == Held.ZERO)
            with m.Elif(moves & last & (turn == self._PASSES - 2) & silent):
                m.d.sync += [passing.eq(0), self.not_zero.eq(was_found)]
        # A word is sent from where it comes to.
        m.d.sync += full.eq((moves & sends) | (full & ~self.o.ready))
        m.d.comb += [self.o.valid.eq(full), self.o.payload.eq(held[-1][:BASE]),
                     self.idle.eq(~passing & ~full)]

        shift_row(m, self, held, will_move | self.pushes, Mux(push, self.word, low))
        return m
