"""A buffer that is filled and emptied in order, in memories that fit one look-up table per bit."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .banks import Pointer, choose, look_up

__all__ = ["WordBuffer"]


class WordBuffer(wiring.Component):
    """Buffer of exactly ``depth`` words, each written once and then read once.

    The words are written without back-pressure and may be read while later ones are written.
    Reading takes two clocks, one to look a word up in its bank and one to choose the bank, so that
    depth costs no speed.

    Latency: the first word is at ``o`` two clocks after ``available`` rises. Throughput: one word
    is written and one is read per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    depth : :class:`int`
        Words in the buffer.

    Members
    -------
    push : :py:`In(1)`
        Write ``data`` as the next word; the first follows the last.
    data : :py:`In(width)`
        See ``push``.
    full : :py:`Out(1)`
        The next word written is the last.
    available : :py:`In(1)`
        The words may be read. While this is low, what has been read ahead is dropped, and the next
        word read is the first. Low for two clocks, or for one when no word waits at ``o``.
    last : :py:`Out(1)`
        The word at ``o`` is the last.
    o : :py:`Out(stream.Signature(width))`
        The words, once each; the first one two clocks after ``available`` rises.
    """

    def __init__(self, width, depth):
        self.width = width
        self.depth = depth
        super().__init__({
            "push": In(1),
            "data": In(width),
            "full": Out(1),
            "available": In(1),
            "last": Out(1),
            "o": Out(stream.Signature(width)),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = Pointer(self.depth)
        m.submodules.read = read = Pointer(self.depth)
        step = Signal()
        done = Signal()  # all words have been looked up
        found = Signal()  # a word has been looked up
        found_last = Signal(reset_less=True)
        valid = Signal()
        last = Signal(reset_less=True)
        m.d.comb += [
            write.step.eq(self.push),
            self.full.eq(write.last),
            step.eq(~self.o.valid | self.o.ready),
            read.step.eq(step),
            read.rewind.eq(~self.available),
        ]
        words = look_up(m, self.width, self.depth, write=write, read=read, push=self.push,
                        data=self.data)
        word = choose(m, words, read.bank, enable=step)
        payload = Signal(self.width, reset_less=True)
        with m.If(step):
            m.d.sync += [
                found_last.eq(read.last),
                last.eq(found_last),
                payload.eq(word),
            ]
        # In gates, since clear and enable together would be slower.
        m.d.sync += [
            found.eq(self.available & ((step & ~done) | (~step & found))),
            done.eq(self.available & (done | (step & read.last))),
            valid.eq(self.available & ((step & found) | (~step & valid))),
        ]
        m.d.comb += [self.o.payload.eq(payload), self.o.valid.eq(valid), self.last.eq(last)]
        return m
