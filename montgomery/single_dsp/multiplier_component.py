"""One product after the other, with words from and to the streams."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from .loader import NumberLoader
from .processor import Processor
from .sender import Sender

__all__ = ["SingleDspMultiplier", "index_width"]

#: Parts of the memory.
_S, _MODULUS, _X, _Y = range(4)


def index_width(digits, spare=0):
    """Return the bits of the index of a digit, for so many digits and some that stay free."""
    return max((digits + spare - 1).bit_length(), 3)


class SingleDspMultiplier(wiring.Component):
    """Algorithm 3 with all operands in one block RAM, and one multiplier block for all products of
    digits.

    For each digit of y the product with x is added to the sum; the multiple of the modulus that
    makes the lowest digit of the sum 0 is added too; and the sum is moved down by a digit. Each
    digit of the sum takes two products of digits, and these keep the multiplier busy in every
    clock.

    The first word of a key tells how many words each number has, so that shorter numbers take less
    time. Bits of it for which the memory has no room are ignored. A word is taken every second
    clock, and a word of the result comes every fourth clock.

    A product keeps both ports of the memory busy, so no operand is taken meanwhile. The operands of
    the next product, or another key, are taken while the result is sent, which lies elsewhere.

    Latency: 2 d**2 + 6 d + 15 clocks for numbers of four or more digits d. Throughput: one product
    at a time.

    Parameters
    ----------
    params : :class:`~montgomery.single_dsp.multiplier.Parameters`

    Attributes
    ----------
    processor : :class:`~montgomery.single_dsp.processor.Processor`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        self._shape = {"width": params.word_width,
                       "index_width": index_width(params.digits, spare=1)}
        self.processor = Processor(**self._shape, part_width=2, modulus=_MODULUS)
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        m.submodules.processor = processor = self.processor
        m.submodules.loader = loader = NumberLoader(**self._shape, key_numbers=1, numbers=2)
        m.submodules.sender = sender = Sender(width=self.params.word_width)
        wiring.connect(m, wiring.flipped(self.i), loader.i)
        wiring.connect(m, wiring.flipped(self.k), loader.k)
        wiring.connect(m, sender.o, wiring.flipped(self.o))
        # The result is sent before the next product, which is written to its place.
        settled = Signal(Processor.WRITTEN - 1)  # one-hot
        send = settled[Processor.SETTLED - 2]
        waits, occupied = Signal(name="waits"), Signal(name="occupied")
        index = Signal(processor.index_width, reset_less=True)
        m.d.sync += [
            settled.eq(Cat(processor.done, settled)),
            occupied.eq((occupied | processor.begin) & ~sender.sent),
            waits.eq((loader.loaded | waits) & ~processor.begin),
        ]
        with m.If(send):
            m.d.sync += index.eq(0)
        with m.Elif(sender.advance):
            m.d.sync += index.eq(index + 1)
        m.d.comb += [
            processor.begin.eq((loader.loaded | waits) & ~occupied),
            processor.last.eq(loader.last), processor.x.eq(_X), processor.y.eq(_Y),
            processor.s.eq(_S), processor.write.eq(loader.write), processor.data.eq(loader.data),
            processor.part.eq(Mux(loader.write, loader.part, _S)),
            processor.index.eq(Mux(loader.write, loader.index, index)),
            loader.free.eq(Const(1)), loader.done.eq(settled[-1]),
            sender.start.eq(send), sender.zero.eq(Const(0)), sender.blocked.eq(loader.write),
            sender.q.eq(processor.q),
        ]
        return m
