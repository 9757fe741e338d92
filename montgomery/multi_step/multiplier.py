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

    The numbers of the paper are t = k // s clocks of s steps, its Main structure, and one of the
    r = k - s t that remain, if any, its Remainder structure. Here the r come first, and the same
    hardware does them: while p is 0, a step on a bit 0 changes nothing, so that s - r such steps
    before the others fill the clock. That makes t clocks, or t + 1, as in the paper. Two more bring
    the first product down to the columns from which the quotient is found, and three are registers
    between the last operand word and the first clock; then ``layout.subtraction`` clocks go by in
    which the number is complete in one PE after the other, and is compared with the modulus. The
    paper counts none of these. Of the final subtraction one clock is not hidden: it is done on the
    words as they come.

    What differs from the paper's Figure 3: the number is in carry-save form between words and not
    between bits, since adders of a word take half the look-up tables of full adders; each word
    works a clock after the word below. With ``quotient="ahead"`` up to four steps are one: the
    multiple of the modulus that ends in their bits is looked up by these bits, without computing
    the quotient, and the multiple of y by bits of x. The tables are filled while operands are
    loaded. With ``quotient="chained"`` each step gates the operands, as drawn.

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
