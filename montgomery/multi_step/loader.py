"""How keys and operands get from the ports, or from the last result, into the array."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.word_buffer import WordBuffer
from .intake import task_signature

__all__ = ["OperandMover", "moved_signature"]


def moved_signature(layout):
    """Return the signature of words on their way into the array.

    Members
    -------
    x, y : :py:`Out(pe_width)`
        Words of the operands. ``y`` is a word of the key while ``of_key`` is high.
    place : :py:`Out(elements + 1)`
        Bit v is high in the clock in which word v is there; also for v beyond the words.
    last : :py:`Out(1)`
        The word is the last one of an operation.
    of_key : :py:`Out(1)`
        The word is one of a key.
    """
    word = layout.pe_width
    return wiring.Signature({"x": Out(word), "y": Out(word), "place": Out(layout.elements + 1),
                             "last": Out(1), "of_key": Out(1)})


class OperandMover(wiring.Component):
    """Moves words of a key, or of x and y, into the array: one per clock, without a gap.

    No word may be late, since each PE adds up multiples of its word one clock after the PE below.
    The move begins when all other words will be in time if the sender does not pause. If the sender
    pauses, all words are moved again when the last one is there.

    Latency: three clocks from the word that is awaited, of the operation or of the result, to the
    first word at ``moved``. Throughput: a word per clock.

    Parameters
    ----------
    layout : :class:`~.layout.StepLayout`

    Members
    -------
    task : :py:`In(task_signature(layout))`
        See :func:`~.intake.task_signature`.
    free : :py:`In(1)`
        The array may get operands.
    result_readable : :py:`In(1)`
        From the next clock on, the result of the operation before may be read.
    start : :py:`In(1)`
        The operation that was moved begins.
    read : :py:`Out(1)`
        Words of the result are read, from the first.
    result : :py:`In(pe_width)`
        Word of the result that was read in the clock before.
    filling : :py:`In(1)`
        Multiples are made of what was moved.
    launch : :py:`Out(1)`
        The first word of an operation is moved.
    moved : :py:`Out(moved_signature(layout))`
        See :func:`moved_signature`.
    """

    def __init__(self, layout):
        self.layout = layout
        super().__init__({
            "task": In(task_signature(layout)),
            "free": In(1), "result_readable": In(1), "start": In(1),
            "read": Out(1), "result": In(layout.pe_width), "filling": In(1), "launch": Out(1),
            "moved": Out(moved_signature(layout)),
        })

    def elaborate(self, platform):
        m = Module()
        g, word, task = self.layout, self.layout.pe_width, self.task
        m.submodules.store = store = WordBuffer(2 * word, g.operand_words, registered=False)
        m.d.comb += [store.push.eq(task.push), store.data.eq(task.data), store.o.ready.eq(1),
                     store.available.eq(self.read)]

        # -- What has come: enough words to begin, all words, and one in time.
        count = Signal(range(g.operand_words))
        enough, complete = Signal(name="enough"), Signal(name="complete")
        pushes = Signal(g.parts)
        m.d.sync += pushes.eq(Cat(task.push, pushes))
        with m.If(task.push):
            m.d.sync += [count.eq(Mux(store.full, 0, count + 1)),
                         enough.eq(enough | (count == g.ahead - 1)),
                         complete.eq(store.full)]
        # Until another operation is under way.
        has_result = Signal(init=1)
        with m.If(self.result_readable):
            m.d.sync += has_result.eq(1)
        with m.Elif(self.start):
            m.d.sync += has_result.eq(0)

        sent = Mux(task.is_key, complete, enough | task.kept.all())
        key, kept = Signal(name="key"), Signal(2, name="kept")  # of the task on its way
        with m.FSM(name="loader"):
            with m.State("waiting"):
                m.d.sync += [key.eq(task.is_key), kept.eq(task.kept)]
                with m.If(task.begun & self.free & sent & (has_result | ~task.kept.any())):
                    m.d.comb += [self.launch.eq(~task.is_key), self.read.eq(1)]
                    m.next = "moving"
            with m.State("moving"):
                m.d.comb += self.read.eq(1)
                with m.If(key | complete | kept.all()):
                    # Words of the next operation are written behind those that are read.
                    m.d.comb += task.moved.eq(~key)
                    m.next = "surely moving"
                    with m.If(store.last):
                        m.next = "filling"
                with m.Elif(~pushes.any()):
                    m.next = "again"
            with m.State("again"), m.If(complete):
                m.next = "moving"
            with m.State("surely moving"):
                m.d.comb += self.read.eq(1)
                with m.If(store.last):
                    m.next = "filling"
            with m.State("filling"), m.If(~self.filling):
                m.d.comb += task.moved.eq(key)
                m.next = "waiting"
        with m.If(task.moved):
            m.d.sync += [enough.eq(0), complete.eq(0)]

        # -- On the way.
        moved = self.moved
        word_x, word_y = (Signal(word, name=name, reset_less=True) for name in ("word_x", "word_y"))
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
