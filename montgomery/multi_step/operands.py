"""Where the operands of the multi-step multiplier are kept, and how their digits are served."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate

__all__ = ["Operands"]


class Operands(wiring.Component):
    """Takes the modulus, y and x, and serves x in digits of ``steps`` bits once all is there.

    x is served with zeros below, so that the last digit is whole: the first one is that of the r
    steps that remain, Figure 2's Remainder, and comes first, while the sum is 0 and steps on a
    bit 0 of x change nothing.

    Parameters
    ----------
    layout : :class:`~.layout.Layout`

    Members
    -------
    i : :py:`In(stream.Signature(pe_width))`
        The words of the modulus, of y, of x.
    word : :py:`Out(pe_width)`
        A word of an operand.
    place : :py:`Out(operand_words)`
        One-hot index of ``word``.
    load_m, load_y : :py:`Out(1)`
        ``word`` is one of the modulus, or of y.
    last_m, last_y : :py:`Out(1)`
        And it is the last.
    taking_m : :py:`Out(1)`
        Waits for the modulus.
    finished : :py:`In(1)`
        The last word of the result has gone.
    prepared : :py:`In(1)`
        High in the clock before the first digit at the earliest, and until ``done``.
    digit : :py:`Out(steps)`
        The digits, one per clock; 0 before and after.
    clear : :py:`Out(1)`
        Low from the second clock after the one of the first digit.
    done : :py:`Out(1)`
        The head has the end of the last iteration.
    """

    def __init__(self, layout):
        self.layout = layout
        word = layout.pe_width
        super().__init__({
            "i": In(stream.Signature(word)),
            "word": Out(word),
            "place": Out(layout.operand_words),
            "load_m": Out(1), "load_y": Out(1), "last_m": Out(1), "last_y": Out(1),
            "taking_m": Out(1, init=1),
            "finished": In(1),
            "prepared": In(1),
            "digit": Out(layout.steps),
            "clear": Out(1, init=1),
            "done": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        g = self.layout

        # -- Operands in; what is taken goes on a clock later.
        place = Signal(g.operand_words, name="place", init=1)
        taking_y, taking_x = Signal(name="$signal"), Signal(name="taking_x")
        load_x, last_x = Signal(name="$signal"), Signal(name="last_x")
        valid, last = self.i.valid, place[-1]
        m.d.comb += self.i.ready.eq(self.taking_m | taking_y | taking_x)
        with m.If(valid & self.i.ready):
            m.d.sync += place.eq(place.rotate_left(1))
        m.d.sync += [
            self.taking_m.eq((self.taking_m & ~(valid & last)) | self.finished),
            taking_y.eq((taking_y & ~(valid & last)) | (self.taking_m & valid & last)),
            taking_x.eq((taking_x & ~(valid & last)) | (taking_y & valid & last)),
            self.word.eq(self.i.payload),
            self.place.eq(place),
            self.load_m.eq(self.taking_m & valid),
            self.load_y.eq(taking_y & valid),
            load_x.eq(taking_x & valid),
            self.last_m.eq(self.taking_m & valid & last),
            self.last_y.eq(taking_y & valid & last),
            last_x.eq(taking_x & valid & last),
        ]

        # -- Iterations.
        waiting = Signal(name="waiting")  # for the tables, with x complete
        serving = Signal(name="serving")
        left = Signal(range(g.iterations + 2), name="left")
        starts = (waiting | last_x) & self.prepared
        m.d.sync += [
            waiting.eq((waiting | last_x) & ~self.prepared),
            serving.eq((serving | starts) & ~self.done),
            self.done.eq(serving & (left == 0)),
        ]
        with m.If(serving):
            m.d.sync += left.eq(left - 1)
        with m.Else():
            m.d.sync += left.eq(g.iterations + 1)
        late = Signal(2, name="late")
        m.d.sync += [late.eq(Cat(serving, late)), self.clear.eq(~late[-1])]

        # -- The digits of x.
        x = Signal(g.digits * g.steps, name="x", reset_less=True)
        empty = len(x) - g.width
        shifted = x >> g.steps
        for index in range(g.operand_words):
            low = index * g.pe_width
            part = slice(low + empty, min(low + g.pe_width, g.width) + empty)
            if low < g.width:
                with m.If(serving):
                    m.d.sync += x[part].eq(shifted[part])
                with m.Elif(load_x & self.place[index]):
                    m.d.sync += x[part].eq(self.word)
        if empty:
            m.d.sync += x[:empty].eq(gate(serving, shifted[:empty]))
        m.d.sync += self.digit.eq(gate(serving, x[:g.steps]))
        return m
