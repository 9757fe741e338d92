"""The multi-step multiplier, put together."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.streams import adapt, join
from ..core import Signature
from .array import Array
from .layout import Layout
from .multiples import Gates, Tables
from .operands import Operands
from .result import Result

__all__ = ["Multiplier"]


class _Core(wiring.Component):
    """The multiplier with words of ``pe_width`` bits at its ports."""

    def __init__(self, layout):
        self.layout = layout
        super().__init__({"i": In(stream.Signature(layout.pe_width)),
                          "o": Out(stream.Signature(layout.pe_width))})

    def elaborate(self, platform):
        m = Module()
        g = self.layout
        m.submodules.operands = operands = Operands(g)
        m.submodules.result = result = Result(g)
        array = Array(m, g, operands, (Tables if g.look_up else Gates)(m, g, operands))
        wiring.connect(m, wiring.flipped(self.i), operands.i)
        wiring.connect(m, result.o, wiring.flipped(self.o))
        m.d.comb += [
            result.word.eq(operands.word), result.load_m.eq(operands.load_m),
            result.taking_m.eq(operands.taking_m), result.done.eq(operands.done),
            result.head.eq(array.head), operands.finished.eq(result.finished),
        ]
        m.d.comb += [result.numbers[v].eq(array.numbers[v]) for v in range(g.operand_words)]
        return m


class Multiplier(wiring.Component):
    """Algorithm 3, ``steps`` of its iterations a clock.

    With k = ``width`` and s = ``steps``, the paper does s steps in each of t = k // s clocks, by
    its Main structure, and the r = k - s t that remain, if any, in one more, by its Remainder
    structure. Here the r come first and need no structure of their own: while p is 0 a step on a
    bit 0 changes nothing, so that s - r of these fill their clock. That makes t clocks, or t + 1.

    The paper stops counting there. What else :attr:`.Layout.cycles` has to count:

    - 4 clocks of registers between the last word of x and the first iteration;
    - 2 iterations until the first product has come down to the head, where the quotient is found;
    - :attr:`.Layout.preparation` clocks where operands are loaded faster than tables are filled;
    - :attr:`.Layout.subtraction` clocks at the end. The final carry is among them but free: the
      words of the number are complete one after the other, as fast as they could be sent. What
      takes a clock a word is that only the last one decides whether m is subtracted, so that
      sending the first one must wait for it.

    What differs from the paper's Figure 3: the number is in carry-save form between words and not
    between bits, since a carry chain takes one look-up table a bit and a full adder two; and each
    word works a clock after the word below. With ``quotient="chained"`` each step gates the
    operands, as drawn. With ``quotient="ahead"`` up to four steps are one: the lowest bits look up
    the multiple of the modulus that makes them 0, without the quotient itself, and bits of x look
    up a multiple of y. The tables are filled while the operands that follow are loaded.

    Two levels of carry chains is the path in each PE. The path of the head, from one quotient to
    the next, is longer with two chained steps or more, each of which adds a level, a carry chain,
    to the one that comes in from the PE above; and with two groups ahead or more, each of up to
    four steps, which adds two, the read of a table and a carry chain.

    Parameters
    ----------
    params : :class:`~montgomery.multi_step.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.layout = Layout.of(params)
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        g = self.layout
        m.submodules.core = core = _Core(g)
        if g.parts > 1:
            join(m, self, core, width=g.pe_width // g.parts, ratio=g.parts)
        else:
            adapt(m, self, core, width=g.pe_width, ratio=g.ratio)
        return m
