"""What surrounds the adders of a bit-serial multiplier: operands in, bits of x, result out."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.word_buffer import Pointer, WordBuffer

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """Takes operands, paces the iterations, and hands out results.

    The words of x, of the modulus and of y arrive in that order. x goes to a memory, from which its
    bits are served, and which buffers the result later. The modulus and y go straight to the
    adders: in a row at once, in a ring each word when its place comes by, so that a word that comes
    late waits for a revolution.

    Parameters
    ----------
    geometry : :class:`~.geometry.Geometry`

    Members
    -------
    i, o : streams of ``pe_width`` bits
        Operands in, result out.
    word : :py:`Out(pe_width)`
        Word of an operand.
    load_n, load_y : :py:`Out(1)`
        ``word`` is the next word of the modulus, or of y, and enters the ring now.
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
        The PE at :attr:`.Geometry.tap` has word 0.
    found : :py:`Out(1)`
        And it is word 0 of the result.
    result : :py:`In(pe_width)`
        Word j of the result ``resolve`` + j clocks after ``found``.
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
            "found": Out(1),
            "result": In(width),
        })

    def elaborate(self, platform):
        m = Module()
        g = self.geometry
        sent, words = g.operand_words, g.words

        # One register a state, each with its own equation: no decoding, no shared enables.
        taking_x = Signal(name="taking_x", init=1)
        taking_n0 = Signal(name="taking_n0")  # the first word of the modulus
        taking_n = Signal(name="taking_n")
        taking_y = Signal(name="taking_y")
        running = Signal(name="running")
        started = Signal(name="started")  # the first revolution has begun
        unloading = Signal(name="unloading")
        valid = self.i.valid

        # -- Position in the revolution; each comparison is registered a clock before its use.
        slot = Signal(range(words), name="slot", reset_less=True)
        slot_before = Signal(range(words), name="slot_before", reset_less=True)
        slot_0 = Signal(name="slot_0", reset_less=True)
        slot_end = Signal(name="slot_end", reset_less=True)
        # The last slot that carries a word of an operand.
        slot_sent = Signal(name="slot_sent", reset_less=True)
        pad = Signal(name="pad", reset_less=True)
        window = Signal(name="window", reset_less=True)  # one of the first ``elements`` slots
        m.d.sync += [
            slot_before.eq(slot),
            slot.eq(Mux(slot_end, 0, slot + 1)),
            slot_0.eq(slot_end),
            slot_end.eq(slot == words - 2),
            slot_sent.eq(slot_end if sent == 1 else slot == sent - 2),
            pad.eq((pad | slot_sent) & ~slot_end),
            window.eq((window & (slot != g.elements - 1)) | slot_end),
        ]
        # The modulus defines word 0 of a ring; a row waits for all words.
        with m.If(~running if g.stationary else taking_x | (taking_n0 & ~valid)):
            m.d.sync += [slot.eq(0), slot_0.eq(1), slot_end.eq(0), slot_sent.eq(sent == 1),
                         pad.eq(0), window.eq(1)]

        # -- Operands in. ``due``: a word of the modulus or of y can be placed now.
        due = Signal(name="due")
        last_x = Signal(name="$signal")
        last_n = Signal(name="$signal")
        last_y = Signal(name="last_y")
        buffer = WordBuffer(g.pe_width, sent)
        if g.stationary:
            m.submodules.place = place = Pointer(sent)
            # A row takes words a clock later than a ring. A single word of x is only served in the
            # second clock of y.
            ready, late_y = Signal(name="$signal"), Signal(name="late_y")
            m.d.sync += [ready.eq(last_y), late_y.eq(taking_y)]
            m.d.comb += [due.eq(taking_n | (taking_y & late_y if sent == 1 else taking_y)),
                         place.step.eq((taking_n0 | due) & valid)]
            last_word, first_word = place.last, place.first
        else:
            last_word, first_word, ready = slot_sent, slot_0, last_y
        m.d.comb += [
            self.i.ready.eq(taking_x | taking_n0 | due),
            last_x.eq(taking_x & valid & buffer.full),
            last_n.eq((taking_n0 if sent == 1 else taking_n & due & last_word) & valid),
            last_y.eq(taking_y & due & last_word & valid),
        ]
        m.d.sync += [
            taking_x.eq((taking_x & ~last_x)
                        | (self.o.valid & self.o.ready & buffer.last)),
            taking_n0.eq((taking_n0 & ~valid) | last_x),
            taking_n.eq((taking_n | (taking_n0 & valid)) & ~last_n),
            taking_y.eq((taking_y | last_n) & ~last_y),
        ]
        if not g.stationary:
            soon = Signal(name="soon")  # the word that is waited for belongs into the next slot
            # The slot before that of the latest word.
            latest = Signal(range(words), name="latest", reset_less=True)
            m.d.sync += [
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

        # What goes to the adders is registered first, so all that goes with it is a clock late too.
        word = Signal(g.pe_width, name="word", reset_less=True)
        load_n, load_y = Signal(name="$signal"), Signal(name="load_y")
        enters_0 = Signal(name="$signal", reset_less=True)
        enters_pad = Signal(name="enters_pad", reset_less=True)
        enters_running, advance = Signal(name="$signal"), Signal(name="advance")
        m.d.sync += [
            word.eq(self.i.payload),
            load_n.eq((taking_n0 | (taking_n & due)) & valid),
            load_y.eq(taking_y & due & valid),
            enters_0.eq(slot_0),
            enters_pad.eq(pad),
            enters_running.eq(running),
            advance.eq(running & window & (started | slot_0)),
        ]

        # -- Iterations: count revolutions, then wait for the result to pass the tap.
        left = Signal(range(g.revolutions + 1), name="left", reset_less=True)
        left_none = Signal(name="left_none")
        final = Signal(name="final")
        clear = Signal(name="clear")
        # Bit d: word 0 of the result passed the tap d clocks ago.
        coming = Signal(1 + g.resolve, name="coming")
        m.d.comb += [coming[0].eq(final & self.tap), self.found.eq(coming[0])]
        m.d.sync += coming[1:].eq(coming)
        begins = enters_running & enters_0
        m.d.sync += [
            running.eq((running | ready) & ~coming[1]),
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
        storing = Signal(name="storing")
        awaited = Signal(name="awaited")  # the result is not yet there
        available = Signal(name="available")
        used = Signal(name="used")  # the word of x at the end of the buffer has gone into ``shift``
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
        shift = Signal(g.pe_width, name="shift", reset_less=True)
        count = Signal(range(g.pe_width), name="count", reset_less=True)
        count_last = Signal(name="count_last", reset_less=True)
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
        b0 = Signal(name="b0", reset_less=True)
        bit = Signal(name="$signal", reset_less=True)
        bit_b0 = Signal(name="bit_b0", reset_less=True)
        with m.If(taking_y & first_word & due):
            m.d.sync += b0.eq(self.i.payload[0])
        served = Mux(count_last, buffer.o.payload[0], shift[1])
        bit_next = Mux(advance, served, shift[0]) & running
        m.d.sync += [bit.eq(bit_next), bit_b0.eq(bit_next & b0)]

        m.d.comb += [
            self.word.eq(word), self.load_n.eq(load_n), self.load_y.eq(load_y),
            self.slot_0.eq(enters_0), self.pad.eq(enters_pad if sent < words else 0),
            self.bit.eq(bit), self.bit_b0.eq(bit_b0), self.clear.eq(clear),
        ]
        return m
