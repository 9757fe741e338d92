"""A number in a row of registers: on its way in, to the memory, to a comparison with 0, or out."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ...blocks.values import add_carry, after, owned, signals
from ...core import to_words
from ...points.microcode import Held
from ..datapath.primes import DIGITS
from ..datapath.ranges import BASE, RESULT_BITS

__all__ = ["GROUP", "HeldNumber", "ReducedNumber", "less_by_words"]

#: Digits that share what controls them.
GROUP = 4


class HeldNumber(wiring.Component):
    """Holds a number, of which the lowest digit comes by first, while each gives its sign to the
    next one.

    A number that is sent is then negative or not, and goes by once more while the prime is added to
    it if it is: results are so small that it is below the prime then.

    Latency: :meth:`compared` clocks from ``take`` to ``not_zero``, and one more to the first word
    that is sent. Throughput: a digit in two clocks.
    """

    def __init__(self, prime, *, finds_zero=False):
        self.prime, self.finds_zero, digits = prime, finds_zero, prime.digits
        super().__init__({
            # In the next clock there is a word of a number that comes in, the lowest one first.
            "pushes": In(1), "word": In(BASE),
            # The word of two clocks ago made a number, with those before it, that is not below the
            # prime.
            "outside": Out(1),
            # Take a number, while the one before has been compared or sent.
            "take": In(Held), "number": In(signed(RESULT_BITS)).array(digits),
            "loads": In(1).array(digits),  # for each digit: whether a number is taken
            # The number: the one that came in, or was taken to be stored.
            "digits": Out(signed(RESULT_BITS)).array(digits),
            "idle": Out(1),  # all of the number was compared, or sent
            "not_zero": Out(1),  # in one clock: the number that was compared is not 0
            **({"zero": Out(1)} if finds_zero else {}),  # in one clock: it is 0
            "o": Out(stream.Signature(BASE)),
        })

    @property
    def fails(self):
        """In one clock: a number is not as it must be."""
        return self.zero if self.finds_zero else self.outside | self.not_zero

    @staticmethod
    def compared(digits):
        """Return the clocks from ``take`` to ``not_zero`` for numbers of so many digits."""
        return 2 * digits + 2

    def elaborate(self, platform):
        m, count = Module(), self.prime.digits
        held = [Signal(signed(RESULT_BITS), name=f"held_{place}", reset_less=True)
                for place in range(count)]
        upper = Signal(range(count), name="following", init=1)
        passing, sends, second, moves, last, full, found, push, compares = signals(
            "passing sends second moves last full found push compares")
        values = to_words(self.prime.value, BASE, count)
        m.submodules.prime = memory = Memory(shape=BASE, depth=count, init=values,
                                             attrs={"rom_style": "logic"})
        of_prime = memory.read_port(domain="comb")
        limit = Signal(BASE, init=values[0])  # the digit of the prime at the place
        m.d.comb += [of_prime.addr.eq(upper),
                     *(digit.eq(each) for digit, each in zip(self.digits, held, strict=True))]

        # -- What goes by: signs first, and then the prime is added. A sum takes a clock.
        negative, carry = signals("negative carry")
        addend = Signal(signed(BASE + 1), reset_less=True)
        total = Signal(BASE + 1, reset_less=True)
        low, above = total[:BASE], total[BASE]
        will_move = passing & ~moves & ~(second & full & ~self.o.ready)
        m.d.sync += [total.eq(add_carry(held[0], addend, carry)), moves.eq(will_move),
                     push.eq(self.pushes), compares.eq(moves & last & ~sends),
                     self.not_zero.eq(compares & (found | negative))]
        if self.finds_zero:
            m.d.sync += self.zero.eq(compares & ~(found | negative))
        with m.If(self.take != Held.NOTHING):
            m.d.sync += [passing.eq(self.take != Held.STORE), sends.eq(self.take == Held.SEND),
                         last.eq(0), upper.eq(1), limit.eq(values[0]), second.eq(0),
                         addend.eq(0), carry.eq(0), found.eq(0)]
        with m.Else():
            with m.If(moves | push):
                m.d.sync += [last.eq(upper == count - 1), upper.eq(after(upper, count)),
                             limit.eq(of_prime.data)]
            with m.If(moves):
                adds = Mux(second, negative, above)
                m.d.sync += [
                    carry.eq(above & second), found.eq(found | low.any()),
                    addend.eq(Cat((of_prime.data | (~second & ~last).replicate(BASE))
                                  & adds.replicate(BASE), adds & ~second & ~last))]
                with m.If(last):
                    m.d.sync += [negative.eq(above), second.eq(1), passing.eq(sends & ~second)]
        # A word is sent from where it comes to.
        m.d.sync += full.eq((moves & second) | (full & ~self.o.ready))
        m.d.comb += [self.o.valid.eq(full), self.o.payload.eq(held[-1][:BASE]),
                     self.idle.eq(~passing & ~full)]

        shift_row(m, self, held, will_move | self.pushes, Mux(push, self.word, low))

        # -- Numbers that come in are compared with the prime.
        lower, same, borrow, compared, ends = signals("lower same borrow compared ends")
        less = lower | (same & borrow)
        m.d.sync += [lower.eq(self.word < limit), same.eq(self.word == limit),
                     compared.eq(push), ends.eq(push & last),
                     self.outside.eq(ends & ~less)]
        with m.If(compared):
            m.d.sync += borrow.eq(less & ~ends)
        return m


def shift_row(m, core, held, moves, comes):
    """Set ``held[k]`` to ``number[k]`` if ``loads[k]``, or else to ``held[k + 1]`` when they move.

    Each group of digits has a copy of ``moves`` in a register nearby.

    ``core`` has the ports ``loads`` and ``number`` of :class:`HeldNumber`. With ``moves`` they move
    in the next clock, and then the highest digit becomes what ``comes``.
    """
    shifts = []
    for group in range(0, len(held), GROUP):
        shifts += [owned(m, moves, f"shift_{group}")] * GROUP
    for register, digit, below, loads, shift in zip(
            held, core.number, [*held[1:], comes], core.loads, shifts, strict=True):
        with m.If(loads | shift):
            m.d.sync += register.eq(Mux(loads, digit, below))


def less_by_words(m, name, word, limit, first, checked):
    """Return whether a number is below a limit, of both of which a word goes by in a clock, the
    lowest one first, one clock before this.

    ``first`` says that the word of the clock before was the lowest one, and ``checked`` that it was
    one of them.
    """
    lower, same, carry, found = (Signal(name=f"{which}_{name}") for which in (
        "lower", "same", "carry", "found"))
    m.d.sync += [lower.eq(word < limit), same.eq(word == limit)]
    m.d.comb += found.eq(lower | (same & carry & ~first))
    with m.If(checked):
        m.d.sync += carry.eq(found)
    return found


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

    @property
    def fails(self):
        """In one clock: a number is not as it must be."""
        return self.not_zero if self.compares else self.zero

    def elaborate(self, platform):
        m = Module()
        held = [Signal(signed(RESULT_BITS), name=f"held_{place}", reset_less=True)
                for place in range(DIGITS)]
        m.d.comb += [*(digit.eq(each) for digit, each in zip(self.digits, held, strict=True)),
                     self.digits[-1].eq(held[-1] if self.stores else held[-1][:BASE - 1])]
        place, turn = Signal(range(DIGITS)), Signal(range(self._PASSES))
        passing, moves, last, sends, full, found, push = signals(
            "passing moves last sends full found push")

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
