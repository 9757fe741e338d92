"""Hardware: what comes before the Rowers, which is keys and messages."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.values import signals
from .divider import KeyDivider

__all__ = ["Front"]


class Front(wiring.Component):
    """Takes the words of keys and of messages, has B and B**2 divided, and loads the Rowers.

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
    computes                 until the result is ready. With a check, a copy of it takes the place
                             of the message, and rows come once more
    =========  ============  =====================================================================

    Here n is the size of the largest bases. Rows go to the Rowers a word a clock: of each number
    digits for base a, and then those for base b, which a message has with CRT alone. Rower i has
    digits i, i + u and so on, and of each u digits the last comes first.

    Latency: a key takes the phases up to ``prepares`` once, and each message those from ``message``
    on; the first word of the rows comes ``KeyDivider.READ`` clocks after the phase begins.
    Throughput: a word of a key or of a message per clock.
    """

    def __init__(self, params):
        self.params, self.crt = params, params.places.crt
        word = stream.Signature(params.word_width)
        super().__init__({
            "i": In(word),
            "k": In(word),
            "header": Out(word),  # this and the next one do not wait
            "modulus": Out(word),
            "rows": Out(word),  # they do not wait; they are offered when the Rowers are ready
            # From the clock after the first word of a key on: it is one without CRT; rows of a key
            # come next.
            "single": Out(1),
            "is_key": Out(1),
            "begin": Out(1),  # the first rows of a key, or those of a message, come next
            "is_message": Out(1),  # these are those of a message
            # The smallest bases that are large enough for the factors of the key.
            "set": Out(range(len(params.bases))),
            "ready": In(1),  # the result is ready, and the Rowers have nothing to do
            "gives": In(1),  # words of a result are left
        } | ({"copy": In(word)} if params.checks else {}))  # of the result; it does not wait

    def elaborate(self, platform):
        m = Module()
        p, crt, k, i = self.params, self.crt, self.k, self.i
        sets, n, r = p.bases, p.bases[-1].n, p.word_width
        # Numbers of n words in the memory: factors, with CRT inverses; the message, which is as
        # long as all factors; and what B and B**2 leave modulo each factor.
        factors = 1 + crt
        message = factors * (1 + crt)
        remainders = message + factors
        m.submodules.memory = memory = BlockRam(r, max((remainders + 2 * factors) * n, 2))
        m.submodules.divider = divider = KeyDivider(sets)
        half, digit = Signal(name="half"), Signal(range(max(2 * n, p.header_words)), name="digit")
        place = Signal(range(message * n), name="place")  # of a word of a key in the memory
        tops = [Signal(range(n), name=f"top_{index}") for index in range(factors)]
        start, address = signals("start address", range(memory.depth))
        target, writes = Signal(range(memory.depth), name="target"), Signal(name="writes")
        written, key_offered = Signal(r, name="written"), Signal(name="key_offered")
        has_key, reads = signals("has_key reads")

        def of_factor(values):
            """Return what belongs to the current factor."""
            return Mux(half, values[-1], values[0])

        def counted(moves, words):
            """Count words; return whether the last one moves."""
            with m.If(moves):
                m.d.sync += digit.eq(Mux(digit == words - 1, 0, digit + 1))
            return moves & (digit == words - 1)

        def ends_factor():
            """Go on to the other factor; return whether this was the last one."""
            last = half | self.single if crt else 1
            m.d.sync += half.eq(~last)
            return last

        # -- The set, by the highest words of the factors that are not 0.
        m.d.sync += self.set.eq(len(sets) - 1)
        for index, bases in reversed(list(enumerate(sets[:-1]))):
            fits = [top < bases.bits // r for top in tops]
            with m.If(fits[0] & fits[-1]):
                m.d.sync += self.set.eq(index)

        highest = of_factor(tops)
        number, is_b, element, comes, done = self._reader(m, reads, highest, memory.b.q)
        m.d.comb += [
            memory.b.address.eq(address), divider.word.eq(memory.b.q), divider.set.eq(self.set),
            divider.top.eq(highest), divider.remainder.ready.eq(1),
            self.header.payload.eq(k.payload), self.modulus.payload.eq(k.payload),
            target.eq(place), written.eq(k.payload),
        ]
        m.d.sync += [memory.a.address.eq(target), memory.a.write.eq(writes),
                     memory.a.data.eq(written), key_offered.eq(k.valid),
                     address.eq(start + divider.part)]
        with m.FSM():
            with m.State("idle"):
                m.d.comb += [k.ready.eq(key_offered | ~i.valid | ~has_key),
                             i.ready.eq(has_key & ~key_offered),
                             target.eq(message * n), written.eq(i.payload)]
                with m.If(k.valid & k.ready):
                    if p.single_too:
                        m.d.sync += self.single.eq(k.payload[0])
                    else:
                        m.d.comb += self.header.valid.eq(1)
                    m.d.sync += [has_key.eq(0), self.is_key.eq(1), self.is_message.eq(0),
                                 digit.eq(1)]
                    m.next = "header"
                with m.Elif(i.valid & i.ready):
                    m.d.comb += [writes.eq(1), self.begin.eq(1)]
                    m.d.sync += self.is_message.eq(1)
                    self._message(m, counted(1, factors * n))
            with m.State("message"):
                m.d.comb += [i.ready.eq(1), writes.eq(i.valid), written.eq(i.payload),
                             target.eq(message * n + digit)]
                self._message(m, counted(i.valid, factors * n))
            with m.State("header"):
                m.d.comb += [k.ready.eq(1), self.header.valid.eq(k.valid)]
                with m.If(counted(k.valid, p.header_words)):
                    m.next = "factors"
            with m.State("factors"):
                m.d.comb += [k.ready.eq(1), writes.eq(k.valid)]
                if not crt:
                    m.d.comb += self.modulus.valid.eq(k.valid)
                with m.If(k.valid):
                    m.d.sync += place.eq(Mux(place == message * n - 1, 0, place + 1))
                    for index, top in enumerate(tops):
                        is_its = (place >= index * n) & (place < (index + 1) * n)
                        with m.If((k.payload != 0) & is_its):
                            m.d.sync += top.eq(digit)
                with m.If(counted(k.valid, n) & (place == message * n - 1)):
                    m.next = "modulus" if crt else "divide"
            if crt:
                with m.State("modulus"):
                    m.d.comb += [k.ready.eq(1), self.modulus.valid.eq(k.valid)]
                    with m.If(counted(k.valid, 2 * n)):
                        m.next = "divide"
            with m.State("divide"):
                found = of_factor([Mux(divider.is_square, first + n, first) for first in (
                    (remainders + 2 * index) * n for index in range(factors))])
                m.d.comb += [
                    divider.go.eq(1), start.eq(of_factor([index * n for index in range(factors)])),
                    target.eq(found + divider.part),
                    written.eq(divider.remainder.payload), writes.eq(divider.remainder.valid)]
                with m.If(divider.done), m.If(ends_factor()):
                    m.d.comb += self.begin.eq(1)
                    m.d.sync += self.is_key.eq(0)
                    m.next = "rows"
            with m.State("waits"), m.If(~self.gives):
                m.next = "rows"
            with m.State("rows"):
                m.d.comb += reads.eq(1)
                m.d.sync += address.eq(start + element)
                # Tables, for which synthesis takes no multiplier.
                first = of_factor([Array(each * n for each in (
                    0, index, remainders + 2 * index, remainders + 2 * index + 1, factors + index))[
                        number] for index in range(factors)])
                upper = Mux(is_b, Array(bases.n for bases in sets)[self.set], 0)
                m.d.comb += start.eq(Mux(self.is_message, message * n + upper, first))
                with m.If(done):
                    m.next = "prepares"
                    with m.If(self.is_message):
                        m.next = "computes"
            with m.State("prepares"), m.If(self.rows.ready & ~comes):
                m.next = "rows"
                with m.If(ends_factor()):
                    m.d.sync += has_key.eq(1)
                    m.next = "idle"
            with m.State("computes"):
                if p.checks:
                    m.d.comb += [self.copy.ready.eq(1), writes.eq(self.copy.valid),
                                 written.eq(self.copy.payload), target.eq(message * n + digit)]
                    with m.If(counted(self.copy.valid, 2 * n)):
                        m.next = "copied"
                with m.If(self.ready):
                    m.next = "idle"
            if p.checks:
                with m.State("copied"), m.If(self.rows.ready):
                    m.next = "rows"
        return m

    def _message(self, m, ends):
        with m.If(ends):
            m.next = "waits"
            with m.If(~self.gives):
                m.next = "rows"
        with m.Else():
            m.next = "message"

    def _reader(self, m, reads, top, word):
        """Give the words of the rows, in order, while ``reads``; those above ``top`` are 0.

        Return the number of the key of the digit that is read, whether it is for base b, its place;
        whether one is on its way; whether it is the last.
        """
        n, u, last = self.params.bases[-1].n, self.params.u, 3 + self.crt
        number, is_b = Signal(range(last + 1), name="number"), Signal(name="is_b")
        element, done = Signal(range(n + 2 * u), name="element", init=u - 1), Signal(name="done")
        column, row = Signal(range(u), name="column"), Signal(range(n // u), name="row")
        row_ends = Signal(name="row_ends", init=u == 1)
        is_last = Signal(name="is_last", init=n == u)
        # Of each digit that is on its way: there is one; it is 1; it is 0.
        stages = [Signal(3, name=f"row_{index}") for index in range(KeyDivider.READ)]
        one = ~self.is_message & ((number == 0) | is_b)
        zero = ~self.is_message & number.matches(2, 3) & (element > top)
        m.d.sync += Cat(stages).eq(Cat(reads, one, zero, stages))
        comes, one, zero = stages[-1]
        m.d.comb += [self.rows.valid.eq(comes),
                     self.rows.payload.eq(Mux(one, 1, Mux(zero, 0, word)))]
        with m.If(reads):
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
                    m.d.comb += done.eq(1)
                    m.d.sync += is_b.eq(0)
                with m.Elif(is_b):
                    m.d.sync += number.eq(number + 1)
                    with m.If(number == last):
                        m.d.comb += done.eq(1)
                        m.d.sync += number.eq(0)
        return number, is_b, element, Cat(stage[0] for stage in stages).any(), done
