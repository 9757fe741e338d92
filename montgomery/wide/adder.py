"""Sums of results, as small again as results."""

from amaranth.hdl import Array, C, Cat, Instance, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of
from .core import RESULT_BITS
from .ranges import BASE, Range, centred_high, centred_low

__all__ = ["DigitAdder", "OptionalSum", "normalised"]

#: Least bits of what digits of sums give to another one.
_CARRY_BITS = 4


def normalised(digits, prime):
    """Return digits of the same number modulo the prime, each of them almost within 16 bits.

    Digits are :class:`int` or :class:`~.ranges.Range`, of sums of six results at most.
    """
    up = [centred_high(digit) for digit in digits]
    found = [centred_low(digit) + (up[place - 1] if place else 0)
             for place, digit in enumerate(digits)]
    for place, times in prime.carry:
        found[place] = found[place] + times * up[-1]
    return found


class DigitAdder(wiring.Component):
    """``total = ± a + b``, ``± a + 2 b``, or either of them alone.

    Digits are added one by one, and each gives what it is above 16 bits to the next one. What the
    highest gives is a multiple of a power of two that is small in digits modulo the prime.

    Latency: :attr:`LATENCY` clocks from operands to ``total``, and one to ``loose``.
    Throughput: a sum per clock.

    Parameters
    ----------
    prime : :class:`~.primes.Prime`
    width : :class:`int`
        Bits of a digit of a number: one more than a result has if numbers may be loose.

    Members
    -------
    a, b : :py:`In(signed(width)).array(digits)`, :py:`In(signed(width + 1)).array(digits)`
        Digits such that the sum has no more bits than b: of three results if the width is that of
        a result, of six if it is one more. Of b also twice those.
    has_a, negative : :py:`In(1).array(digits)`
        Add a, or 0 without it; subtract it. The same for all digits.
    total : :py:`Out(signed(RESULT_BITS)).array(digits)`
    loose : :py:`Out(signed(width)).array(digits)`
        The same of two clocks later, before digits are carried, if it has no more bits; only if a
        number has more than a result.
    """

    LATENCY = 3

    def __init__(self, prime, width):
        self.prime, self.width = prime, width
        digits = prime.digits
        super().__init__({
            "a": In(signed(width)).array(digits),
            "b": In(signed(width + 1)).array(digits), "has_a": In(1).array(digits),
            "negative": In(1).array(digits), "total": Out(signed(RESULT_BITS)).array(digits)}
            | ({"loose": Out(signed(width)).array(digits)} if width > RESULT_BITS else {}))

    def elaborate(self, platform):
        m = Module()
        sums, bits = [], self.width + 1
        for place in range(self.prime.digits):
            m.submodules[f"sum_{place}"] = each = OptionalSum(bits)
            total = Signal(signed(bits), name=f"digit_{place}", reset_less=True)
            m.d.comb += [each.a.eq(self.a[place]), each.b.eq(self.b[place]),
                         each.has_a.eq(self.has_a[place]),
                         each.negative.eq(self.negative[place])]
            m.d.sync += total.eq(each.total)
            sums.append(total)
            if self.width > RESULT_BITS:
                m.d.comb += self.loose[place].eq(total)
        # What a digit gives is its bits from 16 on, and one more if bit 15 is set.
        folded = dict(self.prime.carry)
        # What the highest digit gives may count many times.
        most = centred_high((1 << bits - 1) - 1) * max(map(abs, folded.values()))
        carry_bits = max(_CARRY_BITS, Range(-most, most).width)
        for place, digit in enumerate(sums):
            given = []
            if place:
                given.append((1, sums[place - 1][BASE - 1:]))
            if place in folded:
                given.append((folded[place], sums[-1][BASE - 1:]))
            low, carry = (Signal(signed(size), name=f"{name}_{place}", reset_less=True)
                          for size, name in ((BASE, "low"), (carry_bits, "carry")))
            m.d.sync += [low.eq(digit[:BASE].as_signed()),
                         # Where two digits give something, each counts once.
                         carry.eq(_total(given, bits - BASE + 1,
                                         carry_bits if len(given) == 1 else _CARRY_BITS))]
            out = Signal(signed(RESULT_BITS), name=f"out_{place}", reset_less=True)
            m.d.sync += out.eq(low + carry)
            m.d.comb += self.total[place].eq(out)
        return m


def _total(given, bits, carry_bits):
    """Return the sum of what digits give, of so many bits and times a number, looked up in a table.
    """

    def number(value):
        """Return what is given by these bits, the lowest of which is bit 15."""
        return centred_high(value - (value >> bits - 1 << bits) << BASE - 1)

    shape = signed(carry_bits)
    return Array(
        C(sum(times * number(value >> bits * index & (1 << bits) - 1)
              for index, (times, _) in enumerate(given)), shape)
        for value in range(1 << bits * len(given)))[Cat(value for _, value in given)]


class OptionalSum(wiring.Component):
    """``total = (a if has_a else 0) + b``, or the difference, of signed numbers, in one chain.

    Latency: none. Throughput: a sum per clock.

    Members
    -------
    a, b : :py:`In(signed(width))`
    has_a, negative : :py:`In(1)`
        Without a nothing may be subtracted.
    total : :py:`Out(signed(width))`
    """

    def __init__(self, width):
        self.width = width
        super().__init__({"a": In(signed(width)), "b": In(signed(width)), "has_a": In(1),
                          "negative": In(1), "total": Out(signed(width))})

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            self._ccu2c(m)
            return m
        taken = Mux(self.has_a, self.a, 0)
        m.d.comb += self.total.eq(Mux(self.negative, self.b - taken, self.b + taken))
        return m

    def _ccu2c(self, m):
        """Make a chain of CCU2C, each two bits; see :class:`~..blocks.chosen_sum.ChosenSum`.

        The table is that of A xor (B and C) xor D; the carry enters as one that a bit generates.
        """
        table = sum(((index ^ (index >> 1 & index >> 2) ^ index >> 3) & 1) << index
                    for index in range(16))
        bits = [(0x00AA, self.negative, C(0, 1), C(0, 1), C(1, 1))]
        bits += [(table, self.b[bit], self.a[bit], self.has_a, self.negative)
                 for bit in range(self.width)]
        bits += [(0x0000, *[C(0, 1)] * 3, C(1, 1))] * (len(bits) % 2)
        carry, sums = C(0, 1), []
        for low in range(0, len(bits), 2):
            ports, leaves = {}, Signal(name=f"carry_{low}")
            for place, (init, *inputs) in enumerate(bits[low:low + 2]):
                out = Signal(name=f"bit_{low + place}")
                ports |= {f"i_{name}{place}": value
                          for name, value in zip("ABCD", inputs, strict=True)}
                ports |= {f"p_INIT{place}": C(init, 16), f"o_S{place}": out}
                sums.append(out)
            m.submodules[f"cell_{low}"] = Instance(
                "CCU2C", p_INJECT1_0="NO", p_INJECT1_1="NO", i_CIN=carry, o_COUT=leaves, **ports)
            carry = leaves
        m.d.comb += self.total.eq(Cat(sums[1:self.width + 1]))
