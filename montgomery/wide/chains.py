"""Sums in which a number is chosen, or left out, within the carry chain of an ECP5."""

from amaranth.hdl import C, Cat, Instance, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of

__all__ = ["LoadedSum", "OptionalSum"]


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
            m.d.comb += self.total.eq(_chain(
                m, lambda b, a, has_a, negative: b ^ (a & has_a) ^ negative, self.negative,
                [(self.b[bit], self.a[bit], self.has_a, self.negative)
                 for bit in range(self.width)]))
            return m
        taken = Mux(self.has_a, self.a, 0)
        m.d.comb += self.total.eq(Mux(self.negative, self.b - taken, self.b + taken))
        return m


class LoadedSum(wiring.Component):
    """``total = (a + b + carry) if keeps else other``, of signed numbers, in one chain.

    Latency: none. Throughput: a sum per clock.

    Members
    -------
    a, b, other : :py:`In(signed(width))`
    carry, keeps : :py:`In(1)`
        Without ``keeps`` a and the carry must be 0.
    total : :py:`Out(signed(width))`
    """

    def __init__(self, width):
        self.width, number = width, signed(width)
        super().__init__({"a": In(number), "b": In(number), "other": In(number), "carry": In(1),
                          "keeps": In(1), "total": Out(number)})

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            # Where C and D are 0 it is the carry, of A and B.
            m.d.comb += self.total.eq(_chain(
                m, lambda a, b, other, keeps: a ^ b if keeps else other | (a & b), self.carry,
                [(self.a[bit], self.b[bit], self.other[bit], self.keeps)
                 for bit in range(self.width)]))
        else:
            m.d.comb += self.total.eq(Mux(self.keeps, self.a + self.b + self.carry, self.other))
        return m


def _chain(m, function, carry, inputs):
    """Add a chain of CCU2C, each two bits, and return the sums of its bits; see
    :class:`~..blocks.chosen_sum.ChosenSum`.

    Parameters
    ----------
    function : callable
        What the sum of a bit is without a carry, by A, B, C and D.
    carry : value
        It enters as one that a bit generates.
    inputs : list of tuples of four values
    """
    table = sum(function(*(index >> bit & 1 for bit in range(4))) << index for index in range(16))
    bits = [(0x00AA, carry, C(0, 1), C(0, 1), C(1, 1)), *((table, *each) for each in inputs)]
    bits += [(0x0000, *[C(0, 1)] * 3, C(1, 1))] * (len(bits) % 2)
    carry, sums = C(0, 1), []
    for low in range(0, len(bits), 2):
        ports, leaves = {}, Signal(name=f"carry_{low}")
        for place, (init, *values) in enumerate(bits[low:low + 2]):
            out = Signal(name=f"bit_{low + place}")
            ports |= {f"i_{name}{place}": value
                      for name, value in zip("ABCD", values, strict=True)}
            ports |= {f"p_INIT{place}": C(init, 16), f"o_S{place}": out}
            sums.append(out)
        m.submodules[f"cell_{low}"] = Instance(
            "CCU2C", p_INJECT1_0="NO", p_INJECT1_1="NO", i_CIN=carry, o_COUT=leaves, **ports)
        carry = leaves
    return Cat(sums[1:1 + len(inputs)])
