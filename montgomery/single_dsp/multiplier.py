"""Words to the memory, a product, and words from it."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring

from ..core import Signature
from .processor import Processor

__all__ = ["Multiplier"]

#: Parts of the memory.
_S, _MODULUS, _X, _Y = range(4)


class Multiplier(wiring.Component):
    """Algorithm 3 on the :class:`~montgomery.single_dsp.processor.Processor`.

    The first word of a multiplication says how many digits each number has. Of its upper bits,
    those that the memory has no room for are ignored; so every word leads to a defined number of
    digits, and the core is never out of step with a sender who counts as it does.

    Parameters
    ----------
    params : :class:`~montgomery.single_dsp.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(Signature(params.word_width))

    @staticmethod
    def index_width(digits):
        """Return the bits of an index, so that one digit of a part is left."""
        return max(digits.bit_length(), 3)

    def elaborate(self, platform):
        m = Module()
        width = self.params.word_width
        index_width = self.index_width(self.params.digits)
        m.submodules.processor = processor = Processor(
            width=width, index_width=index_width, part_width=2, modulus=_MODULUS)
        last = Signal(index_width, reset_less=True)
        index, part = Signal(index_width), Signal(2)
        highest = Signal()
        waits = Signal(Processor.SETTLED - 1)  # one-hot, after the product
        header, loading, unloading = Signal(init=1), Signal(), Signal()
        m.d.comb += [
            highest.eq(index == last),
            processor.last.eq(last), processor.x.eq(_X), processor.y.eq(_Y), processor.s.eq(_S),
            processor.part.eq(part), processor.index.eq(index),
            processor.data.eq(Cat(self.i.payload, highest)),
            self.i.ready.eq(header | loading),
        ]
        # -1/M comes first, to the digit before those of M.
        before, ends = Signal(), Signal()
        taken = self.i.ready & self.i.valid
        with m.If(taken & header):
            m.d.sync += [last.eq(self.i.payload), header.eq(0), loading.eq(1), index.eq(-1),
                         part.eq(_MODULUS - 1), before.eq(1)]
        with m.If(taken & loading):
            m.d.comb += processor.write.eq(1)
            m.d.sync += [index.eq(index + 1), before.eq(0)]
            with m.If(before | highest):
                m.d.sync += [index.eq(0), part.eq(part + 1)]
                with m.If(part == _Y):
                    m.d.comb += ends.eq(~before)
                    m.d.sync += loading.eq(0)
        m.d.sync += [processor.begin.eq(ends), waits.eq(Cat(processor.done, waits))]

        # Digits on their way from the memory, each a clock behind the one before it.
        reads = Signal(Processor.LATENCY)
        moves = Signal()
        m.d.comb += [
            moves.eq(~self.o.valid | self.o.ready),
            processor.enable.eq(~unloading | moves),
            self.o.valid.eq(reads[-1]), self.o.payload.eq(processor.q),
        ]
        with m.If(waits[-1]):
            m.d.sync += unloading.eq(1)
        with m.If(unloading & moves):
            m.d.sync += [index.eq(index + 1), reads.eq(Cat(unloading, reads))]
            with m.If(self.o.valid & processor.q[-1]):
                m.d.sync += [unloading.eq(0), header.eq(1), reads.eq(0)]
        return m
