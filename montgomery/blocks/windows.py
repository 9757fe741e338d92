"""Exponentiation by fixed windows: which products there are, in which order, and by what digits.

The exponent is a number of digits of ``window`` bits. A table holds the powers of the base from 0
to ``2**window - 1``. From the highest digit on, each digit takes ``window`` squares and one product
with an entry of the table: entry 0 for a digit 0, so that all exponents of a length take the same
products. See Menezes, van Oorschot, Vanstone: Handbook of Applied Cryptography, Algorithm 14.82,
which leaves out the products with entry 0.

Hardware that follows the schedule reads the table at an address that depends on the exponent. Its
time does not, but its power and its emissions may tell the address. :class:`DigitSource` gives it
the digits.
"""

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..core import ceil_div
from .block_ram import BlockRam

__all__ = ["MOST_BITS", "DigitSource", "best_window", "digit_count", "digits_of", "power",
           "products"]

#: Bits of the longest window.
MOST_BITS = 6


def digit_count(bits, window):
    """Return the number of digits of an exponent of ``bits`` bits, at least one."""
    return max(ceil_div(bits, window), 1)


def digits_of(exponent, bits, window):
    """Return the digits of an exponent of ``bits`` bits, the highest one first."""
    return [exponent >> (window * index) & ((1 << window) - 1)
            for index in reversed(range(digit_count(bits, window)))]


def products(bits, window):
    """Return the number of products of :func:`power`: of the table, and of the digits."""
    return (1 << window) - 2 + (window + 1) * (digit_count(bits, window) - 1)


def best_window(bits):
    """Return the window with the fewest products for exponents of ``bits`` bits.

    A shorter one, whose table is smaller, is preferred if it takes up to a hundredth more.
    """
    counts = {window: products(bits, window) for window in range(1, MOST_BITS + 1)}
    return next(window for window in counts if 100 * counts[window] <= 101 * min(counts.values()))


def power(multiply, one, base, exponent, bits, window):
    """Return the power of ``base`` by fixed windows, for an exponent cut into digits by ``bits``.

    ``multiply`` returns the product of two elements, and ``one`` is the neutral one.
    """
    table = [one, base]
    while len(table) < 1 << window:
        table.append(multiply(table[-1], base))
    first, *others = digits_of(exponent, bits, window)
    result = table[first]
    for digit in others:
        for _ in range(window):
            result = multiply(result, result)
        result = multiply(result, table[digit])
    return result


class DigitSource(wiring.Component):
    """Keeps numbers in a block RAM, and gives the digits of one of them from the highest one.

    Bits of a digit are moved one by one, so that digits need not fit into words.

    Latency: the first digit is there :attr:`FIRST` + ``window`` clocks after ``rewind``, another
    one ``window`` + 1 clocks after ``next``. Throughput: one digit at a time.

    A number has so many ``words`` of ``width`` bits, 4 or more, of which the highest one comes
    first; a digit has ``window`` bits.
    """

    FIRST = 8

    def __init__(self, width, words, window, numbers=1):
        self.width, self.words, self.window, self.numbers = width, words, window, numbers
        super().__init__({
            # Keep a word; the words of one number follow those of the one before.
            "write": In(1), "index": In(range(numbers * words)), "word": In(width),
            "rewind": In(1),  # begin with the first digit again
            # With several numbers, in the clock of ``rewind``: of which one.
            **({"number": In(range(numbers))} if numbers > 1 else {}),
            # Go on to the next digit. Not before the one before it is there.
            "next": In(1),
            "digit": Out(window),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = BlockRam(self.width, max(self.numbers * self.words, 2))
        following = Signal(range(self.numbers * self.words + 1), name="following")
        # Bits of ``bits`` after the next one: -1 if there is one bit.
        left = Signal(range(-1, self.width - 1), name="left", init=-1)
        bits = Signal(self.width, name="bits", reset_less=True)
        digit = Signal(self.window, name="digit_bits")
        filling = Signal(self.FIRST - 2, name="filling")
        wanted = Signal(self.window, name="wanted")  # a one for each bit of the digit
        takes = wanted[0]
        m.d.sync += [
            memory.a.write.eq(self.write), memory.a.address.eq(self.index),
            memory.a.data.eq(self.word), filling.eq(Cat(self.rewind, filling)),
        ]
        m.d.comb += [memory.b.address.eq(following), self.digit.eq(digit)]
        m.d.sync += wanted.eq((wanted >> 1) | (filling[-1] | self.next).replicate(self.window))
        with m.If(takes):
            m.d.sync += [digit.eq(Cat(bits[-1], digit)), bits.eq(bits << 1), left.eq(left - 1)]
        with m.If(filling[-1] | (takes & (left < 0))):
            m.d.sync += [bits.eq(memory.b.q), left.eq(self.width - 2), following.eq(following + 1)]
        with m.If(self.rewind):
            starts = range(0, self.numbers * self.words, self.words)
            m.d.sync += [following.eq(Array(starts)[self.number] if self.numbers > 1 else 0),
                         wanted.eq(0)]
        return m
