"""Where keys and operands come in, and which of them goes first."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer
from ..blocks.carry_save import gate
from ..blocks.streams import Narrow, Widen

__all__ = ["TaskIntake", "task_signature"]


def task_signature(layout):
    """Return the signature between what sends tasks, which are keys or operations, and the array.

    Members
    -------
    push : :py:`Out(1)`
        ``data`` is a word of the task.
    data : :py:`Out(2 * pe_width)`
        Words of x and of y; the word of a key stands in place of that of y.
    begun : :py:`Out(1)`
        The first word of a task has been taken.
    is_key : :py:`Out(1)`
        The task is a key.
    kept : :py:`Out(2)`
        The result of the operation before is x of the task; it is y.
    moved : :py:`In(1)`
        The task has been moved on: the next one may come.
    """
    return wiring.Signature({"push": Out(1), "data": Out(2 * layout.pe_width), "begun": Out(1),
                             "is_key": Out(1), "kept": Out(2), "moved": In(1)})


class TaskIntake(wiring.Component):
    """Takes a key or an operation after the other, and cuts or joins its words for the array.

    Latency: a word goes on in the clock in which it is taken; a clock later if words are joined or
    cut. Throughput: a word per clock at the ports, and per clock inside.

    Parameters
    ----------
    layout : :class:`~.layout.StepLayout`

    Members
    -------
    i, k : streams
        As those of the core.
    idle : :py:`In(1)`
        No operation that was moved on is under way.
    task : :py:`Out(task_signature(layout))`
        The key or the operation.
    """

    def __init__(self, layout):
        self.layout = layout
        word = layout.word_width
        super().__init__({
            "k": In(stream.Signature(word)), "i": In(stream.Signature(2 * word + 2)),
            "idle": In(1), "task": Out(task_signature(layout)),
        })

    def elaborate(self, platform):
        m = Module()
        g, width = self.layout, self.layout.word_width
        payload = self.i.payload
        x, y, kept = payload[:width], payload[width:2 * width], payload[2 * width:]
        m.submodules.count = count = Pointer(g.port_words)
        has_key = Signal()
        key_offered = Signal(name="key_offered")  # in the clock before
        key_first = Signal(name="key_first")
        takes_key, takes_operation = Signal(name="takes_key"), Signal(name="takes_operation")
        passes = Signal()  # a word of a key, or of an operation that sends operands
        ready = Signal()  # for a word that passes
        m.d.comb += [
            takes_key.eq(self.k.valid & self.k.ready),
            takes_operation.eq(self.i.valid & self.i.ready),
            count.step.eq(passes), key_first.eq(key_offered | ~self.i.valid),
        ]
        m.d.sync += key_offered.eq(self.k.valid)

        with m.FSM(name="intake") as fsm:
            m.d.comb += self.task.begun.eq(~fsm.ongoing("choose"))
            with m.State("choose"):
                # A key goes first, and waits for operations that have begun.
                m.d.comb += [
                    self.k.ready.eq(self.idle & key_first),
                    self.i.ready.eq(has_key & ~key_offered),
                    passes.eq(takes_key | (takes_operation & ~kept.all())),
                ]
                m.d.sync += [self.task.is_key.eq(key_first),
                             self.task.kept.eq(gate(~key_first, kept))]
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
            with m.State("moving"), m.If(self.task.moved):
                m.next = "choose"
            keys = (fsm.ongoing("choose") & key_first) | fsm.ongoing("key")
        self._convert(m, x, Mux(keys, self.k.payload, y), passes, ready)
        return m

    def _convert(self, m, x, y, passes, ready):
        """Cut or join words of x and y; ``ready`` is high while they may pass."""
        g = self.layout
        if g.ratio == g.parts == 1:
            m.d.comb += [ready.eq(1), self.task.push.eq(passes), self.task.data.eq(Cat(x, y))]
            return
        word = g.pe_width if g.ratio > 1 else g.word_width
        converter = Narrow(2 * word, g.ratio) if g.ratio > 1 else Widen(2 * word, g.parts)
        m.submodules.converter = converter
        out = converter.o.payload
        m.d.comb += [
            converter.i.valid.eq(passes), ready.eq(converter.i.ready), converter.o.ready.eq(1),
            converter.i.payload.eq(Cat(Cat(x.word_select(part, word), y.word_select(part, word))
                                       for part in range(g.ratio))),
            self.task.push.eq(converter.o.valid),
            self.task.data.eq(Cat(out.word_select(2 * part + number, word)
                                  for number in range(2) for part in range(g.parts))),
        ]
