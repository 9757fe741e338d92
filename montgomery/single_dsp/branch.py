"""Ways to the processors of an array and back, with registers on both sides of each wire."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .exponentiator_component import Exponentiator

__all__ = ["Branch", "branch"]

#: As many inputs as a LUT has.
_ARITY = 4


def branch(params, count, levels):
    """Return a component with the members of :class:`Branch` that has ``count`` processors."""
    return Branch(params, count, levels) if levels else _Leaf(params)


def _members(width, count):
    return {"word": In(width), "of_key": In(1), "to": In(count), "turn": In(count),
            "full": Out(1), "digit": Out(width), "ends": Out(1), "free": In(1), "taken": Out(1),
            "done": Out(count, init=-1), "all_done": Out(1, init=1), "reset": In(1)}


class Branch(wiring.Component):
    """A part of the tree between the ports of an array and its processors.

    What goes to the processors takes a clock, and so does what comes from them; it is taken from a
    branch in the clock after, or later, and only then is there room for more. Therefore each of
    them decides by its own registers alone. Only processors are reset, by a register nearby.

    Latency: a clock to the processors, and one from them. Throughput: a word to the processors
    every second clock; from them, a digit when the one before was taken.

    Parameters
    ----------
    params : :class:`~montgomery.single_dsp.exponentiator.Parameters`
    count : :class:`int`
        Processors that are reached through it, at most ``Branch.most(levels)``.
    levels : :class:`int`
        Branches one after the other, this one included.

    Members
    -------
    word : :py:`In(width)`
        Stays for a clock after ``to``.
    of_key : :py:`In(1)`
        It belongs to a key. Stays too.
    to : :py:`In(count)`
        The word is for this processor, which must be ready to take it. Words follow each other two
        clocks apart or more.
    turn : :py:`In(count)`
        This processor, one-hot, may send its result.
    full, digit, ends : :py:`Out(...)`
        A digit of the result, and whether it is the last; all 0 if there is none.
    free : :py:`In(1)`
        It is taken.
    taken : :py:`Out(1)`
        It was, in the clock before, and goes with this one.
    done : :py:`Out(count)`
        The processor has a result, or nothing to do.
    all_done : :py:`Out(1)`
        All of them.
    reset : :py:`In(1)`
        Resets processors, a clock later for each level and one more. Words that came before are
        forgotten; digits of a result may still come.
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
        word, of_key, reset = (Signal.like(port, name=port.name, reset_less=True)
                               for port in (self.word, self.of_key, self.reset))
        to, turn = (Signal(self.count, name=name, reset_less=True) for name in ("to", "turn"))
        done, all_done = (Signal.like(port, name=port.name, reset_less=True)
                          for port in (self.done, self.all_done))
        m.d.sync += [to.eq(self.to), turn.eq(self.turn), reset.eq(self.reset)]
        m.d.comb += [self.done.eq(done), self.all_done.eq(all_done)]
        out = _Out(self, m)
        # Only where it is for one of these: other branches hold other words.
        with m.If(self.to.any()):
            m.d.sync += [word.eq(self.word), of_key.eq(self.of_key)]
        children = []
        for index, part in enumerate(parts):
            child = branch(self.params, part.stop - part.start, self.levels - 1)
            m.submodules[f"part_{index}"] = child
            children.append(child)
            m.d.comb += [child.word.eq(word), child.of_key.eq(of_key), child.to.eq(to[part]),
                         child.turn.eq(turn[part]), child.free.eq(~out.full),
                         child.reset.eq(reset)]
            m.d.sync += done[part].eq(child.done)
        m.d.sync += all_done.eq(Cat(child.all_done for child in children).all())
        with m.If(~out.full):  # a clock or more, in which all of them see that this is free
            m.d.sync += out.all.eq(reduce(or_, (Cat(child.full, child.ends, child.digit)
                                                for child in children)))
        out.close()
        return m


class _Out:
    """The registers of ``full``, ``ends`` and ``digit``, which are 0 if there is no digit."""

    def __init__(self, component, m):
        self._component, self._m = component, m
        ports = [getattr(component, name) for name in ("full", "ends", "digit")]
        self.full, self.ends, self.digit = registers = [
            Signal.like(port, name=port.name, reset_less=True) for port in ports]
        self.all = Cat(registers)
        m.d.comb += Cat(ports).eq(self.all)

    def close(self):
        """Add what makes them 0, after all else that they are assigned."""
        m, taken = self._m, Signal(name="taken", reset_less=True)
        m.d.comb += self._component.taken.eq(taken)
        m.d.sync += taken.eq(self.full & self._component.free & ~taken)
        with m.If(taken):
            m.d.sync += self.all.eq(0)


class _Leaf(wiring.Component):
    """A processor with registers around it, as :class:`Branch` is for many.

    Latency, throughput and members are those of :class:`Branch`, for one processor.

    Parameters
    ----------
    params : :class:`~montgomery.single_dsp.exponentiator.Parameters`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(_members(params.word_width, 1))

    def elaborate(self, platform):
        m = Module()
        reset = Signal(name="reset", reset_less=True)
        m.submodules.processor = processor = Exponentiator(self.params, reset)
        word, offers_i, offers_k, takes, done = (
            Signal.like(value, name=name, reset_less=True) for name, value in (
                ("word", self.word), ("offers_i", self.to), ("offers_k", self.to),
                ("takes", self.turn), ("done", self.done)))
        m.d.sync += [offers_i.eq(self.to & ~self.of_key), offers_k.eq(self.to & self.of_key),
                     reset.eq(self.reset)]
        with m.If(self.to):
            m.d.sync += word.eq(self.word)
        m.d.comb += [processor.i.payload.eq(word), processor.i.valid.eq(offers_i),
                     processor.k.payload.eq(word), processor.k.valid.eq(offers_k)]

        out = _Out(self, m)
        moves = Signal(name="moves")
        m.d.comb += [processor.o.ready.eq(takes), moves.eq(takes & processor.o.valid)]
        m.d.sync += [takes.eq(self.turn & ~out.full & ~moves), done.eq(processor.waits)]
        with m.If(moves):
            m.d.sync += [out.full.eq(1), out.ends.eq(processor.sender.sent),
                         out.digit.eq(processor.o.payload)]
        out.close()
        m.d.comb += [self.done.eq(done), self.all_done.eq(done)]
        return m
