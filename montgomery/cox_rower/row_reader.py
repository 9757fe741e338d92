"""Hardware: the order in which digits go to the Rowers."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .key_divider import KeyDivider

__all__ = ["RowReader"]


class RowReader(wiring.Component):
    """Says which digits the Rowers are given, in order.

    Rower i has digits i, i + u and so on, and of each u digits the last comes first. Each number
    has those for base a, and then those for base b.

    Latency: ``KeyDivider.READ`` clocks from ``go`` to a word. Throughput: a word per clock.

    Parameters
    ----------
    width, n, u : :class:`int`
        Bits of a digit; digits of a number, and Rowers.
    crt : bool

    Members
    -------
    go : :py:`In(1)`
        Read, until ``done``.
    done : :py:`Out(1)`
        This is the last digit.
    is_message : :py:`In(1)`
        A message is read; else the numbers of a key for a factor: 1, N, what B and B**2 leave, and
        with CRT the inverse of the other factor.
    top : :py:`In(range(n))`
        Remainders are 0 above this digit.
    number : :py:`Out(range(4 + crt))`, is_b : :py:`Out(1)`, element : :py:`Out(...)`
        The digit that is read: of which number of a key; for which base; and its place.
    word : :py:`In(width)`
        The digit, which comes ``KeyDivider.READ`` clocks later.
    rows : :py:`Out(stream.Signature(width))`
        The digits, or 1 where nothing is read: of the first number, and of all for base b.
    comes : :py:`Out(1)`
        A digit is on its way.
    """

    def __init__(self, width, n, u, *, crt):
        self.n, self.u, self.crt = n, u, crt
        super().__init__({
            "go": In(1), "done": Out(1), "is_message": In(1), "top": In(range(n)),
            "number": Out(range(4 + crt)), "is_b": Out(1), "element": Out(range(n + 2 * u)),
            "word": In(width), "rows": Out(stream.Signature(width)), "comes": Out(1)})

    def elaborate(self, platform):
        m = Module()
        n, u, number, is_b = self.n, self.u, self.number, self.is_b
        element = Signal.like(self.element, init=u - 1)
        column, row = Signal(range(u), name="column"), Signal(range(n // u), name="row")
        row_ends = Signal(name="row_ends", init=u == 1)
        is_last = Signal(name="is_last", init=n == u)
        # Of each digit that is on its way: there is one; it is 1; it is 0.
        stages = [Signal(3, name=f"row_{index}") for index in range(KeyDivider.READ)]
        one = ~self.is_message & ((number == 0) | is_b)
        zero = ~self.is_message & number.matches(2, 3) & (element > self.top)
        m.d.sync += Cat(stages).eq(Cat(self.go, one, zero, stages))
        comes, one, zero = stages[-1]
        m.d.comb += [self.element.eq(element), self.rows.valid.eq(comes),
                     self.rows.payload.eq(Mux(one, 1, Mux(zero, 0, self.word))),
                     self.comes.eq(Cat(stage[0] for stage in stages).any())]
        with m.If(self.go):
            m.d.sync += [column.eq(Mux(row_ends, 0, column + 1)),
                         element.eq(Mux(row_ends, element + 2 * u - 1, element - 1))]
            if u > 1:
                m.d.sync += row_ends.eq(column == u - 2)
            with m.If(row_ends):
                if n > u:
                    m.d.sync += [row.eq(Mux(is_last, 0, row + 1)), is_last.eq(row == n // u - 2)]
            with m.If(row_ends & is_last):
                m.d.sync += [element.eq(u - 1), is_b.eq(~is_b)]
                with m.If(self.is_message & (is_b if self.crt else 1)):
                    m.d.comb += self.done.eq(1)
                    m.d.sync += is_b.eq(0)
                with m.Elif(is_b):
                    m.d.sync += number.eq(number + 1)
                    with m.If(number == 3 + self.crt):
                        m.d.comb += self.done.eq(1)
                        m.d.sync += number.eq(0)
        return m
