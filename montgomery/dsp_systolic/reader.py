"""What reads the operands of products, from memory to the array."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.delay import later

__all__ = ["MODULUS", "RESULT", "R_SQUARED", "OperandReader", "source_layout"]

#: Columns of the memory: results of products, of which the last one is the S[0] of Figure 6; the
#: modulus; R**2 modulo the modulus.
RESULT, MODULUS, R_SQUARED = range(3)


def source_layout(window):
    """Return what says where x is.

    - ``in_table``: it is the power with the number ``entry``.
    - ``squared_r``: else, it is R**2, and not the last result.
    - ``one``: it is 1 instead.
    - ``factor``: it is what the last product is by: 1, or on a scaled modulus a power of b.
    """
    return data.StructLayout({"in_table": 1, "entry": window, "squared_r": 1, "one": 1,
                              "factor": 1})


class OperandReader(wiring.Component):
    """Begins products, and gives them x; gives y where it is not in the array.

    A product begins :attr:`WAIT` clocks, which depend on the array, after it is asked for: by then
    the first digit of x is there, and the array is ready. A digit of x is read while the one before
    it is multiplied; a digit of y takes a clock.

    Latency: three clocks from ``advance`` to the digit: a register with the address, and the
    memory. Throughput: a
    digit per clock.

    Parameters
    ----------
    schedule : :class:`~.schedule.Schedule`
    window : :class:`int`
        Bits of the number of a power.

    Members
    -------
    start : :py:`In(1)`
        A product begins as soon as it can.
    source : :py:`In(source_layout(window))`
        Where its x is, a clock later, or from then on.
    reload : :py:`In(1)`
        y is a power from the table: the one that ``source`` names, from the next clock on.
    reloaded : :py:`Out(1)`
        The last digit of it is on its way: a product may start.
    reduces, of_modulus, place : :py:`In(1)`, :py:`In(1)`, :py:`In(range(digits))`
        A digit is read for the reducer instead; it is of the modulus, and not of the result.
    address, table_address : :py:`Out(...)`
        Of the memory, and of that with the table.
    q, table_q : :py:`In(digit_width)`
        What was read there.
    begin : :py:`Out(1)`, x : :py:`Out(stream.Signature(digit_width))`, last : :py:`Out(1)`
        For the :class:`~.array.Array`.
    advance : :py:`In(1)`
        The next digit of x is read.
    gives, gives_last : :py:`Out(1)`
        A digit of y, at ``table_q``, enters the array; it is the last one.
    """

    def __init__(self, schedule, window):
        self.schedule, self.window = schedule, window
        digit, places = schedule.digit_width, range(schedule.digits)
        index = (schedule.digits - 1).bit_length()
        super().__init__({
            "start": In(1), "source": In(source_layout(window)), "reload": In(1),
            "reloaded": Out(1), "reduces": In(1), "of_modulus": In(1), "place": In(places),
            "address": Out(index + 2), "table_address": Out(index + window), "q": In(digit),
            "table_q": In(digit), "begin": Out(1), "x": Out(stream.Signature(digit)),
            "last": Out(1), "advance": In(1), "gives": Out(1), "gives_last": Out(1)})

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        # A product that depends on the one before begins ``restart`` clocks after its last slot.
        wait = s.restart - s.period - s.lead + 1
        pause = Signal(range(wait + 1), name="pause")
        waits = Signal(name="waits")
        m.d.comb += self.begin.eq(waits & (pause == 0))
        with m.If(self.start):
            m.d.sync += [waits.eq(1), pause.eq(wait - 1)]
        with m.Elif(waits):
            m.d.sync += [pause.eq(pause - 1), waits.eq(pause != 0)]

        index = Signal(range(s.digits), name="index", reset_less=True)
        column = Signal(2, name="column", reset_less=True)
        entry = Signal(self.window, name="entry", reset_less=True)
        reloads = Signal(name="reloads")
        m.d.comb += [
            self.address.eq(Cat(column, index)), self.table_address.eq(Cat(entry, index)),
            self.reloaded.eq(reloads & (index == s.digits - 1)),
        ]
        m.d.sync += reloads.eq((reloads & ~self.reloaded) | self.reload)
        with m.If(self.reduces):
            m.d.sync += [index.eq(self.place), column.eq(Mux(self.of_modulus, MODULUS, RESULT))]
        with m.Elif(self.reload):
            m.d.sync += [index.eq(0), entry.eq(self.source.entry)]
        with m.Elif(waits & (pause == wait - 2)):
            m.d.sync += [index.eq(0), entry.eq(self.source.entry),
                         column.eq(Mux(self.source.squared_r, R_SQUARED, RESULT))]
        with m.Elif(reloads | self.advance):
            m.d.sync += index.eq(index + 1)
        m.d.comb += [
            self.gives.eq(later(m, reloads, BlockRam.LATENCY, "gives", reset_less=False)),
            self.gives_last.eq(later(m, self.reloaded, BlockRam.LATENCY, "gives_last",
                                     reset_less=False)),
        ]

        is_last, is_digit, by_digit, in_table = (
            Signal(name=name, reset_less=True)
            for name in ("is_last", "is_digit", "by_digit", "in_table"))
        source = self.source
        m.d.sync += [
            is_last.eq(index == s.digits - 1),
            is_digit.eq(index == (Mux(source.factor, s.excess, 0) if s.scaled else 0)),
            by_digit.eq(source.one | source.factor), in_table.eq(source.in_table),
        ]
        m.d.comb += [
            self.x.valid.eq(1), self.last.eq(is_last),
            self.x.payload.eq(Mux(by_digit, is_digit, Mux(in_table, self.table_q, self.q))),
        ]
        return m
