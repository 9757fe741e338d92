"""A small architecture with a key, whose results can be operands, and wrong ones beside it."""

import dataclasses

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from toy import Toy

from montgomery.core import About, Cycles, Message, Traits, parameter
from montgomery.kinds.multiplier import factors, modulus_field

__all__ = ["Keyed", "KeyedMultiplier"]


class KeyedMultiplier(wiring.Component):
    """One bit of x per clock, for one multiplication at a time.

    Parameters
    ----------
    params : :class:`Keyed`
    """

    def __init__(self, params):
        self._params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p = self._params
        word, words, fault = p.word_width, p.words, p.fault
        x, y, modulus, result = (Signal(words * word, name=name)
                                 for name in ("x", "y", "modulus", "result"))
        total = Signal(p.width + 2)
        count, step = Signal(range(words)), Signal(range(p.width + 1))
        count_key, count_out = Signal(range(words)), Signal(range(words))
        has_key = Signal(name="has_key", reset_less=fault == "keyless")
        loading, running, giving = (Signal(name=name) for name in ("loading", "running", "giving"))
        waits, part = Signal(), Signal()
        m.d.sync += waits.eq(self.k.valid)
        unused = Signal()  # no operation has come since the key

        m.d.comb += self.k.ready.eq(~running & ~loading & (waits | part | ~self.i.valid)
                                      if fault != "touches" else 1)
        with m.If(self.k.valid & self.k.ready):
            m.d.sync += [count_key.eq(count_key + 1), part.eq(1)]
            with m.If(~(unused & (fault == "first"))):
                m.d.sync += modulus.eq(Cat(modulus[word:], self.k.payload))
            with m.If(count_key == words - 1):
                m.d.sync += [count_key.eq(0), has_key.eq(1), part.eq(0), unused.eq(1)]

        fed = self.i.payload[2 * word:]
        first = ~loading
        begins = Signal()
        m.d.comb += self.i.ready.eq(
            ~running & ~giving & (loading | (has_key & (
                1 if fault == "beside" else ~(waits | part)))))
        kept = Signal(2)
        looked = Signal(2)  # what comes with the first word, or came a clock before it
        m.d.sync += looked.eq(fed)
        with m.If(self.i.valid & self.i.ready):
            now = Mux(first, fed, kept)
            m.d.sync += [
                unused.eq(0),
                kept.eq(now if fault != "looks" else Mux(first, looked, kept)),
                count.eq(count + 1), loading.eq(1),
                x.eq(Mux(now[0], result, Cat(x[word:], self.i.payload[:word]))),
                y.eq(Mux(now[1], result, Cat(y[word:], self.i.payload[word:2 * word])))]
            m.d.comb += begins.eq((count == words - 1) | (first & fed.all()))
        with m.If(begins):
            m.d.sync += [loading.eq(0), running.eq(1), count.eq(0), step.eq(0), total.eq(0)]

        with m.If(running):
            added = total + Mux(x[0], y, 0)
            reduced = (added + Mux(added[0], modulus, 0)) >> 1
            m.d.sync += [total.eq(reduced), x.eq(x >> 1), step.eq(step + 1)]
            with m.If(step == p.width):
                final = Mux(total >= modulus, total - modulus, total)
                kept_wrongly = 1 if fault == "keeps" else 0
                m.d.sync += [total.eq(final), result.eq(final ^ kept_wrongly), running.eq(0),
                             giving.eq(1)]
        m.d.comb += [self.o.valid.eq(giving), self.o.payload.eq(total)]
        with m.If(giving & self.o.ready):
            m.d.sync += [total.eq(total >> word), count_out.eq(count_out + 1)]
            with m.If(count_out == words - 1):
                m.d.sync += [giving.eq(0), count_out.eq(0)]
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Keyed(Toy):
    """Parameters of :class:`KeyedMultiplier`.

    Parameters
    ----------
    fault : :class:`str`
        ``"touches"``: a key is taken while a multiplication runs. ``"keeps"``: what is kept as an
        operand is not the result. ``"first"``: of two keys for one operation, the first counts.
        ``"beside"``: an operation begins with the key before if its own key is still coming.
        ``"keyless"``: an operation begins without a key after a reset. ``"looks"``: which operands
        are kept is looked up a clock before the word is there that says so.
    """

    _about = About(summary="one bit of x a clock, with a key")

    fault: str = parameter("", "what is wrong", choices=("", "touches", "keeps", "first",
                                                                 "beside", "keyless", "looks"))

    @property
    def cycles(self):
        compute = self.width + 2
        return Cycles(load_key=self.words + 1, load=self.words, compute=compute,
                      unload=self.words, interval=compute + 2 * self.words - 1)

    @property
    def operands(self):
        return factors(self, side_by_side=True)

    @property
    def key_operands(self):
        return Message(self.word_width, (modulus_field(self),))

    @property
    def _traits(self):
        return Traits(initiation=self.cycles.interval, keeps_results=True)

    def create(self):
        return KeyedMultiplier(self)
