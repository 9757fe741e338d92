"""What comes before the Rowers: words for each part, and the divisions."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.memory_ports import read_port, write_port
from .divider import Divider
from .kept import Kept

__all__ = ["Front"]


class Front(wiring.Component):
    """Takes the words of keys and of messages, divides, and loads the Rowers.

    With CRT there are the factors p and q of N and the inverse of each modulo the other one;
    without, N is the only factor.

    =========  ============  =====================================================================
    phase      words         what is done
    =========  ============  =====================================================================
    idle                     a key is waited for, or a message if there is a key
    header     of the key    words of the exponents go to ``header``
    factors    n, or 4 n     digits of N are kept and go to ``modulus``; or those of p, q, and the
                             inverses of q and of p are kept
    modulus    2 n           digits of N go to ``modulus``, with CRT
    divide                   B and B**2, by each factor
    rows                     of a factor: 1 and 1; N and 1; B mod N and 1; B**2 mod N and 1; with
                             CRT the inverse of the other one and 1
    prepares                 the Rowers are waited for; then come rows of the other factor
    message    n, or 2 n     digits of the message are kept
    waits                    the result before has to be taken
    rows                     the message
    computes                 until the result is ready
    =========  ============  =====================================================================

    To divide takes a phase for each part of what the divider takes and gives. The time
    depends on the words of divisors: those above the highest one that is not 0 are left out.

    Rows go to the Rowers a word a clock, as they want them: Rower i has digits i, i + u and so on,
    and of each u digits the last comes first. Each number has those for base a, and then those for
    base b, which a message has with CRT alone. What is kept is in a block RAM with a register behind
    it; from it, the divider is given a word every third clock.

    Parameters
    ----------
    sets : tuple of :class:`~montgomery.cox_rower.bases.BaseSet`
        In rising order of their size; n above is that of the largest.
    u : :class:`int`
        Number of Rowers.
    header_words : :class:`int`
        Words of the header of a key.
    crt : bool

    Attributes
    ----------
    READ : :class:`int`
        Clocks from the phase ``rows`` to the first word of the rows.

    Members
    -------
    i, k : :py:`In(stream.Signature(r))`
        Words of messages, and of keys.
    header, modulus, rows : :py:`Out(stream.Signature(r))`
        They do not wait: ``rows`` are offered when the Rowers are ready.
    is_message : :py:`Out(1)`
        The rows are those of a message.
    set : :py:`Out(range(len(sets)))`
        The smallest set that is large enough for the factors of the key.
    ready : :py:`In(1)`
        The result is ready, and the Rowers have nothing to do.
    gives : :py:`In(1)`
        Words of a result are left.
    """

    READ = 2

    def __init__(self, sets, u, header_words, *, crt):
        self.sets, self.u, self.header_words, self.crt = sets, u, header_words, crt
        word = stream.Signature(sets[0].r)
        super().__init__({
            "i": In(word), "k": In(word), "header": Out(word), "modulus": Out(word),
            "rows": Out(word), "is_message": Out(1), "set": Out(range(len(sets))), "ready": In(1),
            "gives": In(1)})

    def elaborate(self, platform):
        m = Module()
        crt, sets, u = self.crt, self.sets, self.u
        r, n = sets[-1].r, sets[-1].n
        m.submodules.divider = divider = Divider(r, max(n, 2))

        kept = Kept(sets, crt)
        halves, message = kept.halves, kept.message
        tops_of, starts_of = kept.dividend_tops, kept.dividend_starts
        m.submodules.memory = memory = Memory(shape=r, depth=len(kept.words), init=kept.words)
        write, read = write_port(memory, "$signature"), read_port(memory, "$signature")

        # -- The set, by the highest words of the factors that are not 0.
        tops = [Signal(range(n), name=f"top_{index}") for index in range(halves)]
        m.d.comb += self.set.eq(len(sets) - 1)
        for index, bases in reversed(list(enumerate(sets[:-1]))):
            fits = [top < bases.bits // r for top in tops]
            with m.If(fits[0] & fits[-1]):
                m.d.comb += self.set.eq(index)

        # -- What is done: B or B**2, and the factor.
        has_key, is_square, half = (Signal(name=name) for name in ("has_key", "is_square", "half"))
        digit = Signal(range(max(2 * n, self.header_words, *tops_of) + 1), name="digit")
        place = Signal(range(message + 1), name="place")  # of a word of a key
        addressed, fetched, sent = (Signal(name=name) for name in ("addressed", "fetched", "sent"))
        start, top = Signal(range(memory.depth), name="start"), Signal(range(n), name="top")
        # Block RAM is slow: nothing but a register is behind it.
        word = Signal(r, name="word", reset_less=True)
        m.d.sync += word.eq(read.data)
        m.d.comb += [
            top.eq(Mux(half, tops[-1], tops[0])), read.addr.eq(start + digit),
            divider.i.payload.eq(word), divider.o.ready.eq(1),
            self.header.payload.eq(self.k.payload), self.modulus.payload.eq(self.k.payload),
            write.addr.eq(place), write.data.eq(self.k.payload),
        ]
        row_comes, one, zero = (Signal(name=name) for name in ("row_comes", "one", "zero"))
        late_comes, late_one, late_zero = (
            Signal(name=f"{name}_late") for name in ("row_comes", "one", "zero"))
        m.d.sync += [addressed.eq(0), fetched.eq(0), row_comes.eq(0)]

        def of_dividend(values):
            """Return which one of the values of B and B**2 of each set it is."""
            return Mux(is_square, Array(values[1::2])[self.set], Array(values[0::2])[self.set])

        def ends(moves, last):
            """Go on to the next digit; return whether the number ends."""
            with m.If(moves):
                m.d.sync += digit.eq(Mux(digit == last, 0, digit + 1))
            return moves & (digit == last)

        def loads():
            m.d.sync += digit.eq(u - 1)
            m.next = "rows"

        with m.FSM():
            with m.State("idle"):
                # The words of a message come here too.
                m.d.comb += [self.k.ready.eq(digit == 0),
                             self.i.ready.eq(has_key & ((digit != 0) | ~self.k.valid))]
                with m.If(self.k.valid & self.k.ready):
                    m.d.comb += self.header.valid.eq(1)
                    m.d.sync += [has_key.eq(0), self.is_message.eq(0), digit.eq(1)]
                    m.next = "header"
                with m.Elif(self.i.valid & self.i.ready):
                    m.d.comb += [write.en.eq(1), write.addr.eq(message + digit),
                                 write.data.eq(self.i.payload)]
                    m.d.sync += self.is_message.eq(1)
                    with m.If(ends(1, halves * n - 1)):
                        m.next = "waits"
                        with m.If(~self.gives):
                            loads()
            with m.State("header"):
                m.d.comb += [self.k.ready.eq(1), self.header.valid.eq(self.k.valid)]
                with m.If(ends(self.k.valid, self.header_words - 1)):
                    m.next = "factors"
            with m.State("factors"):
                m.d.comb += [self.k.ready.eq(1), write.en.eq(self.k.valid)]
                if not crt:
                    m.d.comb += self.modulus.valid.eq(self.k.valid)
                with m.If(self.k.valid):
                    m.d.sync += place.eq(place + 1)
                    for index, each in enumerate(tops):
                        is_its = (place >= index * n) & (place < (index + 1) * n)
                        with m.If((self.k.payload != 0) & is_its):
                            m.d.sync += each.eq(digit)
                with m.If(ends(self.k.valid, n - 1) & (place == message - 1)):
                    m.d.sync += place.eq(0)
                    m.next = "modulus" if crt else "length"
            if crt:
                with m.State("modulus"):
                    m.d.comb += [self.k.ready.eq(1), self.modulus.valid.eq(self.k.valid)]
                    with m.If(ends(self.k.valid, 2 * n - 1)):
                        m.next = "length"

            with m.State("length"):
                m.d.comb += [divider.i.valid.eq(1), divider.i.payload.eq(top)]
                m.next = "count"  # the divider is idle
            with m.State("count"):
                m.d.comb += [divider.i.valid.eq(1),
                             divider.i.payload.eq(of_dividend(tops_of) + 1 - top)]
                m.next = "divisor"
            with m.State("divisor"):
                m.d.comb += [start.eq(Mux(half, n, 0)), divider.i.valid.eq(fetched),
                             sent.eq(fetched & divider.i.ready)]
                m.d.sync += [addressed.eq(~sent), fetched.eq(addressed & ~sent)]
                with m.If(ends(sent, top)):
                    m.d.sync += digit.eq(of_dividend(tops_of))
                    m.next = "dividend"
            with m.State("dividend"):
                m.d.comb += [start.eq(of_dividend(starts_of)), divider.i.valid.eq(fetched),
                             sent.eq(fetched & divider.i.ready)]
                m.d.sync += [addressed.eq(~sent), fetched.eq(addressed & ~sent)]
                with m.If(sent):
                    m.d.sync += digit.eq(Mux(digit == 0, 0, digit - 1))
                    with m.If(digit == 0):
                        m.next = "remainder"
            with m.State("remainder"):
                found = Mux(half, *(
                    Mux(is_square, *(kept.remainder(index, square) for square in (1, 0)))
                    for index in (halves - 1, 0)))
                m.d.comb += [write.addr.eq(found + digit), write.data.eq(divider.o.payload),
                             write.en.eq(divider.o.valid)]
                with m.If(ends(divider.o.valid, top)):
                    m.d.sync += is_square.eq(~is_square)
                    m.next = "length"
                    with m.If(is_square):
                        m.d.sync += half.eq(~half if crt else 0)
                        with m.If(half if crt else 1):
                            loads()

            with m.State("waits"), m.If(~self.gives):
                loads()
            with m.State("rows"):
                number = Signal(range(4 + crt), name="number")
                is_b, column = Signal(name="is_b"), Signal(range(u), name="column")
                row_ends = Signal(name="row_ends")
                of_key = Mux(half, *(Array(kept.rows(each))[number] for each in (halves - 1, 0)))
                upper = Mux(is_b, Array(bases.n for bases in sets)[self.set], 0)
                m.d.comb += [row_ends.eq(column == u - 1),
                             start.eq(Mux(self.is_message, message + upper, of_key))]
                m.d.sync += [
                    row_comes.eq(1), one.eq(~self.is_message & ((number == 0) | is_b)),
                    zero.eq(~self.is_message & number.matches(2, 3) & (digit > top)),
                    column.eq(Mux(row_ends, 0, column + 1)),
                    digit.eq(Mux(row_ends, digit + 2 * u - 1, digit - 1)),
                ]
                with m.If(row_ends & (digit == n - u)):
                    m.d.sync += [digit.eq(u - 1), is_b.eq(~is_b)]
                    with m.If(self.is_message & (is_b if crt else 1)):
                        m.d.sync += [digit.eq(0), is_b.eq(0)]
                        m.next = "computes"
                    with m.Elif(is_b):
                        m.d.sync += number.eq(number + 1)
                        with m.If(number == 3 + crt):
                            m.d.sync += [number.eq(0), digit.eq(0)]
                            m.next = "prepares"
            with m.State("prepares"), m.If(self.rows.ready & ~(row_comes | late_comes)):
                m.d.sync += half.eq(~half if crt else 0)
                with m.If(half if crt else 1):
                    m.d.sync += has_key.eq(1)
                    m.next = "idle"
                with m.Else():
                    loads()
            with m.State("computes"), m.If(self.ready):
                m.next = "idle"

        m.d.sync += [late_comes.eq(row_comes), late_one.eq(one), late_zero.eq(zero)]
        m.d.comb += [self.rows.valid.eq(late_comes),
                     self.rows.payload.eq(Mux(late_one, 1, Mux(late_zero, 0, word)))]
        return m
