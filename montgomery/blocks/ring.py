"""A ring of word-wide processing elements through which the operands circulate.

Figure 2 of Satzoda, Chang and Jong is a two-dimensional array: row i adds a_i B and q_i N, column j
holds bit j. Their one-dimensional Design 2 keeps one row and lets the iterations pass over it in
time. The ring is the other projection of the same array: each processing element (PE) keeps one
iteration, and the words of B, N and of the intermediate sum pass over it, lowest first, one a clock.
PE ``v`` does the iterations v, v + p, v + 2p ...; the last PE hands its words on to the first.

What that buys: every bit is used where it is and moves to the neighbour, so nothing is broadcast
beyond the bits of a PE, no operand is multiplexed, and the result leaves in words, in order.

With ``hop`` clocks from a PE to the next, a revolution of ``words`` clocks passes
``words / hop`` PEs, which is just how many there are: all work in every clock.
"""

import dataclasses

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..core import Cycles, Signature, ceil_div
from .streams import Narrow, Widen
from .word_buffer import WordBuffer

__all__ = ["Geometry", "Ring", "RingMultiplier", "Sequencer"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Geometry:
    """Sizes and times of a ring.

    Attributes
    ----------
    hop : :class:`int`
        Clocks from a PE to the next.
    pe_width : :class:`int`
        Bits a word in the ring.
    operand_words : :class:`int`
        Words of an operand that are sent; the others are 0.
    words : :class:`int`
        Words in the ring, and clocks of a revolution.
    elements : :class:`int`
        Processing elements.
    iterations : :class:`int`
        Iterations of a multiplication.
    ratio : :class:`int`
        Words in the ring to a word of the streams.
    resolve : :class:`int`
        Clocks from the result's first word in carry-save form to that word in binary, 2 or more.
    """

    hop: int
    pe_width: int
    operand_words: int
    words: int
    elements: int
    iterations: int
    ratio: int
    resolve: int

    @classmethod
    def of(cls, params, *, hop, resolve, minimum=2):
        """Return the smallest ring for :class:`~.radix2.Radix2Parameters`."""
        # Before its shift an iteration's sum is below 3m + 2m + m < 2**(width + 3).
        words = max(params.operand_words, ceil_div(params.width + 3, params.pe_width),
                    minimum)
        elements = ceil_div(words, hop)
        return cls(hop=hop, pe_width=params.pe_width, operand_words=params.operand_words,
                   words=elements * hop, elements=elements, iterations=params.iterations,
                   ratio=params.ratio, resolve=resolve)

    @property
    def revolutions(self):
        """Revolutions before the one in which the result appears."""
        return self.iterations // self.elements

    @property
    def tap(self):
        """The PE that would do the iteration after the last: its inputs are the result."""
        return self.iterations % self.elements

    @property
    def cycles(self):
        """:class:`~montgomery.Cycles` of a multiplication.

        x is buffered, the modulus defines word 0 of the ring, y waits for word 0 to come round;
        the first iteration starts when it has come round again. A word of the result in binary
        takes a clock to be stored and two to be read.
        """
        load = 2 * self.operand_words + self.words
        compute = self.words - self.operand_words + 3 + self.hop * self.iterations
        compute += self.resolve + 3
        unload = self.operand_words
        if self.ratio > 1:
            load -= self.ratio - 1
            compute += 2 * self.ratio
            unload -= self.ratio - 1
        return Cycles(load=load, compute=compute, unload=unload,
                      interval=load + compute + unload - 1)


class Sequencer(wiring.Component):
    """Takes operands, paces the ring, and hands out results.

    The words of x, of the modulus and of y arrive in that order. x goes to a memory, from which its
    bits are served, and which buffers the result later. The modulus and y go straight into the
    ring, each word when its place comes by: a word that comes late waits for a revolution.

    Parameters
    ----------
    geometry : :class:`Geometry`

    Members
    -------
    i, o : streams of ``pe_width`` bits
        Operands in, result out.
    word : :py:`Out(pe_width)`
        Word of an operand.
    load_n, load_y : :py:`Out(1)`
        ``word`` is the word of the modulus, or of y, that enters the ring now.
    pad : :py:`Out(1)`
        The word that enters the ring now is above the operands and has to be 0.
    slot_0 : :py:`Out(1)`
        The word that enters the ring now is word 0; PE 0 has it in the next clock.
    bit : :py:`Out(1)`
        The bit a_v in the clock v after the one of ``slot_0``, in the first revolution; the next
        ``elements`` bits in the next one, and so on. 0 while operands are loaded.
    bit_b0 : :py:`Out(1)`
        ``bit`` and the lowest bit of y.
    clear : :py:`Out(1)`
        High from the first operand to the end of the first revolution: the last PE must give 0.
        With ``bit`` 0, all PEs come to give 0 before the first iteration.
    tap : :py:`In(1)`
        The PE at :attr:`Geometry.tap` has word 0.
    result : :py:`In(pe_width)`
        Word j of the result ``resolve`` + j clocks after ``tap``.
    """

    def __init__(self, geometry):
        self.geometry = geometry
        width = geometry.pe_width
        super().__init__({
            "i": In(stream.Signature(width)),
            "o": Out(stream.Signature(width)),
            "word": Out(width),
            "load_n": Out(1),
            "load_y": Out(1),
            "pad": Out(1),
            "slot_0": Out(1),
            "bit": Out(1),
            "bit_b0": Out(1),
            "clear": Out(1),
            "tap": In(1),
            "result": In(width),
        })

    def elaborate(self, platform):
        m = Module()
        g = self.geometry
        sent, words = g.operand_words, g.words

        # One register a state, each with its own equation: no decoding, no shared enables.
        taking_x = Signal(init=1)
        taking_n0 = Signal()  # the first word of the modulus
        taking_n = Signal()
        taking_y = Signal()
        running = Signal()
        started = Signal()  # the first revolution has begun
        unloading = Signal()
        valid = self.i.valid

        # -- Position in the revolution; each comparison is registered a clock before its use.
        slot = Signal(range(words), reset_less=True)
        slot_before = Signal(range(words), reset_less=True)
        slot_0 = Signal(reset_less=True)
        slot_end = Signal(reset_less=True)
        slot_sent = Signal(reset_less=True)  # the last slot that carries a word of an operand
        pad = Signal(reset_less=True)
        window = Signal(reset_less=True)  # one of the first ``elements`` slots
        m.d.sync += [
            slot_before.eq(slot),
            slot.eq(Mux(slot_end, 0, slot + 1)),
            slot_0.eq(slot_end),
            slot_end.eq(slot == words - 2),
            slot_sent.eq(slot_end if sent == 1 else slot == sent - 2),
            pad.eq((pad | slot_sent) & ~slot_end),
            window.eq((window & (slot != g.elements - 1)) | slot_end),
        ]
        with m.If(taking_x | (taking_n0 & ~valid)):  # the modulus defines word 0
            m.d.sync += [slot.eq(0), slot_0.eq(1), slot_end.eq(0), slot_sent.eq(sent == 1),
                         pad.eq(0), window.eq(1)]

        # -- Operands in. ``due``: the word that is waited for belongs into this slot.
        due = Signal()
        soon = Signal()  # it belongs into the next one
        latest = Signal(range(words), reset_less=True)  # the slot before that of the latest word
        last_x, last_n, last_y = Signal(), Signal(), Signal()
        buffer = WordBuffer(g.pe_width, sent)
        m.d.comb += [
            self.i.ready.eq(taking_x | taking_n0 | due),
            last_x.eq(taking_x & valid & buffer.full),
            last_n.eq((taking_n0 if sent == 1 else taking_n & due & slot_sent) & valid),
            last_y.eq(taking_y & due & slot_sent & valid),
        ]
        m.d.sync += [
            taking_x.eq((taking_x & ~last_x)
                        | (self.o.valid & self.o.ready & buffer.last)),
            taking_n0.eq((taking_n0 & ~valid) | last_x),
            taking_n.eq((taking_n | (taking_n0 & valid)) & ~last_n),
            taking_y.eq((taking_y | last_n) & ~last_y),
            soon.eq(slot == latest),
            due.eq(((taking_n0 | due) & valid & ~slot_sent)
                   | ((taking_n | taking_y) & ~due & soon)),
        ]
        with m.If((taking_n0 | due) & valid):
            m.d.sync += latest.eq(Mux(slot_0, words - 1, slot_before))
        with m.If(last_n):  # y starts at the next word 0
            m.d.sync += [latest.eq(words - 2), soon.eq(words - sent == 1)]
            if sent == words:
                m.d.sync += due.eq(1)

        # What enters the ring is registered first, so all that goes with it is a clock late too.
        word = Signal(g.pe_width, reset_less=True)
        load_n, load_y = Signal(), Signal()
        enters_0, enters_pad = Signal(reset_less=True), Signal(reset_less=True)
        enters_running, advance = Signal(), Signal()
        m.d.sync += [
            word.eq(self.i.payload),
            load_n.eq(taking_n0 | (taking_n & due & valid)),
            load_y.eq(taking_y & due & valid),
            enters_0.eq(slot_0),
            enters_pad.eq(pad),
            enters_running.eq(running),
            advance.eq(running & window & (started | slot_0)),
        ]

        # -- Iterations: count revolutions, then wait for the result to pass the tap.
        left = Signal(range(g.revolutions + 1), reset_less=True)
        left_none = Signal()
        final = Signal()
        clear = Signal(init=1)
        coming = Signal(1 + g.resolve)  # bit d: word 0 of the result passed the tap d clocks ago
        m.d.comb += coming[0].eq(final & self.tap)
        m.d.sync += coming[1:].eq(coming)
        begins = enters_running & enters_0
        m.d.sync += [
            running.eq((running | last_y) & ~coming[1]),
            started.eq((started | (running & slot_0)) & ~taking_x),
            clear.eq((clear & ~(started & slot_0)) | taking_x),
            left_none.eq(left == 0),
            final.eq(((final & ~begins) | (left_none & begins)) & ~coming[1]),
        ]
        with m.If(taking_x):
            m.d.sync += left.eq(g.revolutions)
        with m.Elif(begins):
            m.d.sync += left.eq(left - 1)

        # -- The buffer holds x while iterations run, then the result, stored as it comes.
        m.submodules.buffer = buffer
        storing = Signal()
        awaited = Signal()  # the result is not yet there
        available = Signal()
        used = Signal()  # the word of x at the end of the buffer has gone into ``shift``
        awaited_next = (awaited | coming[0]) & ~coming[-1]
        m.d.sync += [
            storing.eq((storing & ~buffer.full) | coming[-2]),
            awaited.eq(awaited_next),
            available.eq(~(taking_x & ~(valid & buffer.full)) & ~awaited_next),
            unloading.eq((unloading | coming[2])
                         & ~(self.o.valid & self.o.ready & buffer.last)),
        ]
        m.d.comb += [
            buffer.push.eq((taking_x & valid) | storing),
            buffer.data.eq(Mux(storing, self.result, self.i.payload)),
            buffer.available.eq(available),
            buffer.o.ready.eq((unloading & self.o.ready) | used),
            self.o.payload.eq(buffer.o.payload),
            self.o.valid.eq(buffer.o.valid & unloading),
        ]

        # -- The bits of x.
        shift = Signal(g.pe_width, reset_less=True)
        count = Signal(range(g.pe_width), reset_less=True)
        count_last = Signal(reset_less=True)
        with m.If(taking_y):
            m.d.sync += [count.eq(0), count_last.eq(0)]
        with m.Elif(advance):
            m.d.sync += [count.eq(Mux(count_last, 0, count + 1)),
                         count_last.eq(count == g.pe_width - 2)]
        shift_next = Mux(taking_y | count_last, buffer.o.payload, shift >> 1)
        with m.If(taking_y | advance):
            m.d.sync += shift.eq(shift_next)
        m.d.sync += used.eq(last_y | (advance & count_last))
        # 0 while operands are loaded: with that and ``clear`` all sums and carries become 0.
        b0 = Signal(reset_less=True)
        bit, bit_b0 = Signal(reset_less=True), Signal(reset_less=True)
        with m.If(taking_y & slot_0 & due):
            m.d.sync += b0.eq(self.i.payload[0])
        bit_next = Mux(advance, shift_next[0], shift[0]) & running
        m.d.sync += [bit.eq(bit_next), bit_b0.eq(bit_next & b0)]

        m.d.comb += [
            self.word.eq(word), self.load_n.eq(load_n), self.load_y.eq(load_y),
            self.slot_0.eq(enters_0), self.pad.eq(enters_pad if sent < words else 0),
            self.bit.eq(bit), self.bit_b0.eq(bit_b0), self.clear.eq(clear),
        ]
        return m


class RingMultiplier(wiring.Component):
    """The part of a multiplier on a ring that does not depend on its arithmetic.

    A derived class gives the processing elements in :meth:`elements`.

    Parameters
    ----------
    params : :class:`~.radix2.Radix2Parameters`
    geometry : :class:`Geometry`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params, geometry):
        self.params = params
        self.geometry = geometry
        super().__init__(Signature(params.word_width))

    def elements(self, m, sequencer, ring):
        """Add the processing elements to module ``m`` and return the result's words.

        Parameters
        ----------
        ring : :class:`Ring`

        Returns
        -------
        Value
            Word j of the result, ``resolve`` + j clocks after ``ring.tokens[tap]``.
        """
        raise NotImplementedError

    def elaborate(self, platform):
        m = Module()
        g = self.geometry
        m.submodules.sequencer = sequencer = Sequencer(g)
        if g.ratio > 1:
            m.submodules.narrow = narrow = Narrow(g.pe_width, g.ratio)
            m.submodules.widen = widen = Widen(g.pe_width, g.ratio)
            wiring.connect(m, wiring.flipped(self.i), narrow.i)
            wiring.connect(m, narrow.o, sequencer.i)
            wiring.connect(m, sequencer.o, widen.i)
            wiring.connect(m, widen.o, wiring.flipped(self.o))
        else:
            wiring.connect(m, wiring.flipped(self.i), sequencer.i)
            wiring.connect(m, sequencer.o, wiring.flipped(self.o))
        ring = Ring(m, g, sequencer)
        m.d.comb += [
            sequencer.tap.eq(ring.tokens[g.tap]),
            sequencer.result.eq(self.elements(m, sequencer, ring)),
        ]
        return m


class Ring:
    """The registers in which the words of B and N circulate, and what goes round with them.

    Attributes
    ----------
    b, n : list of list of Signal(pe_width)
        ``b[v][h]`` is the word of B that PE ``v`` got ``h`` clocks ago, ``h`` below ``hop``.
    before : list of Signal(1)
        Is high in the clock before PE ``v`` has word 0.
    tokens : list of Signal(1)
        Is high in the clock in which PE ``v`` has word 0.
    a : list of Signal(1)
        The bit of x for the iteration that PE ``v`` does, while it has the words of it.
    """

    def __init__(self, m, geometry, sequencer):
        g = geometry
        self.b = self._pipeline(m, g, "b")
        self.n = self._pipeline(m, g, "n")
        word = sequencer.word
        for pipeline, load in ((self.b, sequencer.load_y), (self.n, sequencer.load_n)):
            m.d.sync += pipeline[0][0].eq(Mux(load, word, pipeline[-1][-1]))
            with m.If(sequencer.pad):
                m.d.sync += pipeline[0][0].eq(0)
        chain = [sequencer.slot_0]
        for index in range(g.words):
            token = Signal(name=f"token_{index}")
            m.d.sync += token.eq(chain[-1])
            chain.append(token)
        self.before = chain[:-1:g.hop]
        self.tokens = chain[1::g.hop]
        # A PE starts ``hop`` clocks after the one before it, but its bit is served one clock after
        # that one's: the bits travel along the ring for the difference.
        self.a = []
        bit = sequencer.bit
        for index in range(g.elements):
            a = Signal(name=f"a_{index}", reset_less=True)
            with m.If(self.before[index]):
                m.d.sync += a.eq(bit)
            self.a.append(a)
            for _ in range(g.hop - 1):
                late = Signal(name=f"bit_{index}", reset_less=True)
                m.d.sync += late.eq(bit)
                bit = late

    @staticmethod
    def _pipeline(m, g, name):
        pipeline = [[Signal(g.pe_width, name=f"{name}_{index}_{delay}", reset_less=True)
                     for delay in range(g.hop)] for index in range(g.elements)]
        flat = [word for element in pipeline for word in element]
        for source, target in zip(flat, flat[1:], strict=False):
            m.d.sync += target.eq(source)
        return pipeline
