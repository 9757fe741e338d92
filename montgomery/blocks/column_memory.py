"""A memory of columns, which may be larger than a block RAM."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from .block_ram import BlockRam, port_signature

__all__ = ["ColumnMemory"]


class ColumnMemory(wiring.Component):
    """A memory of columns, the number of the column being the lowest bits of an address.

    One :class:`~montgomery.blocks.block_ram.BlockRam` or, where that would have more words than
    one can have, two: for the lower half of the columns, and for the upper one.

    Latency and throughput: those of the block RAM.

    Parameters
    ----------
    width : :class:`int`
        Bits of a word.
    rows : :class:`int`
        Words of a column.
    bits : :class:`int`
        Bits of the number of a column.

    Members
    -------
    a, b : :py:`In(port_signature(width, rows << bits))`
    """

    _MOST_OF_ONE = 16384
    #: Words of the largest memory, on devices where block RAMs are instances.
    MOST = 2 * _MOST_OF_ONE

    def __init__(self, width, rows, bits):
        self.width, self.rows, self.bits = width, rows, bits
        port = port_signature(width, rows << bits)
        super().__init__({"a": In(port), "b": In(port)})

    def elaborate(self, platform):
        m = Module()
        if self.rows << self.bits <= self._MOST_OF_ONE:
            m.submodules.ram = ram = BlockRam(self.width, self.rows << self.bits)
            wiring.connect(m, wiring.flipped(self.a), ram.a)
            wiring.connect(m, wiring.flipped(self.b), ram.b)
            return m
        m.submodules.lower = lower = BlockRam(self.width, self.rows << self.bits - 1)
        m.submodules.upper = upper = BlockRam(self.width, self.rows << self.bits - 1)
        for name in "ab":
            port, high = getattr(self, name), self.bits - 1
            in_upper = port.address[high]
            for ram, chosen in ((lower, ~in_upper), (upper, in_upper)):
                inner = getattr(ram, name)
                m.d.comb += [
                    inner.enable.eq(port.enable), inner.write.eq(port.write & chosen),
                    inner.address.eq(Cat(port.address[:high], port.address[high + 1:])),
                    inner.data.eq(port.data)]
            late = Signal(BlockRam.LATENCY, name=f"{name}_upper", reset_less=True)
            with m.If(port.enable):
                m.d.sync += late.eq(Cat(in_upper, late))
            m.d.comb += port.q.eq(Mux(late[-1], getattr(upper, name).q, getattr(lower, name).q))
        return m
