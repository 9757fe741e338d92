"""The wide multiplier: streams of words around the datapath."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.banks import Pointer
from .core import WideCore
from .ranges import BASE
from .result import WideResult

__all__ = ["WideMultiplier"]


class WideMultiplier(wiring.Component):
    """A product modulo a prime by columns of 16 bits, on 32 to 64 multiplier blocks.

    Two or four digits of x are multiplied by all digits of y in a clock. Products are cut into
    halves of a digit, which are added in columns. A column that is complete is a quotient digit as
    it is, since the prime is -1 modulo 2**32, and is added to and subtracted from higher columns.
    Nothing is carried further than to the next digit. The signed digits of a result become the
    words of a number on their way out, where the prime is added.

    Nothing waits within a product, and up to three are under way. An operation begins when there is
    room for its result; the words of the next operation come meanwhile.

    **Latency.** From the last word of an operation to the first one of its result: a clock until
    both operands are there, 16 to 23 from digits to digits, and 4 to a word.

    **Throughput.** A product in as many clocks as it has words, and in no less than all digits of
    x take: 4, 8 or 12. With some widths of words in a few clocks more, since it waits for room.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    @staticmethod
    def latency(params):
        """Return the clocks from the last word of an operation to the first one of its result."""
        return 1 + params.pace.latency + WideResult.LATENCY

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p, width, words = self.params, self.params.word_width, self.params.result_words
        digits = p.prime.digits
        m.submodules.core = core = WideCore(p.prime, p.digits_per_clock)
        m.submodules.result = result = WideResult(p)
        m.submodules.place = place = Pointer(words)
        wiring.connect(m, result.o, wiring.flipped(self.o))

        # Much follows these, so they are registers.
        start, shifts, full = (Signal(name=name) for name in ("start", "shifts", "full"))
        ready = Signal(init=1)
        under_way = Signal(range(WideResult.PLACES + 1))
        # What is so in the next clock.
        fills, may_start = (Signal(name=name) for name in ("fills", "may_start"))
        count = under_way + start - result.done
        m.d.comb += [
            self.i.ready.eq(ready), place.step.eq(self.i.valid & ready),
            fills.eq((place.step & place.last) | (full & ~start)),
            may_start.eq((count != WideResult.PLACES) & self._paced(m, start))]
        m.d.sync += [full.eq(fills), start.eq(fills & may_start), ready.eq(~fills | may_start),
                     shifts.eq(place.step & ~place.last), under_way.eq(count)]

        # A word goes on to those before it, but for the last one; then both operands are there.
        for operand, target, word in zip("xy", (core.x, core.y), (self.i.payload[:width],
                                         self.i.payload[width:]), strict=True):
            before = Signal(width * (words - 1), name=f"{operand}_before", reset_less=True)
            newest = Signal(width, name=f"{operand}_newest", reset_less=True)
            number = Cat(before, newest)
            with m.If(ready):
                m.d.sync += newest.eq(word)
            with m.If(shifts):
                m.d.sync += before.eq(number[width:])
            m.d.comb += [target[index].eq(Cat(
                number[BASE * index:BASE * (index + 1) + (index == digits - 1)], C(0, 1)
            ).as_signed()) for index in range(digits)]
        m.d.comb += [core.start.eq(start), *(each.eq(start) for each in core.loads),
                     result.push.eq(core.valid)]
        m.d.comb += [result.digits[index].eq(core.result[index]) for index in range(digits)]
        return m

    def _paced(self, m, start):
        """Return whether an operation may begin in the next clock, if words alone take less time.
        """
        clocks = self.params.initiation
        if clocks == self.params.result_words:
            return C(1, 1)
        left = Signal(range(clocks))
        m.d.sync += left.eq(Mux(start, clocks - 1, left - (left != 0)))
        return ~start & (left <= 1)
