"""What the phases of the front have in common."""

from amaranth.hdl import Mux, Signal

__all__ = ["Common"]


class Common:
    """Registers and wires that several phases of :class:`~montgomery.cox_rower.front.Front` use.

    Parameters
    ----------
    kept : :class:`~montgomery.cox_rower.kept.Kept`
    depth : :class:`int`
        Words of the block RAM in which it is.
    header_words : :class:`int`
        Words of the header of a key.
    single : :class:`amaranth.hdl.Signal` or ``None``
        The key is one without CRT, if ``kept`` is with it.

    Attributes
    ----------
    has_key
        A key has been prepared.
    half
        The factor is q.
    digit, part
        Number of a word: of what comes, and of what is divided.
    start, address
        Of what is read: of the number, and of the word in the block RAM or in the ROM.
    target, writes, written
        What is written to the block RAM.
    tops, top
        For each factor the place of its highest word that is not 0; and that of the current one.
    """

    def __init__(self, kept, depth, header_words, single=None):
        n, self.kept, self.single = kept.sets[-1].n, kept, single
        self.has_key, self.half = Signal(name="has_key"), Signal(name="half")
        self.digit = Signal(range(max(2 * n, header_words) + 1), name="digit")
        self.part = Signal(range(max(n, *kept.dividend_tops) + 1), name="part")
        self.start = Signal(range(depth), name="start")
        self.address = Signal(range(max(depth, len(kept.dividends))), name="address")
        self.target, self.writes = Signal(range(depth), name="target"), Signal(name="writes")
        self.written = Signal(kept.sets[-1].r, name="written")
        self.tops = [Signal(range(n), name=f"top_{index}") for index in range(kept.halves)]
        self.top = Signal(range(n), name="top")

    def of_half(self, q, p):
        """Return what belongs to the current factor."""
        return Mux(self.half, q, p)

    @staticmethod
    def ends(m, moves, last, digit):
        """Go on to the next digit; return whether the number ends."""
        with m.If(moves):
            m.d.sync += digit.eq(Mux(digit == last, 0, digit + 1))
        return moves & (digit == last)

    def ends_half(self, m):
        """Go on to the other factor; return whether this was the last one."""
        if not self.kept.crt:
            m.d.sync += self.half.eq(0)
            return 1
        if self.single is None:
            m.d.sync += self.half.eq(~self.half)
            return self.half
        m.d.sync += self.half.eq(~self.half & ~self.single)
        return self.half | self.single
