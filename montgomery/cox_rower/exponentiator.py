"""RSA in a residue number system: the Cox-Rower, from digits to digits."""

import dataclasses
import functools
import itertools
import math

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.program import Sequencer
from ..blocks.streams import Skid
from ..blocks.values import signals
from ..blocks.windows import DigitSource, digit_count
from ..core import About, Core, Cycles, Field, Message, Traits, ceil_div, parameter, plural
from ..kinds.exponentiator import (
    CONSTANT_TIME,
    Exponentiator,
    exponent_fields,
    exponent_length,
    length_number,
)
from .control import ControlProgram, Layout
from .divider import KeyDivider
from .front import Front
from .microcode import Adds, After, Digits, Places, RowerModel, Run, microcode, runs_of
from .multiplier import PAPER, RowerParameters, listed
from .result import Correction, ResultGate
from .ring import Load, RowerRing
from .rower import products
from .schedule import schedules

__all__ = ["CoxRowerCore", "DigitParameters", "Parameters"]


class CoxRowerCore(Core):
    """RSA in a residue number system, on parallel units in a ring, the Rowers: Figures 4 and 5.

    A number is the list of its remainders modulo the elements of two bases, A and B. When a key has
    come, a divider finds what the product of base B and its square are modulo the modulus, and the
    Rowers find the inverse of the modulus modulo the elements of base B; all of this stays with the
    key. For a message, the base of the power is converted to remainders, brought into Montgomery's
    form, and raised to the exponent by windows of some bits: as many squares and one product for
    each digit of so many bits, whatever the digit. The power leaves Montgomery's form, is converted
    to an ordinary number, and is corrected to below the modulus.

    With CRT, all is done modulo p first and then modulo q, on the same Rowers. A message is
    converted to remainders in both bases together. Montgomery's reduction of it gives a number
    below twice the factor, which the cube of B brings into Montgomery's form; the paper divides the
    message by the factor instead. The two powers are each multiplied by the inverse of the other
    factor, and then by that factor, and added; the sum is converted from both bases together, and
    corrected to below p q.

    The paper's LSI (Table 1) does RSA without and with CRT on the same Rowers. So does
    ``rsa_crt.cox_rower`` with ``keys="both"``.

    With a check, the result is raised to the public exponent, which brings the message back unless
    there was a fault; the result leaves after that, or ones instead.

    Latency: for each digit of the exponent, as many multiplications as it has bits and one more, by
    each factor; beside these, the powers, the conversions and the correction. Throughput: one
    operation at a time; the words of the next message are taken while the result is handed over.
    """

    def elaborate(self, platform):
        m = Module()
        p, at = self.params, self.params.places
        slots = p.bases[-1].n // p.u
        m.submodules.front = front = Front(p)
        ring = RowerRing(p, loads=(Load(at.unit, 2 * at.loaded * slots),
                                   Load(at.digits, (1 + at.crt) * slots)))
        self._operations(m, front, ring)
        m.submodules.ring = ring
        m.submodules.correction = correction = Correction(
            p.word_width, p.sets[0].reduction.width, p.result_words, doubles=at.crt)
        m.submodules.result = result = Skid(p.word_width)
        for source, target in ((wiring.flipped(self.i), front.i), (wiring.flipped(self.k), front.k),
                               (front.modulus, correction.modulus), (front.rows, ring.i),
                               (ring.sum, correction.i)):
            wiring.connect(m, source, target)
        gives = correction.o.valid
        if p.checks:
            m.submodules.gate = gate = ResultGate(p.word_width, p.result_words)
            for source, target in ((correction.o, gate.i), (gate.copy, front.copy),
                                   (gate.o, result.i)):
                wiring.connect(m, source, target)
            m.d.comb += [gate.message.payload.eq(self.i.payload),
                         gate.message.valid.eq(self.i.valid & self.i.ready)]
            gives = gate.gives
        else:
            wiring.connect(m, correction.o, result.i)
        m.d.comb += [ring.load.eq(front.is_message), front.ready.eq(self.o.valid),
                     front.gives.eq(gives | result.o.valid)]
        last_sums = [(1 + at.crt) * bases.n - 1 for bases in p.bases]
        if len(last_sums) == 1:
            m.d.comb += correction.last_sum.eq(last_sums[0])
        else:
            with m.If(~front.gives):  # the next key may come while digits go out
                m.d.sync += correction.last_sum.eq(Array(last_sums)[front.set])

        # -- A result waits until the Rowers have nothing to do, but not for those of the next key.
        free, was_free = signals("free was_free")
        m.d.sync += was_free.eq(result.o.valid & free)
        m.d.comb += [free.eq(ring.i.ready | was_free), self.o.payload.eq(result.o.payload),
                     self.o.valid.eq(result.o.valid & free),
                     result.o.ready.eq(self.o.ready & free)]
        return m

    def _operations(self, m, front, ring):
        """Go through the microcode: say what the Rowers multiply, an operation after the other."""
        p, at = self.params, self.params.places
        entries = ["message", "key", *["single message", "single key"] * p.single_too]
        m.submodules.sequencer = sequencer = Sequencer(p.microcode, entries)
        step, factor = sequencer.step, sequencer.turn_of("factor")
        advance, word = Signal(name="advance"), front.header
        m.d.sync += advance.eq(ring.takes)
        m.d.comb += [sequencer.entry.eq(Cat(front.is_key, front.single) if p.single_too else
                                        front.is_key),
                     sequencer.begin.eq(front.begin), sequencer.advance.eq(advance),
                     word.ready.eq(1)]

        # -- The header of a key, which has words of several fields.
        *starts, total = itertools.accumulate(p.header.values(), initial=0)
        fields = dict(zip(p.header, zip(starts, p.header.values(), strict=True), strict=True))
        place = Signal(range(total), name="place")
        with m.If(word.valid):
            m.d.sync += place.eq(Mux(place == total - 1, 0, place + 1))

        def is_of(start, words):
            return word.valid & (place >= start) & (place < start + words)

        def given(loop, name):
            """Let a loop have as many turns as a field says; return the number of the last one."""
            count = Signal(p.header[name] * p.word_width, name=name, reset_less=True)
            last = Signal.like(sequencer.last[loop], name=f"last_{loop}")
            with m.If(is_of(*fields[name])):
                m.d.sync += count.eq(Cat(count, word.payload)[p.word_width:])
            m.d.sync += last.eq(count - 1)
            m.d.comb += sequencer.last[loop].eq(last)
            return last

        def source_of(name, window, rewind, following, numbers=1):
            """Return what gives the digits of a field, as the steps say."""
            start, words = fields[name]
            m.submodules[name] = source = DigitSource(p.word_width, words, window, numbers)
            m.d.comb += [source.write.eq(is_of(start, numbers * words)),
                         source.index.eq(place - start), source.word.eq(word.payload)]
            m.d.sync += [source.rewind.eq(advance & (step.digits == rewind)),
                         source.next.eq(advance & (step.digits == following))]
            return source

        only = Signal(name="only_digit")
        m.d.sync += only.eq(given("digit", "digits") == 0)
        source = source_of(p.exponents[0], at.window, Digits.REWIND, Digits.NEXT, len(p.exponents))
        if at.crt:
            m.d.comb += source.number.eq(factor)
        if p.checks:
            given("public", "public_digits")
            public = source_of("public", 1, Digits.REWIND_PUBLIC, Digits.NEXT_PUBLIC)
            m.d.comb += sequencer.condition.eq(~public.digit)

        # -- The operation that follows.
        runs, sizes = len(p.programs[0]), len(p.programs)
        following = Signal(ring.layout.operation(runs), name="following")
        with m.If(advance):
            m.d.sync += ring.more.eq(step.after == After.RUN)
        power = Signal(range(at.count), name="power", reset_less=True)
        m.d.sync += power.eq(Mux(source.digit == 0, at.one + factor, at.powers + source.digit))
        for name in ("target", "x", "y"):
            found = Signal(range(at.count), name=f"next_{name}", reset_less=True)
            place_of = step[name].place
            with m.Switch(step[name].adds):
                with m.Case(Adds.NOTHING):
                    m.d.sync += found.eq(place_of)
                with m.Case(Adds.FACTOR):
                    m.d.sync += found.eq(place_of + factor)
                with m.Case(Adds.ENTRY):
                    m.d.sync += found.eq(place_of + sequencer.turn_of("entry"))
                with m.Case(Adds.POWER):
                    m.d.sync += found.eq(power)
                with m.Case(Adds.RESULT):
                    m.d.sync += found.eq(Mux(only, power, at.y))
            m.d.comb += following[name].eq(found)
        key = Signal(range(at.count), name="next_key", reset_less=True)
        m.d.sync += key.eq(at.key + factor)
        m.d.comb += [following.key.eq(key), following.last.eq(step.after != After.SAME),
                     following.program.eq(step.run), ring.next.eq(following)]
        # Programs of a size are numbered from its first one on.
        program = Signal(range(runs * sizes), name="program")
        m.d.sync += program.eq(following.program + Array(range(0, runs * sizes, runs))[front.set])
        m.d.comb += ring.next.program.eq(program)


@dataclasses.dataclass(frozen=True, kw_only=True)
class DigitParameters(RowerParameters):
    """Parameters of a :class:`CoxRowerCore`, beside those of its kind.

    All numbers are digits. What depends on a modulus or factor alone is found when the key has
    come, so that the paper's times are those of ``cycles.compute``. That time depends on the length
    of the exponents, in digits of ``window`` bits, and on which size of bases it is; that of the
    key on the lengths of the moduli, in words. Exponents may be 64 bits longer than a modulus, for
    a host that blinds them. The paper has a ``window`` of 4 bits.
    """

    #: Inputs that are exponents, two with CRT. With CRT: whether keys without are taken too, and
    #: whether results are checked before they leave the core.
    exponents, single_too, checks = ("exponent",), False, False

    window: int = parameter(5, "bits of a digit of the exponent", minimum=1, maximum=6)

    @functools.cached_property
    def places(self):
        """The :class:`~montgomery.cox_rower.microcode.Places` of numbers."""
        return Places(self.window, crt=len(self.exponents) > 1)

    @functools.cached_property
    def microcode(self):
        """What is done, as :func:`montgomery.cox_rower.microcode.microcode`."""
        return microcode(self)

    @functools.cached_property
    def programs(self):
        sizes, at = tuple(bases.n for bases in self.bases), self.places
        layouts = [Layout(sizes, self.u, at.count, index, converts=True, crt=at.crt)
                   for index in range(len(sizes))]
        return [[ControlProgram(plan, layout) for plan in
                 schedules(layout.n, self.u, self.latency, crt=at.crt)] for layout in layouts]

    @property
    def header(self):
        """The fields of a key that say what is done, in order, with their words."""
        names = ("digits", *self.exponents, "public_digits", "public")
        return {field.name: field.words for field in self.key_operands.fields
                if field.name in names}

    @property
    def header_words(self):
        """Words of a key before those of the factors."""
        return self.single_too + sum(self.header.values())

    @property
    def result_words(self):
        return self.bases[-1].n * (1 + self.places.crt)

    @functools.cached_property
    def _traits(self):
        return Traits(
            coprime_to=math.prod(bases.b_product for bases in self.bases),
            products=products(self.u, self.word_width, self.sets[0].reduction),
            single_factor=self.single_too, checks=self.checks,
            advice=f"{CONSTANT_TIME} It counts in digits of {plural(self.window, 'bit')}. The time "
                   "that a key takes depends on the words of the modulus, or of p and of q.")

    def index_of(self, factors):
        """Return which bases a key takes: the first ones for which all factors have few words."""
        words = ceil_div(max(factors).bit_length(), self.word_width)
        return next((index for index, bases in enumerate(self.bases[:-1])
                     if words <= bases.bits // bases.r), len(self.bases) - 1)

    def walks(self, factors, bits, public=1):
        """Return the steps for a key of one or two factors, and those for a message, as iterators.

        Exponents have so many bits; the public one is for a check.
        """
        name = "single " if self.places.crt and len(factors) == 1 else ""
        digits = f"{public:b}"
        last = {"digit": digit_count(bits, self.window) - 1, "public": len(digits) - 1}
        return [self.microcode.walk(last, lambda turns: digits[turns["public"]] == "0",
                                    f"{name}{entry}") for entry in ("key", "message")]

    def _clocks(self, factors, bits, public=1):
        """Return the :class:`montgomery.Cycles` of an operation with exponents of some bits."""
        at, number, words = self.places, self.index_of(factors), self.result_words
        programs, n = self.programs[number], self.bases[-1].n
        keys, runs = map(runs_of, self.walks(factors, bits, public))
        computed = [after for *_, after in runs].index(After.LOAD)

        def clocks(runs):
            return sum(programs[run].clocks(times) + RowerRing.AGAIN for run, times, _ in runs)

        start = KeyDivider.READ + RowerRing.START - RowerRing.AGAIN
        divisions = sum(KeyDivider.clocks(self.bases[number], factor) for factor in factors)
        loads = sum(after is After.LOAD for *_, after in keys)
        load_key = self.k_words + divisions + loads * (2 * at.loaded * n + start) + clocks(keys)
        to_digits = programs[Run.TO_DIGITS]
        # From the last run to the last subtraction; with few elements, the run ends later.
        corrected = (to_digits.lead + to_digits.drained + self.u
                     + (1 + at.crt) * words + Skid.LATENCY + 2)

        def computing(runs):
            return words + start + clocks(runs) + RowerRing.AGAIN

        idle, compute = to_digits.clocks(1), computing(runs[:computed])
        if self.checks:
            # The result goes to the Rowers when they have nothing to do, and its power to the gate.
            compute += max(corrected + words - 1, idle) + computing(runs[computed + 1:-1])
            compute += max(corrected + words + ResultGate.READ, idle)
        else:
            compute += max(corrected, idle)
        return Cycles(load_key=load_key, load=words, compute=compute, unload=words,
                      interval=words + compute)

    def create(self):
        return CoxRowerCore(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(DigitParameters, Exponentiator):
    """Parameters of a :class:`CoxRowerCore` without CRT."""

    _about = About(
        source=f"{PAPER}; Figures 3 and 4",
        summary="residue number system with windows on parallel units in a ring",
        uses_blocks=True)

    @property
    def key_operands(self):
        n, r = self.bases[0].n, self.word_width
        digits, fields = exponent_fields(self.exponents, self.exponent_limit, r, self.window)
        modulus = Field("modulus", n, "the modulus m", filler=(1 << r * n) - 1)
        return Message(r, (*fields, modulus),
                       (listed("B", self.bases[0].b), length_number(self), digits))

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        self._check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent)
        return RowerModel(self, [modulus]).run(base, [exponent], bits)

    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        return self._clocks([modulus], exponent_length(exponent_bits, exponent))
