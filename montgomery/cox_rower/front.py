"""What comes before the Rowers: words for each part, and the divisions."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.skid import Skid
from .divider import Divider
from .division import Division
from .intake import Intake
from .kept import Kept
from .phases import Common
from .rows import Rows

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

    Latency: a key takes the phases up to ``prepares`` once, and each message those from ``message``
    on. Throughput: a word of a key or of a message per clock.

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
        sets, r, n = self.sets, self.sets[-1].r, self.sets[-1].n
        m.submodules.divider = divider = Divider(r, max(n, 2))
        m.submodules.to_divider = to_divider = Skid(r)
        wiring.connect(m, to_divider.o, divider.i)

        kept = Kept(sets, self.crt)
        m.submodules.memory = memory = BlockRam(r, max(kept.depth, 2))
        m.submodules.dividends = dividends = Memory(shape=r, depth=len(kept.dividends),
                                                    init=kept.dividends)
        read = dividends.read_port()
        word, dividend = (Signal(r, name=name, reset_less=True) for name in ("word", "dividend"))
        m.d.comb += word.eq(memory.b.q)
        # Block RAM without a register of its own is slow: nothing but a register is behind it.
        m.d.sync += dividend.eq(read.data)
        at = Common(kept, memory.depth, self.header_words, self.single if self.both else None)
        m.d.sync += [memory.a.address.eq(at.target), memory.a.write.eq(at.writes),
                     memory.a.data.eq(at.written)]

        # -- The set, by the highest words of the factors that are not 0.
        m.d.sync += self.set.eq(len(sets) - 1)
        for index, bases in reversed(list(enumerate(sets[:-1]))):
            fits = [top < bases.bits // r for top in at.tops]
            with m.If(fits[0] & fits[-1]):
                m.d.sync += self.set.eq(index)

        # -- The phases.
        intake, rows = Intake(self, at), Rows(self, at, self.READ)
        division = Division(self, at, to_divider.i, divider.o, self.READ)
        m.d.comb += [
            at.top.eq(at.of_half(at.tops[-1], at.tops[0])),
            memory.b.address.eq(at.address), read.addr.eq(at.address),
            to_divider.i.payload.eq(word), to_divider.i.valid.eq(division.fetched[-1]),
            division.sent.eq(division.fetched[-1] & to_divider.i.ready), divider.o.ready.eq(1),
            self.header.payload.eq(self.k.payload), self.modulus.payload.eq(self.k.payload),
            at.target.eq(intake.place), at.written.eq(self.k.payload),
        ]
        m.d.sync += [
            at.address.eq(at.start + at.part), division.fetched.eq(0),
            Cat(rows.pipeline).eq(Cat(0, 0, 0, rows.pipeline)),
            division.count.eq(division.of_dividend(kept.dividend_tops) + 1 - at.top),
        ]
        with m.FSM():
            intake.states(m)
            division.states(m, word, dividend)
            rows.states(m)

        comes, one, zero = rows.pipeline[-1]
        m.d.comb += [self.rows.valid.eq(comes),
                     self.rows.payload.eq(Mux(one, 1, Mux(zero, 0, word)))]
        return m
