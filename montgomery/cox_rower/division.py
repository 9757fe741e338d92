"""The phases of the front in which it divides: B and B**2, by each factor."""

from amaranth.hdl import Array, Cat, Mux, Signal

__all__ = ["Division"]


class Division:
    """The phases ``length``, ``count``, ``divisor``, ``dividend`` and ``remainder``.

    Parameters
    ----------
    front : :class:`~montgomery.cox_rower.front.Front`
    common : :class:`~montgomery.cox_rower.phases.Common`
    to_divider, from_divider
        Streams.
    latency : :class:`int`
        Clocks from a digit to its word.

    Attributes
    ----------
    is_square
        The dividend is B**2, not B.
    count
        Words of the dividend but the upper ones.
    fetched
        What is read for the divider: a bit for each clock that it takes.
    sent
        The divider takes a word.
    """

    def __init__(self, front, common, to_divider, from_divider, latency):
        self.front, self.common = front, common
        self.to_divider, self.from_divider = to_divider, from_divider
        self.is_square = Signal(name="is_square")
        self.count = Signal(front.sets[-1].r, name="count")
        self.fetched, self.sent = Signal(latency, name="fetched"), Signal(name="sent")

    def of_dividend(self, values):
        """Return which one of the values of B and B**2 of each set it is."""
        number = self.front.set
        return Mux(self.is_square, Array(values[1::2])[number], Array(values[0::2])[number])

    def states(self, m, word, dividend):
        """Add the phases to an FSM.

        Parameters
        ----------
        word, dividend : :class:`amaranth.hdl.Signal`
            What is read from the block RAM, and from the ROM.
        """
        at, kept, to_divider = self.common, self.common.kept, self.to_divider
        with m.State("length"):
            m.d.comb += [to_divider.valid.eq(1), to_divider.payload.eq(at.top)]
            m.next = "count"  # the divider is idle
        with m.State("count"):
            m.d.comb += [to_divider.valid.eq(1), to_divider.payload.eq(self.count)]
            m.next = "divisor"
        with m.State("divisor"):
            m.d.comb += at.start.eq(at.of_half(self.front.sets[-1].n, 0))
            self._gives(m, word)
            with m.If(at.ends(m, self.sent, at.top, at.part)):
                m.d.sync += at.part.eq(self.of_dividend(kept.dividend_tops))
                m.next = "dividend"
        with m.State("dividend"):
            m.d.sync += at.address.eq(self.of_dividend(kept.dividend_starts) + at.part)
            self._gives(m, dividend)
            with m.If(self.sent):
                m.d.sync += at.part.eq(Mux(at.part == 0, 0, at.part - 1))
                with m.If(at.part == 0):
                    m.next = "remainder"
        with m.State("remainder"):
            given = self.from_divider
            found = at.of_half(*(
                Mux(self.is_square, *(kept.remainder(index, square) for square in (1, 0)))
                for index in (kept.halves - 1, 0)))
            m.d.comb += [at.target.eq(found + at.part), at.written.eq(given.payload),
                         at.writes.eq(given.valid)]
            with m.If(at.ends(m, given.valid, at.top, at.part)):
                m.d.sync += self.is_square.eq(~self.is_square)
                m.next = "length"
                with m.If(self.is_square), m.If(at.ends_half(m)):
                    m.next = "rows"

    def _gives(self, m, payload):
        """Offer what is read to the divider; a word is there some clocks after the digit."""
        m.d.comb += self.to_divider.payload.eq(payload)
        m.d.sync += self.fetched.eq(Mux(self.sent, 0, Cat(1, self.fetched)))
