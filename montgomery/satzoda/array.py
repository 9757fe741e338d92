"""What surrounds a two-dimensional array, in which every iteration has a row of its own.

Operands enter side by side, a multiplication at a time, and flow down through the rows beside their
own intermediate sum. The array never stops: no signal has to reach all of its registers in one
clock. A multiplication is accepted only while the queue at the end has a place for its result.
"""

import dataclasses
from typing import ClassVar

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring

from ..blocks.values import delays
from ..core import Core, Cycles, Field, Message, Traits, ceil_div, parameter
from .radix2 import BitwiseParameters
from .result_queue import ResultQueue, Tally

__all__ = ["ArrayMultiplier", "ArrayParameters", "skewed"]


def skewed(m, value, clocks, name):
    """Return ``value`` and the registers that hold it 1, 2 … ``clocks`` clocks later.

    Registers of one bit are the bits of one signal.
    """
    if len(value) == 0:
        return [value] * (clocks + 1)
    if len(value) == 1:
        copies = Signal(clocks, name=name, reset_less=True)
        m.d.sync += copies.eq(Cat(value, copies))
        return [value, *copies]
    return delays(m, value, clocks, name, number=1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ArrayParameters(BitwiseParameters):
    """Parameters of a multiplier with a row for each iteration.

    A word of port ``i`` is a whole multiplication, a word of port ``o`` its result; ``word_width``
    is no parameter, but ``width``.

    Parameters
    ----------
    pe_width : :class:`int`
        At most so many columns work at the same clock on a row. The columns are cut into groups of
        equal size, and each group works a clock after the one below it, so that the bit of x and q
        pass from group to group and have no more than a group to reach.
    """

    word_width: ClassVar = property(lambda self: self.width, doc="The width.")

    pe_width: int = parameter(16, "largest number of columns of a row that work in the same clock",
                              minimum=4, maximum=4096)

    #: Clocks from a row to the next, and from a multiplication to the next.
    initiation: ClassVar[int]
    #: Clocks from an accepted multiplication to its result in binary.
    stages: ClassVar[int]
    #: Registers in which operands wait for their row and flow through the array: those whose names
    #: begin with ``skew``. The paper does not count them.
    skew_bits: ClassVar[int]

    @property
    def groups(self):
        """Number of groups of columns that work one after the other."""
        # Before its shift an iteration's sum is below 3m + 2m + m < 2**(width + 3), and its top bit
        # is that of a carry, which stands one column below.
        groups = ceil_div(self.width + 2, self.initiation * self.pe_width)
        # With two words to a group, the second one needs the clocks that the first one leaves.
        return groups + (self.initiation == 2 and groups % 2 == 0)

    @property
    def group_width(self):
        """Columns of a group, each of which serves ``initiation`` bits."""
        return ceil_div(self.width + 2, self.initiation * self.groups)

    @property
    def queue_depth(self):
        """Results that the queue can hold: as many as are under way at full rate."""
        # A place counts as taken from two clocks after its multiplication came in to one clock
        # after ``freed``. When ``ready`` is high, three places may be taken that do not count yet.
        counted = self.stages + ResultQueue.RELEASE - 1
        return ceil_div(counted, self.initiation) + Tally.ENOUGH

    @property
    def cycles(self):
        compute = self.stages + ResultQueue.LATENCY
        # The next one waits for the clock in which it may be accepted.
        interval = self.initiation * ceil_div(compute + 1, self.initiation)
        return Cycles(load=1, compute=compute, unload=1, interval=interval)

    @property
    def _traits(self):
        return Traits(initiation=self.initiation, takes_every=self.initiation,
                      skew_bits=self.skew_bits, flushes=self.queue_depth)

    @property
    def result_words(self):
        return 1

    @property
    def operands(self):
        return Message(3 * self.width + 2, (
            Field("x", 1, "the first factor x, below the bound", bits=self.width + 1),
            Field("y", 1, "the second factor y, below the bound", bits=self.width + 1),
            Field("modulus", 1, "the modulus m", bits=self.width)), self._numbers, beside=True)

    @property
    def _results(self):
        return Message(self.width + 1, (Field("result", 1, "the result, below the bound"),))


class ArrayMultiplier(Core):
    """The part of a two-dimensional multiplier that does not depend on its arithmetic.

    A derived class gives the rows in :meth:`array`.

    Latency: :attr:`ArrayParameters.stages`, and :attr:`.ResultQueue.LATENCY` behind them.
    Throughput: a multiplication every :attr:`ArrayParameters.initiation` clocks.
    """

    def array(self, m, phase, x, y, modulus):
        """Add the rows to module ``m``; return the result, ``stages`` clocks after the operands.

        A multiplication may be accepted in the clocks in which ``phase`` is high.
        """
        raise NotImplementedError

    def elaborate(self, platform):
        m = Module()
        p = self.params
        m.submodules.queue = queue = ResultQueue(p.width + 1, p.queue_depth)
        wiring.connect(m, queue.o, wiring.flipped(self.o))

        # The phase goes on in a reset, so that it stays in step with what is under way.
        phase = Signal(init=1, reset_less=True)
        if p.initiation == 2:
            m.d.sync += phase.eq(~phase)
        ready = Signal()
        accepted = Signal()
        taken = Signal()
        m.submodules.free = free = Tally(p.queue_depth, init=p.queue_depth)
        m.d.comb += [self.i.ready.eq(ready), accepted.eq(self.i.valid & ready),
                     free.up.eq(queue.freed), free.down.eq(taken)]
        m.d.sync += [taken.eq(accepted),
                     ready.eq(free.enough & ~phase if p.initiation == 2 else free.enough)]

        # A reset reaches no register of the array: what was under way comes out, and is dropped.
        on_the_way = Signal(p.stages - 4, reset_less=True)
        left = Signal(range(p.stages - 1), init=p.stages - 2)
        all_left = Signal()
        m.d.sync += [on_the_way.eq(Cat(taken, on_the_way)),
                     queue.push.eq(on_the_way[-1] & all_left)]
        with m.If(~all_left):
            m.d.sync += [left.eq(left - 1), all_left.eq(left == 1)]

        bits = p.width + 1
        x, y, modulus = (self.i.payload[start:start + size]
                         for start, size in ((0, bits), (bits, bits), (2 * bits, p.width)))
        m.d.comb += queue.data.eq(self.array(m, phase, x, y, modulus))
        return m
