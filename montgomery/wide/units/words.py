"""Words on their way into an engine that works on others, and out of a multiplier."""

import math

from amaranth.hdl import C, Cat, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...blocks.banks import Pointer
from ...blocks.block_ram import BlockRam
from ...blocks.values import add_with_carry, later, padded, signals
from ..datapath.ranges import BASE, RESULT_BITS

__all__ = ["PairedIntake", "Turns", "WideResult", "WordQueue"]


class WordQueue(wiring.Component):
    """Keeps words until those of an operation are there, and then gives them without a gap, however
    slowly they came. No word comes in before the last one goes out.

    Latency: :attr:`LATENCY` clocks from the last word that comes to the first one that goes.
    Throughput: a word per clock comes, or goes.
    """

    LATENCY = 1 + BlockRam.LATENCY

    def __init__(self, count):
        self.count = count
        super().__init__({"i": In(stream.Signature(BASE)), "o": Out(stream.Signature(BASE))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = memory = BlockRam(BASE, self.count)
        place = Signal(range(self.count))
        full, found, moves, is_last = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(~full), memory.b.write.eq(self.i.valid & ~full),
            memory.b.address.eq(place), memory.b.data.eq(self.i.payload),
            memory.a.enable.eq(~self.o.valid | self.o.ready), memory.a.address.eq(place),
            self.o.payload.eq(memory.a.q), is_last.eq(place == self.count - 1),
            moves.eq(Mux(full, memory.a.enable, self.i.valid))]
        with m.If(memory.a.enable):
            m.d.sync += [found.eq(full), self.o.valid.eq(found)]
        with m.If(moves):
            m.d.sync += [place.eq(Mux(is_last, 0, place + 1)), full.eq(full ^ is_last)]
        return m


class PairedIntake(wiring.Component):
    """Lets an operation into an engine of two when a turn ends, if all of its words are there.

    If they are not, the turn goes on without it: an operation under way never waits for words.
    While none is under way, words go on as they come, unless the block gathers them.

    Latency: :attr:`LATENCY` clocks from a word of ``i`` to ``takes``, while none is under way; or
    from the last word to the first one that is taken.
    Throughput: a word per clock.

    If it ``gathers``, words come in any turn, as they must from a source that goes on to others
    meanwhile, and go on when all of an operation are there. If not, they come in a turn that an
    operation entered, or after it, and go on as they come while none is under way.
    """

    LATENCY = 1
    #: Clocks that an operation takes besides both of its turns, if no other one comes.
    ALONE = 4 + LATENCY

    def __init__(self, count, gathers=False):
        self.count, self.gathers = count, gathers
        super().__init__({
            "i": In(stream.Signature(BASE)),
            # No turn runs. It falls some clocks after the last word of an operation, or
            # ``goes_on``.
            "resting": In(1),
            # The engine takes a word; the word that it took two clocks ago.
            "takes": Out(1), "word": Out(BASE),
            "goes_on": Out(1),  # a turn without another operation begins in the next clock
            "slot": Out(1),  # the operation that comes in
            "sends": Out(1),  # the turn has an operation to send
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = memory = BlockRam(BASE, self.count)
        there, taken = Signal(range(self.count + 1)), Signal(range(self.count))
        enters, entered = Signal(init=1), Signal()
        rests, full, pushes, none = Signal(), Signal(), Signal(), Signal()
        rested = later(m, self.resting, 1, "rested", reset_less=False, init=1)
        m.d.comb += [
            rests.eq(self.resting & ~rested), full.eq(there == self.count),
            self.i.ready.eq((self.gathers or enters | entered) & ~full),
            pushes.eq(self.i.valid & self.i.ready),
            self.takes.eq(enters & (full if self.gathers else there != taken)),
            none.eq(rests & entered & ~full),
            memory.b.write.eq(pushes), memory.b.address.eq(there),
            memory.b.data.eq(self.i.payload), memory.a.address.eq(taken),
            self.word.eq(memory.a.q)]
        m.d.comb += self.goes_on.eq(later(m, none, 2, "none", reset_less=False))
        m.d.sync += [there.eq(there + pushes), taken.eq(taken + self.takes)]
        with m.If(rests):
            m.d.sync += [self.slot.eq(~self.slot), self.sends.eq(entered), entered.eq(0),
                         enters.eq(~none)]
        with m.If(self.takes & (taken == self.count - 1)):
            m.d.sync += [there.eq(0), taken.eq(0), enters.eq(0), entered.eq(1)]
        return m


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
        valid, enters, leaves, to, at = signals("valid enters leaves to at")
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
        waits, waits_next, was_last = signals("waits waits_next was_last")
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
