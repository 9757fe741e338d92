"""A queue behind a pipeline that cannot stop."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .carry_save import gate
from .word_buffer import BANK, Pointer

__all__ = ["ResultQueue"]


class ResultQueue(wiring.Component):
    """Queue of words that are pushed without asking: who pushes keeps count of the places.

    The words lie in distributed memories of :data:`.word_buffer.BANK` words, whose outputs are
    registered, brought together in two more clocks, a look-up table in each, and handed over in
    another. The stages in front of port ``o`` see its ``ready`` one clock late, through a register:
    beside the word on offer there is room for one more.

    Parameters
    ----------
    width : :class:`int`
        Bits a word.
    depth : :class:`int`
        Places.

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks from ``push`` to the word at ``o``, when the queue is empty.
    RELEASE : :class:`int`
        Clocks from ``push`` to ``freed``, when the queue is empty.

    Members
    -------
    push : :py:`In(1)`
        Append ``data``.
    data : :py:`In(width)`
        See ``push``.
    freed : :py:`Out(1)`
        A place has become free.
    o : :py:`Out(stream.Signature(width))`
        The words; one in every clock if ``ready`` stays high.
    """

    LATENCY = 5
    RELEASE = 2

    def __init__(self, width, depth):
        self.width = width
        self.depth = depth
        super().__init__({"push": In(1), "data": In(width), "freed": Out(1),
                          "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = Pointer(self.depth)
        m.submodules.read = read = Pointer(self.depth)
        step = Signal(init=1)  # the stages before port ``o`` move
        waiting = Signal(range(self.depth + 1))
        any_waiting = Signal()  # waiting != 0
        looked_up = Signal()
        m.d.comb += [looked_up.eq(any_waiting & step), write.step.eq(self.push),
                     read.step.eq(looked_up)]
        with m.If(self.push ^ looked_up):
            m.d.sync += waiting.eq(waiting + Mux(self.push, 1, -1))
        m.d.sync += [any_waiting.eq(self.push | waiting[1:].any() | (waiting[0] & ~looked_up)),
                     self.freed.eq(looked_up)]

        words = []
        for number in range(len(write.bank)):
            memory = Memory(shape=self.width, depth=min(BANK, self.depth - number * BANK), init=[])
            m.submodules[f"bank_{number}"] = memory
            write_port, read_port = memory.write_port(), memory.read_port(domain="comb")
            m.d.comb += [
                write_port.addr.eq(write.index),
                write_port.data.eq(self.data),
                write_port.en.eq(self.push & write.bank[number]),
                read_port.addr.eq(read.index),
            ]
            word = Signal(self.width, name=f"word_{number}", reset_less=True)
            chosen = Signal(name=f"chosen_{number}", reset_less=True)
            with m.If(step):
                m.d.sync += [word.eq(read_port.data), chosen.eq(read.bank[number])]
            words.append(gate(chosen, word))
        found, joined_valid, gathered_valid = Signal(), Signal(), Signal()
        joined = []
        for number in range(0, len(words), 2):
            pair = Signal(self.width, name=f"joined_{number}", reset_less=True)
            with m.If(step):
                m.d.sync += pair.eq(reduce(or_, words[number:number + 2]))
            joined.append(pair)
        gathered = Signal(self.width, reset_less=True)
        spare = Signal(self.width, reset_less=True)
        with m.If(step):
            m.d.sync += [found.eq(any_waiting), joined_valid.eq(found),
                         gathered.eq(reduce(or_, joined)), gathered_valid.eq(joined_valid),
                         spare.eq(gathered)]

        moves = Signal()
        payload = Signal(self.width, reset_less=True)
        m.d.comb += [moves.eq(~self.o.valid | self.o.ready), self.o.payload.eq(payload)]
        # A word that found no place at ``o`` is in ``spare``, and the stages wait. ``held`` is
        # ``~step``, in a register of its own since that one has enough to reach.
        held = Signal()
        with m.If(moves):
            m.d.sync += [payload.eq(Mux(held, spare, gathered)),
                         self.o.valid.eq(held | gathered_valid)]
        m.d.sync += [step.eq(moves | (step & ~gathered_valid)),
                     held.eq(~moves & (held | gathered_valid))]
        return m
