"""The order of the products of an exponentiation."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .reader import product_layout

__all__ = ["Control"]


class Control(wiring.Component):
    """Says which product is next, and when keys, bases and results move.

    Its states:

    - IDLE: nothing has begun. A key that is offered goes before a base.
    - KEY: the words of a key come. RADIX: entry 0 of the table, R, is R**2 times 1.
    - BASE: the words of a base come, unless they go straight to the multiplier. ENTER: entry 1 is
      the base times R**2.
    - TABLE: each further entry is the one before times entry 1.
    - FIRST: the table is complete, and the power is the entry of the highest digit.
    - SQUARE, MULTIPLY: for each further digit, as many squares as it has bits, and a product.
    - LEAVE: the last product is by 1. FINISH: wait for its result. CHECK: compare it.

    A product is prepared while those before it are under way, one at most, or two where results
    are operands without being stored first. So what is under way decides on no path of the clock
    in which a result comes, except whether the product that is prepared may go.

    Parameters
    ----------
    params : :class:`~montgomery.generic.exponentiator.Parameters`
    slot_width : :class:`int`
        Bits of the number of a slot of the memory.

    Attributes
    ----------
    CHECK : :class:`int`
        Clocks in state CHECK.

    Members
    -------
    k_offered, i_offered : :py:`In(1)`
        There is a word at port ``k``, at port ``i``.
    start_key, start_base : :py:`Out(1)`, loaded : :py:`In(1)`
        For the loader.
    begins : :py:`Out(1)`
        Products begin: the digits of the exponent are wanted from the first.
    digit : :py:`In(window_bits)`, digit_ready, digit_last : :py:`In(1)`, digit_take : :py:`Out(1)`
        For :class:`~montgomery.generic.digits.Digits`.
    product : :py:`Out(stream.Signature(product_layout(slot_width)))`
        For the reader of operands.
    received : :py:`In(1)`
        The last word of a result comes in this clock.
    result_free : :py:`In(1)`
        There is room for the result of an exponentiation.
    leaves : :py:`Out(1)`
        The last product is prepared.
    final : :py:`Out(1)`
        Words that came in the clock before, if any, are those of the last product.
    finished : :py:`Out(1)`
        The last product is complete, and was compared with the modulus if need be.
    """

    #: From the clock after the last word of a result to its comparison, which has these steps: the
    #: address, the memory's two, the difference of the words, whether there is one.
    CHECK = 3

    def __init__(self, params, slot_width):
        self.params = params
        self.slot_width = slot_width
        super().__init__({
            "k_offered": In(1), "i_offered": In(1),
            "start_key": Out(1), "start_base": Out(1), "loaded": In(1), "begins": Out(1),
            "digit": In(params.window_bits), "digit_ready": In(1), "digit_last": In(1),
            "digit_take": Out(1),
            "product": Out(stream.Signature(product_layout(slot_width))),
            "received": In(1), "result_free": In(1), "leaves": Out(1), "final": Out(1),
            "finished": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        p, layout = self.params, self.params.layout
        chains = p.inner.chains or p.forwards  # a result can be an operand before it is stored
        prepared = Signal(name="prepared")
        product = Signal(product_layout(self.slot_width), name="prepared_product")
        # Products under way: none, or as many as may be.
        none, full = Signal(name="none", init=1), Signal(name="full")
        takes = Signal(name="takes")
        m.d.comb += [self.product.valid.eq(prepared & ~full), self.product.payload.eq(product),
                     takes.eq(self.product.valid & self.product.ready)]
        if chains:
            one = ~none & ~full
            m.d.sync += [none.eq(~takes & (none | (one & self.received))),
                         full.eq((full | (one & takes)) & ~self.received)]
        else:
            m.d.sync += [none.eq(~takes & (none | self.received)),
                         full.eq(takes | (full & ~self.received))]
        with m.If(takes):
            m.d.sync += prepared.eq(0)
        settled = none & ~prepared

        has_key = Signal(name="has_key")
        latest = Signal(self.slot_width, name="latest")  # slot of the power so far
        fresh = Signal(name="fresh")  # which is no result of the product before
        complete, second = Signal(name="complete"), Signal(name="second")  # of the table's entries
        squares = Signal(p.window_bits, name="squares", init=1)  # one-hot
        checks = Signal(self.CHECK, name="checks")

        def prepare(x, y, *, x_kept=0, y_kept=0, x_is_base=0, y_is_1=0):
            m.d.sync += [prepared.eq(1), product.x.eq(x), product.y.eq(y),
                         product.x_is_base.eq(x_is_base), product.y_is_1.eq(y_is_1)]
            if chains:
                m.d.sync += [product.x_kept.eq(x_kept), product.y_kept.eq(y_kept)]

        def power():
            """The power so far is the result of the product that was prepared."""
            m.d.sync += [latest.eq(layout.power), fresh.eq(0)]

        with m.FSM(name="state") as fsm:
            with m.State("IDLE"):
                with m.If(self.k_offered):
                    m.d.comb += self.start_key.eq(1)
                    m.d.sync += has_key.eq(0)
                    m.next = "KEY"
                with m.Elif(self.i_offered & has_key):
                    m.d.comb += self.start_base.eq(1)
                    m.next = "ENTER" if p.forwards else "BASE"
            with m.State("KEY"), m.If(self.loaded):
                m.next = "RADIX"
            with m.State("RADIX"):
                prepare(layout.r_squared, 0, y_is_1=1)
                m.next = "STORE"
            with m.State("STORE"), m.If(settled):
                m.d.sync += has_key.eq(1)
                m.next = "IDLE"
            if not p.forwards:
                with m.State("BASE"), m.If(self.loaded):
                    m.next = "ENTER"
            with m.State("ENTER"):
                m.d.comb += self.begins.eq(1)
                prepare(1, layout.r_squared, x_is_base=int(p.forwards))
                m.d.sync += [latest.eq(1), second.eq(1), complete.eq(0)]
                m.next = "FIRST" if p.window_bits == 1 else "TABLE"
            with m.State("TABLE"), m.If(~prepared):
                prepare(latest, 1, x_kept=1, y_kept=second)
                m.d.sync += [latest.eq(latest + 1), second.eq(0),
                             complete.eq(latest == layout.entries - 3)]
                with m.If(complete):
                    m.next = "FIRST"
            with m.State("FIRST"):
                m.d.sync += [latest.eq(self.digit), fresh.eq(1)]
                with m.If(settled & self.digit_ready):
                    m.d.comb += self.digit_take.eq(1)
                    m.next = "SQUARE"
                    with m.If(self.digit_last):
                        m.next = "LEAVE"
            with m.State("SQUARE"), m.If(~prepared):
                prepare(latest, latest, x_kept=~fresh, y_kept=~fresh)
                power()
                m.d.sync += squares.eq(squares.rotate_left(1))
                with m.If(squares[-1]):
                    m.next = "MULTIPLY"
            with m.State("MULTIPLY"), m.If(~prepared & self.digit_ready):
                if p.method == "always":
                    prepare(latest, self.digit, x_kept=1)
                else:
                    with m.If(self.digit.any()):
                        prepare(latest, self.digit, x_kept=1)
                m.d.comb += self.digit_take.eq(1)
                m.next = "SQUARE"
                with m.If(self.digit_last):
                    m.next = "LEAVE"
            with m.State("LEAVE"), m.If(~prepared & self.result_free):
                prepare(latest, 0, x_kept=~fresh, y_is_1=1)
                m.d.comb += self.leaves.eq(1)
                m.next = "FINISH"
            with m.State("FINISH"):
                m.d.sync += checks.eq(1)
                with m.If(settled):
                    m.next = "CHECK" if p.reduces else "IDLE"
                    if not p.reduces:
                        m.d.comb += self.finished.eq(1)
            if p.reduces:
                with m.State("CHECK"):
                    m.d.sync += checks.eq(checks << 1)
                    with m.If(checks[-1]):
                        m.d.comb += self.finished.eq(1)
                        m.next = "IDLE"
        m.d.sync += self.final.eq(fsm.ongoing("FINISH") & ~prepared & ~(full if chains else 0))
        return m
