"""What comes before the Rowers: words for each part, and the divisions."""

import itertools

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Out

from ..blocks.memory_ports import read_port, write_port
from ..core import ceil_div, to_words
from .divider import Divider
from .front import Front as _Front

__all__ = ["Front"]


class Front(_Front):
    """Takes the words of a decryption, divides, and loads the Rowers, for p and then for q.

    ========  ============  ======================================================================
    phase     words         what is done
    ========  ============  ======================================================================
    header                  words of the exponents go to ``header``
    key       4 n           digits of p, q and the inverses of q and of p are kept
    modulus   2 n           digits of N go to ``modulus``
    divide                  B and B**2 by p, and by q
    message   2 n           digits of the message are kept
    divide                  the message by p
    rows      11 n          1 and 1; p and 1; B mod p and 1; B**2 mod p and 1; the inverse of q and
                            1; the message mod p
    divide                  the message by q, while the Rowers are busy
    rows      11 n          likewise, for q
    ========  ============  ======================================================================

    Words of divisors above the highest one that is not 0 are left out, and of the message those
    above that of N, so that the time depends on how many there are. What is kept is in a block RAM,
    from which a word comes every other clock.

    Parameters
    ----------
    sets : tuple of :class:`~montgomery.cox_rower.bases.BaseSet`
        In rising order of their size; n above is that of the largest.
    u : :class:`int`
        Number of Rowers.

    Members
    -------
    i, header, modulus, rows, waits : see :class:`montgomery.cox_rower.front.Front`
    set : :py:`Out(range(len(sets)))`
        The smallest set that is large enough for p and q, from the modulus on.
    """

    NUMBERS = 6

    def __init__(self, sets, u):
        self.sets = sets
        super().__init__(sets[0].r, u, {"set": Out(range(len(sets)))})

    @staticmethod
    def index(sets, p, q):
        """Return the number of the set of p and q: it goes by words that all are small enough."""
        words = ceil_div(max(p, q).bit_length(), sets[0].r)
        return next((index for index, bases in enumerate(sets[:-1])
                     if words <= bases.bits // bases.r), len(sets) - 1)

    @classmethod
    def division_clocks(cls, bases, divisor, dividend_words):
        """Return the clocks of a division, of which words from the memory take two."""
        words = ceil_div(divisor.bit_length(), bases.r)
        return Divider.clocks(dividend_words, words, bases.r) + 2 * words

    @classmethod
    def key_clocks(cls, sets, p, q):
        """Return the clocks between header and message, with a sender that never waits."""
        bases = sets[cls.index(sets, p, q)]
        return 1 + 6 * sets[-1].n + sum(cls.division_clocks(bases, divisor, count)
                                        for divisor in (p, q) for _, count in cls.dividends(bases))

    @classmethod
    def row_clocks(cls, sets):
        """Return the clocks of the rows for p, or for q, if they are taken."""
        return 2 * (2 * cls.NUMBERS - 1) * sets[-1].n

    def elaborate(self, platform):
        m = Module()
        r, n, u = self.sets[-1].r, self.sets[-1].n, self.u
        m.submodules.divider = divider = Divider(r, max(n, 2))
        # What is kept, by its place: p, q, and the inverses of q and of p; the message; six
        # remainders; B and B**2 of each set, which stay.
        keys, message, remainders, own = 0, 4 * n, 6 * n, 12 * n
        initial, own_starts, own_tops = [0] * own, [], []
        for value, count in itertools.chain.from_iterable(map(self.dividends, self.sets)):
            own_starts.append(len(initial))
            own_tops.append(count - 1)
            initial += to_words(value, r, count)
        m.submodules.memory = memory = Memory(shape=r, depth=len(initial), init=initial)
        write, read = write_port(memory, "$signature"), read_port(memory, "$signature")
        digit = Signal(range(max(2 * n, max(own_tops) + 1)), name="digit")
        place = Signal(range(remainders), name="place")  # of a word that comes
        tops = [Signal(range(n), name=f"top_of_{name}") for name in "pq"]  # highest that is not 0
        top_of_n = Signal(range(2 * n), name="top_of_n")

        # -- The divisions, in turn: of B, B**2 and the message.
        task = Signal(range(6), name="$signal")
        is_q = Signal(name="$signal")
        number = Signal(range(self.NUMBERS), name="$signal")
        is_b = Signal(name="$signal")

        def of_task(*values):
            return Array(values)[task]

        def of_set(values):
            return [Array(values[kind::2])[self.set] for kind in range(2)]  # of B and of B**2

        top = Signal(range(n), name="$signal")
        dividend_top = Signal.like(digit, name="dividend_top")
        m.d.comb += [
            is_q.eq(of_task(0, 0, 1, 1, 0, 1)), top.eq(Mux(is_q, tops[1], tops[0])),
            dividend_top.eq(of_task(*of_set(own_tops) * 2, top_of_n, top_of_n)),
            self.set.eq(len(self.sets) - 1),
        ]
        for index, bases in reversed(list(enumerate(self.sets[:-1]))):
            words = bases.bits // r
            with m.If((tops[0] < words) & (tops[1] < words)):
                m.d.comb += self.set.eq(index)

        # -- A word that is read is there in the next clock, and until it has been sent.
        start = Signal(range(memory.depth), name="$signal")
        fetched = Signal(name="$signal")
        sent = Signal(name="sent")
        m.d.comb += read.addr.eq(start + digit)
        m.d.sync += fetched.eq(0)

        taken = self.i.valid & self.i.ready
        m.d.comb += [
            *(stream_.payload.eq(self.i.payload) for stream_ in (self.header, self.modulus)),
            write.addr.eq(place), write.data.eq(self.i.payload), divider.i.payload.eq(read.data),
            divider.o.ready.eq(1),
        ]

        def ends(moves, last):
            """Go on to the next digit; return whether the number ends."""
            with m.If(moves):
                m.d.sync += digit.eq(Mux(digit == last, 0, digit + 1))
            return moves & (digit == last)

        def keep():
            m.d.comb += [self.i.ready.eq(1), write.en.eq(taken)]
            with m.If(taken):
                m.d.sync += place.eq(place + 1)

        with m.FSM():
            with m.State("busy"), m.If(self.waits):
                m.next = "header"
            with m.State("header"):
                # The first words come when rows could come too.
                m.d.comb += [self.header.valid.eq(self.i.valid & self.waits & self.rows.ready),
                             self.i.ready.eq(self.waits & self.rows.ready)]
                with m.If(~self.waits):
                    m.next = "key"
            with m.State("key"):
                keep()
                for index, each in enumerate(tops):
                    with m.If(taken & (self.i.payload != 0) & (place >= index * n)
                              & (place < (index + 1) * n)):
                        m.d.sync += each.eq(digit)
                with m.If(ends(taken, n - 1) & (place == message - 1)):
                    m.next = "modulus"
            with m.State("modulus"):
                m.d.comb += [self.modulus.valid.eq(self.i.valid),
                             self.i.ready.eq(self.modulus.ready)]
                with m.If(taken & (self.i.payload != 0)):
                    m.d.sync += top_of_n.eq(digit)
                with m.If(ends(taken, 2 * n - 1)):
                    m.next = "length"
            with m.State("message"):
                keep()
                with m.If(ends(taken, 2 * n - 1)):
                    m.d.sync += place.eq(0)
                    m.next = "length"

            with m.State("length"):
                m.d.comb += [divider.i.valid.eq(1), divider.i.payload.eq(top)]
                m.next = "count"  # the divider is idle
            with m.State("count"):
                m.d.comb += [divider.i.valid.eq(1),
                             divider.i.payload.eq(dividend_top + 1 - top)]
                m.next = "divisor"
            with m.State("divisor"):
                m.d.comb += [start.eq(Mux(is_q, keys + n, keys)), divider.i.valid.eq(fetched),
                             sent.eq(fetched & divider.i.ready)]
                m.d.sync += fetched.eq(~sent)
                with m.If(ends(sent, top)):
                    m.d.sync += digit.eq(dividend_top)
                    m.next = "dividend"
            with m.State("dividend"):
                m.d.comb += [start.eq(of_task(*of_set(own_starts) * 2, message, message)),
                             divider.i.valid.eq(fetched), sent.eq(fetched & divider.i.ready)]
                m.d.sync += fetched.eq(~sent)
                with m.If(sent):
                    m.d.sync += digit.eq(Mux(digit == 0, 0, digit - 1))
                    with m.If(digit == 0):
                        m.next = "remainder"
            with m.State("remainder"):
                m.d.comb += [write.addr.eq(of_task(*range(remainders, own, n)) + digit),
                             write.data.eq(divider.o.payload), write.en.eq(divider.o.valid)]
                with m.If(ends(divider.o.valid, top)):
                    with m.If(task < 4):
                        m.d.sync += task.eq(task + 1)
                    with m.If(task == 3):
                        m.next = "message"
                    with m.Elif(task < 3):
                        m.next = "length"
                    with m.Else():
                        m.d.sync += digit.eq(u - 1)
                        m.next = "rows"

            with m.State("rows"):
                # 1; p or q, and what it leaves of B and B**2; the other's inverse; the message.
                places = [[0, keys, remainders, remainders + n, keys + 2 * n, remainders + 4 * n],
                          [0, keys + n, remainders + 2 * n, remainders + 3 * n, keys + 3 * n,
                           remainders + 5 * n]]
                column, row_ends = Signal(range(u), name="column"), Signal(name="row_ends")
                m.d.comb += [
                    row_ends.eq(column == u - 1),
                    start.eq(Mux(is_q, *(Array(each)[number] for each in reversed(places)))),
                    self.rows.valid.eq(fetched), sent.eq(fetched & self.rows.ready),
                    self.rows.payload.eq(Mux((number == 0) | is_b, 1, Mux(
                        number.matches(2, 3, 5) & (digit > top), 0, read.data))),
                ]
                m.d.sync += fetched.eq(~sent)
                with m.If(sent):
                    m.d.sync += [column.eq(Mux(row_ends, 0, column + 1)),
                                 digit.eq(Mux(row_ends, digit + 2 * u - 1, digit - 1))]
                    with m.If(row_ends & (digit == n - u)):
                        m.d.sync += [digit.eq(u - 1), is_b.eq(~is_b & (number != 5)),
                                     number.eq(number + is_b)]
                        with m.If(number == 5):
                            m.d.sync += [number.eq(0), digit.eq(0), task.eq(Mux(is_q, 0, 5))]
                            m.next = "busy"
                            with m.If(~is_q):
                                m.next = "length"
        return m
