"""The engine for scalar multiplication: a multiplier, an adder, registers, and microcode."""

import itertools

from amaranth.hdl import C, Cat, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory

from ...blocks.block_ram import BlockRam
from ...blocks.program import Sequencer
from ...blocks.streams import Skid
from ...blocks.values import after, later, owned, signals
from ...core import Signature
from ...points.microcode import Held, Index
from ..datapath.ranges import BASE, RESULT_BITS, to_digits
from ..programs.engine_program import Until
from ..units.adder import DigitAdder
from ..units.held import GROUP
from ..units.inverter import DigitInverter

__all__ = ["WidePointEngine"]

#: Clocks from an address in the microcode to the operand.
_MEMORY = 1 + BlockRam.LATENCY


class WidePointEngine(wiring.Component):
    """Multiplies points by scalars, one at a time, as its program says.

    Registers are distributed RAM, from which two numbers are read in a clock, or in two if there
    are many. A clock later they are operands, of a product or a sum, or the first one is taken to
    be stored, compared or sent. Multiples of the point are in block RAM. When words come in the
    microcode rests at word 0, which does nothing.

    Latency: the same number of clocks for all operations. Throughput: an operation at a time.
    """

    def __init__(self, params, core, program, digits, held):
        # The core is a FixedPrimeCore, for whose clocks the EngineProgram is made, and what makes
        # digits of scalars a component such as ScalarDigits.
        self.params, self.core, self.program = params, core, program
        self.digits, self.held = digits, held
        _check_divided(program, digits)
        self.operands = self._operands or params.operands
        #: Numbers that come in after the scalar.
        self._coordinates = len(self.operands.fields) - 1
        super().__init__(Signature(BASE) if self._operands else params.signature)

    def elaborate(self, platform):
        m = self.m = Module()
        prime, entries, timing = self.core.prime, self.program.entries, self.program.timing
        count = prime.digits
        bits = RESULT_BITS + bool(timing.loose)  # of a digit of a number
        m.submodules.core = core = self.core
        m.submodules.adder = adder = DigitAdder(prime, bits)
        m.submodules.held = held = self.held
        m.submodules.digits = digits = self.digits
        m.submodules.skid = skid = Skid(BASE)
        quotient = self.program.places.get("quotient")
        a_bits = max(bits, RESULT_BITS + 1) if quotient else bits
        wiring.connect(m, skid.o, wiring.flipped(self.o))
        begins = Signal(name="begins")
        fetched, word, sequencer = self._control(held, digits, begins)

        # -- Operands. Digits of each group have copies of what controls them nearby.
        memory = BlockRam(count * bits, 4 * entries, self._constants(bits))
        m.submodules.memory = memory
        stored = later(m, memory.a.q, timing.memory - timing.choice - _MEMORY, "stored")
        negative = word.negative | (word.signed & digits.negative)
        if quotient:
            m.submodules.inverter = inverter = DigitInverter(prime)
            m.d.comb += [
                inverter.will_take.eq(fetched.twice & ~fetched.has_b),
                inverter.take.eq(word.twice & ~word.has_b),
                inverter.ends.eq(later(
                    m, (word.index == Index.FIXED) & (word.entry == quotient.entry),
                    timing.memory - timing.choice + 1, "divided", reset_less=False))]
        for group in range(0, count, GROUP):
            own = data.View(word.shape(), self._own(fetched.as_value(), f"word_{group}"))
            has_a, minus = (self._own(value, f"{name}_{group}") for value, name in (
                (own.has_a, "has_a"), (negative, "negative")))
            starts = self._own(fetched.product if timing.direct else own.product,
                               f"starts_{group}")
            takes = self._own(fetched.held != Held.NOTHING, f"takes_{group}")
            places = range(group, group + GROUP)
            result = [Mux(own.write_product, core.result[place], adder.total[place])
                      for place in places]
            if timing.loose:
                result = [Mux(own.write_loose, adder.loose[place], each)
                          for place, each in zip(places, result, strict=True)]
            first, second = (self._registers(f"{name}_{group}", address, own, Cat(result))
                             for name, address in (("a", own.a), ("b", own.b)))
            for index, place in enumerate(places):
                a, b = (Signal(signed(width), name=f"{name}_{place}", reset_less=True)
                        for name, width in (("a", a_bits), ("b", bits + 1)))
                read_a, read_b = (each.word_select(index, bits).as_signed()
                                  for each in (first, second))
                from_memory = stored.word_select(place, bits).as_signed()
                if quotient:  # in place of a word that is 0; else it is 0 itself
                    from_memory = from_memory ^ inverter.quotient[place]
                    m.d.comb += inverter.number[place].eq(a)
                m.d.sync += [a.eq(Mux(own.from_memory, from_memory, read_a)),
                             b.eq(Mux(own.twice, read_b << 1, read_b))]
                with m.If(~own.has_b):
                    m.d.sync += b.eq(0)
                m.d.comb += [adder.a[place].eq(a), adder.b[place].eq(b),
                             adder.has_a[place].eq(has_a), adder.negative[place].eq(minus),
                             core.x[place].eq(read_a if timing.direct else a),
                             core.y[place].eq(read_b if timing.direct else b),
                             core.loads[place].eq(starts), held.number[place].eq(a),
                             held.loads[place].eq(takes)]
        m.d.comb += held.take.eq(word.held)
        for port, name in ("start", "product"), ("short", "short"):
            if name in word.shape().members:
                m.d.comb += getattr(core, port).eq(word[name] if timing.direct else later(
                    m, word[name], 1, name, reset_less=False))

        # -- The memory: multiples by microcode, and coordinates as they come.
        entry = Signal(range(entries))
        with m.Switch(word.index):
            with m.Case(Index.FIXED):
                m.d.comb += entry.eq(word.entry)
            with m.Case(Index.DIGIT):
                m.d.comb += entry.eq(digits.magnitude)
            with m.Case(Index.TURN):
                m.d.comb += entry.eq(self._multiple(sequencer.turn_of("multiple"), word))
        comes, part = self._words_in(held, digits, begins, sequencer.resting)
        address = Cat(word.part, entry)
        to, stores = address, word.store
        if self._coordinates:
            into = next(place.entry for name, place in self.program.places.items()
                        if name.startswith("in_"))
            coordinates = C(into, entry.shape())
            to = Mux(comes, Cat(part, self._part_above, coordinates), address)
            stores = comes | stores
        m.d.comb += [
            memory.a.address.eq(later(m, address, 1, "address")),
            memory.b.address.eq(later(m, to, 1, "to")),
            memory.b.write.eq(later(m, stores, 1, "store", reset_less=False)),
            memory.b.data.eq(Cat(Cat(digit, digit[-1].replicate(bits - RESULT_BITS))
                                 for digit in held.digits))]

        # -- Words out: ones alone for what is no point, or was computed wrongly.
        failed = self._failed(held, digits, sequencer)
        m.d.comb += [skid.i.valid.eq(held.o.valid), held.o.ready.eq(skid.i.ready),
                     skid.i.payload.eq(held.o.payload | failed.replicate(BASE))]
        return m

    #: What comes in, if it is not what comes to the core.
    _operands = None
    _entries = ()
    #: Above the lowest bit of the part of an entry that a number comes to.
    _part_above = C(0, 1)

    def _multiple(self, turn, word):
        """Return the entry of the multiple that a word of the microcode is about, in a turn."""
        return turn

    def _failed(self, held, digits, sequencer):
        """Return whether nothing but ones is sent."""
        m, failed = self.m, Signal(name="failed")
        with m.If(held.fails):
            m.d.sync += failed.eq(1)
        with m.Elif(digits.push):
            m.d.sync += failed.eq(0)
        return failed

    def _own(self, value, name):
        """Return a value a clock later, bit by bit in registers of its own."""
        return Cat(owned(self.m, bit, f"{name}_{index}") for index, bit in enumerate(value))

    def _registers(self, name, address, word, result):
        """Add a copy of the registers of some digits, and return what is read."""
        m = self.m
        m.submodules[f"registers_{name}"] = memory = Memory(
            shape=len(result), depth=self.program.timing.registers, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [read.addr.eq(address), write.addr.eq(word.target), write.en.eq(word.write),
                     write.data.eq(result)]
        return later(m, read.data, self.program.timing.fetch, f"read_{name}")

    def _words_in(self, held, digits, begins, resting):
        """Take words; return whether a coordinate came in just before, and which one it is."""
        m = self.m
        takes, ready, comes, part = (Signal(name=name, init=name == "ready")
                                     for name in ("takes", "ready", "comes", "part"))
        numbers, count = self._coordinates, self.core.prime.digits
        which = Signal(range(numbers + 1), name="which")
        place = Signal(range(count), name="place_in")
        ends = takes & (place == count - 1)
        word = self._intake(takes, ready)
        m.d.comb += [each.word.eq(word) for each in (digits, held)]
        of_scalar, ended, last = Signal(), Signal(), Signal()
        m.d.sync += [of_scalar.eq(takes & (which == 0)), held.pushes.eq(takes & (which != 0)),
                     ended.eq(ends & (which != 0) if numbers else ends),
                     last.eq(which == numbers),
                     digits.push.eq(of_scalar), comes.eq(ended), part.eq(last),
                     place.eq(after(place, count, takes))]
        rested = later(m, resting, 1, "rested", reset_less=False, init=1)
        with m.If(ends):
            m.d.sync += [which.eq(Mux(which == numbers, 0, which + 1)), ready.eq(which != numbers)]
        with m.Elif(resting & ~rested):
            m.d.sync += ready.eq(1)
        m.d.sync += begins.eq(self._begins(comes & part))
        return comes, part

    def _intake(self, takes, ready):
        """Have words be taken while it is ready; return what was taken two clocks ago."""
        self.m.d.comb += [takes.eq(self.i.valid & ready), self.i.ready.eq(ready)]
        return later(self.m, self.i.payload, 2, "word_in")

    def _begins(self, comes):
        """Return whether the program begins; the last number may have come in just before."""
        return comes

    def _constants(self, bits):
        """Return the memory's first contents: the point at infinity, and constants."""
        mask, words, count = (1 << bits) - 1, {}, self.core.prime.digits
        for name, number in self.params.constants.items():
            place = self.program.places[name]
            words[4 * place.entry + place.part] = sum(
                (digit & mask) << bits * at for at, digit in enumerate(to_digits(number, count)))
        return [words.get(at, 0) for at in range(1 + max(words))]

    def _control(self, held, digits, begins):
        """Add what goes through the microcode.

        Return the word that is fetched, the same a clock later, and the sequencer of segments.
        """
        m = self.m
        microcode, program = self.program.microcode, self.program.program
        m.submodules.sequencer = sequencer = Sequencer(program, self._entries)
        words, size = microcode.constants(), microcode.layout.size
        # Blocks of 2048 words or fewer hold all of their bits.
        paired = len(words) > 2048
        if paired:
            words = [low | high << size for low, high in itertools.zip_longest(
                words[::2], words[1::2], fillvalue=0)]
        m.submodules.microcode = rom = BlockRam(size << paired, len(words), words)
        word = Signal(microcode.layout, name="word")
        number, target = signals("number target", range(len(microcode.words)))
        turns = Signal(program.layout["turns"].shape)
        runs, moves, jumps, again, repeats = signals("runs moves jumps again repeats")
        found = rom.a.q
        if paired:
            is_high = later(m, number[0], BlockRam.LATENCY, "is_high")
            found = Mux(is_high, found[size:], found[:size])
        # From there it is far to all that a word controls.
        found = later(m, found, 1, "found")
        following, fetched = sequencer.following, data.View(microcode.layout, found)
        # After a reset the block RAM still gives what was read before.
        live = later(m, runs, 2 + BlockRam.LATENCY, "live", reset_less=False)
        more = later(m, turns != 1, 1, "more")
        m.d.sync += [word.eq(Mux(live, found, 0)), again.eq(live & fetched.ends & repeats),
                     sequencer.advance.eq(live & fetched.ends & ~repeats)]
        m.d.comb += [
            repeats.eq(Mux(sequencer.step.until == Until.IDLE, ~held.idle, more)),
            rom.a.address.eq(number[1:] if paired else number), sequencer.begin.eq(begins),
            moves.eq(sequencer.begin | sequencer.advance),
            digits.next.eq(moves & following.fields.digit)]
        with m.If(moves):
            m.d.sync += [runs.eq(~following.ends), turns.eq(following.fields.turns)]
        with m.Elif(again):
            m.d.sync += turns.eq(turns - 1)
        m.d.sync += [
            jumps.eq(moves | again),
            target.eq(Mux(again, sequencer.step.start, following.fields.start)),
            number.eq(Mux(jumps, target, number + runs))]
        return fetched, word, sequencer


def _check_divided(program, digits):
    """Refuse a program that asks for digits before a scalar is divided in halves, if it is."""
    before = itertools.takewhile(lambda step: not step[1], program.walk())  # digits are made
    clocks = sum(program.microcode.clocks[segment.name] for segment, *_ in before)
    if clocks < getattr(digits, "DIVIDED", 0):
        raise ValueError("The program makes digits of a scalar before it is divided")
