"""Digits of a scalar for secp256k1 in two halves: how it is divided, and what divides it.

Gallant, Lambert, Vanstone: Faster point multiplication on elliptic curves with efficient
endomorphisms, CRYPTO 2001. With (x, y) also (beta x, y) is a point of the curve: its multiple by
lambda. So a scalar may be any two halves, k = first + lambda second modulo the order n, and there
are such with hardly more than half of the bits.
"""

import dataclasses
import itertools

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In

from ...blocks.block_ram import BlockRam
from ...blocks.values import later, signals
from ...core import from_words, to_words
from ...numbers.catalogue import WEIERSTRASS
from ..datapath.core import HeldProduct
from ..datapath.primes import DIGITS, KOBLITZ
from ..datapath.ranges import BASE
from .scalar_digits import WINDOW, DigitMaker, magnitude, signed_digits

__all__ = ["BETA", "BITS", "FIRST", "LAMBDA", "SECOND", "WORDS", "ScalarHalves", "Step",
           "half_digits", "halves", "steps"]

_CURVE = WEIERSTRASS[KOBLITZ.name]


def _cube_roots(modulus):
    """Return the two numbers other than 1 whose cube is 1 modulo a prime."""
    powers = (pow(base, (modulus - 1) // 3, modulus) for base in itertools.count(2))
    root = next(power for power in powers if power != 1)
    return root, root * root % modulus


def _short_pairs(modulus, factor):
    """Return two short pairs of numbers a, b with a + factor b = 0, by Euclid's algorithm."""
    longer, shorter = (modulus, 0), (factor, -1)
    while shorter[0]**2 > modulus:
        times = longer[0] // shorter[0]
        longer, shorter = shorter, tuple(a - times * b for a, b in zip(longer, shorter,
                                                                       strict=True))
    return shorter, longer


#: By which first coordinates are multiplied, and points.
BETA, _ = _cube_roots(_CURVE.p)
LAMBDA = next(root for root in _cube_roots(_CURVE.n) if _CURVE.multiply(root, _CURVE.base)
              == (BETA * _CURVE.gx % _CURVE.p, _CURVE.gy))

#: Bits of a half, as windows have them; the highest one is its sign.
BITS = 26 * WINDOW
#: Words of a half.
WORDS = 9

_SHORT = _short_pairs(_CURVE.n, LAMBDA)
#: k b / n is the sum of the columns of the product of k and b / n from column ``_COLUMN +
#: _GUARD`` on: ``_QUOTIENT`` words. Columns from ``_COLUMN`` on give it their carries.
_COLUMN, _GUARD, _QUOTIENT = DIGITS - 1, 2, 8

#: Where words are: the scalar, for each of the two numbers ``_GUARD`` useless ones and
#: ``_QUOTIENT`` others, and the halves, times 2, each with ``_REST`` words that are carried out.
_QUOTIENTS = tuple(DIGITS + turn * (_GUARD + _QUOTIENT) + _GUARD for turn in range(2))
_REST = 2
FIRST = DIGITS + 2 * (_GUARD + _QUOTIENT)
SECOND = FIRST + WORDS + _REST


@dataclasses.dataclass(frozen=True)
class Step:
    """A product of two words."""

    source: int  # where the first word is
    factor: int  # the second word
    # The column is complete: its lowest word goes to the next place, and the rest is carried.
    ends: bool


def steps():
    """Return the list of :class:`Step` by which a scalar is divided.

    The scalar k is (k, 0) as a pair. Its coordinates for the short pairs are k b / n and -k b / n,
    with b of the other pair. Those are rounded down, and the multiples of the pairs subtracted.
    """
    n, columns = _CURVE.n, []
    for b in (_SHORT[1][1], -_SHORT[0][1]):
        of_scalar = to_words((b << BASE * (_COLUMN + _GUARD)) // n, BASE, WORDS)
        columns += [[(column - place, word) for place, word in enumerate(of_scalar)
                     if 0 <= column - place < DIGITS] or [(0, 0)]
                    for column in range(_COLUMN, _COLUMN + _GUARD + _QUOTIENT)]
    for half in range(2):
        multiples = [to_words(-2 * pair[half], BASE, WORDS) for pair in _SHORT]
        for column in range(WORDS):
            products = [] if half else [(column, 2)]
            for first, words in zip(_QUOTIENTS, multiples, strict=True):
                products += [(first + place, words[column - place])
                             for place in range(min(column + 1, _QUOTIENT))]
            columns.append(products)
        columns += [[(0, 0)]] * _REST
    return [Step(source, factor, place == len(column) - 1) for column in columns
            for place, (source, factor) in enumerate(column)]


def halves(scalar):
    """Return the halves of a scalar below 2**256, by the steps of the hardware."""
    memory, total = to_words(scalar, BASE, DIGITS), 0
    for step in steps():
        total += memory[step.source] * step.factor
        if step.ends:
            memory.append(total & (1 << BASE) - 1)
            total >>= BASE
    found = []
    for first in (FIRST, SECOND):
        twice = from_words(memory[first:first + WORDS], BASE)
        found.append((twice >> 1) - (twice >> BASE * WORDS - 1 << BASE * WORDS - 1))
    return found


def half_digits(scalar):
    """Return the digits of the halves of a scalar by turns, the highest first: pairs of the
    magnitude and whether it is negative.
    """
    rows = [signed_digits(half, BITS) for half in halves(scalar)]
    return [(abs(digit), digit < 0) for pair in zip(*rows, strict=True) for digit in pair]


#: Bits of the number of a step; steps that do nothing follow the last one.
_STEP_BITS = 9
#: Bits of the sum of a column.
_TOTAL_BITS = 36
#: Words that there is room for.
_DEPTH = 64
#: Clocks from which word it is to the word.
_READ = 1 + BlockRam.LATENCY


class ScalarHalves(DigitMaker):
    """Keeps a scalar, divides it as :func:`halves` says, and gives a digit of each half at a time.

    Digits are as those of :class:`~.scalar_digits.ScalarDigits`. All words are in a block RAM, and
    one block multiplies them: a step in two clocks.

    Latency: :attr:`DIVIDED` clocks from the last word until digits may be asked for, and
    :attr:`LATENCY` from ``next`` to the digits. Throughput: two digits in as many.
    """

    DIVIDED = 1 << _STEP_BITS + 1
    LATENCY = WINDOW + 9

    def __init__(self):
        # Whether the magnitude, and the sign, are those of the digit of the second half in the
        # next clock.
        super().__init__(range((1 << WINDOW - 1) + 1), magnitude_of=In(1), negative_of=In(1))

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = BlockRam(BASE, _DEPTH)
        to, turn = Signal(range(_DEPTH)), Signal(range(self.DIVIDED), reset_less=True)
        divides = Signal()
        source, total, ends = self._total(m, words.a.q, turn, divides)
        with m.If(self.push | ends):
            m.d.sync += to.eq(to + 1)
        with m.If(self.push & (to == DIGITS - 1)):
            m.d.sync += [divides.eq(1), turn.eq(0)]
        with m.Elif(divides):
            m.d.sync += turn.eq(turn + 1)
            with m.If(turn.all()):
                m.d.sync += [divides.eq(0), to.eq(0)]
        row = self._digits(m, (words.a.q, words.b.q))
        row, second = (later(m, row + first - FIRST, 1, f"row_{half}")
                       for half, first in enumerate((FIRST, SECOND)))
        for port, value, name in (
                (words.a.address, Mux(divides, source, row), "first"),
                (words.b.address, Mux(self.push | ends, to, second), "to_or_second"),
                (words.b.write, self.push | ends, "write"),
                (words.b.data, Mux(ends, total[:BASE], self.word), "data")):
            m.d.comb += port.eq(later(m, value, 1, name, reset_less=name != "write"))
        return m

    def _total(self, m, word, turn, divides):
        """Return which word is multiplied, the sum of a column, and whether it ends."""
        layout = data.StructLayout({"source": range(_DEPTH), "factor": BASE, "ends": 1})
        constants = [layout.const(dataclasses.asdict(step)).as_value().value
                     for step in steps()]
        m.submodules.steps = rom = BlockRam(layout.size, self.DIVIDED // 2, constants)
        step = data.View(layout, rom.a.q)
        m.submodules.product = product = HeldProduct()
        column, total = signals("column total", _TOTAL_BITS)
        m.d.comb += [rom.a.address.eq(turn[1:]), product.load.eq(1), product.x.eq(word),
                     product.y.eq(later(m, step.factor, _READ, "factor"))]
        # From a turn to the sum: the step, its word, the block and a register.
        clocks = BlockRam.LATENCY + _READ + 3 + 1
        added = later(m, divides & ~turn[0], clocks, "added", reset_less=False)
        last = later(m, step.ends, clocks - BlockRam.LATENCY, "last")
        m.d.sync += total.eq(column + product.p[:2 * BASE])
        with m.If(added):
            m.d.sync += column.eq(Mux(last, total >> BASE, total))
        return step.source, total, added & last

    def _digits(self, m, words):
        """Make digits of words of both halves; return where the word of the first one is."""
        at = Signal(range(BASE * _DEPTH), reset_less=True)
        left = Signal(range(WINDOW + 2))
        first = Signal()
        with m.If(self.push):
            m.d.sync += [at.eq(BASE * FIRST + BITS), first.eq(1)]
        with m.Elif(left.any()):
            m.d.sync += [at.eq(at - 1), left.eq(left - 1)]
        with m.Elif(self.next):
            # Of halves times 2 a digit takes one bit more at first, and has the one below always.
            m.d.sync += [left.eq(Mux(first, WINDOW + 1, WINDOW)), first.eq(0)]
        column = later(m, at[:4], 1 + _READ, "column")
        found = later(m, left.any(), 1 + _READ + 2, "found", reset_less=False)
        digits = []
        for half, word in enumerate(words):
            part = later(m, word.word_select(column[2:], 4), 1, f"part_{half}")
            bit = later(m, part.bit_select(later(m, column[:2], 1, f"in_part_{half}"), 1), 1,
                        f"bit_{half}")
            bits = Signal(WINDOW + 1, name=f"bits_{half}", reset_less=True)
            with m.If(found):
                m.d.sync += bits.eq(Cat(bit, bits))
            digits.append([later(m, value, 1, f"{name}_{half}") for name, value in (
                ("magnitude", magnitude(bits)), ("negative", bits[-1]))])
        for out, of, values in zip((self.magnitude, self.negative),
                                   (self.magnitude_of, self.negative_of),
                                   zip(*digits, strict=True), strict=True):
            m.d.comb += out.eq(later(m, Mux(of, *reversed(values)), 1, f"{out.name}_chosen"))
        return at[4:]
