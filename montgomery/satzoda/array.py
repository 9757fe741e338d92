"""What surrounds a two-dimensional array, in which every iteration has a row of its own.

Operands enter side by side, a multiplication at a time, and flow down through the rows beside their
own intermediate sum. The array never stops: no signal has to reach all of its registers in one
clock. A multiplication is accepted only while the queue at the end has a place for its result.
"""

import dataclasses
from functools import reduce
from operator import or_
from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.banks import BANK, Pointer
from ..blocks.carry_save import gate
from ..blocks.values import delays, signals
from ..core import Core, Cycles, Field, Message, Traits, ceil_div, parameter
from .radix2 import BitwiseParameters

__all__ = ["ArrayMultiplier", "ArrayParameters", "ResultQueue", "Tally", "skewed"]


class Tally(wiring.Component):
    """Number of words in a queue, or of places that are free: ``init`` at first, ``limit`` at most.

    The lowest three bits change in the next clock, the others a clock later. When the number goes
    from 7 to 8, ``some`` and ``enough`` may be 0 for two clocks. They are never 1 wrongly.

    Latency: ``some`` follows ``up`` in the next clock, and ``enough`` in the one after that.
    Throughput: a step per clock.
    """

    ENOUGH = 4

    def __init__(self, limit, init=0):
        self.limit, self.init = limit, init
        super().__init__({
            "up": In(1),  # add 1 to the number, unless ``down`` is high
            "down": In(1),  # subtract 1, unless ``up`` is high
            "some": Out(1, init=init > 0),  # it is not 0; stays while there is no ``down``
            "enough": Out(1, init=init >= self.ENOUGH),  # it was ENOUGH or more a clock before
        })

    def elaborate(self, platform):
        m = Module()
        low = Signal(3, init=self.init % 8)
        high = Signal(range(max(self.limit // 8 + 1, 2)), name="high", init=self.init // 8)
        carry, borrow = signals("carry borrow")
        # Up to two clocks late: the number is 6 or more if this is high, and 9 or less if not.
        many = Signal(init=self.init >= 8)
        with m.If(self.up ^ self.down):
            m.d.sync += low.eq(low + Mux(self.up, 1, -1))
        with m.If(carry ^ borrow):
            m.d.sync += high.eq(high + Mux(carry, 1, -1))
        m.d.sync += [
            carry.eq(self.up & ~self.down & low.all()),
            borrow.eq(self.down & ~self.up & ~low.any()),
            many.eq(high.any()),
            self.some.eq(self.up | low[1:].any() | many | (self.some & ~self.down)),
            self.enough.eq(low[2] | many),
        ]
        return m


class ResultQueue(wiring.Component):
    """Queue without back-pressure: the writer counts the places that are free.

    The words lie in distributed memories of ``BANK`` words, each with its own addresses. From there
    a word goes on, a look-up table per clock, to one more such memory, the outlet, which has the
    word at port ``o``. A word leaves its memory only while the outlet has room for it. So nothing
    stops on the way, and ``o.ready`` reaches no more than the outlet's address.

    Latency: :attr:`LATENCY`, when the queue is empty. Throughput: a word per clock.
    """

    #: Clocks from ``data`` to the word at ``o``, and to ``freed``, when the queue is empty.
    LATENCY = 6
    RELEASE = 2

    def __init__(self, width, depth):
        self.width, self.depth = width, depth  # the places of the outlet are not counted
        super().__init__({
            "push": In(1),  # in the clock after the next one, append ``data``
            "data": In(width),
            "freed": Out(1),  # a place has become free
            "o": Out(stream.Signature(width)),  # a word in every clock if ``ready`` stays high
        })

    def elaborate(self, platform):
        m = Module()
        banks = ceil_div(self.depth, BANK)
        m.submodules.waiting = waiting = Tally(banks * BANK)
        # A look-up shows in ``enough`` three clocks later. Two more may follow it until then.
        m.submodules.room = room = Tally(BANK, init=BANK)
        looked_up, announced, pushed, handed_over = signals(
            "looked_up announced pushed handed_over")
        found, joins, arrived = signals("found joins arrived")
        # ``freed`` comes a clock before the place is read: nothing is written there so soon.
        m.d.comb += [looked_up.eq(waiting.some & room.enough),
                     waiting.up.eq(pushed), waiting.down.eq(looked_up),
                     room.up.eq(handed_over), room.down.eq(self.freed)]
        m.d.sync += [announced.eq(self.push), pushed.eq(announced), self.freed.eq(looked_up),
                     found.eq(self.freed), joins.eq(found), arrived.eq(joins)]

        words = []
        m.submodules.push_turn = push_turn = Pointer(banks * BANK)
        m.submodules.look_up_turn = look_up_turn = Pointer(banks * BANK)
        m.d.comb += [push_turn.step.eq(announced), look_up_turn.step.eq(self.freed)]
        for number in range(banks):
            put, taken, chosen = (Signal(name=f"{name}_{number}")
                                  for name in ("put", "taken", "chosen"))
            m.d.sync += [put.eq(announced & push_turn.bank[number]),
                         taken.eq(self.freed & look_up_turn.bank[number]), chosen.eq(taken)]
            word = Signal(self.width, name=f"word_{number}", reset_less=True)
            m.d.sync += word.eq(self._memory(m, f"bank_{number}", put, self.data, taken))
            words.append(gate(chosen, word))
        joined = []
        for number in range(0, banks, 2):
            pair = Signal(self.width, name=f"joined_{number}", reset_less=True)
            m.d.sync += pair.eq(reduce(or_, words[number:number + 2]))
            joined.append(pair)

        m.submodules.offered = offered = Tally(BANK)
        transfer = Signal()
        m.d.comb += [
            self.o.payload.eq(self._memory(m, "outlet", arrived, reduce(or_, joined), transfer)),
            self.o.valid.eq(offered.some), transfer.eq(self.o.valid & self.o.ready),
            offered.up.eq(arrived), offered.down.eq(transfer),
        ]
        m.d.sync += handed_over.eq(transfer)
        return m

    def _memory(self, m, name, put, data, take):
        """Add a memory that ``data`` is put into and taken from in order; return the next word."""
        m.submodules[name] = memory = Memory(shape=self.width, depth=BANK, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [write.en.eq(put), write.data.eq(data)]
        for port, step in ((write, put), (read, take)):
            with m.If(step):
                m.d.sync += port.addr.eq(port.addr + 1)
        return read.data


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
    is no parameter, but ``width``. The columns of a row are cut into groups of equal size, of which
    each works a clock after the one below it, so that the bit of x and q pass from group to group
    and have no more than a group to reach.
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
        ready, accepted, taken = signals("ready accepted taken")
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
