"""What comes before the Rowers: words for each part, and the divisions."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.memory import Memory

from ..blocks.memory_ports import read_port, write_port
from ..core import ceil_div, to_words
from .divider import Divider
from .front import Front as _Front

__all__ = ["Front"]


class Front(_Front):
    """Takes the words of an exponentiation, finds B mod N and B**2 mod N, and loads the Rowers.

    ========  ============  ======================================================================
    phase     words         what is done
    ========  ============  ======================================================================
    header                  words of the exponent go to ``header``
    modulus   n             digits of N are kept, and go to ``modulus``
    divide                  B by N
    divide                  B**2 by N
    rows      8 n           1 and 1; N and 1; B mod N and 1; B**2 mod N and 1
    base      n             digits of the base are kept
    rows      n             the base
    ========  ============  ======================================================================

    The divisor's words above its highest one are left out, so that the time depends on how many
    there are. What is kept is in a block RAM, from which a word comes every other clock.

    Parameters
    ----------
    bases : :class:`~montgomery.cox_rower.bases.BaseSet`
    u : :class:`int`
        Number of Rowers.

    Members
    -------
    i, header, modulus, rows, waits : see :class:`montgomery.cox_rower.front.Front`
    """

    NUMBERS = 5

    def __init__(self, bases, u):
        self.bases = bases
        super().__init__(bases.r, u)

    @classmethod
    def clocks(cls, bases, modulus):
        """Return the clocks of all phases but the first and the last.

        With a sender that never waits; its last word is taken in the last of them.
        """
        r, n = bases.r, bases.n
        words = ceil_div(modulus.bit_length(), r)
        return n + sum(Divider.clocks(count, words, r) + words
                       for _, count in cls.dividends(bases)) + 8 * 2 * n + n

    def elaborate(self, platform):
        m = Module()
        r, n, u = self.bases.r, self.bases.n, self.u
        dividends = self.dividends(self.bases)
        m.submodules.divider = divider = Divider(r, max(n, 2))
        # N, and then the base; the remainders.
        m.submodules.digits = digits = Memory(shape=r, depth=3 * n, init=[])
        write, read = write_port(digits, "$signature"), read_port(digits, "read")
        words = [word for value, count in dividends for word in reversed(to_words(value, r, count))]
        m.submodules.dividends = memory = Memory(shape=r, depth=len(words), init=words)
        fetch = read_port(memory, "fetch")

        length, count, divisor, dividend, loads, takes = (
            Signal(name=name) for name in ("length", "count", "divisor", "dividend", "loads",
                                           "takes"))
        left = Signal(range(n + 1), name="left")  # words of N that have not come
        is_modulus, taken = Signal(name="$signal"), Signal(name="taken")
        place = Signal(range(n), name="$signal")
        top = Signal(range(n), name="top")  # the highest word of N that is not 0
        m.d.comb += [is_modulus.eq(~self.waits & (left != 0)),
                     taken.eq(self.i.valid & self.i.ready)]

        # -- From the stream. The first words come when rows could come too.
        m.d.comb += [stream_.payload.eq(self.i.payload) for stream_ in (self.header, self.modulus)]
        m.d.comb += [
            self.header.valid.eq(self.i.valid & self.waits & self.rows.ready),
            self.modulus.valid.eq(self.i.valid & is_modulus),
            self.i.ready.eq(Mux(self.waits, self.rows.ready, Mux(is_modulus, self.modulus.ready,
                                                                 takes))),
        ]
        kept = taken & (is_modulus | takes)
        with m.If(self.waits):
            m.d.sync += [left.eq(n), place.eq(0)]
        with m.Elif(kept):
            m.d.sync += place.eq(Mux(place == n - 1, 0, place + 1))
            with m.If(is_modulus):
                m.d.sync += [left.eq(left - 1), length.eq(left == 1)]
                with m.If(self.i.payload != 0):
                    m.d.sync += top.eq(place)
            with m.Elif(place == n - 1):
                m.d.sync += [takes.eq(0), loads.eq(1)]

        # -- Divisions.
        second, index = Signal(name="$signal"), Signal(range(len(words) + 1), name="index")
        given, is_top = Signal(name="$signal"), Signal(name="is_top")
        sent = Signal(name="$signal")
        shifted = Signal(name="$signal")
        fetched = Signal(name="fetched")
        m.d.comb += [
            divider.i.valid.eq(length | count | (divisor & fetched) | dividend),
            divider.o.ready.eq(1),
            sent.eq(divider.i.valid & divider.i.ready), given.eq(divider.o.valid),
            is_top.eq(place == top), shifted.eq(dividend & sent), fetch.addr.eq(index + shifted),
        ]
        with m.If(length):
            m.d.comb += divider.i.payload.eq(top)
        with m.Elif(count):
            m.d.comb += divider.i.payload.eq(Mux(second, *(
                count_ for _, count_ in reversed(dividends))) - top)
        with m.Elif(divisor):
            m.d.comb += divider.i.payload.eq(read.data)
        with m.Else():
            m.d.comb += divider.i.payload.eq(fetch.data)
        m.d.sync += index.eq(index + shifted)
        # A word that is read is there in the next clock, and until it has been sent.
        m.d.sync += fetched.eq((divisor & ~sent) | (loads & ~(fetched & self.rows.ready)))
        with m.If(sent):
            m.d.sync += [length.eq(0), count.eq(length), divisor.eq(count | (divisor & ~is_top)),
                         dividend.eq(dividend | (divisor & is_top))]
        with m.If((divisor & sent) | given):
            m.d.sync += place.eq(Mux(is_top, 0, place + 1))
        with m.If(given & is_top):
            m.d.sync += [dividend.eq(0), length.eq(~second), second.eq(~second), loads.eq(second)]
            with m.If(second):
                m.d.sync += index.eq(0)

        # -- To the Rowers.
        number, is_b = Signal(range(5), name="$signal"), Signal(name="is_b")
        digit = Signal(range(2 * n), name="$signal", init=u - 1)
        column = Signal(range(u), name="column")
        start = Signal(range(3 * n), name="start")
        m.d.comb += [
            self.rows.valid.eq(fetched & loads),
            self.rows.payload.eq(Mux((number == 0) | is_b, 1, Mux(digit > top, 0, read.data))),
            read.addr.eq(Mux(loads, start + digit, place)),
            write.addr.eq(Mux(given, Mux(second, 2 * n, n) + place, place)),
            write.data.eq(Mux(given, divider.o.payload, self.i.payload)),
            write.en.eq(kept | given),
        ]
        with m.If(fetched & loads & self.rows.ready):
            row_ends = column == u - 1
            m.d.sync += [column.eq(Mux(row_ends, 0, column + 1)),
                         digit.eq(Mux(row_ends, digit + 2 * u - 1, digit - 1))]
            with m.If(row_ends & (digit == n - u)):
                m.d.sync += [digit.eq(u - 1), is_b.eq(~is_b & (number != 4))]
                with m.If(number == 4):
                    m.d.sync += [number.eq(0), loads.eq(0)]
                with m.Elif(is_b):
                    m.d.sync += [number.eq(number + 1), loads.eq(number != 3),
                                 takes.eq(number == 3),
                                 start.eq(Mux((number == 1) | (number == 2), start + n, 0))]
        return m
