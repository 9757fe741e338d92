"""A wide pipelined multiplier for a prime that is fixed when it is built."""

import dataclasses

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.banks import Pointer
from ..blocks.values import signals
from ..core import About, Core, Cycles, Traits, ceil_div, parameter
from ..core.fixed_modulus import FixedModulus
from ..kinds.multiplier import Multiplier, factors
from .datapath.core import FixedPrimeCore, dataflow
from .datapath.primes import PRIMES, WIDTHS, check_prime
from .datapath.ranges import BASE, to_digits, value
from .units.words import WideResult

__all__ = ["Parameters", "WideMultiplier"]


class WideMultiplier(Core):
    """A product modulo a prime by columns of 16 bits, on 32 to 64 multiplier blocks.

    Two or four digits of x are multiplied by all digits of y in a clock. Products are cut into
    halves of a digit, which are added in columns. A column that is complete is a quotient digit as
    it is, since the prime is -1 modulo 2**32, and is added to and subtracted from higher columns.
    Nothing is carried further than to the next digit. The signed digits of a result become the
    words of a number on their way out, where the prime is added.

    Nothing waits within a product, and up to three are under way. An operation begins when there is
    room for its result; the words of the next operation come meanwhile.

    **Latency.** From the last word of an operation to the first one of its result: a clock until
    both operands are there, 16 to 23 from digits to digits, and 4 to a word.

    **Throughput.** A product in as many clocks as it has words, and in no less than all digits of
    x take: 4, 8 or 12. With some widths of words in a few clocks more, since it waits for room.
    """

    @staticmethod
    def latency(params):
        """Return the clocks from the last word of an operation to the first one of its result."""
        return 1 + params.dataflow.latency + WideResult.LATENCY

    def elaborate(self, platform):
        m = Module()
        p, width, words = self.params, self.params.word_width, self.params.result_words
        digits = p.prime.digits
        m.submodules.core = core = FixedPrimeCore(p.dataflow)
        m.submodules.result = result = WideResult(p)
        m.submodules.place = place = Pointer(words)
        wiring.connect(m, result.o, wiring.flipped(self.o))

        # Much follows these, so they are registers.
        start, shifts, full = signals("start shifts full")
        ready = Signal(init=1)
        under_way = Signal(range(WideResult.PLACES + 1))
        # What is so in the next clock.
        fills, may_start = signals("fills may_start")
        count = under_way + start - result.done
        m.d.comb += [
            self.i.ready.eq(ready), place.step.eq(self.i.valid & ready),
            fills.eq((place.step & place.last) | (full & ~start)),
            may_start.eq((count != WideResult.PLACES) & self._paced(m, start))]
        m.d.sync += [full.eq(fills), start.eq(fills & may_start), ready.eq(~fills | may_start),
                     shifts.eq(place.step & ~place.last), under_way.eq(count)]

        # A word goes on to those before it, but for the last one; then both operands are there.
        for operand, target, word in zip("xy", (core.x, core.y), (self.i.payload[:width],
                                         self.i.payload[width:]), strict=True):
            before = Signal(width * (words - 1), name=f"{operand}_before", reset_less=True)
            newest = Signal(width, name=f"{operand}_newest", reset_less=True)
            number = Cat(before, newest)
            with m.If(ready):
                m.d.sync += newest.eq(word)
            with m.If(shifts):
                m.d.sync += before.eq(number[width:])
            m.d.comb += [target[index].eq(Cat(
                number[BASE * index:BASE * (index + 1) + (index == digits - 1)], C(0, 1)
            ).as_signed()) for index in range(digits)]
        m.d.comb += [core.start.eq(start), *(each.eq(start) for each in core.loads),
                     result.push.eq(core.valid)]
        m.d.comb += [result.digits[index].eq(core.result[index]) for index in range(digits)]
        return m

    def _paced(self, m, start):
        """Return whether an operation may begin in the next clock, if words alone take less time.
        """
        clocks = self.params.initiation
        if clocks == self.params.result_words:
            return C(1, 1)
        left = Signal(range(clocks))
        m.d.sync += left.eq(Mux(start, clocks - 1, left - (left != 0)))
        return ~start & (left <= 1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(FixedModulus, Multiplier):
    """Parameters of :class:`WideMultiplier`.

    The modulus belongs to the hardware: it is not sent, and operations with another one are
    refused. Results are the residue next to zero, or almost, plus the prime.

    Each of the digits that are multiplied in a clock takes 16 blocks, or 24 of 384 bits, for which
    there may be no more than two.
    """

    _about = About(
        source="Montgomery: Modular multiplication without trial division, for a prime whose "
               "columns of digits are quotient digits",
        summary="pipelined, on 32 to 64 multiplier blocks, for a prime that is fixed when it is "
                "built",
        uses_blocks=True,
        quick_width=WIDTHS[0])

    width: int = parameter(help="bits of the prime", minimum=WIDTHS[0], maximum=WIDTHS[-1])
    modulus: str = parameter("P-256", "name of the prime", choices=tuple(PRIMES))
    digits_per_clock: int = parameter(2, "digits of 16 bits that are multiplied in a clock",
                                      choices=(2, 4))

    def _check_parameters(self):
        check_prime(PRIMES[self.modulus], self.width, self.digits_per_clock)

    @property
    def dataflow(self):
        """The :class:`~.dataflow.Dataflow` of a product."""
        return dataflow(self.prime, self.digits_per_clock)

    @property
    def prime(self):
        """The :class:`~.primes.Prime`."""
        return PRIMES[self.modulus]

    @property
    def only_modulus(self):
        return self.prime.value

    @property
    def r(self):
        return 1 << self.width

    def bound(self, modulus):
        """Operands and results are below twice the modulus: signed digits of a result are so small
        that they stand for less than 0.633 R, which is added to the modulus.
        """
        return 2 * modulus

    @property
    def result_words(self):
        return ceil_div(self.width + 1, self.word_width)

    @property
    def initiation(self):
        """Clocks from one product to the next."""
        # From the start of an operation until the register that sends its result is free.
        held = WideMultiplier.latency(self) - 2 + self.result_words
        return max(self.result_words, self.dataflow.interval, ceil_div(held, WideResult.PLACES))

    @property
    def _traits(self):
        return Traits(initiation=self.initiation, products=(self.dataflow.products,))

    @property
    def operands(self):
        message = factors(self, side_by_side=True)
        # without the modulus
        return dataclasses.replace(message, fields=message.fields[:2])

    @property
    def cycles(self):
        words, compute = self.result_words, WideMultiplier.latency(self)
        return Cycles(load=words, compute=compute, unload=words,
                      interval=2 * words + compute - 1)

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        digits = self.dataflow.compute(*(to_digits(number, self.prime.digits)
                                         for number in (x, y)))
        result = modulus + value(digits)
        if (result * self.r - x * y) % modulus:
            raise ArithmeticError(f"what the dataflow computes for {self.prime.name} is no product")
        return result

    def create(self):
        return WideMultiplier(self)
