"""The multi-step multiplier: several iterations per clock."""

import dataclasses
import functools
import itertools

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from ..blocks.banks import Gather, WordBuffer
from ..blocks.carry_save import full_adder
from ..blocks.streams import Narrow, Widen
from ..core import About, Core, Cycles, Message, Traits, ceil_div, parameter
from ..kinds.multiplier import Multiplier, factors, modulus_field
from .array import FactorDigits, MultipleTables, StepArray
from .loader import OperandMover, StepResult

__all__ = ["LOOK_UP", "Parameters", "StepLayout", "StepMultiplier", "clocks"]

#: Bits of a digit whose multiples are looked up: a distributed RAM has 16 words (on ECP5, Nexus and
#: Gowin).
LOOK_UP = 4


class StepLayout:
    """Sizes of :class:`StepMultiplier`, for all that it is made of."""

    def __init__(self, params):
        self.width, self.word_width, self.steps = params.width, params.word_width, params.steps
        #: A result is reduced below the modulus.
        self.subtracts = params.subtraction == "final"
        #: Bits of an operand, and of a result.
        self.bits = params.width if self.subtracts else params.width + 1
        #: The logarithm of R: all iterations of the paper.
        self.r_bits = params.r.bit_length() - 1
        # Lower neighbours get the lowest ``steps`` columns of a PE in the clock in which they are
        # added; what these columns get from above must not be as late.
        least, word = max(params.pe_width, 2 * self.steps), self.word_width
        #: Columns of a processing element (PE), and bits per word inside.
        self.pe_width = min((part for part in range(least, word + 1) if word % part == 0),
                            default=word * ceil_div(least, word))
        #: Words inside per word of the streams, or 1; words of the streams per word inside, or 1.
        self.ratio, self.parts = max(word // self.pe_width, 1), max(self.pe_width // word, 1)
        #: Words of an operand inside, and at the ports.
        self.operand_words = ceil_div(self.bits, word * self.parts) * self.ratio
        self.port_words = self.operand_words * self.parts // self.ratio
        count = ceil_div(self.steps, LOOK_UP)
        edges = [ceil_div(self.steps * index, count) for index in range(count + 1)]
        #: Groups of the ``steps`` bits that are used up in a clock, lowest first, as ranges.
        self.groups = [range(low, high) for low, high in itertools.pairwise(edges)]
        #: Multiples of an operand in a table.
        self.entries = 1 << max(len(group) for group in self.groups)
        #: PEs above the head, which has the lowest ``steps`` columns. With a product of the next
        #: digit of x in it, the number is below 2**(bits + 2 steps + 1).
        self.elements = max(self.operand_words,
                            ceil_div(self.bits + self.steps + 1, self.pe_width))
        #: Digits of x, of ``steps`` bits: t, or t + 1 where there is a remainder r.
        self.digits = ceil_div(self.r_bits, self.steps)
        #: Clocks of the head: two for the first product to reach it, then one per digit.
        self.iterations = self.digits + 2
        #: Words that have come when an operation begins to move. All others are in time if one
        #: comes every ``parts`` clocks, though they move on at one per clock.
        self.ahead = 1 + ceil_div((self.operand_words - 1) * (self.parts - 1), self.parts)
        #: Words of an operation may take longer than its iterations. Then an operation starts when
        #: the result before has left: operations follow at one rate, whether they send both
        #: operands, one of them, or none.
        self.slow_port = self.parts > self.iterations + 6


#: From the clock in which a word comes to the one in which it is on its way to its PE: it is
#: written, looked up, and chosen.
_MOVE = 3
#: From the start of an operation to the one of its first iteration, and from the last one to the
#: first word that is gathered: each time the registers of digit and head.
_ITERATION = 3


def clocks(layout):
    """Return the Cycles of a multiplication, and the clocks between independent results."""
    g, words = layout, layout.operand_words
    # Words come from the port at once, one clock after they were joined, or cut in many clocks.
    converted = (g.ratio if g.ratio > 1 else 0) + (g.parts > 1)
    # From the first word on its way to the start: x, or y and its multiples.
    moving = max(words, g.entries) - 1
    # From the start.
    done = g.iterations + _ITERATION
    gathered = done + Gather.latency_of(words + 1)
    if g.subtracts:
        # The last word decides, a clock after the subtraction.
        kept = gathered + max(words, 2)
        ready = gathered + max(words + 2, 2 + WordBuffer.LATENCY)
    else:
        kept = gathered + 1
        ready = gathered + 1 + WordBuffer.LATENCY
    # The last word has left the buffer, or the core.
    empty = ready + g.parts * (words - 1) + g.slow_port * (1 + g.parts)
    load = words * g.parts - (g.ratio - 1)
    # From the last word of an operation to its start.
    start = converted - g.parts * (words - g.ahead) + _MOVE + moving
    return Cycles(
        # A key moves when all of it is there, and the next task comes when its tables are full.
        load_key=load + converted + max(words - 1, g.entries + 1) + _MOVE,
        load=load, compute=start + ready + converted, unload=load,
        interval=max(kept + _MOVE + moving, empty)), max(done + _MOVE + moving, empty)


class StepMultiplier(Core):
    """Algorithm 3, with ``steps`` of its iterations per clock, as another recurrence.

    Each iteration of the paper adds y if the next bit of x is 1, adds the modulus if the sum is odd
    then, and halves the sum. In the end the modulus is subtracted once, if the sum is not below it:
    this is ``subtraction=final``, with R = 2**``width``. With ``subtraction=never`` there are two
    iterations more, R is four times as large, and sums below twice the modulus are operands again.

    The paper does s = ``steps`` of these iterations in a clock, one behind the other (Section 3.2),
    and each of them adds y before it looks at the lowest bit of the sum. The array here finds
    the same result by another recurrence, which takes two clocks more than x has digits.

    With k iterations the paper does s of them in each of t = k // s clocks by its Main structure,
    and the k - s t that remain in one more clock by its Remainder structure. Here the remaining
    ones come first, behind iterations that fill up their clock: an iteration on a bit 0 changes
    nothing while the sum is 0. That makes t clocks, or t + 1, as in the paper.

    **Latency.** From the last word of an operation to the first one of its result there are also

    - 6 registers in front of the first iteration; more if tables are filled longer than words come;
    - the 2 clocks of the recurrence, until the first product has come down to the lowest digit;
    - behind the last iteration 2 registers, the gathering of words from all over the array, and 4
      clocks of the buffer of results;
    - with ``subtraction=final`` a clock per word, since only the highest word tells whether the
      modulus is subtracted.

    **Throughput.** Words of the next operation come while the array works, and move into it after
    the last iteration, a word per clock. The result stays in the core, and may be either operand of
    the next operation or both. An operation starts when the result before has been handed over.

    **Keys.** The multiples of the modulus are made once per key, by the adders that make those of
    y. A key waits until no operation is under way.

    The circuit differs from the CSA_Montgomery unit of Figures 2 and 3 in two more respects. The
    sum is in carry-save form between words instead of bits, since a carry chain takes one look-up
    table per bit and a full adder takes two. Each word works one clock after the word below it.

    Up to four steps are one: the lowest bits of the sum look up the multiple of the modulus that
    makes them 0, and bits of x look up a multiple of y. The paper has no tables: each of its steps
    adds y and the modulus by gates.

    The path through a processing element is two carry chains long. The path from one quotient to
    the next one has a table and a carry chain for each group of up to four steps.
    """

    def __init__(self, params):
        super().__init__(params)
        self.layout = params.layout

    def elaborate(self, platform):
        m = Module()
        g = self.layout
        m.submodules.mover = mover = OperandMover(g)
        m.submodules.digits = digits = FactorDigits(g)
        m.submodules.result = result = StepResult(g)
        array = StepArray(m, g, digits, MultipleTables(m, g, mover, digits))

        occupied = Signal()  # by an operation that moves in, waits or runs
        m.d.sync += occupied.eq((occupied | mover.launch) & ~digits.done)
        wiring.connect(m, wiring.flipped(self.k), mover.k)
        wiring.connect(m, wiring.flipped(self.i), mover.i)
        wiring.connect(m, mover.moved, digits.moved, result.moved)
        m.d.comb += [
            mover.idle.eq(~(occupied | result.busy)), mover.free.eq(~occupied),
            mover.result_readable.eq(result.readable), mover.start.eq(digits.start),
            mover.result.eq(result.kept),
            digits.reserved.eq(result.reserved | (self.o.valid if g.slow_port else 0)),
            result.start.eq(digits.start), result.done.eq(digits.done),
            result.head.eq(array.head), result.read.eq(mover.read),
        ]
        m.d.comb += [result.numbers[v].eq(array.numbers[v]) for v in range(g.operand_words)]
        words = result.o
        if g.ratio > 1 or g.parts > 1:
            m.submodules.converter = converter = (
                Widen(g.pe_width, g.ratio) if g.ratio > 1 else Narrow(g.word_width, g.parts))
            wiring.connect(m, words, converter.i)
            words = converter.o
        wiring.connect(m, words, wiring.flipped(self.o))
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Multiplier):
    """Parameters of :class:`StepMultiplier`.

    Parameters
    ----------
    subtraction : :class:`str`
        ``"final"`` is as in the paper. With ``"never"`` R is four times as large, so that no result
        waits until its highest word has decided.
    pe_width : :class:`int`
        There are as many columns as fit ``word_width`` and are ``2 * steps`` or more.
    """

    _about = About(
        source="Zhang, Dong: A high speed Montgomery processor of 256-bit on FPGA; Algorithm 3 "
               "(multi-step), Figures 2 and 3",
        summary="any number of radix-2 iterations per clock")

    steps: int = parameter(4, "iterations per clock; at most width", minimum=1, maximum=4096)
    subtraction: str = parameter("never", "results are below twice the modulus (never), or reduced "
                                 "by a subtraction (final)", choices=("never", "final"))
    pe_width: int = parameter(16, "least number of columns per processing element", minimum=1,
                              maximum=256)

    def _check_parameters(self):
        if self.steps > self.width:
            raise ValueError(f"Steps must be at most the width {self.width}, not {self.steps}; the "
                             f"nearest legal value is {self.width}")

    @functools.cached_property
    def layout(self):
        """:class:`~.multiplier.StepLayout` of the hardware."""
        return StepLayout(self)

    @property
    def r(self):
        return 1 << (self.width if self.subtraction == "final" else self.width + 2)

    def bound(self, modulus):
        """Operands and results are below the modulus, or below twice the modulus."""
        return modulus if self.subtraction == "final" else 2 * modulus

    @property
    def cycles(self):
        return clocks(self.layout)[0]

    @property
    def _traits(self):
        return Traits(initiation=clocks(self.layout)[1], keeps_results=True,
                      reach=1 if self.subtraction == "final" else 2)

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        count = self.layout.r_bits
        t, r = divmod(count, self.steps)
        s = c = 0
        bits = iter(x >> index & 1 for index in range(count))
        # A clock of Main each, and at last one of Remainder. The hardware begins with r steps, on
        # the lowest bits of x: the steps are the same, in the same order.
        for steps in [self.steps] * t + [r] * (r > 0):
            for _ in range(steps):
                # a <- p + x[i] y
                s, c = full_adder(s, c, y if next(bits) else 0)
                c <<= 1
                # p <- a / 2, or (a + m) / 2 where a is odd
                s, c = full_adder(s, c, modulus if (s ^ c) & 1 else 0)
                s >>= 1  # c has twice the weight of s: halving both leaves it where it is
        p = s + c
        return p - modulus if self.subtraction == "final" and p >= modulus else p

    @property
    def result_words(self):
        return self.layout.port_words

    @property
    def operands(self):
        return factors(self, side_by_side=True)

    @property
    def key_operands(self):
        return Message(self.word_width, (modulus_field(self),))

    def create(self):
        return StepMultiplier(self)
