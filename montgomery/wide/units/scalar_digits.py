"""Digits of a scalar, the highest one first, each with a sign."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ...blocks.values import after, later
from ...core import ceil_div
from ..datapath.primes import DIGITS
from ..datapath.ranges import BASE

__all__ = ["TEETH", "WINDOW", "CombDigits", "DigitMaker", "LadderBits", "PairedDigits",
           "ScalarDigits", "bit_of", "comb_digits", "ladder_bits", "magnitude", "scalar_words",
           "signed_digits"]

#: Bits of a digit.
WINDOW = 5
#: Bits of a digit of a comb.
TEETH = DIGITS // 2


def signed_digits(scalar, width, window=WINDOW):
    """Return the digits of a scalar of so many bits, the highest one first: with a window of 5 bits
    from -16 to 16.
    """
    base = 1 << window
    found = []
    for place in reversed(range(0, width, window)):
        digit = (scalar >> place) % base + ((scalar << 1 >> place) & 1)
        found.append(digit - base * ((scalar >> place + window - 1) & 1))
    return found


class DigitMaker(wiring.Component):
    """Keeps the scalars of an operation, or more operations, and gives digits of them.

    Latency and throughput are those of each class.
    """

    def __init__(self, magnitudes, **more):
        super().__init__({
            # Take a word, the lowest one of each scalar first; the last one makes the highest
            # digits next. With ``slot_in``: of that operation.
            "push": In(1), "word": In(BASE),
            "next": In(1),  # make the next digits
            # The digit, or the entry of the memory that it chooses; and its sign.
            "magnitude": Out(magnitudes), "negative": Out(1),
            **more,
        })


class ScalarDigits(DigitMaker):
    """Keeps a scalar, and gives digits from -16 to 16 whose sum, times powers of 32, is the scalar.

    Of the bits s_4 ... s_0 of a digit and the bit c below, the digit is -16 s_4 + 8 s_3 + 4 s_2 +
    2 s_1 + s_0 + c. So s_4 counts -16 here, and 32 as the c of the next digit. With another
    ``window`` w, s_{w-1} counts -2**(w - 1).

    Latency: five clocks more than the bits of a digit, from ``next`` to the digit. Throughput: a
    digit in as many.

    A scalar has ``count`` words.
    """

    LATENCY = WINDOW + 5

    def __init__(self, count, window=WINDOW):
        self.count, self.window = count, window
        super().__init__(range((1 << window - 1) + 1))

    def elaborate(self, platform):
        m, width, window = Module(), self.count * BASE, self.window
        to, read = scalar_words(m, self.push, self.word, self.count)
        # The bit that is read next; below the lowest one there are zeros.
        at, past = Signal(range(width), reset_less=True), Signal()
        bits = Signal(window + 1, reset_less=True)
        left, is_first = Signal(range(window + 1)), Signal()
        bit = bit_of(m, read.data, at[:4], past)
        found = later(m, left.any(), 3, "found", reset_less=False)
        m.d.comb += read.addr.eq(at[4:])
        with m.If(self.push):
            m.d.sync += [to.eq(after(to, self.count)), at.eq(width - 1), past.eq(0),
                         bits.eq(0), is_first.eq(1)]
        with m.Elif(left.any()):
            m.d.sync += [at.eq(at - 1), past.eq(past | ~at.any()), left.eq(left - 1)]
        with m.Elif(self.next):
            # The highest digit takes the rest of the bits, and the one below; above there are
            # zeros.
            m.d.sync += [left.eq(Mux(is_first, width % window + 1, window)), is_first.eq(0)]
        with m.If(found):
            m.d.sync += bits.eq(Cat(bit, bits))
        m.d.sync += [self.negative.eq(bits[-1]), self.magnitude.eq(magnitude(bits))]
        return m


class CombDigits(DigitMaker):
    """Keeps a scalar, and gives the bits at one place of all its words: a comb in parts of
    :data:`TEETH` words.

    First those of the words of the highest part, from the highest word on; the highest place is the
    first one. A bit stands for 1 or -1. The highest bit of a part is the sign, so that the others
    tell which of 128 sums is meant. Sums of a third part are behind those of the others.

    Latency: :attr:`LATENCY` clocks from ``next`` to the digit. Throughput: a digit in as many.

    A scalar has ``count`` words, and two parts or three.
    """

    LATENCY = TEETH + 5

    def __init__(self, count=DIGITS):
        self.count, self.thirds = count, count > 2 * TEETH
        # The lower bits, inverted if the sum counts as negative; and whether it is of a third part.
        super().__init__(range(1 << TEETH - 1 + self.thirds))

    def elaborate(self, platform):
        m = Module()
        to, read = scalar_words(m, self.push, self.word, self.count)
        # The bit that is read next: its word, and above that its place.
        size = (self.count - 1).bit_length()
        at = Signal(size + 4, reset_less=True)
        first = (BASE - 1 << size) + self.count - 1
        bits, left = Signal(TEETH, reset_less=True), Signal(range(TEETH + 1))
        bit = bit_of(m, read.data, at[size:])
        found = later(m, left.any(), 3, "found", reset_less=False)
        m.d.comb += read.addr.eq(at[:size])
        with m.If(self.push):
            m.d.sync += [to.eq(after(to, self.count)), at.eq(first)]
        with m.Elif(left.any()):
            m.d.sync += [at.eq(at - 1), left.eq(left - 1)]
            if self.count < 1 << size:
                with m.If(~at[:size].any()):
                    m.d.sync += at.eq(at - 1 - ((1 << size) - self.count))
        with m.Elif(self.next):
            m.d.sync += left.eq(TEETH)
        with m.If(found):
            m.d.sync += bits.eq(Cat(bit, bits))
        m.d.sync += self.negative.eq(~bits[-1])
        if not self.thirds:
            m.d.sync += self.magnitude.eq(Mux(bits[-1], bits, ~bits))
            return m
        m.d.sync += self.magnitude[:TEETH - 1].eq(Mux(bits[-1], bits, ~bits))
        with m.If(found):
            m.d.sync += self.magnitude[TEETH - 1].eq(
                later(m, at[:size] >= 2 * TEETH, 3, "of_third"))
        return m


def comb_digits(scalar, count=DIGITS):
    """Return the digits of a :class:`CombDigits`: the magnitude of each, and its sign."""
    found = []
    for place in reversed(range(BASE)):
        for half in reversed(range(count // TEETH)):
            bits = sum((scalar >> place + BASE * (half * TEETH + tooth) & 1) << tooth
                       for tooth in range(TEETH))
            negative = not bits >> TEETH - 1
            magnitude = (bits ^ -negative) & (1 << TEETH - 1) - 1
            found.append((magnitude + (half == 2) * (1 << TEETH - 1), negative))
    return found


def magnitude(bits):
    """Return the magnitude of the digit of the bits of a window, and the one below."""
    if len(bits) > WINDOW + 1:  # too many for a table
        negative = bits[-1]
        return (bits[1:-1] ^ negative.replicate(len(bits) - 2)) + (bits[0] ^ negative)
    half = 1 << WINDOW - 1
    sizes = [(value >> 1) % half + value % 2 for value in range(4 * half)]
    table = Array(C(half - size if value >= 2 * half else size, range(half + 1))
                  for value, size in enumerate(sizes))
    return table[bits]


def scalar_words(m, push, word, count):
    """Keep so many words of a scalar; return where the next one goes, and the port to read from."""
    m.submodules.words = memory = Memory(shape=BASE, depth=count, init=[])
    write, read = memory.write_port(), memory.read_port(domain="comb")
    to = Signal(range(count))
    m.d.comb += [write.en.eq(push), write.addr.eq(to), write.data.eq(word)]
    return to, read


def bit_of(m, word, place, none=None):
    """Return the bit of a word at a place three clocks later, 0 if there is none."""
    row, column = later(m, word, 1, "row"), later(m, place, 1, "column")
    part = later(m, row.word_select(column[2:], 4), 1, "part")
    bit = part.bit_select(later(m, column[:2], 1, "in_part"), 1)
    return later(m, bit if none is None else bit & ~later(m, none, 2, "none"), 1, "bit")


class PairedDigits(DigitMaker):
    """Keeps a scalar of each of two operations, and gives digits of both.

    Latency, throughput: those of :class:`~.scalar_digits.ScalarDigits`.

    A scalar has ``count`` words.
    """

    LATENCY = ScalarDigits.LATENCY

    def __init__(self, count):
        self.count = count
        # Of ``slot`` and ``negative_of`` are the digit, above which is the operation, and the sign.
        super().__init__(range(2 << WINDOW), slot_in=In(1), slot=In(1), negative_of=In(1))

    def elaborate(self, platform):
        m = Module()
        m.submodules.first = first = ScalarDigits(self.count)
        m.submodules.second = second = ScalarDigits(self.count)
        for slot, digits in enumerate((first, second)):
            m.d.comb += [digits.push.eq(self.push & (self.slot_in == slot)),
                         digits.word.eq(self.word), digits.next.eq(self.next)]
        magnitude = Signal(WINDOW)
        m.d.comb += [magnitude.eq(Mux(self.slot, second.magnitude, first.magnitude)),
                     self.magnitude.eq(Cat(magnitude, self.slot)),
                     self.negative.eq(Mux(self.negative_of, second.negative, first.negative))]
        return m


def ladder_bits(scalar, bits):
    """Return for each bit, from the highest one, whether it is not the one above."""
    return [(scalar ^ scalar >> 1) >> place & 1 for place in reversed(range(bits))]


class LadderBits(DigitMaker):
    """Keeps scalars, clamped as RFC 7748 says for a curve, and gives digits of 0 and 1.

    A digit is 1 where a bit is not the one above: then the two points of a ladder change places.

    Latency: a clock from ``next`` to the digits. Throughput: a digit of each scalar in four clocks.
    """

    def __init__(self, curve, slots=1):
        self.curve, self.slots = curve, slots
        # The digit of each scalar. None is negative.
        super().__init__(slots, slot_in=In(range(slots)))

    def elaborate(self, platform):
        m, word, curve = Module(), self.word, self.curve
        count, low, top = (ceil_div(curve.width, BASE), curve.cofactor_bits,
                           (curve.width - 1) % BASE)
        for slot in range(self.slots):
            push = self.push & (self.slot_in == slot) if self.slots > 1 else self.push
            m.submodules[f"words_{slot}"] = memory = Memory(shape=BASE, depth=count, init=[])
            write, read = memory.write_port(), memory.read_port(domain="comb")
            to = Signal(range(count), name=f"to_{slot}")
            at = Signal(range(count * BASE), name=f"at_{slot}", reset_less=True)
            m.d.comb += [write.en.eq(push), write.addr.eq(to), read.addr.eq(at[4:]),
                         write.data.eq(Cat(word[:low] & (to != 0).replicate(low), word[low:top],
                                           word[top] | (to == count - 1),
                                           *(bit & (to != count - 1) for bit in word[top + 1:])))]
            row = later(m, read.data, 1, f"row_{slot}")
            bit = later(m, row.bit_select(at[:4], 1), 1, f"bit_{slot}")
            above = Signal(name=f"above_{slot}", reset_less=True)
            with m.If(push):
                m.d.sync += [to.eq(after(to, count)), at.eq(curve.width - 1), above.eq(0)]
            with m.Elif(self.next):
                m.d.sync += [at.eq(at - 1), above.eq(bit), self.magnitude[slot].eq(bit ^ above)]
        return m
