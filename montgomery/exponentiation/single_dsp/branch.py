"""Ways to the processors of an array and back, with registers on both sides of each wire."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .exponentiator import Exponentiator

__all__ = ["Branch", "branch"]

#: As many inputs as a LUT has.
_ARITY = 4


def branch(params, count, levels):
    """Return a component with the members of :class:`Branch` that has ``count`` processors."""
    return Branch(params, count, levels) if levels else _Leaf(params)


def _members(width, count):
    return {"word": In(width), "to": In(count), "turn": In(count),
            "full": Out(1), "digit": Out(width), "ends": Out(1), "free": In(1),
            "done": Out(count, init=-1), "all_done": Out(1, init=1)}


class Branch(wiring.Component):
    """A part of the tree between the ports of an array and its processors.

    What goes to the processors takes a clock, and so does what comes from them; it is taken from a
    branch in the clock after, or later, and only then is there room for more. Therefore each of
    them decides by its own registers alone.

    Parameters
    ----------
    params : :class:`~montgomery.exponentiation.single_dsp.Parameters`
    count : :class:`int`
        Processors that are reached through it, at most ``Branch.most(levels)``.
    levels : :class:`int`
        Branches one after the other, this one included.

    Members
    -------
    word : :py:`In(width)`
        Stays for a clock after ``to``.
    to : :py:`In(count)`
        The word is for this processor, which must be ready to take it; one-hot or 0. Words follow
        each other two clocks apart or more.
    turn : :py:`In(count)`
        This processor, one-hot, may send its result.
    full, digit, ends : :py:`Out(...)`
        A digit of the result, and whether it is the last; all 0 if there is none.
    free : :py:`In(1)`
        It is taken.
    done : :py:`Out(count)`
        The processor has a result, or nothing to do.
    all_done : :py:`Out(1)`
        All of them.
    """

    def __init__(self, params, count, levels):
        self.params, self.count, self.levels = params, count, levels
        super().__init__(_members(params.word_width, count))

    @staticmethod
    def most(levels):
        """Return the number of processors that so many levels can have."""
        return _ARITY ** levels

    def elaborate(self, platform):
        m = Module()
        each = self.most(self.levels - 1)
        parts = [slice(first, min(first + each, self.count))
                 for first in range(0, self.count, each)]
        word = Signal.like(self.word, reset_less=True)
        to, turn = (Signal(self.count, name=name) for name in ("to", "turn"))
        m.d.sync += [to.eq(self.to), turn.eq(self.turn)]
        # Only where it is for one of these: other branches hold other words.
        with m.If(self.to.any()):
            m.d.sync += word.eq(self.word)
        children = []
        for index, part in enumerate(parts):
            child = branch(self.params, part.stop - part.start, self.levels - 1)
            m.submodules[f"part_{index}"] = child
            children.append(child)
            m.d.comb += [child.word.eq(word), child.to.eq(to[part]), child.turn.eq(turn[part]),
                         child.free.eq(~self.full)]
            m.d.sync += self.done[part].eq(child.done)
        m.d.sync += self.all_done.eq(Cat(child.all_done for child in children).all())

        out = Cat(self.full, self.ends, self.digit)
        with m.If(~self.full):  # a clock or more, in which all of them see that this is free
            m.d.sync += out.eq(reduce(or_, (Cat(child.full, child.ends, child.digit)
                                            for child in children)))
        with m.If(self.full & self.free):
            m.d.sync += out.eq(0)
        return m


class _Leaf(wiring.Component):
    """A processor with registers around it, as :class:`Branch` is for many."""

    def __init__(self, params):
        self.params = params
        super().__init__(_members(params.word_width, 1))

    def elaborate(self, platform):
        m = Module()
        m.submodules.processor = processor = Exponentiator(self.params)
        front = processor.front
        word, valid = Signal.like(self.word, reset_less=True), Signal()
        m.d.sync += valid.eq(self.to)
        with m.If(self.to):
            m.d.sync += word.eq(self.word)
        m.d.comb += [processor.i.payload.eq(word), processor.i.valid.eq(valid)]

        takes, moves = Signal(), Signal()
        m.d.comb += [processor.o.ready.eq(takes), moves.eq(takes & processor.o.valid)]
        m.d.sync += [takes.eq(self.turn & ~self.full & ~moves), self.done.eq(processor.waits)]
        with m.If(moves):
            m.d.sync += [self.full.eq(1), self.ends.eq(front.sent),
                         self.digit.eq(processor.o.payload)]
        with m.If(self.full & self.free):
            m.d.sync += [self.full.eq(0), self.ends.eq(0), self.digit.eq(0)]
        m.d.comb += self.all_done.eq(self.done)
        return m
