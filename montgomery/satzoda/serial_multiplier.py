"""A bit-serial multiplier but for its adders: operands in, bits of x, result out."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.banks import Pointer, WordBuffer, choose, look_up
from ..blocks.carry_save import gate
from ..blocks.streams import Widen
from ..blocks.values import delays, later, signals
from ..core import Core
from .intake import OperandIntake, RingPlaces, RowPlaces

__all__ = ["Ring", "SerialMultiplier"]


class Ring:
    """The registers in which words of B and N circulate, with tokens and bits of x beside them.

    Figure 2 of Satzoda, Chang and Jong is a two-dimensional array: row i adds a_i B and q_i N,
    column j holds bit j. Their one-dimensional Design 2 keeps one row and lets the iterations pass
    over it in time. The ring is the other projection of the same array: each of its p processing
    elements (PEs) keeps one iteration, and the words of B, N and of the intermediate sum pass over
    it, lowest first, one a clock. PE v does the iterations v, v + p, v + 2p …; the last PE hands
    its words on to the first. With ``hop`` clocks from a PE to the next, and ``hop`` words per PE,
    all PEs work in every clock.

    Every bit is used where it is and moves to the neighbour. So nothing is broadcast beyond the
    bits of a PE, no operand is multiplexed, and the result leaves in words, in order.

    The modulus goes round until another one takes its place. The words of y replace those of the y
    before, in the revolution after its last one. A :class:`SerialMultiplier` gives the words; its
    ``tap`` is assigned.
    """

    def __init__(self, m, multiplier):
        p, slot_0 = multiplier.params, multiplier.slot_0
        # Word [v][h] of each is the one that PE ``v`` got ``h`` clocks ago, ``h`` below ``hop``.
        self.b = self._pipeline(m, p, "b")
        self.n = self._pipeline(m, p, "n")
        for pipeline, load, word in ((self.b, multiplier.load_y, multiplier.y),
                                     (self.n, multiplier.load_n, multiplier.n)):
            m.d.sync += pipeline[0][0].eq(Mux(load, word, gate(~multiplier.pad, pipeline[-1][-1])))
        with m.If(slot_0):
            # The modulus is odd. The end of a result relies on it while another key enters.
            m.d.sync += self.n[0][0][0].eq(1)
        chain = delays(m, slot_0, p.ring_words, "token", reset_less=False)
        # In the clock before, and in the one in which each PE has word 0.
        self.before, self.tokens = chain[:-1:p.hop], chain[1::p.hop]
        m.d.comb += multiplier.tap.eq(self.tokens[p.tap])
        # A PE starts ``hop`` clocks after the one before it, but its bit is served one clock after
        # that one's: the bits travel along the ring for the difference. In ``a`` each is for the
        # iteration that the PE does, while it has the words of it.
        self.a = []
        bit = multiplier.bit
        for index in range(p.elements):
            a = Signal(name=f"a_{index}", reset_less=True)
            with m.If(self.before[index]):
                m.d.sync += a.eq(bit)
            self.a.append(a)
            bit = later(m, bit, p.hop - 1, f"bit_{index}")

    @staticmethod
    def _pipeline(m, p, name):
        first = Signal(p.pe_width, name=f"{name}_first", reset_less=True)
        words = delays(m, first, p.ring_words - 1, name)
        return [words[start:start + p.hop] for start in range(0, p.ring_words, p.hop)]


class SerialMultiplier(Core):
    """A multiplier whose adders stand in a ring or in a row. A derived class gives the adders.

    y goes straight to the adders, and so does the modulus of a row. The modulus of a ring waits in
    a memory, and enters the ring beside y. When the last revolution has begun, a key may come, and
    the words of the next multiplication may follow that revolution into the ring. The result is
    made binary, and goes to a buffer that has room for two.

    Latency: a revolution for each iteration of a processing element, and those in which operands
    come and the result becomes binary. Throughput: one multiplication at a time; the words of the
    next one enter in the revolution after the last one.
    """

    def __init__(self, params):
        self.intake = OperandIntake(params)
        # Words of the modulus and of y, and when they are the next ones to enter the ring.
        self.n, self.load_n = self.intake.n, self.intake.load_n
        self.y, self.load_y = self.intake.y, self.intake.load_xy
        if not params.stationary:
            self.modulus = WordBuffer(params.pe_width, params.operand_words)
            self.n, self.load_n = self.modulus.o.payload, self.load_y
        # Unless a word of y enters the ring now, one above the operands does, and has to be 0.
        self.pad = Signal(name="pad")
        # The word that enters the ring now is word 0; PE 0 has it in the next clock.
        self.slot_0 = Signal(name="slot_0")
        # Bit v of x, v clocks after ``slot_0``, in the first revolution; the next ``elements`` bits
        # in the next one, and so on; 0 while operands are loaded. And its product with bit 0 of y.
        self.bit, self.bit_b0 = signals("bit bit_b0")
        # High from a clock after the first operand to the end of the first revolution: the last PE
        # must give 0. With ``bit`` 0, all PEs come to give 0 before the first iteration.
        self.clear = Signal(name="clear")
        # The PE at the tap has word 0, which the adders assign; that is word 0 of the result.
        self.tap, self.found = signals("tap found")
        super().__init__(params)

    def elements(self, m):
        """Add the adders to module ``m``, assign ``tap``, and return the result's words.

        Word j of the result comes ``resolve`` + j clocks after ``found``.
        """
        raise NotImplementedError

    def elaborate(self, platform):
        m = Module()
        p, intake = self.params, self.intake
        m.submodules.intake = intake
        m.submodules.places = places = RowPlaces(p) if p.stationary else RingPlaces(p)
        running, running_next = signals("running running_next")
        ends, final = signals("ends final")  # the last revolution begins, goes
        wiring.connect(m, wiring.flipped(self.i), intake.i)
        wiring.connect(m, wiring.flipped(self.k), intake.k)
        wiring.connect(m, intake.arrivals, places.arrivals)
        m.d.comb += [intake.turn.eq(places.turn), intake.done.eq(ends),
                     places.running.eq(running), places.final.eq(final)]
        self._keep_modulus(m)
        # What goes to the adders is registered first, so all that goes with it is a clock late too.
        m.d.sync += [self.slot_0.eq(places.slot_0), self.pad.eq(places.pad)]

        # -- Revolutions.
        left = Signal(range(p.revolutions + 1), reset_less=True)
        none_left = Signal(reset_less=True)
        entered = Signal()  # a word of operands, in the clock before
        begins = running & self.slot_0
        m.d.comb += [ends.eq(begins & none_left),
                     running_next.eq(places.start | (running & ~(final & places.wrap)))]
        m.d.sync += [
            running.eq(running_next),
            none_left.eq(left == 0),
            final.eq((final & ~places.wrap) | ends),
            entered.eq(intake.arrivals.accepted),
            self.clear.eq((self.clear & ~(running & places.wrap)) | entered),
        ]
        with m.If(intake.arrivals.begun):
            m.d.sync += left.eq(p.revolutions)
        with m.Elif(begins):
            m.d.sync += left.eq(left - 1)

        self._give_bits(m, running_next, places.window)
        self._hand_out(m, ends)
        return m

    def _keep_modulus(self, m):
        """Give the modulus to the adders: with each y in a ring, as it comes in a row."""
        intake = self.intake
        if self.params.stationary:
            m.d.comb += intake.key_ready.eq(intake.key_sent)
            return
        m.submodules.modulus = modulus = self.modulus
        sent = intake.key_sent | intake.operands_sent
        m.d.comb += [
            modulus.push.eq(intake.load_n), modulus.data.eq(intake.n), modulus.available.eq(~sent),
            intake.key_ready.eq(later(m, sent, 1, "key_ready", reset_less=False)),
            modulus.o.ready.eq(self.load_y),
        ]

    def _give_bits(self, m, running_next, window):
        """Give the bits of x, the lowest first, from two clocks after its first word.

        A bit is needed in the next clock where ``running_next`` is high, and is used up in that
        clock where ``window`` is. The first word goes to a shift register, the others to a memory.
        """
        width, x, first = self.params.pe_width, self.intake.x, self.intake.arrivals.begun
        b0 = Signal(reset_less=True)
        shift = Signal(width, reset_less=True)
        position = Signal(range(width), reset_less=True)
        at_end = Signal(reset_less=True)
        advance, next_bit = signals("advance next_bit")
        word = Const(0, width)  # the next one
        if self.params.operand_words > 1:
            used = Signal()
            m.d.sync += used.eq(advance & at_end)
            word = self._following_word(m, first, used)
        with m.If(first):
            m.d.sync += [position.eq(0), at_end.eq(0)]
        with m.Elif(advance):
            m.d.sync += [position.eq(Mux(at_end, 0, position + 1)),
                         at_end.eq(position == width - 2)]
        with m.If(first | advance):
            m.d.sync += shift.eq(Mux(first, x, Mux(at_end, word, shift >> 1)))
        with m.If(first):
            m.d.sync += b0.eq(self.intake.y[0])
        following = Mux(at_end, word[0], shift[1])
        m.d.comb += next_bit.eq(Mux(advance, following, shift[0]) & running_next)
        m.d.sync += [advance.eq(window & running_next), self.bit.eq(next_bit),
                     self.bit_b0.eq(next_bit & b0)]

    def _following_word(self, m, first, used):
        """Return the next word of x, three clocks after one was ``used``: a word has four bits."""
        count, x = self.params.operand_words - 1, self.intake.x
        m.submodules.x_write = write = Pointer(count)
        m.submodules.x_read = read = Pointer(count)
        push = self.load_y & ~first
        m.d.comb += [write.step.eq(push), read.step.eq(used | first), read.rewind.eq(first)]
        words = look_up(m, len(x), count, write=write, read=read, push=push, data=x)
        word = choose(m, words, read.bank)
        return word if len(words) == 1 else later(m, word, 1, "word")

    def _hand_out(self, m, ends):
        """Wait for the result to pass the tap, store it as it comes, and send it."""
        p = self.params
        m.submodules.buffer = buffer = WordBuffer(p.pe_width, p.operand_words, turns=2)
        expected, storing = signals("expected storing")
        # Bit d: word 0 of the result passed the tap d + 1 clocks ago.
        coming = Signal(p.resolve - 1)
        m.d.comb += self.found.eq(expected & self.tap)
        m.d.sync += [
            expected.eq((expected & ~self.tap) | ends),
            coming.eq(Cat(self.found, coming)),
            storing.eq((storing & ~buffer.full) | coming[-1]),
        ]
        m.d.comb += [buffer.push.eq(storing), buffer.data.eq(self.elements(m))]
        result = buffer.o
        if p.ratio > 1:
            m.submodules.widen = widen = Widen(p.pe_width, p.ratio)
            wiring.connect(m, result, widen.i)
            result = widen.o
        wiring.connect(m, result, wiring.flipped(self.o))

        # Multiplications under way whose result has not left the buffer: at least one, two.
        under_way = Signal(2)
        begins, freed = signals("begins freed")
        m.d.sync += [begins.eq(self.intake.arrivals.first_word), freed.eq(buffer.freed)]
        with m.If(begins & ~freed):
            m.d.sync += under_way.eq(Cat(1, under_way[0]))
        with m.Elif(freed & ~begins):
            m.d.sync += under_way.eq(under_way >> 1)
        m.d.comb += self.intake.room.eq(~under_way[1])
