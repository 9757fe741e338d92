"""What comes before the Rowers: words for each part, and the divisions."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.memory_ports import read_port
from ..blocks.skid import Skid
from .divider import Divider
from .kept import Kept

__all__ = ["Front"]


class Front(wiring.Component):
    """Takes the words of keys and of messages, divides, and loads the Rowers.

    With CRT there are the factors p and q of N and the inverse of each modulo the other one;
    without, N is the only factor. Where keys of both kinds come, one without CRT has the words of
    one with it, with p = N and q = 1; nothing is divided and loaded for q.

    =========  ============  =====================================================================
    phase      words         what is done
    =========  ============  =====================================================================
    idle                     a key is waited for, or the first word of a message if there is a key
    header     of the key    words of the exponents go to ``header``, but for the first word where
                             keys of both kinds come: the number of factors
    factors    n, or 4 n     digits of N are kept and go to ``modulus``; or those of p, q, and the
                             inverses of q and of p are kept
    modulus    2 n           digits of N go to ``modulus``, with CRT
    divide                   B and B**2, by each factor
    rows                     of a factor: 1 and 1; N and 1; B mod N and 1; B**2 mod N and 1; with
                             CRT the inverse of the other one and 1
    prepares                 the Rowers are waited for; then come rows of the other factor
    message    n, or 2 n     digits of the message are kept, of which the first one is there
    waits                    the result before has to be taken
    rows                     the message
    computes                 until the result is ready
    =========  ============  =====================================================================

    To divide takes a phase for each part of what the divider takes and gives. The time
    depends on the words of divisors: those above the highest one that is not 0 are left out.

    Rows go to the Rowers a word a clock, as they want them: Rower i has digits i, i + u and so on,
    and of each u digits the last comes first. Each number has those for base a, and then those for
    base b, which a message has with CRT alone. What is kept is in a block RAM, and B and B**2
    are in a ROM, with registers on both sides; the divider is given a word every fourth clock.

    Parameters
    ----------
    sets : tuple of :class:`~montgomery.cox_rower.bases.BaseSet`
        In rising order of their size; n above is that of the largest.
    u : :class:`int`
        Number of Rowers.
    header_words : :class:`int`
        Words of the header of a key.
    crt : bool
    both : bool
        With ``crt``: keys may also be without.

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
    single : :py:`Out(1)`
        With ``both``: the key is one without CRT; from the clock after its first word on.
    is_message : :py:`Out(1)`
        The rows are those of a message.
    set : :py:`Out(range(len(sets)))`
        The smallest set that is large enough for the factors of the key.
    ready : :py:`In(1)`
        The result is ready, and the Rowers have nothing to do.
    gives : :py:`In(1)`
        Words of a result are left.
    """

    READ = 1 + BlockRam.LATENCY

    def __init__(self, sets, u, header_words, *, crt, both=False):
        self.sets, self.u, self.header_words = sets, u, header_words
        self.crt, self.both = crt, both
        word = stream.Signature(sets[0].r)
        super().__init__({
            "i": In(word), "k": In(word), "header": Out(word), "modulus": Out(word),
            "rows": Out(word), "is_message": Out(1), "set": Out(range(len(sets))), "ready": In(1),
            "gives": In(1)} | ({"single": Out(1)} if both else {}))

    def elaborate(self, platform):
        m = Module()
        crt, sets, u = self.crt, self.sets, self.u
        r, n = sets[-1].r, sets[-1].n
        m.submodules.divider = divider = Divider(r, max(n, 2))
        m.submodules.to_divider = to_divider = Skid(r)
        wiring.connect(m, to_divider.o, divider.i)

        kept = Kept(sets, crt)
        halves, message = kept.halves, kept.message
        tops_of, starts_of = kept.dividend_tops, kept.dividend_starts
        m.submodules.memory = memory = BlockRam(r, max(kept.depth, 2))
        m.submodules.dividends = dividends = Memory(shape=r, depth=len(kept.dividends),
                                                    init=kept.dividends)
        read = read_port(dividends, "read")
        word, dividend = (Signal(r, name=name, reset_less=True) for name in ("word", "dividend"))
        m.d.comb += word.eq(memory.b.q)
        # Block RAM without a register of its own is slow: nothing but a register is behind it.
        m.d.sync += dividend.eq(read.data)
        target, writes = Signal(range(memory.depth), name="target"), Signal(name="writes")
        written = Signal(r, name="written")
        m.d.sync += [memory.a.address.eq(target), memory.a.write.eq(writes),
                     memory.a.data.eq(written)]

        # -- The set, by the highest words of the factors that are not 0.
        tops = [Signal(range(n), name=f"top_{index}") for index in range(halves)]
        m.d.sync += self.set.eq(len(sets) - 1)
        for index, bases in reversed(list(enumerate(sets[:-1]))):
            fits = [top < bases.bits // r for top in tops]
            with m.If(fits[0] & fits[-1]):
                m.d.sync += self.set.eq(index)

        # -- What is done: B or B**2, and the factor.
        has_key, is_square, half = (Signal(name=name) for name in ("has_key", "is_square", "half"))
        # Numbers of words: of what comes, of what is divided, and of rows.
        digit = Signal(range(max(2 * n, self.header_words) + 1), name="digit")
        part = Signal(range(max(n, *tops_of) + 1), name="part")
        element = Signal(range(n + 2 * u), name="element", init=u - 1)
        place = Signal(range(message + 1), name="place")  # of a word of a key
        start, top = Signal(range(memory.depth), name="start"), Signal(range(n), name="top")
        address = Signal(range(max(memory.depth, dividends.depth)), name="address")
        fetched, sent = Signal(self.READ, name="fetched"), Signal(name="sent")
        rows = [Signal(3, name=f"row_{index}") for index in range(self.READ)]
        comes, one, zero = rows[0]
        m.d.comb += [
            top.eq(Mux(half, tops[-1], tops[0])),
            memory.b.address.eq(address), read.addr.eq(address),
            to_divider.i.payload.eq(word), to_divider.i.valid.eq(fetched[-1]),
            sent.eq(fetched[-1] & to_divider.i.ready), divider.o.ready.eq(1),
            self.header.payload.eq(self.k.payload), self.modulus.payload.eq(self.k.payload),
            target.eq(place), written.eq(self.k.payload),
        ]
        m.d.sync += [address.eq(start + part), fetched.eq(0), Cat(rows).eq(Cat(0, 0, 0, rows))]

        def of_dividend(values):
            """Return which one of the values of B and B**2 of each set it is."""
            return Mux(is_square, Array(values[1::2])[self.set], Array(values[0::2])[self.set])

        count = Signal(r, name="count")  # of words of the dividend but the upper ones
        m.d.sync += count.eq(of_dividend(tops_of) + 1 - top)

        def gives_divider(payload):
            """Offer what is read to the divider; a word is there READ clocks after the digit."""
            m.d.comb += to_divider.i.payload.eq(payload)
            m.d.sync += fetched.eq(Mux(sent, 0, Cat(1, fetched)))

        def ends(moves, last, digit=digit):
            """Go on to the next digit; return whether the number ends."""
            with m.If(moves):
                m.d.sync += digit.eq(Mux(digit == last, 0, digit + 1))
            return moves & (digit == last)

        def ends_half():
            """Go on to the other factor; return whether it was the last one."""
            if not crt:
                m.d.sync += half.eq(0)
                return 1
            m.d.sync += half.eq(~half & ~self.single if self.both else ~half)
            return half | self.single if self.both else half

        def loads():
            m.next = "rows"

        def loads_message():
            m.d.sync += digit.eq(0)
            m.next = "waits"
            with m.If(~self.gives):
                loads()

        with m.FSM():
            with m.State("idle"):
                m.d.comb += [self.k.ready.eq(1), self.i.ready.eq(has_key & ~self.k.valid),
                             target.eq(message), written.eq(self.i.payload)]
                with m.If(self.k.valid):
                    if self.both:
                        m.d.sync += self.single.eq(self.k.payload[0])
                    else:
                        m.d.comb += self.header.valid.eq(1)
                    m.d.sync += [has_key.eq(0), self.is_message.eq(0), digit.eq(1)]
                    m.next = "header"
                with m.Elif(self.i.valid & has_key):
                    m.d.comb += writes.eq(1)
                    m.d.sync += [self.is_message.eq(1), digit.eq(1)]
                    if halves * n > 1:
                        m.next = "message"
                    else:
                        loads_message()
            if halves * n > 1:
                with m.State("message"):
                    m.d.comb += [self.i.ready.eq(1), writes.eq(self.i.valid),
                                 written.eq(self.i.payload), target.eq(message + digit)]
                    with m.If(ends(self.i.valid, halves * n - 1)):
                        loads_message()
            with m.State("header"):
                m.d.comb += [self.k.ready.eq(1), self.header.valid.eq(self.k.valid)]
                with m.If(ends(self.k.valid, self.header_words - 1)):
                    m.next = "factors"
            with m.State("factors"):
                m.d.comb += [self.k.ready.eq(1), writes.eq(self.k.valid)]
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
                m.d.comb += [to_divider.i.valid.eq(1), to_divider.i.payload.eq(top)]
                m.next = "count"  # the divider is idle
            with m.State("count"):
                m.d.comb += [to_divider.i.valid.eq(1),
                             to_divider.i.payload.eq(count)]
                m.next = "divisor"
            with m.State("divisor"):
                m.d.comb += start.eq(Mux(half, n, 0))
                gives_divider(word)
                with m.If(ends(sent, top, part)):
                    m.d.sync += part.eq(of_dividend(tops_of))
                    m.next = "dividend"
            with m.State("dividend"):
                m.d.sync += address.eq(of_dividend(starts_of) + part)
                gives_divider(dividend)
                with m.If(sent):
                    m.d.sync += part.eq(Mux(part == 0, 0, part - 1))
                    with m.If(part == 0):
                        m.next = "remainder"
            with m.State("remainder"):
                found = Mux(half, *(
                    Mux(is_square, *(kept.remainder(index, square) for square in (1, 0)))
                    for index in (halves - 1, 0)))
                m.d.comb += [target.eq(found + part), written.eq(divider.o.payload),
                             writes.eq(divider.o.valid)]
                with m.If(ends(divider.o.valid, top, part)):
                    m.d.sync += is_square.eq(~is_square)
                    m.next = "length"
                    with m.If(is_square):
                        with m.If(ends_half()):
                            loads()

            with m.State("waits"), m.If(~self.gives):
                loads()
            with m.State("rows"):
                number = Signal(range(4 + crt), name="number")
                is_b, column = Signal(name="is_b"), Signal(range(u), name="column")
                row = Signal(range(n // u), name="row")
                row_ends = Signal(name="row_ends", init=u == 1)
                is_last = Signal(name="is_last", init=n == u)
                of_key = Mux(half, *(Array(kept.rows(each))[number] for each in (halves - 1, 0)))
                upper = Mux(is_b, Array(bases.n for bases in sets)[self.set], 0)
                m.d.comb += start.eq(Mux(self.is_message, message + upper, of_key))
                m.d.sync += [
                    address.eq(start + element),
                    comes.eq(1), one.eq(~self.is_message & ((number == 0) | is_b)),
                    zero.eq(~self.is_message & number.matches(2, 3) & (element > top)),
                    column.eq(Mux(row_ends, 0, column + 1)),
                    element.eq(Mux(row_ends, element + 2 * u - 1, element - 1)),
                ]
                if u > 1:
                    m.d.sync += row_ends.eq(column == u - 2)
                with m.If(row_ends):
                    if n > u:
                        m.d.sync += [row.eq(Mux(is_last, 0, row + 1)),
                                     is_last.eq(row == n // u - 2)]
                with m.If(row_ends & is_last):
                    m.d.sync += [element.eq(u - 1), is_b.eq(~is_b)]
                    with m.If(self.is_message & (is_b if crt else 1)):
                        m.d.sync += is_b.eq(0)
                        m.next = "computes"
                    with m.Elif(is_b):
                        m.d.sync += number.eq(number + 1)
                        with m.If(number == 3 + crt):
                            m.d.sync += number.eq(0)
                            m.next = "prepares"
            with m.State("prepares"), m.If(self.rows.ready & ~Cat(row[0] for row in rows).any()):
                with m.If(ends_half()):
                    m.d.sync += has_key.eq(1)
                    m.next = "idle"
                with m.Else():
                    loads()
            with m.State("computes"), m.If(self.ready):
                m.next = "idle"

        comes, one, zero = rows[-1]
        m.d.comb += [self.rows.valid.eq(comes),
                     self.rows.payload.eq(Mux(one, 1, Mux(zero, 0, word)))]
        return m
