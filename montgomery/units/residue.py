"""Products brought below the modulus."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import WordBuffer
from ..blocks.carry_save import gate
from ..blocks.values import delays, later, signals
from ..core import ceil_div

__all__ = ["Residue", "residue"]

#: Passes after those that halve: one subtracts the modulus, two add it to a negative number.
_MORE = 3
#: Clocks from the word of a pass to the same word of the next one, beside the memory of the modulus
#: and the words between them.
_PASS = 3


def residue(unit, product, modulus):
    """Return the product divided by ``2**unit.halvings`` modulo the modulus, below the modulus.

    It is below the bound, or at most the modulus if there are no halvings.
    """
    if not unit.halvings:
        return 0 if product == modulus else product
    for _ in range(unit.halvings):
        product = (product - product % 2 * modulus) // 2
    # It is above -m and below 2m.
    product -= modulus
    for _ in range(_MORE - 1):
        product += modulus if product < 0 else 0
    return product


class Residue(wiring.Component):
    """Takes the words of a product, as :func:`residue` does, and keeps the result for its receiver.

    The last product of a computation is by 2**h, for h halvings. Without any it is by 1, and at
    most the modulus: then it is compared with the modulus, while its words come, and becomes 0 if
    it is equal. That happens only if the modulus has a square factor. Else the number is halved h
    times: a pass subtracts the modulus first if the number is odd. Three passes more bring it to
    where it belongs.

    Latency: :meth:`clocks`. Throughput: a result at a time.

    The word ``modulus`` is there ``latency`` clocks after its ``index``.
    """

    def __init__(self, unit, latency):
        self.unit, self.latency = unit, latency
        width = unit.width
        super().__init__({
            "push": In(1), "data": In(width),  # a word of the product, while ``free``
            # The word of the modulus that is wanted, and that word ``latency`` clocks later.
            "index": Out(range(max(unit.words, 2))), "modulus": In(width),
            "done": Out(1),  # the result is complete, and nothing of the modulus is wanted any more
            "free": Out(1),  # there is no result
            "o": Out(stream.Signature(width)),  # words of results
        })

    @staticmethod
    def clocks(unit, latency):
        """Return the clocks from the last word of a product to ``done``."""
        if unit.reach == 1:
            return 0
        if not unit.halvings:
            return latency
        return (unit.halvings + _MORE) * (unit.words + latency + _PASS) + 1

    #: Clocks from ``done`` to the first word of the result.
    OUTPUT = 3

    def elaborate(self, platform):
        m = Module()
        words, reach = self.unit.words, self.unit.reach
        m.submodules.results = results = WordBuffer(self.unit.width, words)
        there, ends = signals("there ends")
        m.d.comb += [
            ends.eq(results.push & results.full), self.free.eq(~there),
            self.o.valid.eq(results.o.valid & there)]
        with m.If(self.done):
            m.d.sync += there.eq(1)
        with m.Elif(self.o.valid & self.o.ready & results.last):
            m.d.sync += there.eq(0)
        if reach != 2:
            m.d.comb += self.o.payload.eq(results.o.payload)
        if reach > 2:
            self._halve(m, results, there, ends)
            return m
        m.d.comb += [
            results.push.eq(self.push), results.data.eq(self.data), results.available.eq(there),
            results.o.ready.eq(self.o.ready),
            self.done.eq(later(m, ends, self.clocks(self.unit, self.latency), "done",
                               reset_less=False))]
        if reach == 2:
            self._compare(m, results, ends)
        return m

    def _compare(self, m, results, ends):
        """Have a product that equals the modulus become 0."""
        before = later(m, self.data, self.latency, "word")
        compared = later(m, self.push, self.latency + 2, "compared", reset_less=False)
        differing = Signal(len(before), name="differing", reset_less=True)
        parts = Signal(ceil_div(len(before), 4), name="parts", reset_less=True)  # that differ
        is_modulus = Signal(name="is_modulus", reset_less=True)
        m.d.sync += [differing.eq(before ^ self.modulus),
                     parts.eq(Cat(differing.word_select(index, 4).any()
                                  for index in range(len(parts))))]
        with m.If(self.push):
            m.d.sync += self.index.eq(Mux(ends, 0, self.index + 1))
        with m.If(self.push & (self.index == 0)):
            m.d.sync += is_modulus.eq(1)
        with m.Elif(compared & parts.any()):
            m.d.sync += is_modulus.eq(0)
        m.d.comb += self.o.payload.eq(gate(~is_modulus, results.o.payload))

    def _halve(self, m, results, there, ends):
        """Go through the number again and again."""
        width, words, passes = self.unit.width, self.unit.words, self.unit.halvings + _MORE
        left = Signal(range(passes + 1), name="left", init=passes)
        asks, reads, halves, subtracts, last = signals("asks reads halves subtracts last_pass")
        m.d.sync += [halves.eq(left >= _MORE), subtracts.eq(left >= _MORE - 1),
                     last.eq(left == 0)]
        # The number is read and written in the same pass, and the words that are read are ahead.
        reading = later(m, asks, self.latency - 3, "reading", reset_less=False)
        with m.If(ends):
            m.d.sync += [self.index.eq(0), asks.eq(~last), reads.eq(0),
                         left.eq(Mux(last, passes, left - 1))]
        with m.Else():
            with m.If(asks):
                m.d.sync += [self.index.eq(self.index + 1), asks.eq(self.index != words - 1)]
            with m.If(reading):
                m.d.sync += reads.eq(1)
        m.d.comb += self.done.eq(later(m, ends & last, 1, "done", reset_less=False))

        # The sum of a word of the number and one of the modulus, or of its complement.
        valid = results.o.valid & reads
        stages = delays(m, valid, 3, "valid", reset_less=False)
        first = valid & ~stages[1]
        number, addend = signals("number addend", width, reset_less=True)
        total = Signal(width + 1, name="total", reset_less=True)
        before = Signal(width, name="before", reset_less=True)
        chosen = Signal(name="chosen", reset_less=True)  # the modulus counts
        negative = Signal(name="negative", reset_less=True)
        now = Mux(first, Mux(halves, results.o.payload[0], subtracts | negative), chosen)
        m.d.sync += [
            chosen.eq(now), number.eq(results.o.payload),
            addend.eq(gate(now, self.modulus ^ subtracts.replicate(width))),
            total.eq(number + addend + Mux(stages[2], total[width], chosen & subtracts)),
            before.eq(total),
        ]
        more = stages[2]
        written = Mux(halves, Cat(before[1:], Mux(more, total[0], before[-1])), before)
        m.d.comb += [
            results.push.eq(self.push | stages[3]),
            results.data.eq(Mux(self.push, self.data, written)),
            results.available.eq(there | reads),
            results.o.ready.eq(reads | self.o.ready),
        ]
        with m.If(ends):
            m.d.sync += negative.eq(written[-1])
