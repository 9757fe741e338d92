"""The hardware of the exponentiator."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring

from ...core import Signature, ceil_div
from ...single_dsp.front import Front
from ...single_dsp.multiplier import index_width
from ...single_dsp.processor import Processor

__all__ = ["Exponentiator"]

# Parts of the memory, in the order in which they are sent; -1/M is the last digit of part 0. C and
# the product that follows take turns in the part where the base was, and in another one.
_MODULUS, _SQUARE_OF_R, _BASE, _EXPONENT, _P = range(1, 6)
_OTHER = _BASE | 4


class Exponentiator(wiring.Component):
    """Algorithm 2 on the :class:`~montgomery.single_dsp.processor.Processor`.

    Of the eight parts of the memory (Figure 5), two are free but for -1/M in one of them. A product
    by 1 needs no number 1, and no number is moved: where C is, one bit tells.

    The last product, by 1, is at most the modulus. What equals it becomes 0, which can happen only
    if the modulus has a square factor.

    An exponent without a one above its highest bit, in none of its words, is taken for 0. See
    :class:`~montgomery.single_dsp.front.Front` for the lengths.

    Parameters
    ----------
    params : :class:`~montgomery.exponentiation.single_dsp.Parameters`

    Attributes
    ----------
    front : :class:`~montgomery.single_dsp.front.Front`
    waits : :class:`~amaranth.hdl.Signal`
        There is a result, or nothing to do.
    PRODUCT : :class:`int`
        Clocks between two products.
    FETCH : :class:`int`
        Clocks for each digit of the exponent.
    OVERHEAD : :class:`int`
        Clocks that are left, whatever is computed.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    PRODUCT = 2
    FETCH = 2 + Processor.LATENCY
    OVERHEAD = 12

    def __init__(self, params):
        self.params = params
        self._shape = {"width": params.word_width, "part_width": 3, "modulus": _MODULUS,
                       "index_width": index_width(params.result_words)}
        self.front = Front(**self._shape, final=_EXPONENT)
        self.waits = Signal(name="load", init=1)
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        width = self.params.word_width
        m.submodules.processor = processor = Processor(**self._shape)
        m.submodules.front = front = self.front
        wiring.connect(m, wiring.flipped(self.i), front.i)
        wiring.connect(m, front.o, wiring.flipped(self.o))

        names = ("enter_c", "enter_p", "scan", "fetch", "square", "multiply", "leave", "compare")
        now = {"load": self.waits} | {name: Signal(name=name) for name in names}
        in_other = Signal(reset_less=True)  # C is in the other part than the base was
        c, not_c = Cat(C(_BASE, 2), in_other), Cat(C(_BASE, 2), ~in_other)
        # Other parts than those of the stream's side are asked for while ``asks`` is high.
        asks, part = Signal(), Signal(3, reset_less=True)
        index = Signal(processor.index_width, reset_less=True)
        # It stays for two clocks or more, and these are those of the clock before.
        above, below = (Signal.like(index, name=name) for name in ("above", "below"))
        is_lowest = Signal(reset_less=True)
        m.d.sync += [above.eq(index + 1), below.eq(index - 1), is_lowest.eq(index == 0)]
        # What was asked for; then it is there, and with a clock more in the register ``before``.
        coming, arrived = Signal(Processor.LATENCY), Signal()
        m.d.sync += arrived.eq(coming[-1])
        # Parts of a product follow the state by a clock, as the product follows ``begin``.
        x, y, s = (Signal(3, name=name, reset_less=True) for name in ("x", "y", "s"))
        begin, x_is_1, done = Signal(), Signal(reset_less=True), Signal()
        begins = Signal()  # a product does, in the next clock
        m.d.sync += [
            x_is_1.eq(now["enter_c"] | now["leave"]),
            x.eq(Mux(now["enter_p"], _SQUARE_OF_R, c)),
            y.eq(c), s.eq(not_c), begin.eq(begins), done.eq(processor.done), front.send.eq(0),
        ]
        with m.If(now["enter_c"]):
            m.d.sync += [y.eq(_SQUARE_OF_R), s.eq(_OTHER)]
        with m.If(now["enter_p"]):
            m.d.sync += [y.eq(_BASE), s.eq(_P)]
        with m.If(now["multiply"]):
            m.d.sync += y.eq(_P)
        m.d.comb += [
            processor.last.eq(front.last), processor.begin.eq(begin), processor.x.eq(x),
            processor.y.eq(y), processor.s.eq(s), processor.x_is_1.eq(x_is_1),
            processor.part.eq(Mux(asks, part, front.part)),
            processor.index.eq(Mux(asks, index, front.index)),
            processor.write.eq(front.write), processor.data.eq(front.data),
            front.q.eq(processor.q), front.source.eq(c),
        ]

        def go(before, after):
            """Return the assignments of a change of state; a product begins with its state."""
            if after in ("enter_c", "enter_p", "square", "multiply", "leave"):
                m.d.comb += begins.eq(1)
            return [now[before].eq(0), now[after].eq(1)]

        # -- The bits of the exponent, from the highest.
        exponent = Signal(width, reset_less=True)
        left = Signal(range(width + 1), reset_less=True)
        empty, exhausted = Signal(), Signal()  # no bits are left in this register; nor elsewhere
        found = Signal()  # the one above the highest bit
        shifts, fetched = Signal(), Signal()
        bit = exponent[-1]
        multiplies = bit | C(self.params.method == "always", 1)
        is_last = Signal()  # the product is the last one for its bit
        m.d.sync += is_last.eq(now["multiply"] | (now["square"] & ~multiplies))
        with m.If(shifts | fetched):
            m.d.sync += exponent.eq(Mux(now["fetch"], processor.q, exponent << 1))
        with m.If(shifts):
            m.d.sync += [left.eq(left - 1), empty.eq(left == 1)]
        with m.If(now["load"]):
            m.d.sync += [index.eq(front.last), empty.eq(1), exhausted.eq(0), found.eq(0),
                         coming.eq(0)]
            with m.If(front.loaded):
                m.d.sync += [*go("load", "enter_c"), in_other.eq(1)]
        with m.If(now["scan"]):
            with m.If(empty & exhausted):
                m.d.sync += go("scan", "leave")
            with m.Elif(empty):
                m.d.sync += [*go("scan", "fetch"), asks.eq(1), part.eq(_EXPONENT), coming.eq(1)]
            with m.Elif(found):
                m.d.sync += go("scan", "square")
            with m.Else():
                m.d.comb += shifts.eq(1)
                m.d.sync += found.eq(bit)
        with m.If(now["fetch"]):
            m.d.sync += coming.eq(coming << 1)
            with m.If(arrived):
                m.d.comb += fetched.eq(1)
                m.d.sync += [*go("fetch", "scan"), asks.eq(0), left.eq(width), empty.eq(0),
                             index.eq(below), exhausted.eq(is_lowest)]

        # -- The products.
        with m.If(done):
            with m.If(is_last):
                m.d.comb += shifts.eq(1)
            with m.If(now["enter_c"]):
                m.d.sync += go("enter_c", "enter_p")
            with m.If(now["enter_p"]):
                m.d.sync += go("enter_p", "scan")
            with m.If(now["square"]):
                m.d.sync += in_other.eq(~in_other)
                with m.If(multiplies):
                    m.d.sync += go("square", "multiply")
                with m.Else():
                    m.d.sync += go("square", "scan")
            with m.If(now["multiply"]):
                m.d.sync += [*go("multiply", "scan"), in_other.eq(in_other ^ bit)]
            with m.If(now["leave"]):
                m.d.sync += [*go("leave", "compare"), in_other.eq(~in_other), asks.eq(1),
                             part.eq(_MODULUS), index.eq(0)]

        # -- Digits of the modulus and of C in turns, to be compared.
        of_c = Signal()  # that of C is asked for
        before = Signal(width + 1, reset_less=True)
        differs = Signal(ceil_div(width, 2), reset_less=True)  # in two bits each
        differed = Signal()
        is_0 = Signal(reset_less=True)
        m.d.comb += front.is_0.eq(is_0)
        m.d.sync += before.eq(processor.q)
        m.d.sync += [bit.eq(processor.q[2 * pair:2 * pair + 2] != before[2 * pair:2 * pair + 2])
                     for pair, bit in enumerate(differs)]
        m.d.sync += differed.eq(now["compare"] & arrived & differs.any())
        with m.If(differed):
            m.d.sync += is_0.eq(0)
        with m.If(now["leave"]):
            m.d.sync += [of_c.eq(0), coming.eq(0), is_0.eq(1)]
        with m.If(now["compare"]):
            m.d.sync += [of_c.eq(~of_c), part.eq(Mux(of_c, _MODULUS, c)),
                         coming.eq(Cat(of_c, coming))]
            with m.If(of_c):
                m.d.sync += index.eq(above)
            with m.If(arrived & before[-1]):
                m.d.sync += [*go("compare", "load"), asks.eq(0), front.send.eq(1)]
        return m
