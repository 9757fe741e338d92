"""Takes the words of keys and of bases from the ports to where they belong."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate

__all__ = ["Loader"]


class Loader(wiring.Component):
    """Streams to memory: the sections of a key, or a base.

    Latency: a word that is accepted is at ``data`` one clock later. Throughput: a word per clock.

    Parameters
    ----------
    layout : :class:`~montgomery.generic.layout.Layout`
    width : :class:`int`
        Bits per word.

    Members
    -------
    start_key, start_base : :py:`In(1)`
        The words that are accepted from the next clock on are those of a key, or of a base. If
        bases go straight to the multiplier, they are not accepted here.
    k, i : :py:`In(stream.Signature(width))`
        The ports of the exponentiator.
    inner : :py:`Out(stream.Signature(width))`
        Those words of a key that the multiplier keeps, with nothing between here and port ``k``.
    done : :py:`Out(1)`
        The last word is accepted in this clock.
    store : :py:`Out(1)`, address : :py:`Out(range(depth))`
        ``data`` is to be written to the memory.
    data : :py:`Out(width)`, section : :py:`Out(len(sections))`
        The word that was accepted, and one-hot its section, those of a key in order, then the base;
        0 if there was no word.
    """

    def __init__(self, layout, width):
        self.layout = layout
        self.sections = [*layout.key, layout.base]
        super().__init__({
            "start_key": In(1), "start_base": In(1),
            "k": In(stream.Signature(width)), "i": In(stream.Signature(width)),
            "inner": Out(stream.Signature(width)), "done": Out(1),
            "store": Out(1), "address": Out(range(layout.depth)), "data": Out(width),
            "section": Out(len(self.sections)),
        })

    def elaborate(self, platform):
        m = Module()
        sections = self.sections
        most = max(section.count for section in sections)
        now = Signal(len(sections), name="now")  # one-hot
        # Words of a key come for the memory and for other parts, or for the multiplier.
        keys, inner = Signal(name="keys"), Signal(name="inner_words")
        loads_bases = not self.layout.params.forwards
        bases = Signal(name="bases") if loads_bases else Const(0, 1)
        index = Signal(range(most), name="index")
        left = Signal(range(most + 1), name="left")  # words behind the current one
        last = Signal(name="last", init=1)
        accept, word = Signal(name="accept"), Signal(len(self.data), name="word")
        m.d.comb += [
            self.k.ready.eq(keys | (inner & self.inner.ready)), self.i.ready.eq(bases),
            self.inner.valid.eq(self.k.valid & inner), self.inner.payload.eq(self.k.payload),
            accept.eq((self.k.valid & self.k.ready) | (self.i.valid & bases)),
            word.eq(Mux(bases, self.i.payload, self.k.payload) if loads_bases else
                    self.k.payload),
            self.done.eq(accept & last & (now[-1] | now[-2])),
        ]

        # What follows: a section of a key behind another one, or one that is started.
        then = Signal(len(sections), name="then")
        m.d.comb += then.eq((now[:-2] << 1) | self.start_key | (self.start_base << (len(now) - 1)))

        def of_then(values, width):
            return reduce(or_, (gate(then[number], Const(value, width))
                                for number, value in enumerate(values)))

        def any_of(wanted):
            return reduce(or_, (then[number] for number, section in enumerate(sections)
                                if wanted(section)), Const(0, 1))

        # While there is no section, its last word is done. In gates, since the multiplier's answer
        # comes late, and would come later still at a clock enable.
        goes = Signal(name="goes")
        m.d.comb += goes.eq(accept | self.start_key | self.start_base)

        def step(register, to_section, in_section):
            new = gate(last, to_section) | gate(~last, in_section)
            m.d.sync += register.eq(gate(goes, new) | gate(~goes, register))

        step(now, then, now)
        step(index, Const(0, len(index)), (index + 1)[:len(index)])
        step(left, of_then([section.count - 1 for section in sections], len(left)),
             (left - 1)[:len(left)])
        step(last, any_of(lambda section: section.count == 1) | ~then.any(), left == 1)
        step(keys, any_of(lambda section: section is not sections[-1] and not section.inner), keys)
        if loads_bases:
            step(bases, then[-1], bases)
        step(inner, any_of(lambda section: section.inner), inner)

        stored = [(now[number], section) for number, section in enumerate(sections)
                  if section.slot is not None]
        shift = self.layout.slot_bits
        place = reduce(or_, (gate(flag, Const(section.slot << shift, len(self.address)))
                             for flag, section in stored))
        m.d.sync += [
            self.store.eq(accept & reduce(or_, (flag for flag, _ in stored))),
            self.address.eq(place | index), self.data.eq(word),
            self.section.eq(gate(accept, now)),
        ]
        return m
