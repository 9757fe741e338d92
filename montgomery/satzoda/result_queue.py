"""A queue behind a pipeline that cannot stop."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.banks import BANK, Pointer
from ..blocks.carry_save import gate
from ..core import ceil_div

__all__ = ["ResultQueue", "Tally"]


class Tally(wiring.Component):
    """Number of words in a queue, or of places that are free.

    The lowest three bits change in the next clock, the others a clock later. When the number goes
    from 7 to 8, ``some`` and ``enough`` may be 0 for two clocks. They are never 1 wrongly.

    Latency: ``some`` follows ``up`` in the next clock, and ``enough`` in the one after that.
    Throughput: a step per clock.

    Parameters
    ----------
    limit, init : :class:`int`
        The largest number, and the number at first.

    Members
    -------
    up, down : :py:`In(1)`
        Add 1 to the number; subtract 1. If both are high, the number stays.
    some : :py:`Out(1)`
        If high, the number is not 0. It stays high while there is no ``down``.
    enough : :py:`Out(1)`
        If high, the number was :data:`ENOUGH` or more in the clock before.
    """

    ENOUGH = 4

    def __init__(self, limit, init=0):
        self.limit = limit
        self.init = init
        super().__init__({"up": In(1), "down": In(1), "some": Out(1, init=init > 0),
                          "enough": Out(1, init=init >= self.ENOUGH)})

    def elaborate(self, platform):
        m = Module()
        low = Signal(3, init=self.init % 8)
        high = Signal(range(max(self.limit // 8 + 1, 2)), name="high", init=self.init // 8)
        carry, borrow = Signal(name="carry"), Signal(name="borrow")
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

    The words lie in distributed memories of :data:`.banks.BANK` words, each with its own addresses.
    From there a word goes on, a look-up table per clock, to one more such memory, the outlet, which
    has the word at port ``o``. A word leaves its memory only while the outlet has room for it. So
    nothing stops on the way, and ``o.ready`` reaches no more than the outlet's address.

    Latency: :attr:`LATENCY`, when the queue is empty. Throughput: a word per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    depth : :class:`int`
        Places, the outlet's not counted.

    Members
    -------
    push : :py:`In(1)`
        In the clock after the next one, append ``data``.
    data : :py:`In(width)`
        See ``push``.
    freed : :py:`Out(1)`
        A place has become free.
    o : :py:`Out(stream.Signature(width))`
        The words; one in every clock if ``ready`` stays high.
    """

    #: Clocks from ``data`` to the word at ``o``, and to ``freed``, when the queue is empty.
    LATENCY = 6
    RELEASE = 2

    def __init__(self, width, depth):
        self.width = width
        self.depth = depth
        super().__init__({"push": In(1), "data": In(width), "freed": Out(1),
                          "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        banks = ceil_div(self.depth, BANK)
        m.submodules.waiting = waiting = Tally(banks * BANK)
        # A look-up shows in ``enough`` three clocks later. Two more may follow it until then.
        m.submodules.room = room = Tally(BANK, init=BANK)
        looked_up, announced, pushed, handed_over = (Signal(name=name) for name in (
            "looked_up", "announced", "pushed", "handed_over"))
        found, joins, arrived = (Signal(name=name) for name in ("found", "joins", "arrived"))
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
