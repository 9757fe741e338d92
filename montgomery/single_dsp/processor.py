"""The memory, and products of what it holds."""

from amaranth.hdl import C, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from .datapath import Datapath
from .micro_ops import DIGIT, OPERANDS, READ, decode
from .sequencer import PairSequencer

__all__ = ["MODULUS", "Processor", "index_width"]

#: The part of the memory that holds M.
MODULUS = 1


def index_width(digits):
    """Return the bits of the index of a digit, for so many digits."""
    return max((digits - 1).bit_length(), 3)


class Processor(wiring.Component):
    """Multiplies numbers that lie in its memory, and leaves the product there.

    The memory is divided into parts of ``2**index_width`` digits, one number each. With each digit
    stands a flag, which marks the highest one of its number; a product is given it too. -1/M is
    the digit before those of M, the last one of the part below.

    Throughput: a product in :func:`~.sequencer.product_clocks`; while there is none, a digit is
    read, in :attr:`LATENCY` clocks, or written per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per digit.
    index_width, part_width : :class:`int`
        Bits of the index of a digit, 3 or more, and of the number of a part.

    Attributes
    ----------
    sequencer : :class:`~.sequencer.PairSequencer`
        What issues the pairs of a product.

    Members
    -------
    begin : :py:`In(1)`
        Begin a product, when there is none.
    last : :py:`In(index_width)`
        Index of the highest digit of M.
    x, y, s : :py:`In(part_width)`
        Parts of X, of Y, and for the product, which must be another one. All stay until ``done``,
        and ``s`` for two clocks more.
    x_is_1 : :py:`In(1)`
        Take 1 for X. Stays until ``done``.
    done : :py:`Out(1)`
        The last clock of a product. Until the clock after it nothing else is read or written.
    part : :py:`In(part_width)`, index : :py:`In(index_width)`
        The digit to write or read.
    write : :py:`In(1)`
        Write instead of reading.
    data, q : :py:`In(width + 1)`, :py:`Out(width + 1)`
        The digit to write, and the one that was read; above it its flag.
    """

    LATENCY = 4
    #: Clocks after ``done`` from which ``part`` and ``index`` may name digit 0 of the product, to
    #: read a digit in two clocks or more.
    SETTLED = 5
    #: Clocks after ``done`` from which ``write`` may be set: the memory writes by one port alone.
    WRITTEN = 11
    #: Clocks from ``done`` to the next ``begin``, at least, where that reads the product.
    GAP = 3

    def __init__(self, width, index_width, part_width):
        self.sequencer, self.datapath = PairSequencer(index_width), Datapath(width)
        super().__init__({
            "begin": In(1), "last": In(index_width),
            "x": In(part_width), "y": In(part_width), "s": In(part_width), "x_is_1": In(1),
            "done": Out(1),
            "part": In(part_width), "index": In(index_width), "write": In(1),
            "data": In(width + 1), "q": Out(width + 1),
        })

    def elaborate(self, platform):
        m = Module()
        address_width = len(self.index) + len(self.part)
        m.submodules.memory = memory = BlockRam(len(self.q), 1 << address_width)
        m.submodules.sequencer = sequencer = self.sequencer
        m.submodules.datapath = datapath = self.datapath
        stage, odd, i, j = datapath.stage, sequencer.odd, sequencer.i, sequencer.j
        q, s = (Signal.like(port, name=port.name, reset_less=True)
                for port in (self.q, datapath.s))
        decode(m, datapath.issued, sequencer, self.x_is_1)
        # Behind the memory are registers alone, since that may lie far from the multiplier.
        m.d.sync += q.eq(memory.a.q)
        m.d.comb += [
            sequencer.begin.eq(self.begin), sequencer.last.eq(self.last),
            self.done.eq(sequencer.done), self.q.eq(q),
            datapath.x_is_1.eq(self.x_is_1), datapath.a.eq(q), datapath.s.eq(s),
        ]
        # -- Port a: what is multiplied, one digit per clock, and everything while nothing is.
        address, operand = (Signal(address_width, name=name, reset_less=True)
                            for name in ("address", "operand"))  # operand: a clock before
        multiplies, write = Signal(name="multiplies"), Signal(name="write")
        y_ends = Signal(reset_less=True)
        data = Signal.like(self.data, name="data", reset_less=True)
        # As in column "port_a" of the table. Where nothing is read it may be any.
        with m.If(Mux(odd, sequencer.start, sequencer.special)):
            m.d.sync += operand.eq(Cat(sequencer.i_ahead, self.y))
        with m.Elif(sequencer.special):
            m.d.sync += operand.eq((MODULUS << len(self.index)) - 1)  # -1/M
        with m.Elif(odd):
            m.d.sync += operand.eq(Cat(j, C(MODULUS, len(self.part))))
        with m.Elif(sequencer.pair_0):
            m.d.sync += operand.eq(Cat(i, self.y))
        with m.Else():
            m.d.sync += operand.eq(Cat(j, self.x))
        m.d.sync += [
            multiplies.eq(sequencer.busy),
            address.eq(Mux(multiplies, operand, Cat(self.index, self.part))),
            data.eq(self.data), write.eq(self.write & ~multiplies),
        ]
        m.d.comb += [memory.a.enable.eq(Const(1)), memory.a.address.eq(address),
                     memory.a.write.eq(write), memory.a.data.eq(data), sequencer.y_ends.eq(y_ends)]
        is_y = stage[OPERANDS].take_y
        m.d.sync += y_ends.eq((is_y & q[-1]) | (~is_y & y_ends))

        # -- Port b: S_j is read, and S_{j-1} written, in turns. What was read stays for two clocks.
        at_b = Signal.like(address, name="at_b")
        part = Signal.like(self.part, name="part", reset_less=True)
        j_before, j_late, to = (Signal.like(j, name=name, reset_less=True)
                                for name in ("j_before", "j_late", "to"))
        m.d.sync += j_before.eq(j)
        with m.If(stage[READ].read_s):
            m.d.sync += s.eq(memory.b.q)
        with m.If(~odd):
            m.d.sync += j_late.eq(j_before)
        stores = stage[DIGIT - 1].store
        m.d.sync += at_b.eq(Cat(Mux(stores, to, j_late), part))
        with m.If(stage[DIGIT - 1].take_y):
            m.d.sync += [to.eq(0), part.eq(self.s)]
        with m.Elif(stores):
            m.d.sync += to.eq(to + 1)
        m.d.comb += [
            memory.b.enable.eq(Const(1)), memory.b.address.eq(at_b),
            memory.b.write.eq(stage[DIGIT].store),
            memory.b.data.eq(Cat(datapath.digit, stage[DIGIT].top)),
        ]
        return m
