"""A Montgomery multiplier that takes one bit of x per clock: a core to begin with."""

import dataclasses

from amaranth.hdl import Cat, Module, Mux, Signal

from montgomery.core import About, Core, Cycles, ceil_div
from montgomery.kinds.multiplier import Multiplier as _Multiplier
from montgomery.kinds.multiplier import factors

__all__ = ["Multiplier", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Multiplier):
    """Parameters of :class:`Multiplier`; ``width`` and ``word_width`` are inherited."""

    _about = About(
        source="Walter: Montgomery Exponentiation Needs No Final Subtractions",
        summary="radix 2, one bit of x per clock, no final subtraction")

    @property
    def r(self):
        return 1 << self.steps

    def bound(self, modulus):
        return 2 * modulus

    @property
    def steps(self):
        """Iterations: R = 2**steps must be above 4 m, so that results are below 2 m again."""
        return self.width + 2

    @property
    def operands(self):
        return factors(self)

    @property
    def result_words(self):
        return ceil_div(self.width + 1, self.word_width)  # 2 m has a bit more than m

    @property
    def cycles(self):
        load, compute, unload = 3 * self.result_words, self.steps + 1, self.result_words
        return Cycles(load=load, compute=compute, unload=unload,
                      interval=load + compute + unload - 1)

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        total = 0
        for step in range(self.steps):
            total += (x >> step & 1) * y
            total = (total + (total & 1) * modulus) >> 1  # < 3 m
        return total  # < 2 m

    def create(self):
        return Multiplier(self)


class Multiplier(Core):
    """Loads x, y and the modulus, halves a sum ``steps`` times, and unloads it.

    The latency is that of ``steps`` clocks and one more. The throughput is that of one
    multiplication at a time.
    """

    def elaborate(self, platform):
        m = Module()
        params = self.params
        word, words, steps = params.word_width, params.result_words, params.steps
        x, y, modulus = (Signal(words * word, name=name) for name in ("x", "y", "modulus"))
        operands = Cat(x, y, modulus)
        total = Signal(params.width + 2, name="total")
        count = Signal(range(max(3 * words, steps)), name="count")
        with m.FSM():
            with m.State("LOAD"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(self.i.valid):
                    m.d.sync += [operands.eq(Cat(operands[word:], self.i.payload)),
                                 count.eq(count + 1)]
                    with m.If(count == 3 * words - 1):
                        m.d.sync += [count.eq(0), total.eq(0)]
                        m.next = "COMPUTE"
            with m.State("COMPUTE"):
                even = Signal(params.width + 3, name="even")
                product = total + Mux(x[0], y, 0)
                m.d.comb += even.eq(product + Mux(product[0], modulus, 0))
                m.d.sync += [total.eq(even >> 1), x.eq(x >> 1), count.eq(count + 1)]
                with m.If(count == steps - 1):
                    m.d.sync += count.eq(0)
                    m.next = "UNLOAD"
            with m.State("UNLOAD"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(total)]
                with m.If(self.o.ready):
                    m.d.sync += [total.eq(total >> word), count.eq(count + 1)]
                    with m.If(count == words - 1):
                        m.d.sync += count.eq(0)
                        m.next = "LOAD"
        return m
