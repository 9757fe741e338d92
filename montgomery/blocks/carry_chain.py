"""Sums in which a number is chosen, or left out, within the carry chain of an ECP5.

The cells of the chain are instances there, since synthesis puts the choice in look-up tables in
front of them. Elsewhere it is up to synthesis.
"""

from amaranth.hdl import C, Cat, Instance, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of

__all__ = ["ChosenSum", "GatedSum", "LoadedSum", "OptionalSum"]


class ChosenSum(wiring.Component):
    """``total = a + (b if choose else c) + carry``, without a register.

    The cells of an ECP5's carry chain are instances, since synthesis puts the choice in look-up
    tables in front of them. Elsewhere it is up to synthesis.

    Latency: none. Throughput: a sum per clock.
    """

    def __init__(self, width):
        self.width = width
        super().__init__({
            "a": In(width), "b": In(width), "c": In(width), "choose": In(1), "carry": In(1),
            "total": Out(width + 1),
        })

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            self._ccu2c(m)
        else:
            m.d.comb += self.total.eq(self.a + Mux(self.choose, self.b, self.c) + self.carry)
        return m

    def _ccu2c(self, m):
        """Make a chain of CCU2C, each two bits.

        The sum of a bit is its LUT4's output, exclusive or the carry that comes. Where that output
        is 0 the carry that leaves is the output of a LUT2 of A and B, the four lowest bits of INIT:
        those of C = D = 0. So B, C and D may have a say in the second operand, if A is the first.
        """
        chosen = sum(((index ^ (index >> 1 if index & 8 else index >> 2)) & 1) << index
                     for index in range(16))
        # The carry enters as one that a bit generates, and leaves as the sum of a bit of zeros.
        bits = [(0x00AA, self.carry, 0, 0, 1, None)]
        bits += [(chosen, self.a[bit], self.b[bit], self.c[bit], self.choose, self.total[bit])
                 for bit in range(self.width)]
        bits += [(0x0000, 0, 0, 0, 1, self.total[self.width])]
        if len(bits) % 2:
            bits.append((0x0000, 0, 0, 0, 1, None))
        carry = C(0, 1)
        for index in range(0, len(bits), 2):
            ports = {}
            for place, (_, *inputs, total) in enumerate(bits[index:index + 2]):
                ports |= {f"i_{name}{place}": C(value, 1) if isinstance(value, int) else value
                          for name, value in zip("ABCD", inputs, strict=True)}
                out = Signal(name=f"bit_{index + place}")
                ports[f"o_S{place}"] = out
                if total is not None:
                    m.d.comb += total.eq(out)
            leaves = Signal(name=f"carry_{index}")
            m.submodules += Instance(
                "CCU2C", p_INIT0=C(bits[index][0], 16), p_INIT1=C(bits[index + 1][0], 16),
                p_INJECT1_0="NO", p_INJECT1_1="NO", i_CIN=carry, o_COUT=leaves, **ports)
            carry = leaves


class GatedSum(wiring.Component):
    """``total = (b if gate else 0) + a`` or ``- a``, of signed numbers, with the gate in the chain.

    Latency: none. Throughput: a sum per clock.
    """

    def __init__(self, a_width, b_width, *, negate=False):
        self.negate = negate
        super().__init__({
            "a": In(signed(a_width)), "b": In(signed(b_width)), "gate": In(1),
            "total": Out(signed(max(a_width, b_width) + 1)),
        })

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            self._ccu2c(m)
            return m
        kept = Signal(self.b.shape())
        m.d.comb += [kept.eq(self.b & self.gate.replicate(len(self.b)).as_signed()),
                     self.total.eq(kept - self.a if self.negate else kept + self.a)]
        return m

    def _ccu2c(self, m):
        """Make a chain of CCU2C, each two bits; see :class:`ChosenSum`.

        The table is that of A + (B and C), or of (B and C) - A, where D is 1.
        """
        width = len(self.total)
        a, b = (Signal(signed(width + 1), name=f"{name}_extended") for name in "ab")
        bits = Signal(width + 1)
        m.d.comb += [a.eq(self.a), b.eq(self.b), self.total.eq(bits[:width])]
        table = C(0x9555 if self.negate else 0x6AAA, 16)
        carry = C(int(self.negate), 1)
        for low in range(0, width, 2):
            leaves = Signal(name=f"carry_{low}")
            ports = {"o_COUT": leaves, "i_CIN": carry}
            for place in (0, 1):
                ports |= {f"i_A{place}": a[low + place], f"i_B{place}": b[low + place],
                          f"i_C{place}": self.gate, f"i_D{place}": C(1, 1),
                          f"o_S{place}": bits[low + place]}
            m.submodules[f"cell_{low}"] = Instance(
                "CCU2C", p_INIT0=table, p_INIT1=table, p_INJECT1_0="NO", p_INJECT1_1="NO", **ports)
            carry = leaves


class OptionalSum(wiring.Component):
    """``total = (a if has_a else 0) + b``, or the difference, of signed numbers, in one chain.

    Latency: none. Throughput: a sum per clock.
    """

    def __init__(self, width):
        self.width = width
        super().__init__({
            "a": In(signed(width)), "b": In(signed(width)),
            "has_a": In(1), "negative": In(1),  # without a nothing may be subtracted
            "total": Out(signed(width)),
        })

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
    """

    def __init__(self, width):
        self.width, number = width, signed(width)
        super().__init__({
            "a": In(number), "b": In(number), "other": In(number),
            "carry": In(1), "keeps": In(1),  # without ``keeps`` a and the carry must be 0
            "total": Out(number),
        })

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
    """Add a chain of CCU2C, each two bits, and return the sums of its bits; see :class:`ChosenSum`.

    ``function`` is what the sum of a bit is without a carry, by the four ``inputs`` of a bit;
    ``carry`` enters as one that a bit generates.
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
