"""The steps of an exponentiation, and of a key."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .reader import source_layout

__all__ = ["Steps"]


class Steps(wiring.Component):
    """Algorithm 5 with windows, product by product; the MMC (Algorithm 4) above the products.

    ========  =====================================  =============================================
    state     product                                what follows
    ========  =====================================  =============================================
    LOAD                                             CONVERT after a key, ENTER after a base
    CONVERT   table[0] = R**2 times 1, which is R    STORE: LOAD when it is stored
    ENTER     table[1] = base times R**2             TABLE, or SETTLE if it has no more entries
    TABLE     table[j] = table[j - 1] times          SETTLE after the last one
              table[1]
    SETTLE                                           when all is stored: FIRST
    FIRST     takes a digit of the exponent          RELOAD
    RELOAD    result = table[digit]                  SQUARE, or LEAVE if there is no other digit
    SQUARE    result = result squared                MULTIPLY, after as many as a digit has bits
    MULTIPLY  result = result times table[digit]     SQUARE, or LEAVE after the last digit
    LEAVE     result = result times 1, or times b    COLLECT: REDUCE when it is stored
              on a scaled modulus
    REDUCE                                           LOAD when the result is in its queue
    ========  =====================================  =============================================

    A product starts in the clock in which the one before it is done: only SETTLE to RELOAD, STORE,
    COLLECT and REDUCE take clocks in which the array does nothing.

    With a window of one bit this is Algorithm 5 itself: FIRST takes no digit and RELOAD begins with
    R, so that each bit has a square and a product; where it is 0 the product is thrown away.

    Latency: a product starts in the clock in which the one before it is done, after its operands
    need not be waited for. Throughput: one product at a time.

    Parameters
    ----------
    window : :class:`int`
        Bits of a digit of the exponent.
    most : :class:`int`
        Digits of the longest exponent.

    Members
    -------
    count : :py:`In(range(most + 1))`
        Digits of the exponent.
    keyed, based, found : :py:`In(1)`
        The last word of a key or of a base moves; the constants of the array are found.
    renew : :py:`In(1)`
        A word of another key moves.
    resting, known : :py:`Out(1)`
        Nothing is computed; there is a key, and all that belongs to it is stored.
    digit : :py:`In(window)`, rewind, take : :py:`Out(1)`
        See :class:`~.exponent.Exponent`.
    done, storing : :py:`In(1)`
        The last slot of a product ends; digits of a result arrive.
    start, source, reload, reloaded
        See :class:`~.reader.OperandReader`.
    keep : :py:`Out(1)`
        The result of the product becomes y.
    to_table, entry, to_result : :py:`Out(1)`, :py:`Out(window)`, :py:`Out(1)`
        Where it is stored.
    reduce, reduced : :py:`Out(1)`, :py:`In(1)`
        The reducer starts; it is done.
    """

    def __init__(self, window, most):
        self.window = window
        super().__init__({
            "count": In(range(most + 1)), "keyed": In(1), "based": In(1), "found": In(1),
            "renew": In(1), "resting": Out(1), "known": Out(1), "digit": In(window),
            "rewind": Out(1), "take": Out(1), "done": In(1), "storing": In(1), "start": Out(1),
            "source": Out(source_layout(window)), "reload": Out(1), "reloaded": In(1),
            "keep": Out(1), "to_table": Out(1), "entry": Out(window), "to_result": Out(1),
            "reduce": Out(1), "reduced": In(1)})

    def elaborate(self, platform):
        m = Module()
        windows = self.window > 1
        left = Signal.like(self.count, name="left")  # digits of the exponent that are not done
        bit = Signal(range(self.window), name="bit")  # bits of the digit that are
        in_table = Signal(name="in_table")  # the last result is the power of the first digit
        source = self.source
        # A power is thrown away where the bit is 0, and the square stays.
        used = Signal(name="used")
        m.d.comb += [used.eq(1 if windows else self.digit[0]), self.keep.eq(1)]

        def next_bit():
            """Count a bit of a digit; return whether it is the last one."""
            last = bit == self.window - 1
            m.d.sync += bit.eq(Mux(last, 0, bit + 1))
            return last

        with m.If(self.renew):
            m.d.sync += self.known.eq(0)
        with m.FSM(name="step"):
            with m.State("LOAD"):
                m.d.comb += [self.resting.eq(1), self.rewind.eq(self.based),
                             self.start.eq(self.based)]
                m.d.sync += [left.eq(self.count), in_table.eq(1)]
                with m.If(self.based):
                    m.d.sync += self.entry.eq(1)
                    m.next = "ENTER"
                with m.If(self.keyed):
                    m.next = "FIND"
            with m.State("FIND"):
                m.d.sync += self.entry.eq(0)
                m.d.comb += self.start.eq(self.found)
                with m.If(self.found):
                    m.next = "CONVERT"
            with m.State("CONVERT"):
                m.d.comb += [source.one.eq(1), self.to_table.eq(1)]
                with m.If(self.done):
                    m.next = "STORE"
            with m.State("STORE"), m.If(~self.storing):
                m.d.sync += self.known.eq(1)
                m.next = "LOAD"
            with m.State("ENTER"):
                m.d.comb += [source.squared_r.eq(1), self.to_table.eq(1)]
                with m.If(self.done):
                    m.d.comb += self.start.eq(int(windows))
                    m.d.sync += self.entry.eq(self.entry + 1)
                    m.next = "TABLE" if windows else "SETTLE"
            if windows:
                with m.State("TABLE"):
                    m.d.comb += [source.in_table.eq(1), source.entry.eq(1), self.to_table.eq(1)]
                    with m.If(self.done):
                        m.d.sync += self.entry.eq(self.entry + 1)
                        with m.If(self.entry.all()):
                            m.next = "SETTLE"
                        with m.Else():
                            m.d.comb += self.start.eq(1)
            with m.State("SETTLE"), m.If(~self.storing):
                m.next = "FIRST"
            with m.State("FIRST"):
                if windows:
                    m.d.comb += self.take.eq(left != 0)
                    with m.If(next_bit()):
                        m.d.sync += left.eq(Mux(left == 0, 0, left - 1))
                        m.next = "POWER"
                else:
                    m.next = "POWER"
            with m.State("POWER"):
                m.d.comb += [self.reload.eq(1), source.entry.eq(self.digit)]
                m.next = "RELOAD"
            with m.State("RELOAD"):
                m.d.comb += self.start.eq(self.reloaded)
                with m.If(self.reloaded):
                    with m.If(left == 0):
                        m.next = "LEAVE"
                    with m.Else():
                        m.next = "SQUARE"
            with m.State("SQUARE"):
                m.d.comb += [source.in_table.eq(in_table), source.entry.eq(self.digit),
                             self.to_result.eq(1)]
                with m.If(self.done):
                    m.d.comb += [self.start.eq(1), self.take.eq(1)]
                    m.d.sync += in_table.eq(0)
                    with m.If(next_bit()):
                        m.next = "MULTIPLY"
            with m.State("MULTIPLY"):
                m.d.comb += [
                    source.in_table.eq(1), source.entry.eq(self.digit if windows else 1),
                    self.keep.eq(used), self.to_result.eq(used),
                ]
                with m.If(self.done):
                    m.d.comb += self.start.eq(1)
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 1):
                        m.next = "LEAVE"
                    with m.Else():
                        m.next = "SQUARE"
            with m.State("LEAVE"):
                m.d.comb += [source.factor.eq(1), self.to_result.eq(1)]
                with m.If(self.done):
                    m.next = "COLLECT"
            with m.State("COLLECT"), m.If(~self.storing):
                m.d.comb += self.reduce.eq(1)
                m.next = "REDUCE"
            with m.State("REDUCE"), m.If(self.reduced):
                m.next = "LOAD"
        return m
