"""Copies of a core behind one set of ports."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .carry_save import gate
from .values import signals

__all__ = ["ParallelCores"]

#: Parts of a branch: as many inputs as a LUT has.
_ARITY = 4


def _levels(count):
    """Return the number of branches on the way to one of so many cores."""
    return next(levels for levels in range(1, count + 1) if _ARITY ** levels >= count)


def _words(width, *flags):
    """Return the signature of a stream of words with flags beside them."""
    return stream.Signature(data.StructLayout({"word": width} | dict.fromkeys(flags, 1)))


class ParallelCores(wiring.Component):
    """Copies of a core, which share nothing but the ports.

    A key goes to all copies. The copies take turns with operations, and results come in the order
    in which the operations were sent. So a result waits for those of all operations before it, and
    its copy computes nothing else meanwhile: a long operation holds up short ones behind it.

    Words go through a tree of registers, so that all are as fast as a core, however many cores
    there are and however far apart they are.

    Latency: that of a core, and :meth:`latency` clocks. Throughput: as many operations at a time as
    there are cores; a word is taken every second clock at most.
    """

    def __init__(self, signature, cores, lengths):
        # All cores have this signature, and beside its ports an attribute ``last``: the word at
        # ``o`` is the last one of a result. ``lengths`` takes the first word of a key. It returns
        # how many words of the key follow it, one or more, and how many words an operation has.
        self._cores, self._lengths = cores, lengths
        super().__init__(signature)

    @staticmethod
    def latency(count):
        """Return the clocks to one of so many cores and back."""
        return 3 + 2 * _levels(count)

    def elaborate(self, platform):
        m = Module()
        count = len(self._cores)
        m.submodules.tree = tree = _Branch(self._cores, _levels(count))
        # The next word is the first one of a key or of an operation. There is a whole key.
        first, has_key = Signal(name="first", init=1), Signal(name="has_key")
        full, of_key = Signal(name="full"), Signal(name="of_key", reset_less=True)
        word = Signal(len(tree.i.payload.word), reset_less=True)
        key_offered = Signal(name="key_offered")  # in the clock before
        # The next word is one of a key; such a word is taken; a word goes on.
        key_turn, keyed, goes = signals("key_turn keyed goes")
        sending = Signal()  # a result, of which words are left
        # Words behind this one, less one: -1 if it is the last one. The first word of a key tells
        # them a clock after it has gone, in time for the next word.
        lengths = self._lengths(word)
        bits = max(map(len, lengths)) + 1
        left, length, key_left, operation_left = signals(
            "left length key_left operation_left", bits, reset_less=True)
        header = Signal()
        m.d.comb += [
            key_turn.eq(Mux(first, key_offered | ~has_key, of_key)),
            self.k.ready.eq(~full & (key_turn | (first & ~self.i.valid))),
            keyed.eq(self.k.valid & self.k.ready),
            # A core that sends may not take words: all operations take as long to be sent.
            self.i.ready.eq(~full & has_key & ~key_turn & ~(first & sending)),
            tree.i.valid.eq(full), goes.eq(full & tree.i.ready),
            tree.i.payload.word.eq(word), tree.i.payload.of_key.eq(of_key),
            tree.i.payload.last.eq(left[-1]), tree.o.ready.eq(self.o.ready),
            self.o.valid.eq(tree.o.valid), self.o.payload.eq(tree.o.payload.word),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += sending.eq(~tree.o.payload.last)
        with m.If(~full):
            m.d.sync += [full.eq(keyed | (self.i.valid & self.i.ready)),
                         word.eq(Mux(keyed, self.k.payload, self.i.payload)),
                         of_key.eq(Mux(first, keyed, of_key))]
        m.d.sync += [key_offered.eq(self.k.valid), header.eq(goes & first & of_key),
                     key_left.eq(lengths[0] - 2), operation_left.eq(lengths[1] - 2)]
        with m.If(header):
            m.d.sync += [left.eq(key_left), length.eq(operation_left)]
        with m.If(goes):
            m.d.sync += [full.eq(0), first.eq(0), left.eq(left - 1)]
            with m.If(first & of_key):
                m.d.sync += has_key.eq(0)
            with m.Elif(left[-1]):
                m.d.sync += [first.eq(1), has_key.eq(1), left.eq(length)]
        return m


class _Branch(wiring.Component):
    """A part of the tree between the ports and the cores.

    Latency: a clock in each direction. Throughput: a word in two clocks.

    So many ``levels`` of branches follow; if there are none, the only core does.
    """

    def __init__(self, cores, levels):
        self._cores, self._levels = cores, levels
        width = max(len(cores[0].i.payload), len(cores[0].k.payload))
        super().__init__({
            # ``word`` is a word of a key if ``of_key`` is 1; else of an operation, and its last one
            # if ``last`` is 1.
            "i": In(_words(width, "of_key", "last")),
            # ``word`` is a word of a result, and its last one if ``last`` is 1.
            "o": Out(_words(len(cores[0].o.payload), "last")),
        })

    def elaborate(self, platform):
        m = Module()
        word, result = (Signal.like(port.payload, name=name, reset_less=True)
                        for name, port in (("word", self.i), ("result", self.o)))
        full, done = Signal(name="full"), Signal(name="done")  # with a word, with one of a result
        m.d.comb += [self.i.ready.eq(~full), self.o.valid.eq(done), self.o.payload.eq(result)]
        taken, found, offer = (self._branch if self._levels else self._leaf)(m, full, word, ~done)
        with m.If(~full):
            m.d.sync += [full.eq(self.i.valid), word.eq(self.i.payload)]
        with m.Elif(taken):
            m.d.sync += full.eq(0)
        with m.If(~done):
            m.d.sync += [done.eq(found), result.eq(offer)]
        with m.Elif(self.o.ready):
            m.d.sync += done.eq(0)
        return m

    def _leaf(self, m, full, word, free):
        """Connect the core. Return whether it takes the word, whether it has one, and that one."""
        core, = self._cores
        m.submodules.core = core
        m.d.comb += [core.i.valid.eq(full & ~word.of_key), core.k.valid.eq(full & word.of_key),
                     core.i.payload.eq(word.word), core.k.payload.eq(word.word),
                     core.o.ready.eq(free)]
        return Mux(word.of_key, core.k.ready, core.i.ready), core.o.valid, Cat(core.o.payload,
                                                                              core.last)

    def _branch(self, m, full, word, free):
        """Connect further branches; return likewise."""
        each, count = _ARITY ** (self._levels - 1), len(self._cores)
        # Turns of the cores, one-hot: to be sent an operation, to give its result.
        to, by = Signal(count, name="to", init=1), Signal(count, name="by", init=1)
        ready, found, offers = [], [], []
        taken = Signal()
        for first in range(0, count, each):
            part = slice(first, first + each)
            child = _Branch(self._cores[part], self._levels - 1)
            m.submodules[f"part_{first}"] = child
            target, turn = word.of_key | to[part].any(), by[part].any()
            m.d.comb += [child.i.valid.eq(taken & target), child.i.payload.eq(word),
                         child.o.ready.eq(turn & free)]
            ready.append(child.i.ready | ~target)
            found.append(child.o.valid & turn)
            offers.append(gate(turn, child.o.payload.as_value()))
        offer = reduce(or_, offers)
        m.d.comb += taken.eq(full & Cat(ready).all())
        with m.If(taken & word.last & ~word.of_key):
            m.d.sync += to.eq(to.rotate_left(1))
        with m.If(Cat(found).any() & free & offer[-1]):
            m.d.sync += by.eq(by.rotate_left(1))
        return taken, Cat(found).any(), offer
