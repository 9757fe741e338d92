"""The phases of the front in which it loads the Rowers, or waits for them."""

from amaranth.hdl import Array, Cat, Mux, Signal

__all__ = ["Rows"]


class Rows:
    """The phases ``waits``, ``rows``, ``prepares`` and ``computes``.

    Parameters
    ----------
    front : :class:`~montgomery.cox_rower.front.Front`
    common : :class:`~montgomery.cox_rower.phases.Common`
    latency : :class:`int`
        Clocks from the number of a word to the word.

    Attributes
    ----------
    element
        Number of a digit.
    pipeline
        Three bits for each clock that a word takes: one comes; it is 1; it is 0. If it is neither
        it is what is read.
    """

    def __init__(self, front, common, latency):
        self.front, self.common = front, common
        n, u = front.sets[-1].n, front.u
        self.element = Signal(range(n + 2 * u), name="element", init=u - 1)
        self.pipeline = [Signal(3, name=f"row_{index}") for index in range(latency)]

    def states(self, m):
        """Add the phases to an FSM."""
        front, at = self.front, self.common
        with m.State("waits"), m.If(~front.gives):
            m.next = "rows"
        with m.State("rows"):
            self._rows(m)
        with m.State("prepares"), m.If(
                front.rows.ready & ~Cat(row[0] for row in self.pipeline).any()):
            with m.If(at.ends_half(m)):
                m.d.sync += at.has_key.eq(1)
                m.next = "idle"
            with m.Else():
                m.next = "rows"
        with m.State("computes"), m.If(front.ready):
            m.next = "idle"

    def _rows(self, m):
        front, at, element, kept = self.front, self.common, self.element, self.common.kept
        crt, sets, u, n = front.crt, front.sets, front.u, front.sets[-1].n
        comes, one, zero = self.pipeline[0]
        number = Signal(range(4 + crt), name="number")
        is_b, column = Signal(name="is_b"), Signal(range(u), name="column")
        row = Signal(range(n // u), name="row")
        row_ends = Signal(name="row_ends", init=u == 1)
        is_last = Signal(name="is_last", init=n == u)
        of_key = at.of_half(*(Array(kept.rows(each))[number] for each in (kept.halves - 1, 0)))
        upper = Mux(is_b, Array(bases.n for bases in sets)[front.set], 0)
        m.d.comb += at.start.eq(Mux(front.is_message, kept.message + upper, of_key))
        m.d.sync += [
            at.address.eq(at.start + element),
            comes.eq(1), one.eq(~front.is_message & ((number == 0) | is_b)),
            zero.eq(~front.is_message & number.matches(2, 3) & (element > at.top)),
            column.eq(Mux(row_ends, 0, column + 1)),
            element.eq(Mux(row_ends, element + 2 * u - 1, element - 1)),
        ]
        if u > 1:
            m.d.sync += row_ends.eq(column == u - 2)
        with m.If(row_ends):
            if n > u:
                m.d.sync += [row.eq(Mux(is_last, 0, row + 1)), is_last.eq(row == n // u - 2)]
        with m.If(row_ends & is_last):
            m.d.sync += [element.eq(u - 1), is_b.eq(~is_b)]
            with m.If(front.is_message & (is_b if crt else 1)):
                m.d.sync += is_b.eq(0)
                m.next = "computes"
            with m.Elif(is_b):
                m.d.sync += number.eq(number + 1)
                with m.If(number == 3 + crt):
                    m.d.sync += number.eq(0)
                    m.next = "prepares"
