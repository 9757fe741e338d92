"""How keys, operands and results get into the array from the ports or the last result, and out."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Gather, Pointer, WordBuffer
from ..blocks.carry_save import gate
from ..blocks.streams import Narrow, Widen
from ..blocks.values import delays, later, signals

__all__ = ["OperandMover", "StepResult", "moved_signature"]


def moved_signature(layout):
    """Return the signature of words on their way into the array."""
    return wiring.Signature({
        "x": Out(layout.pe_width),
        "y": Out(layout.pe_width),  # a word of the key while ``of_key``
        "place": Out(layout.elements + 1),  # one-hot: which word is there, also beyond the words
        "last": Out(1),  # the word is the last one of an operation
        "of_key": Out(1),
    })


class OperandMover(wiring.Component):
    """Takes a key or an operation after the other, and moves its words into the array.

    Words are cut or joined for the array. They move one per clock, without a gap: no word may be
    late, since each PE adds up multiples of its word one clock after the PE below. The move begins
    when all other words will be in time if the sender does not pause. If the sender pauses, all
    words are moved again when the last one is there.

    Latency: three clocks from the word that is awaited, of the operation or of the result, to the
    first word at ``moved``; one more if words are joined or cut. Throughput: a word per clock.
    """

    def __init__(self, layout):
        self.layout = layout
        word = layout.word_width
        super().__init__({
            "k": In(stream.Signature(word)),
            "i": In(stream.Signature(2 * word + 2)),
            "idle": In(1),  # no operation that was moved on is under way
            "free": In(1),  # the array may get operands
            # From the next clock on, the result of the operation before may be read.
            "result_readable": In(1),
            "start": In(1),  # the operation that was moved begins
            "read": Out(1),  # words of the result are read, from the first
            "result": In(layout.pe_width),  # the word that was read in the clock before
            "filling": In(1),  # multiples are made of what was moved
            "launch": Out(1),  # the first word of an operation is moved
            "moved": Out(moved_signature(layout)),
        })

    def elaborate(self, platform):
        m = Module()
        g, word = self.layout, self.layout.pe_width
        m.submodules.store = store = WordBuffer(2 * word, g.operand_words, registered=False)
        m.d.comb += [store.o.ready.eq(1), store.available.eq(self.read)]
        moved_on = Signal(name="moved_on")  # all of what was taken is: the next may come
        begun, is_key, sent_kept = self._take(m, store, moved_on)

        # -- What has come: enough words to begin, all words, and one in time.
        count = Signal(range(g.operand_words))
        enough, complete = signals("enough complete")
        pushes = Signal(g.parts)
        m.d.sync += pushes.eq(Cat(store.push, pushes))
        with m.If(store.push):
            m.d.sync += [count.eq(Mux(store.full, 0, count + 1)),
                         enough.eq(enough | (count == g.ahead - 1)),
                         complete.eq(store.full)]
        # Until another operation is under way.
        has_result = Signal(init=1)
        with m.If(self.result_readable):
            m.d.sync += has_result.eq(1)
        with m.Elif(self.start):
            m.d.sync += has_result.eq(0)

        # While words are read from the first again, the mark of the last one is an old one.
        last = store.o.valid & store.last
        sent = Mux(is_key, complete, enough | sent_kept.all())
        key, kept = Signal(name="key"), Signal(2, name="kept")  # of the task on its way
        with m.FSM(name="loader"):
            with m.State("waiting"):
                m.d.sync += [key.eq(is_key), kept.eq(sent_kept)]
                with m.If(begun & self.free & sent & (has_result | ~sent_kept.any())):
                    m.d.comb += [self.launch.eq(~is_key), self.read.eq(1)]
                    m.next = "moving"
            with m.State("moving"):
                m.d.comb += self.read.eq(1)
                with m.If(key | complete | kept.all()):
                    # Words of the next operation are written behind those that are read.
                    m.d.comb += moved_on.eq(~key)
                    m.next = "surely moving"
                    with m.If(last):
                        m.next = "filling"
                with m.Elif(~pushes.any()):
                    m.next = "again"
            with m.State("again"), m.If(complete):
                m.next = "moving"
            with m.State("surely moving"):
                m.d.comb += self.read.eq(1)
                with m.If(last):
                    m.next = "filling"
            with m.State("filling"), m.If(~self.filling):
                m.d.comb += moved_on.eq(key)
                m.next = "waiting"
        with m.If(moved_on):
            m.d.sync += [enough.eq(0), complete.eq(0)]

        # -- On the way.
        moved = self.moved
        word_x, word_y = signals("word_x word_y", word, reset_less=True)
        m.d.comb += [moved.x.eq(word_x), moved.y.eq(word_y)]
        arrives, moves = self.read & store.o.valid, Signal(name="moves")
        m.d.sync += [
            moves.eq(arrives),
            word_x.eq(Mux(kept[0], self.result, store.o.payload[:word])),
            word_y.eq(Mux(kept[1], self.result, store.o.payload[word:])),
            moved.place.eq(Cat(arrives & ~moves, moved.place)),
            moved.last.eq(arrives & store.last & ~key),
            moved.of_key.eq(arrives & key),
        ]
        return m

    def _take(self, m, store, moved_on):
        """Take a key, which goes first, or an operation; return what of it is known so far."""
        g, width = self.layout, self.layout.word_width
        payload = self.i.payload
        x, y, kept = payload[:width], payload[width:2 * width], payload[2 * width:]
        m.submodules.count = count = Pointer(g.port_words)
        begun, is_key = signals("begun is_key")
        sent_kept = Signal(2, name="sent_kept")
        has_key = Signal()
        key_offered = Signal(name="key_offered")  # in the clock before
        key_first, takes_key, takes_operation = signals("key_first takes_key takes_operation")
        passes = Signal()  # a word of a key, or of an operation that sends operands
        ready = Signal()  # for a word that passes
        m.d.comb += [
            takes_key.eq(self.k.valid & self.k.ready),
            takes_operation.eq(self.i.valid & self.i.ready),
            count.step.eq(passes), key_first.eq(key_offered | ~self.i.valid),
        ]
        m.d.sync += key_offered.eq(self.k.valid)

        with m.FSM(name="intake") as fsm:
            m.d.comb += begun.eq(~fsm.ongoing("choose"))
            with m.State("choose"):
                # A key goes first, and waits for operations that have begun.
                m.d.comb += [
                    self.k.ready.eq(self.idle & key_first),
                    self.i.ready.eq(has_key & ~key_offered),
                    passes.eq(takes_key | (takes_operation & ~kept.all())),
                ]
                m.d.sync += [is_key.eq(key_first), sent_kept.eq(gate(~key_first, kept))]
                with m.If(takes_key):
                    m.d.sync += has_key.eq(1)
                    m.next = "moving" if g.port_words == 1 else "key"
                with m.If(takes_operation):
                    m.next = "moving" if g.port_words == 1 else "operation"
                    with m.If(kept.all()):
                        m.next = "moving"
            for name, port, takes in (("key", self.k, takes_key),
                                      ("operation", self.i, takes_operation)):
                with m.State(name):
                    m.d.comb += [port.ready.eq(ready), passes.eq(takes)]
                    with m.If(takes & count.last):
                        m.next = "moving"
            with m.State("moving"), m.If(moved_on):
                m.next = "choose"
            keys = (fsm.ongoing("choose") & key_first) | fsm.ongoing("key")
        self._convert(m, store, x, Mux(keys, self.k.payload, y), passes, ready)
        return begun, is_key, sent_kept

    def _convert(self, m, store, x, y, passes, ready):
        """Cut or join words of x and y; ``ready`` is high while they may pass."""
        g = self.layout
        if g.ratio == g.parts == 1:
            m.d.comb += [ready.eq(1), store.push.eq(passes), store.data.eq(Cat(x, y))]
            return
        word = g.pe_width if g.ratio > 1 else g.word_width
        converter = Narrow(2 * word, g.ratio) if g.ratio > 1 else Widen(2 * word, g.parts)
        m.submodules.converter = converter
        out = converter.o.payload
        m.d.comb += [
            converter.i.valid.eq(passes), ready.eq(converter.i.ready), converter.o.ready.eq(1),
            converter.i.payload.eq(Cat(Cat(x.word_select(part, word), y.word_select(part, word))
                                       for part in range(g.ratio))),
            store.push.eq(converter.o.valid),
            store.data.eq(Cat(out.word_select(2 * part + number, word)
                                  for number in range(2) for part in range(g.parts))),
        ]


class StepResult(wiring.Component):
    """Gathers a number below 2 m, hands it out, and keeps it as an operand of the next operation.

    If the layout :attr:`~.multiplier.StepLayout.subtracts`, m is subtracted if the number is m or
    more. Both the number and the difference are kept then, until the last word has decided.

    Latency: the clocks of a ``Gather`` and of a ``WordBuffer``; if it subtracts, one more for each
    word. Throughput: a word per clock.
    """

    def __init__(self, layout):
        self.layout = layout
        word = layout.pe_width
        super().__init__({
            "moved": In(moved_signature(layout)),  # words of m
            "start": In(1),  # an operation begins
            "done": In(1),  # ``head`` is the end of the number
            "head": In(layout.steps),
            # The columns above; word v counts v + 1 clocks after ``done``.
            "numbers": In(word).array(layout.operand_words),
            "o": Out(stream.Signature(word)),  # the result
            "busy": Out(1),  # from the start of an operation until its last word is here
            # From the start of an operation to the clock before the one that hands over its last
            # word; to that clock, if the port is slow.
            "reserved": Out(1),
            "readable": Out(1),  # from the next clock on, the result may be read as an operand
            # Read the next word of the last result; the first one if this was low a clock before.
            "read": In(1),
            "kept": Out(word),  # the word that was read in the clock before
        })

    def elaborate(self, platform):
        m = Module()
        g, s, word, count = (self.layout, self.layout.steps, self.layout.pe_width,
                             self.layout.operand_words)
        m.submodules.gather = gather = Gather(word, count + 1)
        # The head is what a word below PE 0 would have at its upper end.
        m.d.comb += [
            gather.chosen.eq(Cat(delays(m, self.done, count, "chosen", reset_less=False))),
            gather.words[0].eq(Cat(C(0, word - s), self.head)),
            *(gather.words[v + 1].eq(self.numbers[v]) for v in range(count)),
        ]
        first = later(m, self.done, Gather.latency_of(count + 1), "first", reset_less=False)

        # -- The number in words as they are sent.
        comes = Signal()
        below = Signal(s, reset_less=True)
        number = Cat(below, gather.word[:word - s])
        m.d.sync += below.eq(gather.word[word - s:])

        # -- Way out. Words are looked up before it is known which of two numbers is the result.
        size = 2 * word if g.subtracts else word
        m.submodules.buffer = buffer = WordBuffer(size, count, turns=1)
        m.submodules.store = store = WordBuffer(size, count, registered=False)
        begun, finished = signals("begun finished")
        m.d.comb += [
            self.reserved.eq(begun if g.slow_port else begun & ~finished),
            store.push.eq(buffer.push), store.data.eq(buffer.data), store.available.eq(self.read),
            store.o.ready.eq(1),
            finished.eq(self.o.valid & self.o.ready & buffer.last),
        ]
        m.d.sync += [
            self.busy.eq((self.busy | self.start) & ~(buffer.push & buffer.full)),
            begun.eq((begun & ~finished) | self.start),
        ]
        if g.subtracts:
            self._subtract(m, first, comes, number, below, buffer, store, finished)
        else:
            m.d.sync += comes.eq((comes | first) & ~(comes & buffer.full))
            m.d.comb += [
                buffer.push.eq(comes), buffer.data.eq(number), self.readable.eq(comes),
                self.o.valid.eq(buffer.o.valid), buffer.o.ready.eq(self.o.ready),
                self.o.payload.eq(buffer.o.payload), self.kept.eq(store.o.payload),
            ]
        return m

    def _subtract(self, m, first, comes, number, below, buffer, store, finished):
        """Subtract the modulus, one clock later, and choose a clock after the last word."""
        g, word = self.layout, self.layout.pe_width
        m.submodules.modulus = modulus = WordBuffer(word, g.operand_words)
        m.d.comb += [
            modulus.push.eq(self.moved.of_key), modulus.data.eq(self.moved.y),
            modulus.available.eq(~self.start), modulus.o.ready.eq(comes),
        ]
        storing, ends = signals("storing ends")
        last = comes & modulus.last
        late, difference = signals("number difference", word, reset_less=True)
        borrow = Signal(reset_less=True)
        m.d.sync += [
            comes.eq((comes | first) & ~last),
            storing.eq(comes), ends.eq(last), late.eq(number),
            # The borrow as a bit below both, so that one carry chain does.
            Cat(difference, borrow).eq(
                (Cat(C(0, 1), number) - Cat(borrow, modulus.o.payload))[1:]),
        ]
        with m.If(first):
            m.d.sync += borrow.eq(0)

        decided, smaller = signals("decided smaller")
        with m.If(ends):
            # The bit above the words is only set where they end at ``width``.
            m.d.sync += smaller.eq(borrow & ~below[0])
        m.d.sync += decided.eq((decided | ends) & ~finished)
        m.d.comb += [
            buffer.push.eq(storing), buffer.data.eq(Cat(late, difference)),
            buffer.o.ready.eq(decided & self.o.ready),
            self.readable.eq(last if g.operand_words > 1 else ends),
            self.o.valid.eq(decided & buffer.o.valid),
            self.o.payload.eq(Mux(smaller, buffer.o.payload[:word], buffer.o.payload[word:])),
            self.kept.eq(Mux(smaller, store.o.payload[:word], store.o.payload[word:])),
        ]
