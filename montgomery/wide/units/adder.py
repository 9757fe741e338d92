"""Sums of results, as small again as results."""

from amaranth.hdl import Array, C, Cat, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...blocks.carry_chain import OptionalSum
from ..datapath.ranges import BASE, RESULT_BITS, Range, centred_high

__all__ = ["DigitAdder"]

#: Least bits of what digits of sums give to another one.
_CARRY_BITS = 4


class DigitAdder(wiring.Component):
    """``total = ± a + b``, ``± a + 2 b``, or either of them alone.

    Of a sum ``s[k]`` at a place, ``u[k]`` is ``s[k] / 2**16``, rounded. Then ``total[k]`` is
    ``s[k] - 2**16 * u[k] + u[k - 1]``, and ``c * u[-1]`` more where ``(k, c)`` is in the ``carry``
    of the prime.

    Latency: :attr:`LATENCY` clocks from operands to ``total``, and one to ``loose``.
    Throughput: a sum per clock.

    A digit of a number has ``width`` bits: one more than that of a result if numbers may be loose.
    """

    LATENCY = 3

    def __init__(self, prime, width):
        self.prime, self.width = prime, width
        digits = prime.digits
        super().__init__({
            # Digits such that the sum has no more bits: of three results if the width is that of a
            # result, of six if it is one more. Of b also twice those.
            "a": In(signed(width + 1)).array(digits), "b": In(signed(width + 1)).array(digits),
            # Add a, or 0 without it; subtract it. The same for all digits.
            "has_a": In(1).array(digits), "negative": In(1).array(digits),
            "total": Out(signed(RESULT_BITS)).array(digits),
            # The same of two clocks later, before digits are carried, if it has no more bits; only
            # if a number has more than a result.
            **({"loose": Out(signed(width)).array(digits)} if width > RESULT_BITS else {}),
        })

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
