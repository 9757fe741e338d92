"""The order of the products of an exponentiation."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate, incremented
from ..blocks.one_hot import OneHot
from ..core import traits
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

    Latency: a product is offered in the clock after the one that its state begins with. Throughput:
    as many products as the multiplier takes, since the next one waits at ``product``.

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

    #: The last word of the modulus is read and compared; see Exponentiator._compare().
    CHECK = 5

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
        # A result can be an operand before it is stored.
        chains = traits(p.inner).keeps_results or p.forwards
        prepared = Signal()
        product = Signal(product_layout(self.slot_width))
        # Products under way: none, or as many as may be.
        none = Signal(init=1)
        full = Signal()
        takes = Signal()
        m.d.comb += [self.product.valid.eq(prepared & ~full), self.product.payload.eq(product),
                     takes.eq(self.product.valid & self.product.ready)]
        if chains:
            one = ~none & ~full
            m.d.sync += [none.eq(~takes & (none | (one & self.received))),
                         full.eq((full | (one & takes)) & ~self.received)]
        else:
            m.d.sync += [none.eq(~takes & (none | self.received)),
                         full.eq(takes | (full & ~self.received))]
        settled = none & ~prepared

        has_key = Signal()
        latest = Signal(self.slot_width)  # slot of the power so far
        fresh = Signal()  # which is no result of the product before
        complete = Signal()  # no entry of the table is missing
        second = Signal()  # its second entry is next
        squares = Signal(p.window_bits, init=1)  # one-hot
        checks = Signal(self.CHECK)

        at = OneHot("IDLE", "KEY", "RADIX", "STORE", "BASE", "ENTER", "TABLE", "FIRST", "SQUARE",
                    "MULTIPLY", "LEAVE", "FINISH", "CHECK")
        free, begin = ~prepared, self.i_offered & has_key & ~self.k_offered
        chosen = settled & self.digit_ready
        squared = at["SQUARE"] & free
        multiplied = at["MULTIPLY"] & free & self.digit_ready
        leaves = at["LEAVE"] & free & self.result_free
        at.follow(m, [
            ("IDLE", "KEY", self.k_offered),
            ("KEY", "RADIX", self.loaded),
            ("RADIX", "STORE", 1),
            ("STORE", "IDLE", settled),
            ("IDLE", "ENTER" if p.forwards else "BASE", begin),
            ("BASE", "ENTER", self.loaded),
            ("ENTER", "FIRST" if p.window_bits == 1 else "TABLE", 1),
            ("TABLE", "FIRST", free & complete),
            ("FIRST", "SQUARE", chosen & ~self.digit_last),
            ("FIRST", "LEAVE", chosen & self.digit_last),
            ("SQUARE", "MULTIPLY", free & squares[-1]),
            ("MULTIPLY", "SQUARE", free & self.digit_ready & ~self.digit_last),
            ("MULTIPLY", "LEAVE", free & self.digit_ready & self.digit_last),
            ("LEAVE", "FINISH", free & self.result_free),
            ("FINISH", "CHECK" if p.reduces else "IDLE", settled),
            ("CHECK", "IDLE", checks[-1]),
        ])

        # The product of each state. What is not prepared yet may be anything.
        makes = multiplied if p.method == "always" else multiplied & self.digit.any()
        prepares = at["RADIX"] | at["ENTER"] | (at["TABLE"] & free) | squared | makes | leaves
        m.d.sync += prepared.eq(prepares | (prepared & ~takes))
        begins = at["RADIX"] | at["ENTER"]
        with m.If(free):
            m.d.sync += [
                product.x.eq(Mux(at["RADIX"], layout.r_squared, Mux(at["ENTER"], 1, latest))),
                product.y.eq(gate(at["ENTER"], Const(layout.r_squared, self.slot_width))
                             | at["TABLE"]  # entry 1
                             | gate(at["SQUARE"], latest)
                             | gate(at["MULTIPLY"], self.digit)),
                product.x_is_base.eq(at["ENTER"] & int(p.forwards)),
                product.y_is_1.eq(at["RADIX"] | at["LEAVE"]),
            ]
            if chains:
                m.d.sync += [product.x_kept.eq(~begins & ~fresh),
                             product.y_kept.eq((at["TABLE"] & second) | (at["SQUARE"] & ~fresh))]

        # What the next product depends on follows a clock later, when a product is prepared still.
        entered, extended, was_squared = (Signal(name=name)
                                          for name in ("entered", "extended", "was_squared"))
        m.d.sync += [entered.eq(at["ENTER"]), extended.eq(at["TABLE"] & free),
                     was_squared.eq(squared)]
        # In gates, since each of these would become a clock enable behind others.
        changes = entered | extended | was_squared
        after = (gate(entered, Const(1, self.slot_width))
                 | gate(extended, incremented(latest))
                 | gate(was_squared, Const(layout.power, self.slot_width))
                 | gate(~changes, latest))
        m.d.sync += [
            latest.eq(gate(~at["FIRST"], after) | gate(at["FIRST"], self.digit)),
            fresh.eq(at["FIRST"] | (fresh & ~entered & ~was_squared)),
            second.eq(entered | (second & ~extended)),
            complete.eq(~entered & ((extended & (latest == layout.entries - 3))
                                    | (~extended & complete))),
        ]
        with m.If(was_squared):
            m.d.sync += squares.eq(squares.rotate_left(1))
        with m.If(at["STORE"]):
            m.d.sync += has_key.eq(1)
        with m.If(at["KEY"]):
            m.d.sync += has_key.eq(0)
        m.d.sync += checks.eq(Mux(at["FINISH"], 1, checks << 1))
        m.d.comb += [
            self.start_key.eq(at["IDLE"] & self.k_offered), self.start_base.eq(at["IDLE"] & begin),
            self.begins.eq(at["ENTER"]), self.leaves.eq(leaves),
            self.digit_take.eq((at["FIRST"] & chosen) | multiplied),
            self.finished.eq(at["CHECK"] & checks[-1] if p.reduces else at["FINISH"] & settled),
        ]
        m.d.sync += self.final.eq(at["FINISH"] & ~prepared & ~(full if chains else 0))
        return m
