"""Hardware: division in radix 2, for what the Rowers cannot do: B and B**2 modulo a factor."""

import itertools

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.program import OneHot
from ..blocks.streams import Skid
from ..blocks.values import signals
from ..core import ceil_div, to_words

__all__ = ["Divider", "KeyDivider", "LookAhead"]


class LookAhead(wiring.Component):
    """A memory whose word is there in the same clock as the register with its address.

    It is told what that register will be, and reads in the clock before: a word that is written
    then is the word that is read.

    Latency: one clock, from ``next`` to ``data``. Throughput: a word is read and written per clock.
    """

    def __init__(self, width, depth):
        self.width, self.depth = width, depth
        super().__init__({
            "next": In(range(depth)),  # the address in the next clock
            "data": Out(width),  # the word at the address
            "target": In(range(depth)),  # where to write, if anything
            "value": In(width),
            "write": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        # Synthesis might put the register into a block RAM, whose words come late in the clock.
        m.submodules.words = words = Memory(shape=self.width, depth=self.depth, init=[],
                                            attrs={"ram_style": "distributed"})
        write, read = words.write_port(), words.read_port(domain="comb")
        late = Signal(self.width, name="late", reset_less=True)
        m.d.comb += [write.addr.eq(self.target), write.data.eq(self.value),
                     write.en.eq(self.write), read.addr.eq(self.next), self.data.eq(late)]
        m.d.sync += late.eq(read.data)
        with m.If(self.write & (self.target == self.next)):
            m.d.sync += late.eq(self.value)
        return m


class Divider(wiring.Component):
    """Restoring division, a bit of the quotient in as many clocks as the divisor has words.

    A step goes through the words once: it doubles the rest, subtracts the divisor from that, and
    keeps both; whether the subtraction has borrowed says which of the two the next step reads. The
    time depends on the numbers of words alone.

    Latency: :meth:`clocks`, to the last word. Throughput: one division at a time.
    """

    def __init__(self, width, words):
        self.width, self.words = width, words  # of the longest divisor, 2 or more
        super().__init__({
            # For each division: the number w of words of the divisor less one; the number of words
            # of the dividend that follow its upper w - 1 ones; the divisor, lowest word first,
            # whose highest one must not be 0; and the dividend, highest word first.
            "i": In(stream.Signature(width)),
            "o": Out(stream.Signature(width)),  # the w words of the remainder, lowest first
        })

    @classmethod
    def clocks(cls, dividend_words, divisor_words, width):
        """Return the clocks from the first word to the last one of the remainder, both counted."""
        steps = width * max(dividend_words - divisor_words + 1, 0)
        return 2 + 2 * divisor_words + dividend_words + steps * divisor_words

    def elaborate(self, platform):
        m = Module()
        r = self.width
        memories = {name: LookAhead(r, self.words) for name in ("divisor", "doubled", "difference")}
        for name, memory in memories.items():
            m.submodules[name] = memory
        now = OneHot("length", "count", "divisor", "upper", "lower", "step", "result")
        last, place, following = signals("last place following", range(self.words))
        left = Signal(r, name="left")  # words of the dividend
        bits, bit = Signal(r, name="bits"), Signal(range(r), name="bit")
        subtracts = Signal(name="subtracts")  # the rest is the difference
        taken, given, at_end = signals("taken given at_end")
        m.d.comb += [
            self.i.ready.eq(~now["step"] & ~now["result"]), taken.eq(self.i.ready & self.i.valid),
            self.o.valid.eq(now["result"]), given.eq(self.o.valid & self.o.ready),
        ]

        # -- The words of the rest, and of both that may be the next one.
        rest, carry, borrow = self.o.payload, Signal(name="carry"), Signal(name="borrow")
        doubled, difference = signals("doubled difference", r + 1)
        m.d.comb += [
            rest.eq(Mux(subtracts, memories["difference"].data, memories["doubled"].data)),
            doubled.eq(Cat(Mux(place == 0, bits[-1], carry), rest)),
            # The borrow takes a place of its own below the words, not an addition.
            difference.eq((Cat(Const(0, 1), doubled[:r])
                           - Cat(borrow, memories["divisor"].data))[1:]),
        ]
        with m.If(now["step"]):
            m.d.sync += [carry.eq(doubled[r]), borrow.eq(difference[r] & ~at_end)]
        # Words matter in steps and in the result alone. Both begin at place 0 and go up, so that it
        # is known a clock before what follows a place, and what is read waits for nothing else.
        read_place = Signal.like(place, name="read_place")
        with m.If(now["step"] | given):
            m.d.comb += read_place.eq(following)
            m.d.sync += [at_end.eq(following == last),
                         following.eq(Mux(following == last, 0, following + 1))]
        with m.Elif(now["result"]):
            m.d.comb += read_place.eq(place)
        with m.Else():
            m.d.sync += [at_end.eq(last == 0), following.eq(last != 0)]
        for memory in memories.values():
            m.d.comb += [memory.target.eq(place), memory.next.eq(read_place)]
        m.d.comb += [
            memories["divisor"].value.eq(self.i.payload),
            memories["divisor"].write.eq(now["divisor"] & taken),
            # While the divisor comes, the rest becomes 0.
            memories["doubled"].value.eq(Mux(now["divisor"], Const(0, r), Mux(
                now["upper"], self.i.payload, doubled[:r]))),
            memories["doubled"].write.eq(((now["divisor"] | now["upper"]) & taken) | now["step"]),
            memories["difference"].value.eq(difference[:r]),
            memories["difference"].write.eq(now["step"]),
        ]

        # -- What follows what.
        def dividend(state, when):
            """Return what follows a state: a word of the dividend if there is one left."""
            return [(state, "lower", when & (left != 0)), (state, "result", when & (left == 0))]

        ends = taken & (place == last)
        now.follow(m, [
            ("length", "count", taken), ("count", "divisor", taken),
            ("divisor", "upper", ends & (last != 0)), *dividend("divisor", ends & (last == 0)),
            *dividend("upper", taken & (place == 0)), ("lower", "step", taken),
            *dividend("step", at_end & (bit == 0)), ("result", "length", given & at_end)])
        with m.If((now["length"] | now["lower"]) & taken):
            m.d.sync += place.eq(0)
        with m.Elif(now["divisor"] & taken):
            # The highest word of the rest stays 0.
            m.d.sync += place.eq(Mux(place != last, place + 1, Mux(last == 0, 0, last - 1)))
        with m.Elif(now["upper"] & taken):
            m.d.sync += place.eq(Mux(place == 0, 0, place - 1))
        with m.Elif(now["step"] | given):
            m.d.sync += place.eq(following)
        with m.If(now["length"] & taken):
            m.d.sync += [last.eq(self.i.payload), subtracts.eq(0)]
        with m.If(now["count"] & taken):
            m.d.sync += left.eq(self.i.payload)
        with m.If(now["lower"] & taken):
            m.d.sync += [bits.eq(self.i.payload), left.eq(left - 1), bit.eq(r - 1)]
        with m.If(now["step"] & at_end):
            m.d.sync += [subtracts.eq(doubled[r] | ~difference[r]), bits.eq(bits << 1),
                         bit.eq(bit - 1)]
        return m


class KeyDivider(wiring.Component):
    """Divides B and then B**2, which are in a ROM, by a number in a block RAM.

    The divider is given a word every fourth clock: there are registers on both sides of the
    memories. The time depends on the number of words of the divisor.

    Latency: :meth:`clocks`. Throughput: one number at a time.
    """

    READ = 1 + BlockRam.LATENCY  # from the number of a word to the word

    def __init__(self, sets):
        self.words, self.width = sets[-1].n, sets[-1].r
        # The sets one after the other, of each B and then B**2.
        self.dividends = list(itertools.chain.from_iterable(map(self._dividends, sets)))
        super().__init__({
            "go": In(1),  # divide the numbers of a set, until ``done``
            "set": In(range(len(sets))),
            "top": In(range(self.words)),  # the highest word of the divisor that is not 0
            # Number of the word of the divisor that is read, or of the remainder that is given.
            "part": Out(range(max(map(len, self.dividends)))),
            # The word of the divisor, a clock after the block RAM was given its address.
            "word": In(self.width),
            # The words of B, and then of B**2, modulo the number, which do not wait.
            "remainder": Out(stream.Signature(self.width)),
            "is_square": Out(1),  # the remainder is that of B**2
            "done": Out(1),  # this is its last word
        })

    @classmethod
    def clocks(cls, bases, factor):
        """Return the clocks of both divisions by a factor."""
        words = ceil_div(factor.bit_length(), bases.r)
        return sum(Divider.clocks(len(each), words, bases.r) + 6 * words + 1
                   for each in cls._dividends(bases))

    @staticmethod
    def _dividends(bases):
        return [to_words(value, bases.r, ceil_div(value.bit_length(), bases.r))
                for value in (bases.b_product, bases.b_product ** 2)]

    def elaborate(self, platform):
        m = Module()
        m.submodules.divider = divider = Divider(self.width, max(self.words, 2))
        m.submodules.to_divider = to_divider = Skid(self.width)
        wiring.connect(m, to_divider.o, divider.i)
        wiring.connect(m, divider.o, wiring.flipped(self.remainder))
        words = to_divider.i
        *starts, depth = itertools.accumulate(map(len, self.dividends), initial=0)
        m.submodules.dividends = rom = Memory(shape=self.width, depth=depth,
                                              init=itertools.chain.from_iterable(self.dividends))
        read, address = rom.read_port(), Signal(range(depth), name="address", reset_less=True)
        # Block RAM without a register of its own is slow: nothing but a register is behind it.
        dividend = Signal(self.width, name="dividend", reset_less=True)

        now = Cat(self.is_square, self.set)  # the number of the dividend
        start, last = Array(starts)[now], Array(len(each) - 1 for each in self.dividends)[now]
        part, count = self.part, Signal(self.width, name="count")
        fetched, sent = Signal(self.READ, name="fetched"), Signal(name="sent")
        m.d.sync += [address.eq(start + part), dividend.eq(read.data),
                     count.eq(last + 1 - self.top)]
        m.d.comb += [read.addr.eq(address), words.valid.eq(fetched[-1]),
                     sent.eq(fetched[-1] & words.ready)]
        with m.FSM() as fsm:
            fetches = fsm.ongoing("divisor") | fsm.ongoing("dividend")
            m.d.sync += fetched.eq(Mux(fetches & ~sent, Cat(1, fetched), 0))
            with m.State("length"), m.If(self.go):
                m.d.comb += [words.valid.eq(1), words.payload.eq(self.top)]
                m.next = "count"  # the divider is idle
            with m.State("count"):
                m.d.comb += [words.valid.eq(1), words.payload.eq(count)]
                m.next = "divisor"
            with m.State("divisor"):
                m.d.comb += words.payload.eq(self.word)
                with m.If(sent):
                    m.d.sync += part.eq(part + 1)
                    with m.If(part == self.top):
                        m.d.sync += part.eq(last)
                        m.next = "dividend"
            with m.State("dividend"):
                m.d.comb += words.payload.eq(dividend)
                with m.If(sent):
                    m.d.sync += part.eq(part - 1)
                    with m.If(part == 0):
                        m.d.sync += part.eq(0)
                        m.next = "remainder"
            with m.State("remainder"), m.If(self.remainder.valid):
                m.d.sync += part.eq(part + 1)
                with m.If(part == self.top):
                    m.d.comb += self.done.eq(self.is_square)
                    m.d.sync += [part.eq(0), self.is_square.eq(~self.is_square)]
                    m.next = "length"
        return m
