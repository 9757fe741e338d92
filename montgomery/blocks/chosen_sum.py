"""An addition whose second operand is chosen within the carry chain."""

from amaranth.hdl import C, Instance, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of

__all__ = ["ChosenSum"]


class ChosenSum(wiring.Component):
    """``total = a + (b if choose else c) + carry``, without a register.

    The cells of an ECP5's carry chain are instances, since synthesis puts the choice in look-up
    tables in front of them. Elsewhere it is up to synthesis.

    Latency: none. Throughput: a sum per clock.

    Members
    -------
    a, b, c : :py:`In(width)`
    choose, carry : :py:`In(1)`
    total : :py:`Out(width + 1)`
    """

    def __init__(self, width):
        self.width = width
        super().__init__({"a": In(width), "b": In(width), "c": In(width), "choose": In(1),
                          "carry": In(1), "total": Out(width + 1)})

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
