"""What an exponentiator multiplies, by the bits of the exponent from the highest."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BASE", "EXPONENT", "FIXED", "PRODUCT", "SQUARE", "Program"]

#: Parts of a memory: the squares, and R before the first one (S[0] of Morales-Romero et al., Figure
#: 6); the products, and before the first one R**2 (S[1]); the base (x̃); what each multiplication
#: is sent apart from x and y; the exponent.
SQUARE, PRODUCT, BASE, FIXED, EXPONENT = range(5)


class Program(wiring.Component):
    """Says what is multiplied, and what comes afterwards.

    Parameters
    ----------
    params : :class:`~montgomery.blocks.left_to_right.LeftToRight`

    Members
    -------
    bits : :py:`In(...)`, start : :py:`In(1)`
        Begin an exponentiation by an exponent of so many bits.
    word : :py:`In(i_width)`, fetched : :py:`In(1)`
        The next word of the exponent.
    done : :py:`In(1)`
        The result of a product was received. Not again for four clocks.
    x, y, result : :py:`Out(1)`, :py:`Out(2)`
        Parts of the memory with the operands, and for the result, of the current product.
    y_is_1 : :py:`Out(1)`
        The second operand is 1 instead: this is the last product.
    kept : :py:`Out(1)`
        The result of the current product is an operand of the next one, or of the next two.
    fetch, ends : :py:`Out(1)`
        When it is done, a word of the exponent is needed; the exponentiation is done.
    """

    def __init__(self, params):
        self.params = params
        super().__init__({
            "bits": In(range(params.width + 1)), "start": In(1),
            "word": In(params.i_width), "fetched": In(1), "done": In(1),
            "x": Out(2), "y": Out(2), "result": Out(2), "y_is_1": Out(1),
            "kept": Out(1), "fetch": Out(1), "ends": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        p = self.params
        enter, square, multiply, last = (Signal(name=name) for name in
                                         ("enter", "square", "multiply", "last"))
        # Bits of the exponent that are not done, and those of them in ``exponent``, less one.
        left = Signal.like(self.bits, name="left")
        in_word = Signal(range(p.i_width), name="in_word")
        exponent = Signal(p.i_width, name="exponent")
        bit = exponent[-1]

        # What follows is decided while the product is under way.
        to_multiply = Signal(name="$signal")
        bit_done = Signal(name="$signal")
        more = Signal(name="more")
        m.d.comb += [to_multiply.eq(square & (bit if p.method == "binary" else 1)),
                     bit_done.eq(multiply | (square & ~to_multiply)),
                     more.eq(Mux(enter, left != 0, bit_done & (left != 1)))]
        then_multiply, then_square, then_last = (
            Signal(name=name) for name in ("then_multiply", "then_square", "then_last"))
        m.d.sync += [then_multiply.eq(to_multiply), then_square.eq(more),
                     then_last.eq((enter | bit_done) & ~more),
                     self.fetch.eq(more & (enter | (in_word == 0)))]

        with m.If(self.start):
            m.d.sync += [enter.eq(1), square.eq(0), multiply.eq(0), last.eq(0),
                         left.eq(self.bits), self.x.eq(BASE), self.y.eq(PRODUCT),
                         self.result.eq(BASE)]
        with m.Elif(self.done):
            latest = Mux(multiply & bit, PRODUCT, SQUARE)
            m.d.sync += [
                enter.eq(0), square.eq(then_square), multiply.eq(then_multiply),
                last.eq(then_last),
                self.x.eq(Mux(then_multiply, SQUARE, latest)),
                self.y.eq(Mux(then_multiply, BASE, latest)),
                self.result.eq(Mux(then_multiply, PRODUCT, SQUARE)),
            ]
            with m.If(bit_done):
                m.d.sync += [left.eq(left - 1), in_word.eq(in_word - 1),
                             exponent.eq(exponent << 1)]
        with m.If(self.fetched):
            m.d.sync += [exponent.eq(self.word), in_word.eq(p.i_width - 1)]
        m.d.comb += [self.y_is_1.eq(last), self.ends.eq(last),
                     self.kept.eq(square | (multiply & bit))]
        return m
