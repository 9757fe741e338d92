"""The engine for scalar multiplication: a multiplier, an adder, registers, and microcode."""

from amaranth.hdl import C, Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory

from ..blocks.block_ram import BlockRam
from ..blocks.delay import later
from ..blocks.sequencer import Sequencer
from ..blocks.skid import Skid
from ..points.microcode import Index
from . import point_program
from .adder import DigitAdder
from .core import RESULT_BITS, WideCore
from .held import HeldNumber
from .model import to_digits
from .point_program import ENTRIES, LONGEST, MULTIPLES, PLACES, TIMING, Until
from .primes import DIGITS
from .ranges import BASE
from .scalar_digits import ScalarDigits

__all__ = ["WidePointEngine"]


class WidePointEngine(wiring.Component):
    """Multiplies points by scalars, one at a time, by the microcode of :mod:`.point_program`.

    Registers are distributed RAM, from which two numbers are read in a clock. A clock later they
    are operands, of a product or a sum, or the first one is taken by :class:`~.held.HeldNumber`.
    Multiples of the point are in block RAM. When words come in the microcode rests at word 0, which
    does nothing.

    Latency: see :attr:`~.scalar_multiplication.Parameters.cycles`. Throughput: an operation at a
    time.

    Parameters
    ----------
    params : :class:`~.scalar_multiplication.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = self.m = Module()
        prime = self.params.prime
        m.submodules.core = core = WideCore(prime)
        m.submodules.adder = adder = DigitAdder(prime)
        m.submodules.held = held = HeldNumber(prime)
        m.submodules.digits = digits = ScalarDigits()
        m.submodules.skid = skid = Skid(BASE)
        wiring.connect(m, skid.o, wiring.flipped(self.o))
        begins = Signal(name="begins")
        word, sequencer = self._control(held, digits, begins)

        # -- Operands.
        file = [self._registers(name, getattr(word, name), word) for name in "ab"]
        memory = BlockRam(DIGITS * RESULT_BITS, 4 * ENTRIES, self._constants())
        m.submodules.memory = memory
        a, b = ([Signal(signed(bits), name=f"{name}_{place}", reset_less=True)
                 for place in range(DIGITS)]
                for name, bits in (("a", RESULT_BITS), ("b", RESULT_BITS + 1)))
        for place in range(DIGITS):
            first, second = (each.data.word_select(place, RESULT_BITS).as_signed() for each in file)
            stored = memory.a.q.word_select(place, RESULT_BITS).as_signed()
            m.d.sync += [a[place].eq(Mux(word.from_memory, stored, first)),
                         b[place].eq(Mux(word.twice, second << 1, second))]
            with m.If(~word.has_b):
                m.d.sync += b[place].eq(0)
            m.d.comb += [adder.a[place].eq(a[place]), adder.b[place].eq(b[place]),
                         core.x[place].eq(a[place]), core.y[place].eq(b[place]),
                         held.number[place].eq(a[place])]
        m.d.comb += [
            adder.has_a.eq(later(m, word.has_a, 1, "has_a")),
            adder.negative.eq(later(m, word.negative | (word.signed & digits.negative), 1,
                                    "negative")),
            core.start.eq(later(m, word.product, 1, "product", reset_less=False)),
            held.take.eq(word.held)]

        # -- Results.
        result = [Signal(RESULT_BITS, name=f"result_{place}", reset_less=True)
                  for place in range(DIGITS)]
        m.d.sync += [register.eq(Mux(word.takes_product, product, total)) for register, product,
                     total in zip(result, core.result, adder.total, strict=True)]
        for each in file:
            m.d.comb += each.result.eq(Cat(result))

        # -- The memory: multiples by microcode, and coordinates as they come.
        entry = Signal(range(ENTRIES))
        with m.Switch(word.index):
            with m.Case(Index.FIXED):
                m.d.comb += entry.eq(word.entry)
            with m.Case(Index.DIGIT):
                m.d.comb += entry.eq(digits.magnitude)
            with m.Case(Index.TURN):
                m.d.comb += entry.eq(sequencer.turn_of("multiple"))
        coordinates = C(PLACES["in_x"].entry, entry.shape())
        comes, part = self._words_in(held, digits, begins, sequencer.resting)
        address = Cat(word.part, entry)
        m.d.comb += [
            memory.a.address.eq(later(m, address, 1, "address")),
            memory.b.address.eq(Mux(comes, Cat(part, C(0, 1), coordinates), memory.a.address)),
            memory.b.write.eq(comes | later(m, word.store, 1, "store", reset_less=False)),
            memory.b.data.eq(Cat(held.digits))]

        # -- Words out: ones alone for what is no point, or was computed wrongly.
        failed = Signal()
        with m.If(held.outside | held.not_zero):
            m.d.sync += failed.eq(1)
        with m.Elif(digits.push):
            m.d.sync += failed.eq(0)
        m.d.comb += [skid.i.valid.eq(held.o.valid), held.o.ready.eq(skid.i.ready),
                     skid.i.payload.eq(held.o.payload | failed.replicate(BASE))]
        return m

    def _registers(self, name, address, word):
        """Add a copy of the registers, and return what it reads and is given."""
        m = self.m
        width = DIGITS * RESULT_BITS
        m.submodules[f"registers_{name}"] = memory = Memory(shape=width, depth=TIMING.registers,
                                                            init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [read.addr.eq(address), write.addr.eq(word.target), write.en.eq(word.write)]
        read.result = write.data
        return read

    def _words_in(self, held, digits, begins, resting):
        """Take words; return whether a coordinate came in just before, and which one it is."""
        m = self.m
        takes, ready, comes = Signal(name="takes"), Signal(name="ready", init=1), Signal()
        which, place = Signal(range(3), name="which"), Signal(range(DIGITS), name="place_in")
        ends = takes & (place == DIGITS - 1)
        m.d.comb += [
            takes.eq(self.i.valid & ready), self.i.ready.eq(ready),
            digits.push.eq(takes & (which == 0)), digits.word.eq(self.i.payload),
            held.push.eq(takes & (which != 0)), held.word.eq(self.i.payload)]
        m.d.sync += [comes.eq(ends & (which != 0)), begins.eq(ends & (which == 2)),
                     place.eq(place + takes)]
        with m.If(ends):
            m.d.sync += [which.eq(Mux(which == 2, 0, which + 1)), ready.eq(which != 2)]
        with m.Elif(resting & ~begins):
            m.d.sync += ready.eq(1)
        return comes, begins

    def _constants(self):
        """Return the memory's first contents: the point at infinity, and constants."""
        words = [0] * (4 * MULTIPLES + 4)
        mask = (1 << RESULT_BITS) - 1
        for name, number in self.params.constants.items():
            at = 4 * PLACES[name].entry + PLACES[name].part
            words[at] = sum((digit & mask) << RESULT_BITS * place for place, digit in
                            enumerate(to_digits(number)))
        return words

    def _control(self, held, digits, begins):
        """Add what goes through the microcode; return its word, and the sequencer of segments."""
        m = self.m
        microcode = point_program.build().microcode
        m.submodules.sequencer = sequencer = Sequencer(point_program.build().program)
        m.submodules.microcode = rom = BlockRam(microcode.layout.size, len(microcode.words),
                                                microcode.constants())
        word = Signal(microcode.layout, name="word")
        number, turns = Signal(range(len(microcode.words))), Signal(range(LONGEST + 1))
        runs, repeats = Signal(name="runs"), Signal(name="repeats")
        m.d.comb += rom.a.address.eq(number)
        # After a reset the block RAM still gives what was read before.
        with m.If(later(m, runs, BlockRam.LATENCY, "fetched", reset_less=False)):
            m.d.sync += word.eq(rom.a.q)
        with m.Else():
            m.d.sync += word.eq(0)
        m.d.sync += repeats.eq(Mux(sequencer.step.until == Until.IDLE, ~held.idle, turns != 1))
        following, moves = sequencer.following, Signal(name="moves")
        m.d.comb += [
            sequencer.begin.eq(begins), sequencer.advance.eq(word.ends & ~repeats),
            moves.eq(sequencer.begin | sequencer.advance),
            digits.next.eq(moves & following.fields.digit)]
        with m.If(moves):
            m.d.sync += [runs.eq(~following.ends), turns.eq(following.fields.turns),
                         number.eq(Mux(following.ends, 0, following.fields.start))]
        with m.Elif(word.ends):
            m.d.sync += [number.eq(sequencer.step.start), turns.eq(turns - 1)]
        with m.Elif(runs):
            m.d.sync += number.eq(number + 1)
        return word, sequencer
