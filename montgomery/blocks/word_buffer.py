"""Numbers that are filled and emptied in order, in memories that fit one look-up table per bit."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .banks import Pointer, choose, look_up
from .carry_save import gate

__all__ = ["WordBuffer"]


class WordBuffer(wiring.Component):
    """Buffer of numbers of ``depth`` words each, which are written and read in order.

    A number is written without back-pressure, and may be read while its later words are written.
    Reading takes two clocks, one to look a word up in its bank and one to choose the bank, so that
    depth costs no speed.

    With ``turns``, the buffer is a queue of so many numbers, and each is read once. All words of
    one have to be written in clocks that follow one another: reading does not wait. Without, it has
    one number, which is read from its first word as often as ``available`` has been low.

    Latency: a number is at ``o`` two clocks after ``available`` rises, or :attr:`LATENCY` clocks
    after its first word was at ``data`` of an empty queue. Throughput: one word is written and one
    is read per clock.

    ``turns`` is 0, 1 or 2. Unless ``registered``, words are at ``o`` a clock earlier, behind gates,
    and ``o.ready`` has to stay high.
    """

    LATENCY = 3

    def __init__(self, width, depth, *, turns=0, registered=True):
        self.width = width
        self.depth = depth
        self.turns = turns
        self.registered = registered
        super().__init__({
            # Write ``data`` as the next word; the first word of a number follows the last one.
            "push": In(1), "data": In(width),
            "full": Out(1),  # the next word written is the last
            # Only without ``turns``: the number may be read. While this is low, what has been read
            # ahead is dropped, and the next word read is the first. Only with ``turns``: there is
            # room for one more number.
            **({"freed": Out(1)} if turns else {"available": In(1)}),
            # The word at ``o`` is the last of its number. It means nothing while there is no word.
            "last": Out(1),
            "o": Out(stream.Signature(width)),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = Pointer(self.depth)
        m.submodules.read = read = Pointer(self.depth)
        step = Signal()
        found = Signal()  # a word has been looked up
        found_last = Signal(reset_less=True)
        m.d.comb += [write.step.eq(self.push), self.full.eq(write.last)]
        more, keeps, halves = (self._queue if self.turns else self._replay)(m, write, read, step)
        words = look_up(m, self.width, self.depth, write=write, read=read, push=self.push,
                        data=self.data, turns=halves)
        word = choose(m, words, read.bank, enable=step)
        # In gates, since clear and enable together would be slower.
        m.d.sync += found.eq(keeps & ((step & more) | (~step & found)))
        with m.If(step):
            m.d.sync += found_last.eq(read.last)
        if not self.registered:
            m.d.comb += [step.eq(1), self.o.valid.eq(found), self.o.payload.eq(word),
                         self.last.eq(found_last)]
            return m
        valid, last = Signal(name="valid"), Signal(name="last", reset_less=True)
        payload = Signal(self.width, reset_less=True)
        m.d.sync += valid.eq(keeps & ((step & found) | (~step & valid)))
        with m.If(step):
            m.d.sync += [last.eq(found_last), payload.eq(word)]
        m.d.comb += [step.eq(~valid | self.o.ready), self.o.valid.eq(valid),
                     self.o.payload.eq(payload), self.last.eq(last)]
        return m

    def _replay(self, m, write, read, step):
        """Say whether there is a word to look up, and whether those found are kept."""
        done = Signal()  # all words have been looked up
        m.d.sync += done.eq(self.available & (done | (step & read.last)))
        m.d.comb += [read.step.eq(step | ~self.available), read.rewind.eq(~self.available)]
        return ~done, self.available, None

    def _queue(self, m, write, read, step):
        """Say the same, and which half of the memory is written, and which is read."""
        # Numbers that are there and not looked up as a whole: one-hot from below, at least so many.
        waiting = Signal(self.turns)
        begins = Signal()
        m.d.comb += [begins.eq(self.push & write.first), read.step.eq(step & waiting[0]),
                     self.freed.eq(read.step & read.last)]
        # In gates, since a clock enable would come later still.
        left = gate(~self.freed, waiting) | gate(self.freed, waiting >> 1)
        m.d.sync += waiting.eq(gate(~begins, left) | gate(begins, Cat(1, left[:-1])))
        if self.turns == 1:
            return waiting[0], 1, None
        write_half, read_half = Signal(name="write_half"), Signal(name="read_half")
        m.d.sync += [write_half.eq(write_half ^ (self.push & write.last)),
                     read_half.eq(read_half ^ self.freed)]
        return waiting[0], 1, (write_half, read_half)
