"""From the streams to the memory."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.one_hot import OneHot

__all__ = ["NumberLoader"]


class NumberLoader(wiring.Component):
    """Writes the numbers of keys and of operations to the memory of a processor.

    A key begins with a word that is the number of digits of each number, less one. Upper bits for
    which the memory has no room are ignored, so that every word stands for some number of digits.
    -1/M and M follow, then the other numbers of the key. M goes to part 1, the others to the parts
    after it, and the numbers of an operation to the parts after the key. The highest digit of each
    number gets its flag here.

    An operation begins in the clock after one in which it was offered, and no key was: so a key
    that is offered goes before an operation that has not begun.

    Latency and throughput: a word is taken every second clock at most, and is in the memory two
    clocks later. To take a word in every clock would be the slowest path of a core.

    Parameters
    ----------
    width, index_width : :class:`int`
        Of the :class:`~montgomery.single_dsp.processor.Processor`.
    key_numbers, numbers : :class:`int`
        Of a key, the modulus included, and of an operation.

    Attributes
    ----------
    PERIOD : :class:`int`
        Clocks from one word to the next without pauses.

    Members
    -------
    i, k : :py:`In(stream.Signature(width))`
        See :class:`montgomery.Signature`; one digit per word.
    free : :py:`In(1)`
        An operation may begin in the next clock.
    done : :py:`In(1)`
        The operation that was ``loaded`` needs its numbers and its key no longer.
    last : :py:`Out(index_width)`
        Index of the highest digit. It stays, and so do all numbers, from ``loaded`` to ``done``.
    loaded : :py:`Out(1)`
        The last word of an operation is written.
    write, part, index, data : :py:`Out(...)`
        For the processor.
    """

    PERIOD = 2

    def __init__(self, *, width, index_width, key_numbers, numbers):
        self._first, self._final = 1 + key_numbers, key_numbers + numbers
        super().__init__({
            "i": In(stream.Signature(width)), "k": In(stream.Signature(width)),
            "free": In(1), "done": In(1),
            "last": Out(index_width), "loaded": Out(1), "write": Out(1),
            "part": Out(range(self._final + 1)), "index": Out(index_width), "data": Out(width + 1),
        })

    def elaborate(self, platform):
        m = Module()
        last, index = (Signal.like(port, name=port.name, reset_less=True)
                       for port in (self.last, self.index))
        following = Signal.like(index, name="following", reset_less=True)  # one above the index
        part = self.part
        at = OneHot("EMPTY", "KEY", "REST", "OPERATION", "BUSY")
        # This word is -1/M; or a number's highest digit.
        before, highest = Signal(name="before"), Signal(name="highest")
        # A word is taken in one clock, and what that changes is changed in the next.
        takes_k, takes_i = Signal(name="takes_k"), Signal(name="takes_i")
        took = Signal()
        # The next word of a key is its first. That was the header; or the last one of a number.
        header = at["EMPTY"] | at["REST"]
        starts, restarts = Signal(name="starts"), Signal(name="restarts")
        m.d.comb += [
            self.k.ready.eq(~(took | at["OPERATION"] | at["BUSY"])),
            self.i.ready.eq(~took & at["OPERATION"]),
            takes_k.eq(self.k.ready & self.k.valid), takes_i.eq(self.i.ready & self.i.valid),
            self.write.eq(~took & ((at["KEY"] & self.k.valid) | (at["OPERATION"] & self.i.valid))),
            self.data.eq(Cat(Mux(at["KEY"], self.k.payload, self.i.payload), highest)),
            self.loaded.eq(takes_i & highest & (part == self._final)),
            self.index.eq(index), self.last.eq(last),
        ]
        at.follow(m, [
            ("EMPTY", "KEY", takes_k),
            ("KEY", "REST", takes_k & highest & (part == self._first - 1)),
            ("REST", "KEY", takes_k),
            ("REST", "OPERATION", self.i.valid & ~self.k.valid & self.free),
            ("OPERATION", "BUSY", self.loaded),
            ("BUSY", "REST", self.done),
        ])
        m.d.sync += [
            took.eq(takes_k | takes_i), starts.eq(~took & header & self.k.valid),
            restarts.eq(self.write & (before | highest)),
            before.eq(starts | (before & ~restarts)),
        ]
        with m.If(~took & header & self.k.valid):
            m.d.sync += last.eq(self.k.payload)
        with m.If(restarts):
            m.d.sync += part.eq(Mux(part == self._final, self._first, part + 1))
        with m.If(starts):  # -1/M goes to the place before M
            m.d.sync += part.eq(0)
        # Known in time, since an index stays for two clocks or more.
        is_highest, all_are = (Signal(name=name, reset_less=True)
                               for name in ("is_highest", "all_are"))
        m.d.sync += [is_highest.eq(following == last), all_are.eq(last == 0)]
        m.d.sync += highest.eq((restarts & all_are) | (took & ~restarts & is_highest)
                               | (~took & highest))  # whatever it is with -1/M
        with m.If(took):
            m.d.sync += [index.eq(following), following.eq(following + 1)]
        with m.If(restarts):
            m.d.sync += [index.eq(0), following.eq(1)]
        with m.If(starts):
            m.d.sync += [index.eq(-1), following.eq(0)]
        return m
