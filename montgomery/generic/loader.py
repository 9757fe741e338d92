"""Takes the words of keys and of bases from the ports to where they belong."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import decremented, gate, incremented

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
        now = Signal(len(sections))  # one-hot
        # Words of a key come for the memory and for other parts, or for the multiplier.
        keys = Signal()
        inner = Signal()
        loads_bases = not self.layout.params.forwards
        bases = Signal(name="bases") if loads_bases else Const(0, 1)
        index = Signal(range(most))
        left = Signal(range(most + 1))  # words behind the current one
        more = Signal()  # there are such
        accept = Signal()
        word = Signal(len(self.data))
        m.d.comb += [
            self.k.ready.eq(keys | (inner & self.inner.ready)), self.i.ready.eq(bases),
            self.inner.valid.eq(self.k.valid & inner), self.inner.payload.eq(self.k.payload),
            accept.eq((self.k.valid & self.k.ready) | (self.i.valid & bases)),
            word.eq(Mux(bases, self.i.payload, self.k.payload) if loads_bases else
                    self.k.payload),
            self.done.eq(accept & ~more & (now[-1] | now[-2])),
        ]

        # The section that follows the current one of a key, and one that is started when there is
        # none. All registers are 0 then.
        then = Cat(Const(0, 1), now[:-2], Const(0, 1))
        started = Cat(self.start_key, Const(0, len(now) - 2), self.start_base)

        def with_each(flags, values, width):
            return reduce(or_, (gate(flags[number], Const(value, width))
                                for number, value in enumerate(values)))

        def step(register, values, in_section):
            """Set ``register`` to one of ``values`` at the start of a section."""
            width = len(register)
            new = gate(~more, with_each(then, values, width)) | gate(more, in_section)
            # In gates, since the multiplier's answer comes late, and would come later still at a
            # clock enable.
            m.d.sync += register.eq(gate(accept, new) | gate(~accept, register)
                                    | with_each(started, values, width))

        counts = [section.count for section in sections]
        step(now, [1 << number for number in range(len(now))], now)
        step(index, [0] * len(now), incremented(index))
        step(left, [count - 1 for count in counts], decremented(left))
        step(more, [count > 1 for count in counts], left != 1)
        step(keys, [section is not sections[-1] and not section.inner for section in sections],
             keys)
        if loads_bases:
            step(bases, [section is sections[-1] for section in sections], bases)
        step(inner, [section.inner for section in sections], inner)

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
