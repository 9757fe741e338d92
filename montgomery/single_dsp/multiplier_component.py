"""One product after the other, with words from and to the streams."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring

from ..core import Signature
from .front import Front
from .processor import Processor

__all__ = ["Multiplier", "index_width"]

#: Parts of the memory.
_S, _MODULUS, _X, _Y = range(4)


def index_width(digits, spare=0):
    """Return the bits of the index of a digit, for so many digits and some that stay free."""
    return max((digits + spare - 1).bit_length(), 3)


class Multiplier(wiring.Component):
    """Algorithm 3 with all operands in one block RAM, and one multiplier block for all products of
    digits.

    For each digit of y the product with x is added to the sum; the multiple of the modulus that
    makes the lowest digit of the sum 0 is added too; and the sum is moved down by a digit. Each
    digit of the sum takes two products of digits, and these keep the multiplier busy in every
    clock.

    The first word tells how many words each number has, so that shorter numbers take less time.
    Bits of it for which the memory has no room are ignored. A word is taken every second clock, and
    a word of the result comes every fifth clock. Words of the next multiplication are taken when
    the result has been sent.

    Parameters
    ----------
    params : :class:`~montgomery.single_dsp.multiplier.Parameters`

    Attributes
    ----------
    processor : :class:`~montgomery.single_dsp.processor.Processor`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        self._shape = {"width": params.word_width, "part_width": 2, "modulus": _MODULUS,
                       "index_width": index_width(params.digits, spare=1)}
        self.processor = Processor(**self._shape)
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        m.submodules.processor = processor = self.processor
        m.submodules.front = front = Front(**self._shape, final=_Y)
        wiring.connect(m, wiring.flipped(self.i), front.i)
        wiring.connect(m, front.o, wiring.flipped(self.o))
        settles = Signal(Processor.SETTLED - 1, name="settles")  # one-hot
        m.d.sync += settles.eq(Cat(processor.done, settles))
        m.d.comb += [
            *(getattr(processor, name).eq(getattr(front, name))
              for name in ("last", "part", "index", "write", "data")),
            processor.begin.eq(front.loaded), processor.x.eq(_X), processor.y.eq(_Y),
            processor.s.eq(_S), front.q.eq(processor.q),
            front.send.eq(settles[-1]), front.source.eq(_S), front.is_0.eq(Const(0)),
        ]
        return m
